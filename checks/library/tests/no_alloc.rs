//! Nothing allocates. This test is a separate binary, since it counts the allocations of the whole program,
//! by thread.

use allocation_counter::measure;
use core::hint::black_box;
use keylane::hkdf::Prk;
use keylane::hmac::HmacKey;
use keylane_contracts::{
    Aead, Call, Hash, HasherOf, Work, every_aead, every_hash, every_implementation, painted, subjects,
};

/// Runs `operation` and checks that it allocated nothing.
fn without_allocating(name: &str, operation: impl FnOnce()) {
    let info = measure(operation);
    assert_eq!(info.count_total, 0, "{name} allocates");
}

#[test]
fn an_allocation_is_counted() {
    assert_eq!(measure(|| drop(black_box(vec![1u8; 10]))).count_total, 1);
}

/// The choice and the self-tests, which may run here first, do not allocate either.
#[test]
fn first_use() {
    without_allocating("self_test", || keylane::self_test().unwrap());
    without_allocating("primitives", || {
        for primitive in keylane::primitives() {
            // Not which is chosen: other tests select meanwhile.
            assert!(primitive.implementations().any(|implementation| implementation.passes_self_test));
        }
    });
}

/// Subjects that are not measured may themselves allocate, to compare results.
#[test]
fn measured_subjects() {
    let subjects = subjects().iter().filter(|subject| subject.plain || subject.work == Work::Batch);
    for subject in subjects {
        every_implementation(subject.primitive, |_| {
            let (mut run, mut data, mut answer) = ((subject.make)(&painted(61)), painted(1500), [0; 64]);
            let mut call = Call { data: &mut data, cuts: &[0, 20, 90, 701, 1200], answer: &mut answer };
            without_allocating(&subject.name, || run(&mut call));
        });
    }
}

#[test]
fn hashes() {
    fn of<H: Hash>() {
        let data = painted(2000);
        every_implementation(H::PRIMITIVE, |_| {
            without_allocating("running hash", || {
                let mut hash = HasherOf::<H>::new();
                hash.update(&data[..100]);
                hash.update(&data[100..]);
                assert_eq!(hash.clone().finalize(), HasherOf::<H>::digest(&data));
            });
            without_allocating("running MAC", || {
                let key = HmacKey::<H>::import(&HmacKey::<H>::new(&data[..200]).export()).unwrap();
                let (tag, mut mac) = (key.mac_parts(&[&data[..7], &data[7..]]), key.start());
                mac.update(&data[..1000]);
                mac.update(&data[1000..]);
                mac.clone().verify(tag.as_ref()).unwrap();
                assert_eq!(mac.finalize_reset(), tag);
                key.verify_many(&[&data], &[tag.as_ref()]).unwrap();
                key.verify_truncated(b"other", &tag.as_ref()[..10]).unwrap_err();
            });
            without_allocating("HKDF", || drop(Prk::<H>::from_bytes(&data).unwrap().clone()));
        });
    }
    every_hash!(of);
}

#[test]
fn aeads() {
    fn of<A: Aead>() {
        let (aad, text) = (painted(100), painted(2000));
        every_implementation(A::PRIMITIVE, |_| {
            let (nonce, mut data, mut sealed) = (painted(A::NONCE_LEN), text.clone(), vec![0; 2016]);
            let aead = A::prepared(&painted(A::KEY_LEN));
            without_allocating("seal_to and open_to", || {
                let pieces = [&text[..1], &[], &text[1..700], &text[700..]];
                aead.seal_to(A::nonce(&nonce), &aad, &pieces, &mut sealed).unwrap();
                aead.clone().open_to(A::nonce(&nonce), &aad, &sealed, &mut data).unwrap();
            });
            without_allocating("a refusal", || {
                aead.seal_to(A::nonce(&nonce), &aad, &[&text], &mut data).unwrap_err();
                aead.open_to(A::nonce(&nonce), b"other", &sealed, &mut data).unwrap_err();
                keylane::aead::Aead::<A>::from_slice(&[0; 15]).unwrap_err();
            });
            // Appending uses spare capacity if there is enough, and otherwise allocates once.
            let mut output = Vec::with_capacity(3000);
            without_allocating("seal_append with room", || {
                aead.seal_append(A::nonce(&nonce), &aad, &text, &mut output).unwrap();
            });
            assert_eq!(output, sealed);
            let info = measure(|| aead.seal_append(A::nonce(&nonce), &aad, &text, &mut output).unwrap());
            assert_eq!(info.count_total, 1, "seal_append without room");
        });
    }
    every_aead!(of);
}
