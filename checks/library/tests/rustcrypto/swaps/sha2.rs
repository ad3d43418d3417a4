//! From `sha2` to Keylane.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use sha2::{Digest, Sha256, Sha384};
    }
    after {
        use keylane::rustcrypto::{Sha256, Sha384, digest::Digest};
    }

    pub(super) fn digests(data: &[u8]) -> Vec<u8> {
        let mut hasher = Sha256::new();
        hasher.update("any text");
        data.chunks(100).for_each(|chunk| hasher.update(chunk));
        let mut array = hasher.finalize().to_vec();
        array.extend(Sha384::new_with_prefix(data).chain_update("more").finalize().as_slice());
        let owned = data.to_vec();
        array.extend(Sha384::digest(owned));
        array
    }
}

#[test]
fn the_same() {
    for &len in LENGTHS {
        assert_eq!(after::digests(&painted(len)), before::digests(&painted(len)), "{len} bytes");
    }
}

/// Signatures have it, and RSA's PKCS #1 v1.5 asks for it.
#[test]
fn the_same_object_identifiers() {
    use keylane::digest::const_oid::AssociatedOid as Oid;
    use keylane::rustcrypto as keylane;

    assert_eq!(keylane::Sha1::OID, <sha1::Sha1 as Oid>::OID);
    assert_eq!(keylane::Sha224::OID, <sha2::Sha224 as Oid>::OID);
    assert_eq!(keylane::Sha256::OID, <sha2::Sha256 as Oid>::OID);
    assert_eq!(keylane::Sha384::OID, <sha2::Sha384 as Oid>::OID);
    assert_eq!(keylane::Sha512::OID, <sha2::Sha512 as Oid>::OID);
    assert_eq!(keylane::Sha512_256::OID, <sha2::Sha512_256 as Oid>::OID);
}
