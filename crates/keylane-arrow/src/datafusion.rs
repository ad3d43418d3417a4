//! Scalar functions for DataFusion. Keys are named in SQL and held by the session's [`KeyRing`].
//!
//! - `keylane_hmac(column, 'key')`: HMAC-SHA-256, as `FixedSizeBinary(32)`.
//! - `keylane_token(column, 'key'[, 'form'[, bytes]])`: a [token](crate::token) from HMAC-SHA-256. The forms
//!   are `hex` (the default) and `base64url`, with 16 bytes by default, as `Utf8`; and `int64`, as `Int64`.
//! - `keylane_seal(column, 'key', 'name')`: each row [sealed](crate::seal) under a random nonce, as `Binary`.
//! - `keylane_seal_deterministic(column, 'key', 'name')`: the same, but equal values become equal bytes.
//! - `keylane_open(column, 'key', 'name'[, 'type'])`: the values that `keylane_seal` sealed, as an Arrow
//!   type, by default `'Utf8'`.
//! - `keylane_open_deterministic(column, 'key', 'name'[, 'type'])`: the same for
//!   `keylane_seal_deterministic`.
//!
//! All arguments except the column must be literals. `name` is authenticated with each value: to open a
//! column, use the name under which it was sealed, even if the column was renamed since.
//!
//! ```ignore
//! let ring = Arc::new(ring);
//! for function in keylane_arrow::datafusion::functions(&ring) {
//!     context.register_udf(function);
//! }
//! context.sql("SELECT keylane_token(email, 'customers') AS customer FROM people").await?;
//! ```

use crate::seal::sealed_type;
use crate::{Error, Form, KeyRing, SealingKey, hmac, open, seal, token};
use arrow_array::Array;
use arrow_schema::{DataType, Field, FieldRef};
use datafusion_common::{DataFusionError, Result, ScalarValue, internal_err, plan_err};
use datafusion_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use keylane::any::{AnyHmacKey, HashKind};
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Returns the functions, to be registered with a session. They take their keys from `ring`.
#[must_use]
pub fn functions(ring: &Arc<KeyRing>) -> Vec<ScalarUDF> {
    let function = |(kind, name, arguments, volatility): (_, _, RangeInclusive<usize>, _)| {
        let signature = Signature::one_of(arguments.map(TypeSignature::Any).collect(), volatility);
        ScalarUDF::new_from_impl(Function { kind, name, ring: Arc::clone(ring), signature })
    };
    [
        (Kind::Hmac, "keylane_hmac", 2..=2, Volatility::Immutable),
        (Kind::Token, "keylane_token", 2..=4, Volatility::Immutable),
        // Each call draws new nonces.
        (Kind::Seal, "keylane_seal", 3..=3, Volatility::Volatile),
        (Kind::SealDeterministic, "keylane_seal_deterministic", 3..=3, Volatility::Immutable),
        // Not evaluated while planning: a plan must not show an opened literal.
        (Kind::Open, "keylane_open", 3..=4, Volatility::Volatile),
        (Kind::OpenDeterministic, "keylane_open_deterministic", 3..=4, Volatility::Volatile),
    ]
    .into_iter()
    .map(function)
    .collect()
}

impl From<Error> for DataFusionError {
    fn from(error: Error) -> Self {
        Self::External(Box::new(error))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Hmac,
    Token,
    Seal,
    SealDeterministic,
    Open,
    OpenDeterministic,
}

#[derive(Debug)]
struct Function {
    kind: Kind,
    name: &'static str,
    ring: Arc<KeyRing>,
    signature: Signature,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && Arc::ptr_eq(&self.ring, &other.ring)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
        Arc::as_ptr(&self.ring).hash(state);
    }
}

/// The meaning of the literals that follow the column.
enum Call<'a> {
    Hmac(AnyHmacKey),
    Token(AnyHmacKey, Form),
    Seal(SealingKey, &'a str),
    Open(SealingKey, &'a str, DataType),
}

impl Function {
    /// Reads the literals. `literals[0]` belongs to the column.
    fn call<'a>(&'a self, literals: &[Option<&'a ScalarValue>]) -> Result<Call<'a>> {
        let text = |i: usize, what: &str| match literals[i].and_then(ScalarValue::try_as_str) {
            Some(Some(text)) => Ok(text),
            _ => plan_err!("{}: {what} must be a string literal", self.name),
        };
        let key = self.ring.get(text(1, "the key's name")?)?;
        let column = || text(2, "the column's name");
        let data_type = || match literals.get(3) {
            None => Ok(DataType::Utf8),
            Some(_) => text(3, "the type")?.parse().map_err(DataFusionError::from),
        };
        Ok(match self.kind {
            Kind::Hmac => Call::Hmac(key.hmac(HashKind::Sha256)),
            Kind::Token => {
                let bytes = match literals.get(3) {
                    None => 16,
                    Some(Some(ScalarValue::Int64(Some(bytes)))) => usize::try_from(*bytes).unwrap_or(0),
                    Some(_) => {
                        return plan_err!("{}: the number of bytes must be a literal", self.name);
                    }
                };
                let form = if literals.len() > 2 { text(2, "the form")? } else { "hex" };
                Call::Token(key.hmac(HashKind::Sha256), Form::from_name(form, bytes)?)
            }
            Kind::Seal => Call::Seal(key.random()?, column()?),
            Kind::SealDeterministic => Call::Seal(key.deterministic()?, column()?),
            Kind::Open => Call::Open(key.random()?, column()?, data_type()?),
            Kind::OpenDeterministic => Call::Open(key.deterministic()?, column()?, data_type()?),
        })
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        internal_err!("the type depends on the literals")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let data_type = match self.call(args.scalar_arguments)? {
            Call::Hmac(_) => DataType::FixedSizeBinary(32),
            Call::Token(_, Form::Int64) => DataType::Int64,
            Call::Token(..) => DataType::Utf8,
            Call::Seal(..) => sealed_type(args.arg_fields[0].data_type()),
            Call::Open(_, _, data_type) => data_type,
        };
        Ok(Arc::new(Field::new(self.name(), data_type, args.arg_fields[0].is_nullable())))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let literals = args.args.iter().map(|value| match value {
            ColumnarValue::Scalar(value) => Some(value),
            ColumnarValue::Array(_) => None,
        });
        let literals: Vec<_> = literals.collect();
        let call = self.call(&literals)?;
        // Each sealed row has its own nonce, even if the text is a literal.
        let once = literals[0].is_some() && self.kind != Kind::Seal;
        let rows = if once { 1 } else { args.number_rows };
        let column = args.args[0].to_array(rows)?;
        let column: &dyn Array = &*column;
        let result = match call {
            Call::Hmac(key) => hmac(&key, column).map(|macs| Arc::new(macs) as _),
            Call::Token(key, form) => token(&key, column, form),
            Call::Seal(key, name) => seal(&key, name, column),
            Call::Open(key, name, data_type) => open(&key, name, column, &data_type),
        };
        let array = result.map_err(|error| error.in_column(args.arg_fields[0].name()))?;
        if once {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?));
        }
        Ok(ColumnarValue::Array(array))
    }
}
