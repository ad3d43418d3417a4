//! A certificate authority, a certificate for each kind of key, and matching configurations of both ends.

use crate::terms::{Key, Terms, Version};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CertifiedKey, DnType, Error, IsCa, KeyPair,
};
use rustls::{
    ClientConfig, NamedGroup, RootCertStore, ServerConfig,
    client::Resumption,
    crypto::{CryptoProvider, ring::Ticketer},
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName},
    server::{NoServerSessionStorage, WebPkiClientVerifier},
    version::{TLS12, TLS13},
};
use std::sync::Arc;

/// A key for tests, in PEM. It protects nothing.
pub const RSA_KEY: &str = include_str!("../keys/rsa-2048.pem");

/// The host that the certificates name.
pub const HOST: &str = "localhost";

/// An authority, whose own key is ECDSA P-256, and what it has issued.
pub struct Credentials {
    /// The authority's own certificate: the only root that clients trust.
    pub authority: rcgen::Certificate,
    /// As [`Key::ALL`].
    identities: Vec<CertifiedKey<KeyPair>>,
}

/// Both ends' configurations.
#[derive(Clone)]
pub struct Configs {
    /// Trusts the authority and verifies.
    pub client: Arc<ClientConfig>,
    /// Holds the certificate.
    pub server: Arc<ServerConfig>,
}

impl Configs {
    /// Allows early data: to be sent, and up to `max_len` bytes to be accepted.
    pub fn with_early_data(mut self, max_len: u32) -> Self {
        Arc::make_mut(&mut self.client).enable_early_data = true;
        Arc::make_mut(&mut self.server).max_early_data_size = max_len;
        self
    }
}

impl Credentials {
    /// Issues new ones.
    pub fn generate() -> Result<Self, Error> {
        let mut params = CertificateParams::new([])?;
        params.distinguished_name.push(DnType::CommonName, "Keylane test authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let identity = |key| {
            let signing_key = match key {
                Key::EcdsaP256 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?,
                Key::Rsa2048 => KeyPair::from_pem(RSA_KEY)?,
                Key::Ed25519 => KeyPair::generate_for(&rcgen::PKCS_ED25519)?,
            };
            let cert = CertificateParams::new([HOST.into()])?.signed_by(&signing_key, &issuer)?;
            Ok(CertifiedKey { cert, signing_key })
        };
        let identities = Key::ALL.into_iter().map(identity).collect::<Result<_, Error>>()?;
        Ok(Self { authority: issuer.as_ref().clone(), identities })
    }

    /// Returns the certificate, without its issuer's, and its key.
    pub fn identity(&self, key: Key) -> &CertifiedKey<KeyPair> {
        &self.identities[key as usize]
    }

    /// Returns the same as rustls takes it.
    pub fn certified(&self, key: Key) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let CertifiedKey { cert, signing_key } = self.identity(key);
        (cert.der().clone(), PrivatePkcs8KeyDer::from(signing_key.serialize_der()).into())
    }

    /// Returns what clients trust.
    ///
    /// # Panics
    /// Never: the authority's certificate is one.
    pub fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.der().clone()).expect("a certificate");
        roots
    }

    /// Returns both configurations: one version, one suite, X25519. With `resume`, servers send one ticket
    /// per connection and clients use it; without, there are none.
    ///
    /// # Errors
    /// If the provider lacks what the terms ask for.
    pub fn configs(
        &self,
        provider: CryptoProvider,
        terms: &Terms,
        resume: bool,
    ) -> Result<Configs, rustls::Error> {
        self.configs_for(provider, terms, resume, false)
    }

    /// Does what [`configs`](Self::configs) does. If `mutual`, the client presents the server's certificate.
    ///
    /// # Errors
    /// If the provider lacks what the terms ask for.
    pub fn configs_for(
        &self,
        mut provider: CryptoProvider,
        terms: &Terms,
        resume: bool,
        mutual: bool,
    ) -> Result<Configs, rustls::Error> {
        provider.cipher_suites.retain(|suite| terms.has_suite(suite.suite()));
        provider.kx_groups.retain(|group| group.name() == NamedGroup::X25519);
        let provider = Arc::new(provider);
        let versions = [if terms.version == Version::Tls12 { &TLS12 } else { &TLS13 }];
        let (certificate, key) = self.certified(terms.key);
        let chain = vec![certificate];
        let client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&versions)?
            .with_root_certificates(self.roots());
        let server =
            ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(&versions)?;
        let (mut client, server) = if mutual {
            let verifier = WebPkiClientVerifier::builder_with_provider(self.roots().into(), provider).build();
            let verifier = verifier.map_err(|error| rustls::Error::General(error.to_string()))?;
            let client = client.with_client_auth_cert(chain.clone(), key.clone_key())?;
            (client, server.with_client_cert_verifier(verifier))
        } else {
            (client.with_no_client_auth(), server.with_no_client_auth())
        };
        let mut server = server.with_single_cert(chain, key)?;

        server.send_tls13_tickets = resume.into();
        server.session_storage = Arc::new(NoServerSessionStorage {});
        if resume {
            server.ticketer = Ticketer::new()?;
        } else {
            client.resumption = Resumption::disabled();
        }
        // Keylane's streams take the keys over after the handshake.
        client.enable_secret_extraction = true;
        server.enable_secret_extraction = true;
        Ok(Configs { client: Arc::new(client), server: Arc::new(server) })
    }
}

/// Returns the name that clients ask for.
pub fn server_name() -> ServerName<'static> {
    ServerName::try_from(HOST).expect("a host name")
}
