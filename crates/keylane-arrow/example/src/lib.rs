//! Pseudonymises a folder of Parquet files: the columns `email` and `phone` become tokens, by which tables
//! can be joined, and `born` is sealed. With the keys, one person's date of birth can be opened.

#![forbid(unsafe_code)]

use anyhow::{Context, Result, ensure};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Date32Type;
use datafusion::common::ScalarValue;
use datafusion::dataframe::DataFrameWriteOptions;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use indicatif::{ProgressBar, ProgressStyle};
use keylane_arrow::KeyRing;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One key for each purpose, each from `keylane keygen`.
const KEYS: [&str; 3] = ["email", "phone", "born"];

/// Returns a session whose queries can use the keys `email`, `phone` and `born`, read from files in the
/// folder `keys`.
///
/// # Errors
/// If one of the files is missing, or has fewer than 32 bytes.
pub fn session(keys: &Path) -> Result<SessionContext> {
    let mut ring = KeyRing::new();
    for name in KEYS {
        ring.read_file(name, keys.join(name).with_extension("key"))?;
    }
    let session = SessionContext::new();
    for function in keylane_arrow::datafusion::functions(&Arc::new(ring)) {
        session.register_udf(function);
    }
    Ok(session)
}

/// Pseudonymises each file in the folder `input` into the folder `output` and returns the number of rows.
///
/// # Errors
/// If a file cannot be read or written, lacks one of the columns, or exists already.
pub async fn pseudonymise(session: &SessionContext, input: &Path, output: &Path) -> Result<usize> {
    let files: Vec<PathBuf> = fs::read_dir(input)
        .with_context(|| input.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .filter(|path| !path.as_ref().is_ok_and(|path| path.extension().is_none_or(|end| end != "parquet")))
        .collect::<Result<_>>()?;
    fs::create_dir_all(output)?;
    let progress = ProgressBar::new(files.len() as u64)
        .with_style(ProgressStyle::with_template("{wide_bar} {pos} of {len} files, {msg}; {eta} left")?);
    let mut rows = 0;
    for file in files {
        let target = output.join(file.file_name().expect("a file"));
        ensure!(!target.exists(), "{} exists", target.display());
        let people = session.read_parquet(text(&file)?, ParquetReadOptions::default()).await?;
        session.register_table("people", people.into_view())?;
        // An incomplete file has another name.
        let begun = target.with_extension("parquet.begun");
        let query = "
            SELECT
                keylane_token(email, 'email') AS email,
                keylane_token(phone, 'phone') AS phone,
                keylane_seal(born, 'born', 'born') AS born,
                * EXCEPT (email, phone, born)
            FROM people";
        let written = session
            .sql(query)
            .await?
            .write_parquet(text(&begun)?, DataFrameWriteOptions::new().with_single_file_output(true), None)
            .await?;
        session.deregister_table("people")?;
        fs::rename(begun, target)?;
        rows +=
            written[0].column(0).as_primitive::<datafusion::arrow::datatypes::UInt64Type>().value(0) as usize;
        progress.set_message(format!("{rows} rows"));
        progress.inc(1);
        // Without a terminal: one line per file.
        if progress.is_hidden() {
            eprintln!("{} of {} files, {rows} rows", progress.position(), progress.length().unwrap_or(0));
        }
    }
    progress.finish();
    Ok(rows)
}

/// Returns the date of birth of the person with this e-mail address, in days since 1970, if there is one.
///
/// # Errors
/// If the folder cannot be read, or its rows were not sealed under this key.
pub async fn born(session: &SessionContext, folder: &Path, email: &str) -> Result<Option<i32>> {
    let people = session.read_parquet(text(folder)?, ParquetReadOptions::default()).await?;
    session.register_table("pseudonyms", people.into_view())?;
    let query = "
        SELECT keylane_open(born, 'born', 'born', 'Date32')
        FROM pseudonyms
        WHERE email = keylane_token($1, 'email')";
    let rows = session.sql(query).await?.with_param_values(vec![ScalarValue::from(email)])?.collect().await?;
    session.deregister_table("pseudonyms")?;
    let days = rows.iter().flat_map(|batch| batch.column(0).as_primitive::<Date32Type>().iter());
    Ok(days.flatten().next())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not Unicode", path.display()))
}
