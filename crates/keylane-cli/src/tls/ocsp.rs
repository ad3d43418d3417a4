//! Certificates with OCSP responses, which are sent while they are valid (RFC 6960).

use crate::status::{Failure, quoted};
use rustls::sign::CertifiedKey;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use yasna::models::GeneralizedTime;
use yasna::{ASN1Error, ASN1ErrorKind, ASN1Result, BERReader, BERReaderSeq, Tag};

#[derive(Debug)]
pub(crate) struct Certificate {
    plain: Arc<CertifiedKey>,
    stapled: Option<Stapled>,
}

#[derive(Debug)]
struct Stapled {
    path: PathBuf,
    validity: Validity,
    certified: Arc<CertifiedKey>,
    /// That the response is not sent.
    told: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct Validity {
    /// thisUpdate.
    from: SystemTime,
    /// nextUpdate, if there is one.
    until: Option<SystemTime>,
}

impl Certificate {
    pub(crate) fn new(plain: Arc<CertifiedKey>) -> Self {
        Self { plain, stapled: None }
    }

    pub(crate) fn plain(&self) -> &CertifiedKey {
        &self.plain
    }

    /// Adds the response in a file. Clients check whose it is, and what it says.
    ///
    /// # Errors
    ///
    /// If it is not a response that has an answer (section 4.2.1).
    pub(crate) fn staple(&mut self, path: &Path) -> Result<(), Failure> {
        let response = fs::read(path).map_err(|error| Failure::file(path, &error))?;
        let validity = yasna::parse_der(&response, validity).map_err(|_| {
            Failure::input(format_args!("{}: not a successful OCSP response in DER", quoted(path)))
        })?;
        let mut certified = (*self.plain).clone();
        certified.ocsp = Some(response);
        let (path, certified) = (path.to_owned(), certified.into());
        self.stapled = Some(Stapled { path, validity, certified, told: AtomicBool::new(false) });
        Ok(())
    }

    /// Returns the certificate, with its response if that is valid now. Warns once if it is not.
    pub(crate) fn now(&self, warn: impl FnOnce(String)) -> &Arc<CertifiedKey> {
        let Some(stapled) = &self.stapled else { return &self.plain };
        let Validity { from, until } = stapled.validity;
        let now = SystemTime::now();
        let problem = if now < from {
            "is not valid yet"
        } else if until.is_some_and(|until| until <= now) {
            "has expired"
        } else {
            stapled.told.store(false, Ordering::Relaxed);
            return &stapled.certified;
        };
        if !stapled.told.swap(true, Ordering::Relaxed) {
            let path = quoted(&stapled.path);
            warn(format!("WARNING: {path}: the OCSP response {problem} and is not sent"));
        }
        &self.plain
    }
}

/// The time in which all of a response is valid (section 4.2.1).
fn validity(response: BERReader<'_, '_>) -> ASN1Result<Validity> {
    let basic = response.read_sequence(|response| {
        if response.next().read_enum()? != 0 {
            return Err(ASN1Error::new(ASN1ErrorKind::Invalid));
        }
        response.next().read_tagged(Tag::context(0), |bytes| {
            bytes.read_sequence(|bytes| {
                bytes.next().read_oid()?;
                bytes.next().read_bytes()
            })
        })
    })?;
    let all = yasna::parse_der(&basic, |basic| {
        basic.read_sequence(|basic| {
            let data = basic.next().read_sequence(response_data)?;
            // The algorithm, the signature, and certificates.
            basic.next().read_der()?;
            basic.next().read_der()?;
            skip_optional(basic, 0)?;
            Ok(data)
        })
    })?;
    let from = all.iter().map(|one| one.from).max();
    let until = all.iter().filter_map(|one| one.until).min();
    from.map(|from| Validity { from, until }).ok_or_else(|| ASN1Error::new(ASN1ErrorKind::Invalid))
}

fn response_data(data: &mut BERReaderSeq<'_, '_>) -> ASN1Result<Vec<Validity>> {
    // The version, who has signed, and when.
    skip_optional(data, 0)?;
    data.next().read_der()?;
    data.next().read_generalized_time()?;
    let all = data.next().collect_sequence_of(|single| {
        single.read_sequence(|single| {
            // Whose certificate, and its status.
            single.next().read_der()?;
            single.next().read_der()?;
            let from = single.next().read_generalized_time()?;
            let until = single.read_optional(|until| {
                until.read_tagged(Tag::context(0), |until| until.read_generalized_time())
            })?;
            skip_optional(single, 1)?;
            let time = |time: GeneralizedTime| SystemTime::from(*time.datetime());
            Ok(Validity { from: time(from), until: until.map(time) })
        })
    })?;
    skip_optional(data, 1)?;
    Ok(all)
}

fn skip_optional(reader: &mut BERReaderSeq<'_, '_>, tag: u64) -> ASN1Result<()> {
    reader.read_optional(|field| field.read_tagged(Tag::context(tag), |field| field.read_der())).map(drop)
}
