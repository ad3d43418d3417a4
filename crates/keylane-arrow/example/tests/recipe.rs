//! A million rows through DataFusion, compared with RustCrypto row by row.

#![forbid(unsafe_code)]

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use hmac::{KeyInit, Mac};
use std::path::Path;
use std::sync::Arc;

const ROWS: i64 = 1_000_000;
const KEY: &[u8; 32] = b"a key of thirty-two bytes or so.";

fn email(i: i64) -> Option<String> {
    match i % 100 {
        0 => None,
        1 => Some(String::new()),
        2 => Some(format!("žluťoučký-{i}@example.org")),
        3 if i % 1000 == 3 => Some("x".repeat(3000) + &i.to_string()),
        _ => Some(format!("customer-{i}@example.org")),
    }
}

/// The first 16 bytes of HMAC-SHA-256, in hexadecimal.
fn token(text: &str) -> String {
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(KEY).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn people(folder: &Path) {
    let session = SessionContext::new();
    std::fs::create_dir(folder).unwrap();
    for part in 0..4 {
        let ids = part * ROWS / 4..(part + 1) * ROWS / 4;
        let columns: [(&str, ArrayRef); 4] = [
            ("id", Arc::new(Int64Array::from_iter_values(ids.clone()))),
            ("email", Arc::new(ids.clone().map(email).collect::<StringArray>())),
            ("phone", Arc::new(ids.clone().map(|i| Some(format!("+49 {i}"))).collect::<StringArray>())),
            (
                "born",
                Arc::new(ids.map(|i| (i % 50 > 0).then_some((i % 20_000) as i32)).collect::<Date32Array>()),
            ),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let path = folder.join(format!("part-{part}.parquet"));
        let options = DataFrameWriteOptions::new().with_single_file_output(true);
        let frame = session.read_batch(batch).unwrap();
        frame.write_parquet(path.to_str().unwrap(), options, None).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_pseudonymised_and_one_person_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let [keys, input, output] = ["keys", "people", "pseudonyms"].map(|name| folder.path().join(name));
    std::fs::create_dir(&keys).unwrap();
    for name in ["email", "phone", "born"] {
        std::fs::write(keys.join(name).with_extension("key"), KEY).unwrap();
    }
    people(&input).await;
    let session = pseudonymise::session(&keys).unwrap();
    let rows = pseudonymise::pseudonymise(&session, &input, &output).await.unwrap();
    assert_eq!(rows as i64, ROWS);

    let frame = session.read_parquet(output.to_str().unwrap(), ParquetReadOptions::default()).await.unwrap();
    let mut seen = 0;
    for batch in frame.collect().await.unwrap() {
        let [ids, emails, phones] = ["id", "email", "phone"].map(|name| batch.column_by_name(name).unwrap());
        let [emails, phones] = [emails, phones]
            .map(|column| datafusion::arrow::compute::cast(column, &"Utf8".parse().unwrap()).unwrap());
        for (row, id) in ids.as_primitive::<datafusion::arrow::datatypes::Int64Type>().iter().enumerate() {
            let id = id.unwrap();
            let emails = emails.as_string::<i32>();
            let found = emails.is_valid(row).then(|| emails.value(row).to_owned());
            assert_eq!(found, email(id).map(|email| token(&email)), "{id}");
            assert_eq!(phones.as_string::<i32>().value(row), token(&format!("+49 {id}")));
            seen += 1;
        }
    }
    assert_eq!(seen, ROWS);

    // Undone for one person.
    let born = |email: &'static str| pseudonymise::born(&session, &output, email);
    assert_eq!(born("customer-123456@example.org").await.unwrap(), Some(123_456 % 20_000));
    assert_eq!(born("nobody@example.org").await.unwrap(), None);
}

#[tokio::test]
async fn neither_errors_nor_plans_hold_a_key() {
    let mut ring = keylane_arrow::KeyRing::new();
    ring.insert("customers", KEY).unwrap();
    let session = SessionContext::new();
    for function in keylane_arrow::datafusion::functions(&Arc::new(ring)) {
        session.register_udf(function);
    }
    let secrets = [
        String::from_utf8_lossy(KEY).into_owned(),
        KEY.iter().map(|byte| format!("{byte:02x}")).collect(),
        KEY.map(|byte| byte.to_string()).join(", "),
    ];
    let run = async |sql: &str| match session.sql(sql).await {
        Ok(frame) => match frame.collect().await {
            Ok(batches) => format!("{batches:?}"),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    let columns: [(&str, ArrayRef); 2] = [
        ("name", Arc::new(StringArray::from(vec!["a"]))),
        ("height", Arc::new(Float64Array::from(vec![1.5]))),
    ];
    session.register_batch("people", RecordBatch::try_from_iter(columns).unwrap()).unwrap();
    let values = "FROM people";
    for (sql, says) in [
        (format!("SELECT keylane_token(name, 'custmers') {values}"), "no key named `custmers`"),
        (
            format!("SELECT keylane_token(height, 'customers') {values}"),
            "column `height` has the type Float64",
        ),
        (format!("SELECT keylane_hmac(name, name) {values}"), "the key's name must be a string literal"),
        (format!("SELECT keylane_token(name, 'customers', 'octal') {values}"), "hex, base64url or int64"),
        (format!("SELECT keylane_token(name, 'customers', 'hex', 3) {values}"), "8 to 32 bytes, not 3"),
        (
            format!("SELECT keylane_open(keylane_seal(name, 'customers', 'a'), 'customers', 'b') {values}"),
            "column `b`, row 0",
        ),
        (format!("EXPLAIN VERBOSE SELECT keylane_token(name, 'customers') {values}"), "keylane_token"),
        (format!("SELECT keylane_token(name, 'customers', 'int64') {values}"), "PrimitiveArray<Int64>"),
        (
            format!(
                "SELECT keylane_open_deterministic(\
                 keylane_seal_deterministic(name, 'customers', 'n'), 'customers', 'n') {values}"
            ),
            "\"a\"",
        ),
    ] {
        let shown = run(&sql).await;
        assert!(shown.contains(says), "{sql}: {shown}");
        assert!(!secrets.iter().any(|secret| shown.contains(secret)), "{sql}: {shown}");
    }
}
