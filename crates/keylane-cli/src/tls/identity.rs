//! The server's certificates and keys: from files, or made at the start.

use super::ocsp::Certificate;
use crate::secret::{Source, forbid_core_file};
use crate::status::{Failure, complain, quoted};
use clap::{ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use rcgen::CertifiedKey as Generated;
use rustls::RootCertStore;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tokio::task::spawn_blocking;

#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new("identity").required(true).args(["cert", "self_signed"])))]
struct Options {
    /// A certificate, followed by the chain to its issuer: PEM. Of several, a client gets the first that has
    /// the name it asks for and a signature it knows, or else the first of all
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Vec<PathBuf>,
    /// The certificate's private key: PEM. With several certificates, one for each, in their order
    #[arg(long, value_name = "FILE", requires = "cert", conflicts_with = "self_signed")]
    key: Vec<PathBuf>,
    /// The authority's statement that the certificate named before it is not revoked: an OCSP response in
    /// DER, which is sent, while it is valid, to clients that ask for it
    #[arg(long, value_name = "FILE", requires = "cert", conflicts_with = "self_signed")]
    ocsp: Vec<PathBuf>,
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

#[derive(Clone, Debug)]
pub(crate) struct Identity {
    options: Options,
    /// Where each `--cert` and each `--ocsp` stands on the command line.
    cert_places: Vec<usize>,
    ocsp_places: Vec<usize>,
    made: OnceLock<Arc<CertifiedKey>>,
}

impl Args for Identity {
    fn augment_args(command: Command) -> Command {
        Options::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Options::augment_args_for_update(command)
    }
}

impl FromArgMatches for Identity {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let places = |option| matches.indices_of(option).into_iter().flatten().collect();
        let (cert_places, ocsp_places) = (places("cert"), places("ocsp"));
        let options = Options::from_arg_matches(matches)?;
        Ok(Self { options, cert_places, ocsp_places, made: OnceLock::new() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Identity {
    /// The files that hold private keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Path> {
        self.options.key.iter().map(PathBuf::as_path)
    }

    /// Reads the files, again each time it is called. A self-signed certificate stays the same.
    pub(crate) fn load(
        &self,
        provider: &CryptoProvider,
        warn: impl Fn(String),
    ) -> Result<Arc<Certificates>, Failure> {
        let Options { cert, key, ocsp, .. } = &self.options;
        if cert.len() != key.len() {
            return Err(Failure::input(format_args!("{} --cert and {} --key", cert.len(), key.len())));
        }
        let mut all = Vec::new();
        for (cert, key) in cert.iter().zip(key) {
            all.push(Certificate::new(chain(cert, key, provider)?.into()));
        }
        for (ocsp, place) in ocsp.iter().zip(&self.ocsp_places) {
            let before = self.cert_places.iter().filter(|cert| *cert < place).count();
            let Some(certificate) = before.checked_sub(1).and_then(|at| all.get_mut(at)) else {
                return Err(Failure::input("--ocsp belongs after the --cert that it is about"));
            };
            certificate.staple(ocsp)?;
            certificate.now(&warn);
        }
        if self.options.self_signed {
            if self.made.get().is_none() {
                let made = self.make(provider)?;
                self.made.get_or_init(|| made);
            }
            all.extend(self.made.get().cloned().map(Certificate::new));
        }
        Ok(Arc::new(Certificates(all)))
    }

    fn make(&self, provider: &CryptoProvider) -> Result<Arc<CertifiedKey>, Failure> {
        let mut names = self.options.names.clone();
        if names.is_empty() {
            names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
        }
        forbid_core_file();
        let made = rcgen::generate_simple_self_signed(names);
        let Generated { cert, signing_key } =
            made.map_err(|error| Failure::input(format_args!("no certificate for these names: {error}")))?;
        if let Some(path) = &self.options.write_cert {
            replace(path, cert.pem().as_bytes()).map_err(|error| Failure::file(path, &error))?;
        }
        let chain = vec![cert.der().clone()];
        CertifiedKey::from_der(chain, signing_key.into(), provider).map(Arc::new).map_err(Failure::input)
    }
}

/// What a server chooses from: at least one.
#[derive(Debug)]
pub(crate) struct Certificates(Vec<Certificate>);

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name().and_then(|name| ServerName::try_from(name).ok());
        let has_name = |certificate: &&Certificate| {
            let leaf = certificate.plain().end_entity_cert().ok();
            let leaf = leaf.and_then(|leaf| webpki::EndEntityCert::try_from(leaf).ok());
            leaf.zip(name.as_ref())
                .is_some_and(|(leaf, name)| leaf.verify_is_valid_for_subject_name(name).is_ok())
        };
        let mut wanted: Vec<_> = self.0.iter().filter(has_name).collect();
        if wanted.is_empty() {
            wanted = self.0.iter().collect();
        }
        let is_known = |certificate: &&&Certificate| {
            certificate.plain().key.choose_scheme(hello.signature_schemes()).is_some()
        };
        let chosen = wanted.iter().find(is_known).or_else(|| wanted.first())?;
        // The handshake does not wait for standard error.
        Some(chosen.now(|warning| drop(spawn_blocking(|| complain(warning)))).clone())
    }
}

/// A certificate chain, leaf first, with the leaf's key.
fn chain(cert: &Path, key: &Path, provider: &CryptoProvider) -> Result<CertifiedKey, Failure> {
    CertifiedKey::from_der(certificates(cert)?, private_key(key)?, provider)
        .map_err(|error| unusable(cert, key, &error))
}

/// What rustls says of a chain and a key.
pub(crate) fn unusable(cert: &Path, key: &Path, error: &rustls::Error) -> Failure {
    let (cert, key) = (quoted(cert), quoted(key));
    match error {
        rustls::Error::InconsistentKeys(_) => {
            Failure::input(format_args!("{cert} and {key}: the key does not belong to the certificate"))
        }
        error => Failure::input(format_args!("{cert} and {key}: {error}")),
    }
}

/// The certificates of a PEM file, as authorities to trust.
pub(crate) fn authorities(path: &Path) -> Result<RootCertStore, Failure> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots
            .add(certificate)
            .map_err(|error| Failure::input(format_args!("{}: not a certificate: {error}", quoted(path))))?;
    }
    Ok(roots)
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

pub(crate) fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Failure> {
    let text = Source::new("key", Some(path), None)?.read()?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| not_pem(path, "private key", &error))
}

fn not_pem(path: &Path, what: &str, error: &pem::Error) -> Failure {
    match error {
        pem::Error::NoItemsFound => Failure::input(format_args!("{}: no {what} in PEM", quoted(path))),
        _ => Failure::input(format_args!("{}: not a {what} in PEM: {error}", quoted(path))),
    }
}
