//! Hashes and HMAC in one call, in pieces, side by side, copied and reset.

use crate::{Choices, Hash, HasherOf};
use keylane::Error;
use keylane::hash::{Function, Hasher};
use keylane::hmac::{self, Hmac, HmacKey};

/// A hash or a MAC that absorbs a message in pieces: Keylane's, or one with a planted fault.
pub trait Absorb: Clone {
    /// Absorbs a piece.
    fn absorb(&mut self, piece: &[u8]);
    /// The digest or the tag.
    fn result(self) -> Vec<u8>;
}

impl<F: Function> Absorb for Hasher<F> {
    fn absorb(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn result(self) -> Vec<u8> {
        self.finalize().as_ref().to_vec()
    }
}

impl<H: keylane::Hash> Absorb for Hmac<H> {
    fn absorb(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn result(self) -> Vec<u8> {
        self.finalize().as_ref().to_vec()
    }
}

/// Lets `running` absorb the pieces, and copies of it as well.
///
/// # Panics
/// If the result is not the expected one.
pub fn in_pieces<A: Absorb>(choices: &mut Choices<'_>, mut running: A, pieces: &[&[u8]], expected: &[u8]) {
    for piece in pieces {
        choices.step();
        running.absorb(piece);
        if choices.one_in(4) {
            // The copy goes on, and the original elsewhere.
            let copy = running.clone();
            running.absorb(b"elsewhere");
            running = copy;
        }
    }
    choices.step();
    assert_eq!(running.result(), expected, "in {} pieces", pieces.len());
}

/// A hash, running hashes and many messages.
///
/// # Panics
/// If a promise is broken.
pub fn hash<H: Hash>(choices: &mut Choices<'_>) {
    let text = choices.message();
    let expected = H::expected_digest(&text);
    let place = choices.placed(&text);
    assert_eq!(HasherOf::<H>::digest(&place), expected, "{}: {} bytes", H::NAME, text.len());
    let pieces = choices.pieces(&place);
    in_pieces(choices, HasherOf::<H>::new(), &pieces, expected.as_ref());

    // The pieces as messages of their own, and twice as halves of running hashes.
    let mut digests = vec![expected; pieces.len()];
    HasherOf::<H>::digest_many(&pieces, &mut digests).expect("equal lengths");
    let mut hashes = vec![HasherOf::<H>::new(); pieces.len()];
    let halves = pieces.iter().map(|piece| piece.split_at(choices.up_to(piece.len())));
    let (fronts, backs): (Vec<_>, Vec<_>) = halves.unzip();
    HasherOf::<H>::update_many(&mut hashes, &fronts).expect("equal lengths");
    choices.step();
    HasherOf::<H>::update_many(&mut hashes, &backs).expect("equal lengths");
    for ((piece, digest), hash) in pieces.iter().zip(&digests).zip(hashes) {
        assert_eq!(*digest, H::expected_digest(piece), "{}: {} bytes of many", H::NAME, piece.len());
        assert_eq!(hash.finalize(), *digest, "{}: {} bytes of many running", H::NAME, piece.len());
    }
    // After a part of the message, which fills up to two blocks.
    let prefix = &place[..choices.up_to(text.len().min(2 * H::BLOCK_LEN))];
    let mut running = HasherOf::<H>::new();
    running.update(prefix);
    choices.step();
    running.finalize_many(&pieces, &mut digests).expect("equal lengths");
    for (piece, digest) in pieces.iter().zip(&digests) {
        let (begun, more) = (prefix.len(), piece.len());
        let expected = H::expected_digest(&[prefix, piece].concat());
        assert_eq!(*digest, expected, "{}: {more} bytes of many after {begun}", H::NAME);
    }
    assert_eq!(running.finalize(), H::expected_digest(prefix), "{}: changed", H::NAME);
    assert!(*place == text, "an input was changed");

    let (count, actual) = (pieces.len(), choices.up_to(15));
    if actual != count {
        let mut out = vec![expected; actual];
        let refused = |what| Err(Error::WrongLength { what, min: count, max: count, actual });
        assert_eq!(HasherOf::<H>::digest_many(&pieces, &mut out), refused("number of digests"));
        assert_eq!(HasherOf::<H>::new().finalize_many(&pieces, &mut out), refused("number of digests"));
        assert!(out.iter().all(|digest| *digest == expected), "refused, and written to");
        let mut hashes = vec![HasherOf::<H>::new(); count];
        assert_eq!(
            HasherOf::<H>::update_many(&mut hashes, &vec![b"data"; actual]),
            refused("number of slices")
        );
        assert!(
            hashes.into_iter().all(|hash| hash.finalize() == HasherOf::<H>::digest(b"")),
            "refused, and absorbed"
        );
    }
}

/// Tags by prepared keys and running MACs, and their verification.
///
/// # Panics
/// If a promise is broken.
pub fn mac<H: Hash>(choices: &mut Choices<'_>) {
    let text = choices.message();
    let key_len = if choices.any() { choices.up_to(300) } else { H::BLOCK_LEN - 1 + choices.up_to(2) };
    let key = choices.array(key_len);
    let (place, key_place) = (choices.placed(&text), choices.placed(&key));
    let (prepared, expected) = (HmacKey::<H>::new(&key_place), H::expected_mac(&key, &text));
    let what = format!("{}: {} bytes, a key of {}", H::NAME, text.len(), key.len());
    choices.step();
    assert_eq!(prepared.mac(&place), expected, "{what}");
    let pieces = choices.pieces(&place);
    assert_eq!(prepared.mac_parts(&pieces), expected, "{what} in pieces");
    let mut mac = if choices.any() { prepared.start() } else { Hmac::new(&key) };
    if choices.any() {
        mac.update(b"forgotten");
        if choices.any() { mac.reset() } else { _ = mac.finalize_reset() }
    }
    in_pieces(choices, mac.clone(), &pieces, expected.as_ref());
    for piece in &pieces {
        choices.step();
        mac.update(piece);
    }
    assert_eq!(mac.clone().verify(expected.as_ref()), Ok(()), "{what}");
    choices.step();
    assert_eq!(mac.finalize_reset(), expected, "{what} running");
    mac.update(&place);
    assert_eq!(mac.finalize(), expected, "{what} after a reset");

    let mut tags = vec![expected; pieces.len()];
    prepared.clone().mac_many(&pieces, &mut tags).expect("equal lengths");
    let other = HmacKey::<H>::new(b"other");
    let keys: Vec<_> = [&prepared, &other].into_iter().cycle().take(pieces.len()).collect();
    let mut macs: Vec<_> = keys.iter().map(|key| key.start()).collect();
    Hmac::update_many(&mut macs, &pieces).expect("equal lengths");
    let jobs: Vec<_> = keys.iter().copied().zip(pieces.iter().copied()).collect();
    let mut each = vec![expected; pieces.len()];
    choices.step();
    hmac::mac_each(&jobs, &mut each).expect("equal lengths");
    for (i, (piece, mac)) in pieces.iter().zip(macs).enumerate() {
        assert_eq!(tags[i], H::expected_mac(&key, piece), "{}: {} bytes of many", H::NAME, piece.len());
        assert_eq!(mac.finalize(), keys[i].mac(piece), "{}: {} bytes, running", H::NAME, piece.len());
        let expected = H::expected_mac(if i % 2 == 0 { &key } else { b"other" }, piece);
        assert_eq!(each[i], expected, "{}: {} bytes, a key each", H::NAME, piece.len());
    }
    assert_eq!(hmac::verify_each(&jobs, &each), Ok(()), "{what} under a key each");
    assert_eq!(hmac::verify_each(&jobs, &tags).is_ok(), each == tags, "{what} under another's key");
    verify(choices, &prepared, &pieces, &tags);
    truncated(choices, &prepared, &text, expected.as_ref());
    choices.shown(&prepared, &key);
    choices.shown(&prepared.start(), &key);
}

/// Many tags, one of them changed, cut or of another message.
fn verify<H: Hash>(choices: &mut Choices<'_>, key: &HmacKey<H>, messages: &[&[u8]], tags: &[H::Output]) {
    let mut given: Vec<Vec<u8>> = tags.iter().map(|tag| tag.as_ref().to_vec()).collect();
    let right = given.clone();
    let at = choices.up_to(given.len() - 1);
    match choices.up_to(4) {
        0 => choices.flip(&mut given[at]),
        1 => given[at].truncate(choices.up_to(H::OUTPUT_LEN)),
        2 => given.swap(0, at),
        3 => given.truncate(at),
        _ => {}
    }
    let before = choices.any();
    let mut named = vec![before; messages.len()];
    match key.verify_many_into(messages, &given, &mut named) {
        Err(Error::WrongLength { .. }) => {
            assert!(given.len() != messages.len() && !named.contains(&!before));
        }
        done => {
            assert_eq!(done.is_ok(), given == right, "{}: wrong tags of many", H::NAME);
            let equal = right.iter().zip(&given).map(|(right, given)| right == given);
            assert!(named.iter().copied().eq(equal), "{}: named {named:?}", H::NAME);
        }
    }
    assert_eq!(key.verify_many(&messages[..0], &given[..0]), Ok(()), "{}: no tags", H::NAME);
    let wrong_len = given.iter().any(|tag| tag.len() != H::OUTPUT_LEN) || given.len() != messages.len();
    let jobs: Vec<_> = messages.iter().map(|message| (key, *message)).collect();
    let verified = key.verify_many(messages, &given);
    assert_eq!(hmac::verify_each(&jobs, &given), verified, "{}", H::NAME);
    match verified {
        Ok(()) => assert!(given == right, "{}: a wrong tag of many is accepted", H::NAME),
        Err(Error::AuthenticationFailed) => assert!(given != right && !wrong_len, "{}", H::NAME),
        Err(error) => assert!(wrong_len && matches!(error, Error::WrongLength { .. }), "{error}"),
    }
    if given.len() != messages.len() {
        let mut out = vec![tags[0]; given.len()];
        assert!(key.mac_many(messages, &mut out).is_err());
        assert!(hmac::mac_each(&jobs, &mut out).is_err());
        assert!(out.iter().all(|tag| *tag == tags[0]), "refused, and written to");
    }
}

/// A tag of any length, in which a bit may have changed.
fn truncated<H: Hash>(choices: &mut Choices<'_>, key: &HmacKey<H>, message: &[u8], right: &[u8]) {
    let mut tag = right[..choices.up_to(right.len())].to_vec();
    if choices.any() {
        choices.flip(&mut tag);
    }
    if choices.one_in(4) {
        tag.extend(choices.bytes(3));
    }
    let expected = |min| match (right.len().min(min)..=right.len()).contains(&tag.len()) {
        true if right.starts_with(&tag) => Ok(()),
        true => Err(Error::AuthenticationFailed),
        false => Err(Error::WrongLength {
            what: "length of the tag in bytes",
            min,
            max: right.len(),
            actual: tag.len(),
        }),
    };
    let tag = choices.placed(&tag);
    assert_eq!(key.verify(message, &tag), expected(right.len()), "{}", H::NAME);
    assert_eq!(key.verify_truncated(message, &tag), expected(10), "{}", H::NAME);
    let mut mac = key.start();
    mac.update(message);
    assert_eq!(mac.verify(&tag), expected(right.len()), "{}", H::NAME);
}
