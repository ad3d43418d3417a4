//! Certificates that a server asks its clients for.

use super::identity::authorities;
use crate::status::{Failure, quoted};
use clap::{Args, ValueEnum};
use rustls::crypto::CryptoProvider;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args, Clone, Debug)]
pub(crate) struct ClientAuth {
    /// Ask clients for a certificate that one of the authorities in this file has issued (PEM)
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    /// What becomes of a client that shows no certificate
    #[arg(long, value_name = "required|optional", requires = "client_ca", default_value = "required")]
    #[arg(value_enum, hide_possible_values = true)]
    client_auth: Demand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Demand {
    /// It is refused.
    Required,
    /// It is served.
    Optional,
}

impl ClientAuth {
    pub(crate) fn verifier(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ClientCertVerifier>, Failure> {
        let Some(path) = &self.client_ca else { return Ok(WebPkiClientVerifier::no_client_auth()) };
        let roots = Arc::new(authorities(path)?);
        let mut builder = WebPkiClientVerifier::builder_with_provider(roots, provider.clone());
        if self.client_auth == Demand::Optional {
            builder = builder.allow_unauthenticated();
        }
        builder.build().map_err(|error| Failure::input(format_args!("{}: {error}", quoted(path))))
    }
}
