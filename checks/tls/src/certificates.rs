//! An authority, a certificate of each kind of key, and the configurations of both ends that match.

use crate::terms::{Key, Terms};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::{
    ClientConfig, NamedGroup, RootCertStore, ServerConfig,
    client::Resumption,
    crypto::{CryptoProvider, ring::Ticketer},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use std::{error::Error, io, sync::Arc};

/// A key for tests, in PEM. It protects nothing.
pub const RSA_KEY: &str = include_str!("../keys/rsa-2048.pem");

/// Whom the certificates name.
pub const HOST: &str = "localhost";

/// A certificate and its key, in PEM, so that another process can be handed them.
pub struct Identity {
    /// What signs.
    pub key: Key,
    /// The certificate, without its issuer's.
    pub certificate_pem: String,
    /// The private key, in PKCS #8.
    pub key_pem: String,
}

/// An authority, whose own key is ECDSA P-256, and what it has issued.
pub struct Credentials {
    /// The authority's own certificate: the only root that clients trust.
    pub authority_pem: String,
    /// One a kind of key.
    pub identities: Vec<Identity>,
}

/// Both ends' configurations.
#[derive(Clone)]
pub struct Configs {
    /// Trusts the authority and verifies.
    pub client: Arc<ClientConfig>,
    /// Holds the certificate.
    pub server: Arc<ServerConfig>,
}

impl Credentials {
    /// Fresh ones.
    pub fn generate() -> Result<Self, rcgen::Error> {
        let authority_key = KeyPair::generate()?;
        let mut params = CertificateParams::new([])?;
        params.distinguished_name.push(DnType::CommonName, "Keylane test authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_pem = params.self_signed(&authority_key)?.pem();
        let issuer = Issuer::new(params, authority_key);
        let identity = |key| {
            let pair = match key {
                Key::EcdsaP256 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?,
                Key::Rsa2048 => KeyPair::from_pem(RSA_KEY)?,
                Key::Ed25519 => KeyPair::generate_for(&rcgen::PKCS_ED25519)?,
            };
            let certificate_pem = CertificateParams::new([HOST.into()])?.signed_by(&pair, &issuer)?.pem();
            Ok(Identity { key, certificate_pem, key_pem: pair.serialize_pem() })
        };
        let identities = Key::ALL.into_iter().map(identity).collect::<Result<_, rcgen::Error>>()?;
        Ok(Self { authority_pem, identities })
    }

    /// The certificate of a kind of key, in DER.
    ///
    /// # Errors
    /// Where it is not among the identities.
    pub fn certificate(&self, key: Key) -> io::Result<CertificateDer<'static>> {
        CertificateDer::from_pem_slice(self.identity(key)?.certificate_pem.as_bytes()).map_err(invalid)
    }

    fn identity(&self, key: Key) -> io::Result<&Identity> {
        let found = self.identities.iter().find(|identity| identity.key == key);
        found.ok_or_else(|| invalid(format!("no identity with {key}")))
    }

    /// Both configurations: one version, one suite, X25519. With `resume`, servers send one ticket a
    /// connection and clients use it; without, there are none.
    ///
    /// # Errors
    /// Where the provider lacks what the terms ask for.
    pub fn configs(&self, mut provider: CryptoProvider, terms: &Terms, resume: bool) -> io::Result<Configs> {
        provider.cipher_suites.retain(|suite| suite.suite() == terms.suite());
        provider.kx_groups.retain(|group| group.name() == NamedGroup::X25519);
        let (provider, versions) = (Arc::new(provider), [terms.version.supported()]);
        let identity = self.identity(terms.key)?;

        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_slice(self.authority_pem.as_bytes()).map_err(invalid)?;
        roots.add(authority).map_err(invalid)?;
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&versions)
            .map_err(invalid)?
            .with_root_certificates(roots)
            .with_no_client_auth();

        let key = PrivateKeyDer::from_pem_slice(identity.key_pem.as_bytes()).map_err(invalid)?;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(invalid)?
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate(terms.key)?], key)
            .map_err(invalid)?;

        // Go's servers keep no state either: tickets, not a cache.
        server.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
        server.send_tls13_tickets = usize::from(resume);
        if resume {
            server.ticketer = Ticketer::new().map_err(invalid)?;
        } else {
            client.resumption = Resumption::disabled();
        }
        // Keylane's streams take the keys over after the handshake.
        client.enable_secret_extraction = true;
        server.enable_secret_extraction = true;
        Ok(Configs { client: Arc::new(client), server: Arc::new(server) })
    }
}

/// Whom clients ask for.
pub fn server_name() -> ServerName<'static> {
    ServerName::try_from(HOST).expect("a host name")
}

pub(crate) fn invalid(error: impl Into<Box<dyn Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}
