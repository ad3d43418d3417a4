//! The server name that a client asked for. A connection that hands over its secrets does not report it, but
//! the certificate resolver is told.

use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::sync::{Arc, OnceLock};

#[derive(Clone, Debug, Default)]
pub(super) struct RequestedName(Arc<OnceLock<String>>);

impl RequestedName {
    /// A resolver that asks `inner` and keeps the name.
    pub(super) fn listen(&self, inner: Arc<dyn ResolvesServerCert>) -> Arc<dyn ResolvesServerCert> {
        Arc::new(Listener { name: self.clone(), inner })
    }

    pub(super) fn get(&self) -> Option<String> {
        self.0.get().cloned()
    }
}

#[derive(Debug)]
struct Listener {
    name: RequestedName,
    inner: Arc<dyn ResolvesServerCert>,
}

impl ResolvesServerCert for Listener {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if let Some(name) = hello.server_name() {
            self.name.0.get_or_init(|| name.to_owned());
        }
        self.inner.resolve(hello)
    }

    fn only_raw_public_keys(&self) -> bool {
        self.inner.only_raw_public_keys()
    }
}
