//! Keying material for other protocols (RFC 5705, RFC 8446 §7.5).
//!
//! rustls connections that hand over their secrets cannot export keying material. But they report the secret
//! behind it to the configuration's key log, from which [`Listener`](super::listener::Listener) takes it.

use super::listener::Secret;
use super::messages::RANDOM_LEN;
use crate::debug::debug;
use crate::error::Error;
use rustls::SupportedCipherSuite;
use rustls::crypto::tls13::{HkdfExpander, OkmBlock};
use zeroize::Zeroizing;

/// The prefix of labels (RFC 8446 §7.1).
const PREFIX: &[u8] = b"tls13 ";
/// The length of TLS 1.3's longest label: its length is one byte.
const MAX_LABEL_LEN: usize = 255 - PREFIX.len();

/// The secret that keying material is derived from.
#[derive(Clone)]
pub(super) struct Exporter {
    /// TLS 1.3's exporter secret; or TLS 1.2's master secret and the random bytes of client and server.
    secrets: Zeroizing<Box<[u8]>>,
    suite: SupportedCipherSuite,
}

impl Exporter {
    /// `None` if TLS 1.2's server has sent no random bytes.
    pub(super) fn new(
        secret: Secret,
        suite: SupportedCipherSuite,
        server_random: Option<[u8; RANDOM_LEN]>,
    ) -> Option<Self> {
        let Secret { client_random, bytes } = secret;
        let secrets = match suite {
            SupportedCipherSuite::Tls13(_) => bytes,
            SupportedCipherSuite::Tls12(_) => {
                Zeroizing::new([&bytes[..], &client_random, &server_random?].concat().into())
            }
        };
        Some(Self { secrets, suite })
    }

    pub(super) fn export(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: Option<&[u8]>,
    ) -> Result<(), Error> {
        if output.is_empty() {
            return Err(Error::Unsupported("the output for keying material is empty"));
        }
        match self.suite {
            SupportedCipherSuite::Tls12(suite) => {
                let (secret, randoms) = self.secrets.split_at(self.secrets.len() - 2 * RANDOM_LEN);
                let mut seed = randoms.to_vec();
                if let Some(context) = context {
                    let len = u16::try_from(context.len())
                        .map_err(|_| Error::Unsupported("the context of keying material is too long"))?;
                    seed.extend(len.to_be_bytes());
                    seed.extend(context);
                }
                suite.prf_provider.for_secret(output, secret, label, &seed);
                Ok(())
            }
            SupportedCipherSuite::Tls13(_) if !(1..=MAX_LABEL_LEN).contains(&label.len()) => {
                Err(Error::Unsupported("labels for keying material have 1 to 249 bytes in TLS 1.3"))
            }
            SupportedCipherSuite::Tls13(suite) => {
                let hash = suite.common.hash_provider;
                let expander = |secret: &[u8]| suite.hkdf_provider.expander_for_okm(&OkmBlock::new(secret));
                let none = hash.hash(&[]);
                let context = hash.hash(context.unwrap_or_default());
                // At most 255 digests: this fits into two bytes.
                if output.len() > 255 * hash.output_len() {
                    return Err(Error::Unsupported("keying material is limited to 255 digests"));
                }
                let mut secret = Zeroizing::new([0; OkmBlock::MAX_LEN]);
                let secret = &mut secret[..hash.output_len()];
                expand(&*expander(&self.secrets), label, none.as_ref(), secret)?;
                expand(&*expander(secret), b"exporter", context.as_ref(), output)
            }
        }
    }
}

/// HKDF-Expand-Label.
pub(super) fn expand(
    expander: &dyn HkdfExpander,
    label: &[u8],
    context: &[u8],
    output: &mut [u8],
) -> Result<(), Error> {
    let len = (output.len() as u16).to_be_bytes();
    let lens = [&[(PREFIX.len() + label.len()) as u8], &[context.len() as u8]];
    expander
        .expand_slice(&[&len, lens[0], PREFIX, label, lens[1], context], output)
        .map_err(|_| Error::Unsupported("keying material is limited to 255 digests"))
}

debug! { Exporter: }
