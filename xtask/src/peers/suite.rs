//! The cipher suites, by everybody's names.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Tls12,
    Tls13,
}

#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) version: Version,
    /// IANA's, which are Keylane's and Go's.
    pub(crate) name: &'static str,
    pub(crate) openssl: &'static str,
    /// The server's certificate `ecdsa.pem` or `rsa.pem`, and the key that belongs to it.
    pub(crate) key: &'static str,
}

const fn tls12(name: &'static str, openssl: &'static str, key: &'static str) -> Suite {
    Suite { version: Version::Tls12, name, openssl, key }
}

/// In TLS 1.3 any suite goes with any key.
const fn tls13(name: &'static str, key: &'static str) -> Suite {
    Suite { version: Version::Tls13, name, openssl: name, key }
}

pub(crate) const SUITES: [Suite; 9] = [
    tls13("TLS_AES_128_GCM_SHA256", "ecdsa"),
    tls13("TLS_AES_256_GCM_SHA384", "rsa"),
    tls13("TLS_CHACHA20_POLY1305_SHA256", "ecdsa"),
    tls12("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256", "ecdsa"),
    tls12("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", "ecdsa"),
    tls12("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "ecdsa"),
    tls12("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "rsa"),
    tls12("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384", "rsa"),
    tls12("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305", "rsa"),
];

impl Version {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tls12 => "TLS 1.2",
            Self::Tls13 => "TLS 1.3",
        }
    }
}

impl Suite {
    pub(crate) fn certificate(&self) -> String {
        format!("{}.pem", self.key)
    }

    pub(crate) fn private_key(&self) -> String {
        format!("{}.key", self.key)
    }

    pub(crate) fn is_13(&self) -> bool {
        self.version == Version::Tls13
    }
}
