//! The server's certificate and key: from files, or made at the start.

use crate::secret::{Source, forbid_core_file};
use crate::status::{Failure, quoted};
use clap::{ArgGroup, Args};
use rcgen::CertifiedKey;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("identity").required(true).args(["cert", "self_signed"])))]
pub(crate) struct Identity {
    /// The certificate, followed by the chain to its issuer: PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The certificate's private key: PEM
    #[arg(long, value_name = "FILE", requires = "cert", conflicts_with = "self_signed")]
    key: Option<PathBuf>,
    /// Use a self-signed certificate, made at every start, for tests
    #[arg(long)]
    self_signed: bool,
    /// A name or address that the self-signed certificate is for [default: localhost, 127.0.0.1, ::1]
    #[arg(long = "name", value_name = "NAME", requires = "self_signed")]
    names: Vec<String>,
    /// Write the self-signed certificate to this file, for clients to trust; a file of that name is
    /// overwritten
    #[arg(long, value_name = "FILE", requires = "self_signed")]
    write_cert: Option<PathBuf>,
}

/// A certificate chain, leaf first, and the leaf's key.
pub(crate) type Chain = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

impl Identity {
    pub(crate) fn load(&self) -> Result<Chain, Failure> {
        match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Ok((certificates(cert)?, private_key(key)?)),
            _ => self.make(),
        }
    }

    fn make(&self) -> Result<Chain, Failure> {
        let mut names = self.names.clone();
        if names.is_empty() {
            names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        }
        forbid_core_file();
        let made = rcgen::generate_simple_self_signed(names);
        let CertifiedKey { cert, signing_key } =
            made.map_err(|error| Failure::input(format_args!("no certificate for these names: {error}")))?;
        if let Some(path) = &self.write_cert {
            replace(path, cert.pem().as_bytes()).map_err(|error| Failure::file(path, &error))?;
        }
        Ok((vec![cert.der().clone()], signing_key.into()))
    }

    /// Where it came from, for error messages.
    pub(crate) fn place(&self) -> String {
        match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => format!("{} and {}", quoted(cert), quoted(key)),
            _ => "the self-signed certificate".to_owned(),
        }
    }
}

/// Writes a whole file in the place of an old one, or of a link. Not as a draft: what removes one on a signal
/// would take the signal from the server for good.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".keylane-");
    // A certificate is public: default permissions.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    file.persist(path)?;
    Ok(())
}

/// All certificates of a PEM file, at least one.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let text = fs::read(path).map_err(|error| Failure::file(path, &error))?;
    let all = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|error| not_pem(path, "certificate", &error))?;
    if all.is_empty() {
        return Err(not_pem(path, "certificate", &pem::Error::NoItemsFound));
    }
    Ok(all)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Failure> {
    let text = Source::new("key", Some(path), None)?.read()?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| not_pem(path, "private key", &error))
}

fn not_pem(path: &Path, what: &str, error: &pem::Error) -> Failure {
    match error {
        pem::Error::NoItemsFound => Failure::input(format_args!("{}: no {what} in PEM", quoted(path))),
        _ => Failure::input(format_args!("{}: not a {what} in PEM: {error}", quoted(path))),
    }
}
