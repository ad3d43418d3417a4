//! Proves that this process's compiled kernels compute what their standards say, for all keys, texts and
//! hashes of the lengths tried.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod numbers;

use keylane::aead::{Aead, Algorithm};
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::Gcm;
use keylane::aes_gcm_siv::GcmSiv;
use keylane::chacha20::ChaCha20;
use keylane::chacha20poly1305::ChaChaPoly;
use keylane::hash::{Function, Hasher};
use keylane::hmac::HmacKey;
use keylane::poly1305::Poly1305;
use keylane::sha2::{Sha256, Sha256Function, Sha512Function};
use keylane_machine::{Machine, Part, Spoil, Values};
use keylane_terms::bytes::{Bytes, Form};
use keylane_terms::field::Field;
use keylane_terms::key_stream::Streams;
use keylane_terms::sha2::{primes, root, sha256, sha256_initial, sha512};
use keylane_terms::words::{Piece, Word, Words};
use numbers::Numbers;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns bytes of which neighbours differ.
fn bytes<const N: usize>(first: u8) -> [u8; N] {
    std::array::from_fn(|at| (at as u8).wrapping_mul(37).wrapping_add(first))
}

/// Returns the implementations of a primitive that run here, but those of portable code.
fn implementations(primitive: &str) -> Vec<&'static str> {
    let list = keylane::primitives().iter().find(|it| it.name() == primitive).expect("a primitive");
    let usable = list.implementations().filter(|it| it.usable && !it.name.starts_with("portable"));
    let names: Vec<_> = usable.map(|it| it.name).collect();
    assert!(!names.is_empty(), "{primitive}: this CPU runs none of the kernels to be proved");
    names
}

/// Calls `test` with the name of each case, while the implementation is selected, and with whether
/// instructions are changed: in the first implementation, and with `KEYLANE_EVERY=1` in all.
fn each_implementation(primitive: &str, len: usize, test: impl Fn(&str, bool)) {
    let all = std::env::var("KEYLANE_EVERY").is_ok_and(|every| every == "1");
    for (at, implementation) in implementations(primitive).into_iter().enumerate() {
        let list = keylane::primitives().iter().find(|it| it.name() == primitive).expect("a primitive");
        list.select(implementation).expect("an implementation");
        test(&format!("{primitive}, {implementation}, {len} bytes"), all || at == 0);
    }
}

/// Proves what `run` computes with a machine. With `refute`, it must have another form after a change of
/// one instruction of each kind.
fn prove<V: Values + Clone, T: PartialEq>(
    name: &str,
    values: &V,
    expected: &T,
    refute: bool,
    run: impl Fn(&mut Machine<'_, V>) -> T,
) {
    // Each run makes terms of its own.
    let mut of_run = values.clone();
    let mut machine = Machine::new(&mut of_run);
    assert!(run(&mut machine) == *expected, "{name}: not what the standard says");
    let (spoils, executed) = (machine.spoils(), machine.executed());
    let noticed = |spoil: &Spoil| {
        // A machine that cannot go on has noticed nothing: the output may not depend on what it lacks.
        let same = catch_unwind(AssertUnwindSafe(|| {
            let mut of_run = values.clone();
            let mut machine = Machine::new(&mut of_run);
            machine.spoil(spoil);
            run(&mut machine) == *expected
        }));
        !same.unwrap_or(true)
    };
    if refute {
        refutes(name, &spoils, noticed);
    }
    println!("{name}: {executed} instructions, {} kinds changed", if refute { spoils.len() } else { 0 });
}

/// How many changes of one instruction each must be noticed in an implementation: fifty in two of them.
const CHANGES: usize = 25;

/// Requires that [`CHANGES`] changes are noticed, and one of each kind at least. An instruction's result may
/// be of no use for a length, such as a lane that is not stored.
fn refutes(name: &str, spoils: &[Vec<Spoil>], noticed: impl Fn(&Spoil) -> bool) {
    assert!(!spoils.is_empty(), "{name}: nothing to change");
    std::panic::set_hook(Box::new(|_| {}));
    let longest = spoils.iter().map(Vec::len).max().unwrap_or_default();
    let (mut kinds, mut count) = (BTreeSet::new(), 0);
    for at in 0..longest {
        for (kind, spoil) in spoils.iter().enumerate().filter_map(|(kind, of)| Some((kind, of.get(at)?))) {
            let needed = count < CHANGES || at < 12 && !kinds.contains(&kind);
            if needed && noticed(spoil) {
                kinds.insert(kind);
                count += 1;
            }
        }
    }
    drop(std::panic::take_hook());
    let missed =
        (0..spoils.len()).find(|kind| !kinds.contains(kind)).map(|kind| &spoils[kind][0].instruction);
    assert!(missed.is_none(), "{name}: no change of {missed:?} is noticed");
    assert!(count >= CHANGES, "{name}: of all changes, {count} are noticed");
}

/// An entry and its arguments.
type Call<'a> = (u64, &'a [u64]);

/// With known bytes, the machine computes what the CPU does.
fn agree<V: Values, const N: usize>(
    name: &str,
    values: &mut V,
    (entry, arguments): Call<'_>,
    place: &mut [u8; N],
    real: impl Fn(&mut [u8; N]),
) {
    let before = *place;
    // The choice of an implementation and its self-test come first.
    real(place);
    *place = before;
    let mut machine = Machine::new(values);
    machine.call(entry, arguments);
    let computed = machine.bytes(place);
    real(place);
    let computed: Vec<_> = computed.iter().map(|&byte| values.known(byte)).collect();
    assert_eq!(computed, place.map(Some), "{name}: the machine and the CPU differ");
}

extern "C" fn chacha20<const LEN: usize>(key: &[u8; 32], nonce: &[u8; 12], text: &mut [u8; LEN]) {
    ChaCha20::new(key, nonce).xor_keystream(text).expect("a short text");
}

/// RFC 8439 §2.4.
fn chacha20_is_the_standard<const LEN: usize>(refute: bool) {
    each_implementation("chacha20", LEN, |name, changed| {
        let (key, nonce, mut text) = (bytes(0x6b), bytes(0x4e), bytes::<LEN>(0x70));
        let mut streams = Streams::new();
        let entry = chacha20::<LEN> as *const () as u64;
        let arguments = [key.as_ptr() as u64, nonce.as_ptr() as u64, text.as_ptr() as u64];
        agree(name, &mut streams.words, (entry, &arguments), &mut text, |text| chacha20(&key, &nonce, text));
        let inputs = [(0, 32), (32, 12), (44, LEN)].map(|(first, len)| streams.text(first, len));
        let expected = streams.xor(0, 32, inputs[2].clone());
        let xor = |machine: &mut Machine<'_, Words>| {
            machine.lay(&key, &inputs[0]);
            machine.lay(&nonce, &inputs[1]);
            machine.lay(&text, &inputs[2]);
            machine.call(entry, &arguments);
            let output = machine.bytes(&text);
            output
                .iter()
                .map(|&byte| machine.values().xor_of_bytes(&[byte]))
                .collect::<Vec<BTreeSet<Piece>>>()
        };
        prove(name, &streams.words, &expected, refute && changed, xor);
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn chacha20_of_several_lengths() {
    chacha20_is_the_standard::<64>(false);
    chacha20_is_the_standard::<300>(true);
    chacha20_is_the_standard::<1101>(false);
}

extern "C" fn hash<F: Function, const LEN: usize>(message: &[u8; LEN], digest: &mut F::Output) {
    *digest = Hasher::<F>::digest(message);
}

extern "C" fn hmac<const LEN: usize>(message: &[u8; LEN], tag: &mut [u8; 32]) {
    let (key, message) = message.split_first_chunk::<20>().expect("a key");
    *tag = HmacKey::<Sha256>::new(key).mac(message);
}

/// Returns the digest's bytes (FIPS 180-4 §5.1, §6.2 and §6.4).
fn digest(words: &mut Words, message: &[Piece]) -> Vec<Piece> {
    let len = words.word_len();
    type Compress = fn(&mut Words, &[Word], &[Word]) -> Vec<Word>;
    let (compress, mut state): (Compress, Vec<Word>) = match len {
        4 => (sha256, sha256_initial(words)),
        _ => (sha512, primes(8).map(|prime| words.constant(root(prime, 2))).collect()),
    };
    let mut padded = [message, &[Piece::Known(0x80)]].concat();
    padded.resize((message.len() + 1 + 2 * len).next_multiple_of(16 * len) - 8, Piece::Known(0));
    padded.extend((8 * message.len() as u64).to_be_bytes().map(Piece::Known));
    for block in padded.chunks(16 * len) {
        let block: Vec<Word> =
            block.chunks(len).map(|word| words.bytes(word.iter().rev().copied().collect())).collect();
        state = compress(words, &state, &block);
    }
    state
        .iter()
        .flat_map(|&word| (0..len).rev().map(move |at| (word, at)))
        .map(|(word, at)| words.byte(word, at))
        .collect()
}

/// RFC 2104, with a key of 20 bytes before the message.
fn hmac_standard(words: &mut Words, message: &[Piece]) -> Vec<Piece> {
    let mut inner = message[20..].to_vec();
    for pad in [0x36, 0x5c] {
        let mut key = [&message[..20], &[Piece::Known(0); 44]].concat();
        for word in key.chunks_mut(4) {
            let (bytes, pads) = (words.bytes(word.to_vec()), words.constant(pad * 0x0101_0101));
            let sum = words.xor(bytes, pads);
            word.copy_from_slice(&[0, 1, 2, 3].map(|at| words.byte(sum, at)));
        }
        inner = digest(words, &[key, inner].concat());
    }
    inner
}

type Digest<const LEN: usize, const OUT: usize> = extern "C" fn(&[u8; LEN], &mut [u8; OUT]);

fn digests<const LEN: usize, const OUT: usize>(
    primitive: &str,
    function: Digest<LEN, OUT>,
    standard: impl Fn(&mut Words, &[Piece]) -> Vec<Piece>,
    refute: bool,
) {
    each_implementation(primitive, LEN, |name, changed| {
        let (message, mut out) = (bytes::<LEN>(0x6d), [0; OUT]);
        let mut words = Words::new(if primitive == "sha512" { 8 } else { 4 });
        let call = (function as *const () as u64, &[message.as_ptr() as u64, out.as_ptr() as u64][..]);
        agree(name, &mut words, call, &mut out, |out| function(&message, out));
        let inputs: Vec<Piece> = (0..LEN as u32).map(|at| Piece::Of(words.input(at), 0)).collect();
        let expected = standard(&mut words, &inputs);
        let run = |machine: &mut Machine<'_, Words>| {
            machine.lay(&message, &inputs);
            machine.call(call.0, call.1);
            machine.bytes(&out)
        };
        prove(name, &words, &expected, refute && changed, run);
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn sha256_of_several_lengths() {
    digests("sha256", hash::<Sha256Function, 3>, digest, false);
    digests("sha256", hash::<Sha256Function, 64>, digest, true);
    digests("sha256", hash::<Sha256Function, 200>, digest, false);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn sha512_of_several_lengths() {
    digests("sha512", hash::<Sha512Function, 3>, digest, false);
    digests("sha512", hash::<Sha512Function, 128>, digest, true);
    digests("sha512", hash::<Sha512Function, 300>, digest, false);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn hmac_sha256_from_key_to_tag() {
    digests("sha256", hmac::<{ 20 + 3 }>, hmac_standard, false);
    digests("sha256", hmac::<{ 20 + 64 }>, hmac_standard, true);
    digests("sha256", hmac::<{ 20 + 200 }>, hmac_standard, false);
}

extern "C" fn ctr<const LEN: usize>(key: &[u8; 16], counter: &[u8; 16], text: &mut [u8; LEN]) {
    AesCtr::new(&Aes::new_128(key), counter).xor_keystream(text);
}

/// SP 800-38A §6.5. The counter is known: it is public, and how a kernel counts depends on it.
fn aes_ctr_is_the_standard<const LEN: usize>(counter: u128, refute: bool) {
    each_implementation("aes-ctr", LEN, |name, changed| {
        let (key, first, mut text) = (bytes(0x6b), counter.to_be_bytes(), bytes::<LEN>(0x70));
        let mut forms = Bytes::default();
        let entry = ctr::<LEN> as *const () as u64;
        let arguments = [key.as_ptr() as u64, first.as_ptr() as u64, text.as_ptr() as u64];
        agree(name, &mut forms, (entry, &arguments), &mut text, |text| ctr(&key, &first, text));
        let mut input = |first: usize, len: usize| -> Vec<Form> {
            (first..first + len).map(|number| forms.input(number as u32, 0)).collect()
        };
        let (key_bytes, text_bytes) = (input(0, 16), input(16, LEN));
        let keys = forms.key_expansion(&key_bytes);
        let mut expected = Vec::new();
        for (number, part) in (0..).zip(text_bytes.chunks(16)) {
            let block = counter.wrapping_add(number).to_be_bytes().map(|byte| forms.constant(byte));
            let stream = forms.encrypt(&keys, &block);
            expected.extend(forms.xor_all(part, &stream));
        }
        let run = |machine: &mut Machine<'_, Bytes>| {
            machine.lay(&key, &key_bytes);
            machine.lay(&text, &text_bytes);
            machine.call(entry, &arguments);
            machine.bytes(&text)
        };
        prove(name, &forms, &expected, refute && changed, run);
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn aes_ctr_of_several_lengths() {
    aes_ctr_is_the_standard::<16>(0, false);
    aes_ctr_is_the_standard::<200>(u128::MAX - 3, false);
    aes_ctr_is_the_standard::<1101>(u64::MAX.into(), true);
}

/// A key, a nonce, additional data, and a text, of which the last 16 bytes become the tag.
type Seal<const KEY: usize, const LEN: usize> =
    extern "C" fn(&[u8; KEY], &[u8; 12], &[u8; 21], &mut [u8; LEN]);

extern "C" fn seal<A: Algorithm<Key = [u8; KEY], Nonce = [u8; 12]>, const KEY: usize, const LEN: usize>(
    key: &[u8; KEY],
    nonce: &[u8; 12],
    aad: &[u8; 21],
    sealed: &mut [u8; LEN],
) {
    let (text, tag) = sealed.split_last_chunk_mut().expect("a tag");
    *tag = Aead::<A>::new(key).seal(nonce, aad, text).expect("a short text");
}

/// SP 800-38D §7.1.
fn gcm_standard(field: &mut Field, [key, nonce, aad, text]: &[Vec<Form>; 4]) -> Vec<Form> {
    let keys = field.bytes.key_expansion(key);
    let zeros = field.constants(&[0; 16]);
    let h = field.bytes.encrypt(&keys, &zeros);
    let h_times_x = field.times_x(&h);
    field.derive_key(&h_times_x);
    let j0 = [nonce.clone(), field.constants(&[0, 0, 0, 1])].concat();
    field.gcm(true, &keys, &j0, (0, &zeros), [aad, text])
}

/// RFC 8452 §4.
fn gcm_siv_standard(field: &mut Field, [key, nonce, aad, text]: &[Vec<Form>; 4]) -> Vec<Form> {
    let keys = field.bytes.key_expansion(key);
    let keys = field.message_keys(&keys, nonce);
    let tag = field.siv_tag(&keys, nonce, aad, text);
    [field.siv_ctr(&keys, &tag, text), tag].concat()
}

fn seals<const LEN: usize>(
    primitive: &str,
    seal: Seal<16, LEN>,
    standard: impl Fn(&mut Field, &[Vec<Form>; 4]) -> Vec<Form>,
    refute: bool,
) {
    each_implementation(primitive, LEN - 16, |name, changed| {
        let (key, nonce, aad, mut sealed) = (bytes(0x6b), bytes(0x4e), bytes(0x61), bytes::<LEN>(0x70));
        let mut field = Field::default();
        let arguments = [key.as_ptr(), nonce.as_ptr(), aad.as_ptr(), sealed.as_ptr()].map(|at| at as u64);
        let call = (seal as *const () as u64, &arguments[..]);
        agree(name, &mut field, call, &mut sealed, |sealed| seal(&key, &nonce, &aad, sealed));
        let inputs = [0..16, 16..28, 28..49, 49..33 + LEN as u32]
            .map(|numbers| numbers.map(|number| field.bytes.input(number, 0)).collect::<Vec<_>>());
        let expected = standard(&mut field, &inputs);
        let run = |machine: &mut Machine<'_, Field>| {
            for (place, bytes) in [&key[..], &nonce, &aad, &sealed[..LEN - 16]].into_iter().zip(&inputs) {
                let bytes: Vec<_> = bytes.iter().map(|&byte| Part::Byte(byte)).collect();
                machine.lay(place, &bytes);
            }
            machine.call(call.0, call.1);
            let output = machine.bytes(&sealed);
            output.iter().map(|part| part.byte(machine.values())).collect::<Vec<_>>()
        };
        prove(name, &field, &expected, refute && changed, run);
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn aes_gcm_of_several_lengths() {
    seals("aes-gcm", seal::<Gcm<16>, 16, { 20 + 16 }>, gcm_standard, false);
    seals("aes-gcm", seal::<Gcm<16>, 16, { 300 + 16 }>, gcm_standard, true);
    seals("aes-gcm", seal::<Gcm<16>, 16, { 1101 + 16 }>, gcm_standard, false);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn aes_gcm_siv_of_short_texts() {
    // How far the counter of a longer one is from its wrap depends on the tag, and so do the kernel's parts.
    seals("aes-gcm-siv", seal::<GcmSiv<16>, 16, { 20 + 16 }>, gcm_siv_standard, false);
    seals("aes-gcm-siv", seal::<GcmSiv<16>, 16, { 128 + 16 }>, gcm_siv_standard, false);
    seals("aes-gcm-siv", seal::<GcmSiv<16>, 16, { 300 + 16 }>, gcm_siv_standard, true);
}

extern "C" fn poly1305<const LEN: usize>(key: &[u8; 32], message: &[u8; LEN], tag: &mut [u8; 16]) {
    *tag = Poly1305::mac(key, message);
}

/// RFC 8439 §2.5. A message of 8 blocks or more goes to vectors.
fn poly1305_is_the_standard<const LEN: usize>(refute: bool) {
    let name = &format!("poly1305, {LEN} bytes");
    let (key, message, mut tag) = (bytes(0x6b), bytes::<LEN>(0x6d), [0; 16]);
    let mut values = Numbers::new(Words::new(4));
    let entry = poly1305::<LEN> as *const () as u64;
    let arguments = [key.as_ptr() as u64, message.as_ptr() as u64, tag.as_ptr() as u64];
    agree(name, &mut values, (entry, &arguments), &mut tag, |tag| poly1305(&key, &message, tag));
    let mut input = |first: usize, len: usize| -> Vec<_> {
        (first..first + len).map(|number| values.input(number as u32)).collect()
    };
    let (key_bytes, text) = (input(0, 32), input(32, LEN));
    let one = values.constant(1);
    let blocks: Vec<_> = text.chunks(16).map(|block| [block, &[one]].concat()).collect();
    let sum = values.polynomial(&key_bytes, &blocks);
    let run = |machine: &mut Machine<'_, Numbers>| {
        machine.lay(&key, &key_bytes);
        machine.lay(&message, &text);
        machine.call(entry, &arguments);
        let tag = machine.bytes(&tag);
        machine.values().is_tag(&tag, &sum, &key_bytes[16..])
    };
    prove(name, &values, &true, refute, run);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn poly1305_of_short_messages() {
    poly1305_is_the_standard::<5>(false);
    poly1305_is_the_standard::<33>(true);
    poly1305_is_the_standard::<40>(true);
    poly1305_is_the_standard::<127>(false);
}

/// RFC 8439 §2.8.
fn chacha20_poly1305_is_the_standard<const LEN: usize>(refute: bool) {
    each_implementation("chacha20-poly1305", LEN - 16, |name, changed| {
        let (key, nonce, aad, mut sealed) = (bytes(0x6b), bytes(0x4e), bytes(0x61), bytes::<LEN>(0x70));
        let mut streams = Streams::new();
        let inputs =
            [(0, 32), (32, 12), (44, 21), (65, LEN - 16)].map(|(first, len)| streams.text(first, len));
        let mut block = |counter, text: &[Piece]| -> Vec<Piece> {
            let counter = streams.words.constant(counter);
            let (block, words) = (streams.block(counter, 32), &mut streams.words);
            let padded = [text, &[Piece::Known(0); 3]].concat();
            let lanes = padded.chunks_exact(4).zip(block).flat_map(|(text, word)| {
                let text = words.bytes(text.to_vec());
                let sum = words.xor(text, word);
                [0, 1, 2, 3].map(|at| words.byte(sum, at))
            });
            lanes.take(text.len()).collect()
        };
        let key_of_tag = block(0, &[Piece::Known(0); 32]);
        let ciphertext: Vec<_> =
            (1..).zip(inputs[3].chunks(64)).flat_map(|(counter, text)| block(counter, text)).collect();
        let lengths = [21, ciphertext.len() as u64].map(|len| len.to_le_bytes().map(Piece::Known));
        let mut values = Numbers::new(streams.words);
        let parts = [&inputs[2][..], &ciphertext, lengths.as_flattened()];
        let blocks: Vec<_> = parts.iter().flat_map(|part| part.chunks(16)).map(numbers::padded).collect();
        let key_of_tag: Vec<_> = key_of_tag.into_iter().map(numbers::Part::Piece).collect();
        let sum = values.polynomial(&key_of_tag, &blocks);
        let arguments = [key.as_ptr(), nonce.as_ptr(), aad.as_ptr(), sealed.as_ptr()].map(|at| at as u64);
        let function: Seal<32, LEN> = seal::<ChaChaPoly, 32, LEN>;
        let call = (function as *const () as u64, &arguments[..]);
        agree(name, &mut values, call, &mut sealed, |sealed| function(&key, &nonce, &aad, sealed));
        let run = |machine: &mut Machine<'_, Numbers>| {
            for (place, bytes) in [&key[..], &nonce, &aad, &sealed[..LEN - 16]].into_iter().zip(&inputs) {
                let bytes: Vec<_> = bytes.iter().map(|&byte| numbers::Part::Piece(byte)).collect();
                machine.lay(place, &bytes);
            }
            machine.call(call.0, call.1);
            let output = machine.bytes(&sealed);
            let (text, tag) = output.split_at(LEN - 16);
            machine.values().are_pieces(text, &ciphertext)
                && machine.values().is_tag(tag, &sum, &key_of_tag[16..])
        };
        prove(name, &values, &true, refute && changed, run);
    });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "users have other code: cargo test --release -p keylane-machine")]
fn chacha20_poly1305_of_short_texts() {
    chacha20_poly1305_is_the_standard::<{ 20 + 16 }>(true);
    chacha20_poly1305_is_the_standard::<{ 64 + 16 }>(false);
}
