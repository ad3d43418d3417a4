//! Columns of every type, compared with RustCrypto row by row.

#![forbid(unsafe_code)]

use aes_gcm_siv::Aes256GcmSiv;
use aes_gcm_siv::aead::{Aead as _, KeyInit, Payload};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Date64Array, DictionaryArray, FixedSizeBinaryArray,
    Float64Array, Int8Array, Int32Array, Int64Array, StringArray, UInt64Array,
};
use arrow_cast::cast;
use arrow_schema::DataType;
use hmac::Mac;
use keylane::any::{AnyHmacKey, HashKind};
use keylane_arrow::{Error, Form, KeyRing, SealingKey, digest, hmac, open, seal, token};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

const KEY: &[u8; 32] = b"a key of thirty-two bytes or so.";

/// HMAC-SHA-256 by RustCrypto.
fn expected(message: &[u8]) -> Vec<u8> {
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(KEY).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

fn rows(macs: &FixedSizeBinaryArray) -> Vec<Option<Vec<u8>>> {
    macs.iter().map(|row| row.map(<[u8]>::to_vec)).collect()
}

fn text() -> StringArray {
    let long = "x".repeat(5000);
    vec![
        Some("ada@example.org"),
        None,
        Some(""),
        Some("žluťoučký kůň 馬"),
        Some(&long),
        Some("ada@example.org"),
    ]
    .into()
}

const STRINGS: [DataType; 6] = [
    DataType::Utf8,
    DataType::LargeUtf8,
    DataType::Utf8View,
    DataType::Binary,
    DataType::LargeBinary,
    DataType::BinaryView,
];

/// The same strings as columns of every type, as a dictionary, and as a slice with an offset.
fn columns(text: &StringArray) -> Vec<ArrayRef> {
    let mut columns = Vec::new();
    for data_type in STRINGS {
        columns.push(cast(text, &data_type).unwrap());
        let nulls = StringArray::new_null(3);
        let padded = arrow_select::concat::concat(&[&nulls, text, &nulls]).unwrap();
        columns.push(cast(&padded, &data_type).unwrap().slice(3, text.len()));
    }
    for data_type in [DataType::Utf8, DataType::LargeBinary] {
        for keys in [DataType::Int8, DataType::UInt32] {
            let dictionary = DataType::Dictionary(keys.into(), data_type.clone().into());
            columns.push(cast(text, &dictionary).unwrap());
        }
    }
    columns
}

#[test]
fn hmacs_are_those_of_rustcrypto_for_every_type() {
    let key = AnyHmacKey::new(HashKind::Sha256, KEY);
    let text = text();
    let want: Vec<_> = text.iter().map(|row| row.map(|row| expected(row.as_bytes()))).collect();
    for column in columns(&text) {
        assert_eq!(rows(&hmac(&key, &column).unwrap()), want, "{}", column.data_type());
    }
    let fixed =
        FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(*b"abc"), None].into_iter(), 3).unwrap();
    assert_eq!(rows(&hmac(&key, &fixed).unwrap()), [Some(expected(b"abc")), None]);
}

#[test]
fn numbers_and_dates_are_hashed_as_text() {
    let key = AnyHmacKey::new(HashKind::Sha256, KEY);
    let (i64s, u64s): (ArrayRef, ArrayRef) =
        (Arc::new(Int64Array::from(vec![Some(-42), None])), Arc::new(UInt64Array::from(vec![u64::MAX])));
    for data_type in [DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64] {
        let column = cast(&i64s, &data_type).unwrap();
        assert_eq!(rows(&hmac(&key, &column).unwrap()), [Some(expected(b"-42")), None]);
    }
    assert_eq!(rows(&hmac(&key, &u64s).unwrap()), [Some(expected(b"18446744073709551615"))]);
    let days = Date32Array::from(vec![Some(5539), None, Some(-1)]);
    let want = [Some(expected(b"1985-03-02")), None, Some(expected(b"1969-12-31"))];
    assert_eq!(rows(&hmac(&key, &days).unwrap()), want);
    let dates = Date64Array::from(vec![Some(5539 * 86_400_000), None, Some(-86_400_000)]);
    assert_eq!(rows(&hmac(&key, &dates).unwrap()), want);
}

#[test]
fn empty_columns_and_columns_of_nulls() {
    let key = AnyHmacKey::new(HashKind::Sha256, KEY);
    let seals = [SealingKey::deterministic(KEY), SealingKey::random(KEY)];
    for column in columns(&StringArray::new_null(0)).into_iter().chain(columns(&StringArray::new_null(4))) {
        let nulls = column.len();
        assert_eq!(rows(&hmac(&key, &column).unwrap()), vec![None; nulls]);
        assert_eq!(token(&key, &column, Form::Int64).unwrap().null_count(), nulls);
        assert_eq!(token(&key, &column, Form::Hex { bytes: 16 }).unwrap().null_count(), nulls);
        for seal_key in &seals {
            let sealed = seal(seal_key, "a", &column).unwrap();
            assert_eq!((sealed.len(), sealed.null_count()), (nulls, nulls));
            let opened = open(seal_key, "a", &sealed, column.data_type()).unwrap();
            assert_eq!(&opened, &column);
        }
    }
    assert_eq!(token(&key, &StringArray::new_null(0), Form::Int64).unwrap().len(), 0);
}

#[test]
fn digests_and_other_hashes() {
    use sha2::Digest;
    let digests = digest(HashKind::Sha512, &text()).unwrap();
    assert_eq!(digests.value(0), sha2::Sha512::digest("ada@example.org").as_slice());
    assert!(digests.is_null(1));
    assert_eq!(digests.value_length(), 64);
}

#[test]
fn tokens_in_every_form() {
    let key = AnyHmacKey::new(HashKind::Sha256, KEY);
    let mac = expected(b"ada@example.org");
    for column in columns(&text()) {
        let hex = token(&key, &column, Form::Hex { bytes: 10 }).unwrap();
        let want: String = mac[..10].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex.as_string::<i32>().value(0), want);
        assert!(hex.is_null(1));
        let base64 = token(&key, &column, Form::Base64Url { bytes: 16 }).unwrap();
        use base64::Engine as _;
        let want = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&mac[..16]);
        assert_eq!(base64.as_string::<i32>().value(5), want);
        let number = token(&key, &column, Form::Int64).unwrap();
        let want = i64::from_be_bytes(mac[..8].try_into().unwrap());
        assert_eq!(number.as_primitive::<arrow_array::types::Int64Type>().value(0), want);
    }
    for form in [Form::Hex { bytes: 7 }, Form::Base64Url { bytes: 33 }] {
        assert!(matches!(token(&key, &text(), form), Err(Error::Parameter(_))));
    }
}

#[test]
fn equal_rows_are_sealed_differently_by_a_random_key() {
    let key = SealingKey::random(KEY);
    for column in columns(&text()) {
        let sealed = seal(&key, "email", &column).unwrap();
        let sealed = cast(&sealed, &DataType::LargeBinary).unwrap();
        let sealed = sealed.as_binary::<i64>();
        assert_ne!(sealed.value(0), sealed.value(5), "{}", column.data_type());
        let row = sealed.value(0);
        let (nonce, row) = row.split_at(24);
        let want = xaes_256_gcm::Xaes256Gcm::new_from_slice(KEY)
            .unwrap()
            .encrypt(nonce.try_into().unwrap(), Payload { msg: b"ada@example.org", aad: b"text:email" })
            .unwrap();
        assert_eq!(row, want);
    }
}

/// More rows than one call of the AEAD takes, some of them null.
#[test]
fn every_row_of_a_long_column_has_a_nonce_of_its_own() {
    let column: StringArray = (0..2000).map(|i| (i % 7 > 0).then_some("a")).collect();
    let sealed = seal(&SealingKey::random(KEY), "a", &column).unwrap();
    let nonces: HashSet<_> = sealed.as_binary::<i32>().iter().flatten().map(|row| &row[..24]).collect();
    assert_eq!(nonces.len(), column.len() - column.null_count());
    for bit in 0..8 * 24 {
        let ones = nonces.iter().filter(|nonce| nonce[bit / 8] >> (bit % 8) & 1 == 1).count();
        assert!((1..nonces.len()).contains(&ones), "bit {bit} is not random");
    }
}

#[test]
fn what_was_sealed_opens_as_its_type() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(5539), None, Some(-3)]));
    let mut all = columns(&text());
    for data_type in [DataType::Int16, DataType::Int32, DataType::Int64, DataType::Date32] {
        all.push(cast(&numbers, &data_type).unwrap());
    }
    all.push(Arc::new(Date64Array::from(vec![Some(86_400_000), None])));
    all.push(Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])));
    all.push(Arc::new(Int8Array::from(vec![i8::MIN])));
    all.push(Arc::new(
        FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(*b"abc"), None].into_iter(), 3).unwrap(),
    ));
    for key in [SealingKey::deterministic(KEY), SealingKey::random(KEY)] {
        for column in &all {
            let sealed = seal(&key, "a column", column).unwrap();
            assert_eq!(&open(&key, "a column", &sealed, column.data_type()).unwrap(), column);
            // Every byte counts, and so do the name and the key.
            assert!(matches!(
                open(&key, "another", &sealed, column.data_type()),
                Err(Error::Rejected { row: 0, .. })
            ));
        }
    }
}

/// A slice begins at an offset of its values and of its nulls.
#[test]
fn a_slice_of_numbers_has_its_own_nulls() {
    let numbers = Int32Array::from(vec![None, Some(1), None, Some(3), Some(4)]);
    let key = SealingKey::deterministic(KEY);
    for data_type in [DataType::Int8, DataType::Int64, DataType::UInt64, DataType::Date32] {
        let slice = cast(&numbers, &data_type).unwrap().slice(1, 4);
        let sealed = seal(&key, "a", &slice).unwrap();
        assert_eq!(&open(&key, "a", &sealed, &data_type).unwrap(), &slice);
        let macs = hmac(&AnyHmacKey::new(HashKind::Sha256, KEY), &slice).unwrap();
        assert_eq!(macs.nulls(), slice.nulls(), "{data_type}");
    }
}

#[test]
fn sealed_numbers_have_one_length() {
    let numbers = Int64Array::from(vec![0, 9, i64::MIN, i64::MAX]);
    let sealed = seal(&SealingKey::deterministic(KEY), "n", &numbers).unwrap();
    assert!(sealed.as_binary::<i32>().iter().all(|row| row.unwrap().len() == 24));
}

#[test]
fn a_changed_row_is_rejected_by_its_number() {
    for key in [SealingKey::deterministic(KEY), SealingKey::random(KEY)] {
        let many: StringArray = (0..1000).map(|i| (i % 7 > 0).then(|| format!("row {i}"))).collect();
        let sealed = seal(&key, "a", &many).unwrap();
        let good: Vec<_> = sealed.as_binary::<i32>().iter().map(|row| row.map(<[u8]>::to_vec)).collect();
        for (row, change) in [(1, 0), (601, 30), (999, 3)] {
            let mut bad = good.clone();
            let bytes = bad[row].as_mut().unwrap();
            let at = change % bytes.len();
            bytes[at] ^= 0x80;
            let bad = arrow_array::BinaryArray::from_iter(bad);
            let error = open(&key, "a", &bad, &DataType::Utf8).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "column `a`, row {row}: not sealed under this key, name and kind of type, or changed"
                )
            );
        }
        let short = arrow_array::BinaryArray::from_vec(vec![b"short"]);
        assert!(matches!(open(&key, "a", &short, &DataType::Utf8), Err(Error::Rejected { row: 0, .. })));
    }
}

#[test]
fn values_of_another_type_are_refused_without_being_shown() {
    let key = SealingKey::random(KEY);
    let bytes = arrow_array::BinaryArray::from_vec(vec![b"\xff\xfe secret"]);
    let numbers = Int64Array::from(vec![987_654_321]);
    for (column, data_type) in [
        (&bytes as &dyn Array, DataType::Utf8),
        (&bytes, DataType::FixedSizeBinary(5)),
        (&numbers, DataType::Int8),
        (&numbers, DataType::UInt32),
    ] {
        let sealed = seal(&key, "a", column).unwrap();
        match open(&key, "a", &sealed, &data_type) {
            Ok(opened) => assert_eq!((data_type, opened.len()), (DataType::UInt32, 1)),
            Err(error) => {
                let want = format!("column `a` holds values that are not of the type {data_type}");
                assert_eq!(error.to_string(), want);
            }
        }
    }
}

#[test]
fn types_without_bytes_are_refused_with_the_columns_name() {
    let key = SealingKey::random(KEY);
    let booleans = BooleanArray::from(vec![true]);
    let floats = Float64Array::from(vec![1.0]);
    let nested = DictionaryArray::<Int8Type>::new(vec![0].into(), Arc::new(floats.clone()));
    for (column, name) in [(&booleans as &dyn Array, "Boolean"), (&floats, "Float64"), (&nested, "Float64")] {
        let error = seal(&key, "height", column).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "column `height` has the type {name}, which has no bytes of its own: \
                 cast it to a string, bytes, an integer or a date"
            )
        );
        let error = hmac(&AnyHmacKey::new(HashKind::Sha256, KEY), column).unwrap_err();
        assert!(error.to_string().starts_with("a column has the type"), "{error}");
        assert!(error.in_column("height").to_string().starts_with("column `height` has"));
    }
    assert!(matches!(open(&key, "a", &text(), &DataType::Utf8), Err(Error::Type { .. })));
    assert!(matches!(open(&key, "a", &text(), &DataType::Float64), Err(Error::Type { .. })));
}

#[test]
fn keys_come_from_files_and_are_never_shown() {
    let mut ring = KeyRing::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("customers.key");
    std::fs::write(&path, KEY).unwrap();
    #[cfg(unix)]
    for (mode, open) in [(0o640, Some(0o640)), (0o604, Some(0o604)), (0o600, None)] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(ring.read_file("customers", &path).unwrap(), open);
    }
    ring.read_file("customers", &path).unwrap();
    assert_eq!(ring.get("customers").unwrap().hmac(HashKind::Sha256).mac(b"a").as_bytes(), expected(b"a"));
    let check = ring.get("customers").unwrap().check_value();
    assert_eq!(check, expected(b"keylane: check value")[..8]);
    ring.insert("long", &[7; 40]).unwrap();
    assert_eq!(ring.names().collect::<Vec<_>>(), ["customers", "long"]);
    let error = ring.get("long").unwrap().random().unwrap_err();
    assert_eq!(error.to_string(), "no key in the key `long`: a sealing key has 32 bytes, not 40");
    assert!(ring.get("customers").unwrap().deterministic().is_ok());
    assert_eq!(ring.get("custmers").unwrap_err().to_string(), "the key ring has no key named `custmers`");
    std::fs::write(&path, "short").unwrap();
    let error = ring.read_file("short", &path).unwrap_err().to_string();
    assert!(error.ends_with("customers.key: a key has at least 32 bytes, not 5"), "{error}");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    KeyRing::new().read_file("long", &path).unwrap();
    std::fs::write(&path, vec![7; (1 << 20) + 1]).unwrap();
    let error = ring.read_file("long", &path).unwrap_err().to_string();
    assert!(error.ends_with("customers.key: longer than 1048576 bytes"), "{error}");
    #[cfg(unix)]
    assert!(
        ring.read_file("endless", "/dev/zero")
            .unwrap_err()
            .to_string()
            .ends_with(": longer than 1048576 bytes")
    );
    std::fs::write(&path, format!("\u{feff}{}", "0f".repeat(32))).unwrap();
    let error = ring.read_file("text", &path).unwrap_err().to_string();
    assert!(error.contains("customers.key: text with a byte order mark"), "{error}");
    assert!(ring.read_file("none", folder.path().join("none")).is_err());
    let error = ring.read_env("none", "KEYLANE_NO_SUCH_VARIABLE").unwrap_err();
    assert_eq!(error.to_string(), "no key in the variable KEYLANE_NO_SUCH_VARIABLE: it is not set");
    assert_eq!(
        format!("{ring:?}"),
        r#"KeyRing({"customers": Key { name: "customers", .. }, "long": Key { name: "long", .. }})"#
    );
    // Another key of the same name replaces it.
    ring.insert("long", KEY).unwrap();
    assert_eq!(ring.get("long").unwrap().check_value(), check);
}

proptest! {
    #[test]
    fn any_column_is_that_of_its_rows(
        values in vec(prop::option::of(vec(any::<u8>(), 0..150)), 0..1500),
        offset in 0usize..20,
    ) {
        let column = arrow_array::BinaryArray::from_iter(values);
        let column = column.slice(offset.min(column.len()), column.len() - offset.min(column.len()));
        let macs = hmac(&AnyHmacKey::new(HashKind::Sha256, KEY), &column).unwrap();
        for (mac, row) in macs.iter().zip(column.iter()) {
            prop_assert_eq!(mac.map(<[u8]>::to_vec), row.map(expected));
        }
        for key in [SealingKey::deterministic(KEY), SealingKey::random(KEY)] {
            let sealed = seal(&key, "a", &column).unwrap();
            let opened = open(&key, "a", &sealed, &DataType::Binary).unwrap();
            prop_assert_eq!(opened.as_binary::<i32>(), &column);
        }
    }
}

/// Lengths around those of the chunks that rows are hashed and sealed in, which the feature `parallel` runs
/// on several cores.
#[test]
fn columns_of_many_lengths() {
    let (mac_key, seal_key) = (AnyHmacKey::new(HashKind::Sha256, KEY), SealingKey::deterministic(KEY));
    let rival = Aes256GcmSiv::new_from_slice(KEY).unwrap();
    for len in [1, 255, 256, 257, 512, 1023, 1024, 1025, 2047, 2048, 2049, 5000] {
        let column: StringArray = (0..len).map(|i| (i % 7 != 3).then(|| format!("row {i}"))).collect();
        let want: Vec<_> = column.iter().map(|row| row.map(|row| expected(row.as_bytes()))).collect();
        assert_eq!(rows(&hmac(&mac_key, &column).unwrap()), want, "{len}");
        let sealed = seal(&seal_key, "a", &column).unwrap();
        for (sealed, row) in sealed.as_binary::<i32>().iter().zip(&column) {
            let payload = |msg| Payload { msg, aad: b"text:a" };
            let want = row.map(|row| rival.encrypt(&[0; 12].into(), payload(row.as_bytes())).unwrap());
            assert_eq!(sealed, want.as_deref(), "{len}");
        }
        assert_eq!(&*open(&seal_key, "a", &sealed, &DataType::Utf8).unwrap(), &column as &dyn Array);
    }
}

/// Several threads may find one each.
#[test]
fn the_first_of_several_changed_rows_is_reported() {
    let key = SealingKey::random(KEY);
    let column: StringArray = (0..5000).map(|i| Some(format!("row {i}"))).collect();
    let sealed = seal(&key, "a", &column).unwrap();
    let bad = sealed.as_binary::<i32>().iter().enumerate().map(|(i, row)| {
        let mut row = row.unwrap().to_vec();
        row[30] ^= u8::from([700, 701, 1500, 3000, 4999].contains(&i));
        Some(row)
    });
    let bad: arrow_array::BinaryArray = bad.collect();
    for _ in 0..50 {
        let error = open(&key, "a", &bad, &DataType::Utf8).unwrap_err();
        assert!(matches!(error, Error::Rejected { row: 700, .. }), "{error}");
    }
}

#[test]
fn a_changed_value_of_a_dictionary_is_rejected_by_its_row() {
    let key = SealingKey::deterministic(KEY);
    let values = seal(&key, "a", &StringArray::from(vec!["a", "b", "c"])).unwrap();
    let values = values.as_binary::<i32>().iter().enumerate().map(|(i, row)| {
        let mut row = row.unwrap().to_vec();
        row[0] ^= u8::from(i == 1);
        Some(row)
    });
    let values = Arc::new(values.collect::<arrow_array::BinaryArray>());
    let sealed = |keys: Vec<Option<i32>>| DictionaryArray::<Int32Type>::new(keys.into(), values.clone());
    let bad = sealed(vec![Some(0), None, Some(2), Some(2), Some(1)]);
    let error = open(&key, "a", &bad, &DataType::Utf8).unwrap_err();
    assert!(matches!(error, Error::Rejected { row: 4, .. }), "{error}");
    // No row has the value.
    let good = sealed(vec![Some(0), None, Some(2), Some(2), Some(2)]);
    let want: StringArray = vec![Some("a"), None, Some("c"), Some("c"), Some("c")].into();
    for good in [good.slice(0, 5), good.slice(0, 2)] {
        let opened = open(&key, "a", &good, &DataType::Utf8).unwrap();
        assert_eq!(&*opened, &want.slice(0, good.len()) as &dyn Array);
    }
}

#[test]
fn dates_are_whole_days_of_the_calendar() {
    let (mac_key, seal_key) = (AnyHmacKey::new(HashKind::Sha256, KEY), SealingKey::deterministic(KEY));
    let dates = Date64Array::from(vec![Some(5539 * 86_400_000), None, Some(-86_400_000)]);
    let days = Date32Array::from(vec![Some(5539), None, Some(-1)]);
    let sealed = seal(&seal_key, "born", &dates).unwrap();
    assert_eq!(&sealed, &seal(&seal_key, "born", &days).unwrap());
    for column in [&dates as &dyn Array, &days] {
        assert_eq!(&*open(&seal_key, "born", &sealed, column.data_type()).unwrap(), column);
    }
    for milliseconds in [1, -1, i64::MIN, i64::MAX] {
        let column = Date64Array::from(vec![milliseconds]);
        let error = hmac(&mac_key, &column).unwrap_err().in_column("born");
        assert_eq!(error.to_string(), "column `born` holds values that are not whole days");
        assert_eq!(seal(&seal_key, "born", &column).unwrap_err().to_string(), error.to_string());
    }
    let error = hmac(&mac_key, &Date32Array::from(vec![i32::MAX])).unwrap_err().in_column("born");
    assert_eq!(error.to_string(), "column `born` holds values that are not dates of the calendar");
}

/// A number whose eight bytes are a string, and a string of eight bytes, among others.
#[test]
fn values_of_another_kind_do_not_open() {
    let texts = StringArray::from(vec!["20261125"]);
    let (integers, dates) = (Int64Array::from(vec![42]), Date32Array::from(vec![42]));
    let kinds: [(&dyn Array, [DataType; 2]); 3] = [
        (&texts, [DataType::Utf8, DataType::Binary]),
        (&integers, [DataType::Int64, DataType::UInt8]),
        (&dates, [DataType::Date32, DataType::Date64]),
    ];
    for key in [SealingKey::deterministic(KEY), SealingKey::random(KEY)] {
        for (sealed_as, (column, _)) in kinds.iter().enumerate() {
            let sealed = seal(&key, "a", *column).unwrap();
            for (opened_as, (_, types)) in kinds.iter().enumerate() {
                for data_type in types {
                    let opened = open(&key, "a", &sealed, data_type);
                    if sealed_as == opened_as {
                        assert!(opened.is_ok(), "{data_type}");
                    } else {
                        assert!(matches!(opened, Err(Error::Rejected { row: 0, .. })), "{data_type}");
                    }
                }
            }
        }
    }
}

/// Engines send a batch that holds only nulls without a type.
#[test]
fn nulls_without_a_type_stay_null() {
    let nulls = arrow_array::NullArray::new(3);
    let (mac_key, key) = (AnyHmacKey::new(HashKind::Sha256, KEY), SealingKey::random(KEY));
    assert_eq!(hmac(&mac_key, &nulls).unwrap().null_count(), 3);
    assert_eq!(token(&mac_key, &nulls, Form::Int64).unwrap().null_count(), 3);
    let sealed = seal(&key, "a", &nulls).unwrap();
    assert_eq!((sealed.data_type(), sealed.null_count()), (&DataType::Binary, 3));
    for column in [&sealed as &dyn Array, &nulls] {
        let opened = open(&key, "a", column, &DataType::Utf8).unwrap();
        assert_eq!((opened.data_type(), opened.null_count()), (&DataType::Utf8, 3));
    }
}

#[test]
fn a_dictionary_of_few_rows_and_many_values() {
    let values: StringArray = (0..100).map(|i| Some(i.to_string())).collect();
    let keys = Int32Array::from(vec![Some(99), None, Some(3)]);
    let column = DictionaryArray::<Int32Type>::new(keys, Arc::new(values));
    let want = [Some(expected(b"99")), None, Some(expected(b"3"))];
    assert_eq!(rows(&hmac(&AnyHmacKey::new(HashKind::Sha256, KEY), &column).unwrap()), want);
}

/// Properties of the functions that DataFusion's planner relies on.
#[cfg(feature = "datafusion")]
mod sql {
    use super::*;
    use arrow_schema::{Field, FieldRef};
    use datafusion_common::ScalarValue;
    use datafusion_common::config::ConfigOptions;
    use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, Volatility};
    use keylane_arrow::datafusion::functions;

    const NAMES: [&str; 3] = ["text", "customers", "email"];

    fn function(name: &str) -> ScalarUDF {
        let mut ring = KeyRing::new();
        ring.insert("customers", KEY).unwrap();
        functions(&Arc::new(ring)).into_iter().find(|function| function.name() == name).unwrap()
    }

    /// Calls a function with a column, or a literal, and the literals that follow it.
    fn invoke(name: &str, column: ColumnarValue, nullable: bool) -> (FieldRef, ColumnarValue) {
        let literals = if name.contains("seal") { &NAMES[1..] } else { &NAMES[1..2] };
        let literals: Vec<_> = literals.iter().map(|text| ScalarValue::from(*text)).collect();
        let types = [column.data_type()].into_iter().chain(literals.iter().map(ScalarValue::data_type));
        let fields = NAMES.iter().zip(types).map(|(name, of)| Arc::new(Field::new(*name, of, nullable)));
        let arg_fields: Vec<_> = fields.collect();
        let scalar_arguments: Vec<_> = [None].into_iter().chain(literals.iter().map(Some)).collect();
        let asked = ReturnFieldArgs { arg_fields: &arg_fields, scalar_arguments: &scalar_arguments };
        let return_field = function(name).return_field_from_args(asked).unwrap();
        let mut args = vec![column];
        args.extend(literals.into_iter().map(ColumnarValue::Scalar));
        let (number_rows, config_options) = (5, Arc::new(ConfigOptions::default()));
        let call = ScalarFunctionArgs {
            args,
            arg_fields,
            number_rows,
            return_field: return_field.clone(),
            config_options,
        };
        (return_field, function(name).invoke_with_args(call).unwrap())
    }

    /// Otherwise the planner could seal a literal once for all rows, or show in a plan what one opens to.
    #[test]
    fn sealing_and_opening_are_not_planned_ahead() {
        for (name, volatility) in [
            ("keylane_hmac", Volatility::Immutable),
            ("keylane_token", Volatility::Immutable),
            ("keylane_seal", Volatility::Volatile),
            ("keylane_seal_deterministic", Volatility::Immutable),
            ("keylane_open", Volatility::Volatile),
            ("keylane_open_deterministic", Volatility::Volatile),
        ] {
            assert_eq!(function(name).signature().volatility, volatility, "{name}");
        }
    }

    #[test]
    fn a_literal_is_sealed_anew_for_each_row() {
        let text = || ColumnarValue::Scalar(ScalarValue::from("a"));
        let ColumnarValue::Array(sealed) = invoke("keylane_seal", text(), false).1 else { panic!("once") };
        let rows: HashSet<_> = sealed.as_binary::<i32>().iter().collect();
        assert_eq!(rows.len(), 5);
        for name in ["keylane_hmac", "keylane_token", "keylane_seal_deterministic"] {
            let (field, value) = invoke(name, text(), false);
            assert!(!field.is_nullable() && matches!(value, ColumnarValue::Scalar(_)), "{name}");
        }
    }

    #[test]
    fn results_are_of_the_fields_that_were_planned() {
        let text = StringArray::from(vec![Some("a"), None, Some("b"), Some("a"), Some("a")]);
        for column in columns(&text) {
            for name in ["keylane_hmac", "keylane_seal", "keylane_seal_deterministic"] {
                let (field, result) = invoke(name, ColumnarValue::Array(column.clone()), true);
                assert_eq!(field.data_type(), &result.data_type(), "{name} of {}", column.data_type());
                assert!(field.is_nullable(), "{name}");
            }
        }
    }
}
