//! The hashes against FIPS 180-4's examples:
//! <https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values>.

use keylane::hmac::HmacKey;
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane_contracts::{Hash, HasherOf, every_hash, every_implementation, hex, painted};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The digests of the messages in hexadecimal.
struct Fips180 {
    empty: &'static str,
    abc: &'static str,
    /// Of 448 bits, which do not fit a block of SHA-256 with their padding.
    alphabet_448: &'static str,
    /// Of 896 bits, which do not fit a block of SHA-512 with their padding.
    alphabet_896: &'static str,
    million_a: &'static str,
}

/// In one call, in pieces and in a batch.
fn fips180<H: Hash>(answers: &Fips180) {
    let million = vec![b'a'; 1_000_000];
    let cases: [(&[u8], &str); 5] = [
        (b"", answers.empty),
        (b"abc", answers.abc),
        (b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", answers.alphabet_448),
        (
            b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs\
              mnopqrstnopqrstu",
            answers.alphabet_896,
        ),
        (&million, answers.million_a),
    ];
    let answers = cases.map(|(_, answer)| hex(answer));
    every_implementation(H::PRIMITIVE, |_| {
        for ((message, _), answer) in cases.iter().zip(&answers) {
            assert_eq!(HasherOf::<H>::digest(message).as_ref(), answer, "{} bytes", message.len());
            for piece in [1000, 64, 7] {
                let mut hash = HasherOf::<H>::new();
                message.chunks(piece).for_each(|piece| hash.update(piece));
                assert_eq!(hash.finalize().as_ref(), answer, "{} bytes by {piece}", message.len());
            }
        }
        // Three times, so that each message is hashed in several lanes.
        let messages: Vec<&[u8]> = cases.iter().cycle().take(15).map(|(message, _)| *message).collect();
        let mut digests = [HasherOf::<H>::digest(b"not yet"); 15];
        HasherOf::<H>::digest_many(&messages, &mut digests).unwrap();
        for (digest, answer) in digests.iter().zip(answers.iter().cycle()) {
            assert_eq!(digest.as_ref(), answer);
        }
    });
}

/// Lanes count all of a long prefix or a long piece. In any place of a batch, a hash may have less than a
/// block for them.
fn lengths_in_lanes<H: Hash>() {
    let text = painted((1 << 20) + 10);
    let [prefix, piece] = [&text[..], &text[..70_001]];
    let whole = [prefix, piece].map(|begun| H::expected_digest(&[begun, b"x"].concat()));
    let lens = [H::BLOCK_LEN / 2, H::BLOCK_LEN, 5 * H::BLOCK_LEN];
    let each: Vec<_> = (0..17).map(|i| lens.map(|len| H::expected_digest(&text[i..][..len]))).collect();
    every_implementation(H::PRIMITIVE, |_| {
        let (mut running, mut digests) = (HasherOf::<H>::new(), [whole[1]; 17]);
        running.update(prefix);
        running.finalize_many(&[b"x"; 17], &mut digests).unwrap();
        assert_eq!(digests, [whole[0]; 17], "after {} bytes", prefix.len());
        let mut hashes = vec![HasherOf::<H>::new(); 17];
        HasherOf::<H>::update_many(&mut hashes, &[piece; 17]).unwrap();
        HasherOf::<H>::update_many(&mut hashes, &[b"x"; 17]).unwrap();
        assert!(hashes.into_iter().all(|hash| hash.finalize() == whole[1]), "{} bytes", piece.len());
        for (count, short) in (1..=17).flat_map(|count| (0..count).map(move |short| (count, short))) {
            let kind = |i| if i == short { count % 2 } else { 2 };
            let pieces: Vec<_> = (0..count).map(|i| &text[i..][..lens[kind(i)]]).collect();
            let mut hashes = vec![HasherOf::<H>::new(); count];
            HasherOf::<H>::update_many(&mut hashes, &pieces).unwrap();
            for (i, hash) in hashes.into_iter().enumerate() {
                assert_eq!(hash.finalize(), each[i][kind(i)], "{i} of {count}, {short} is short");
            }
        }
    });
}

/// Hashes and MACs absorb what is written to them, all of it.
#[test]
fn they_are_writers() {
    use std::io::{Write, copy};

    fn check<H: Hash>() {
        let data = painted(10_000);
        let (mut hash, mut mac) = (HasherOf::<H>::new(), HmacKey::<H>::new(b"key").start());
        let (first, rest) = data.split_at(100);
        assert_eq!((hash.write(first).unwrap(), mac.write(first).unwrap()), (100, 100));
        copy(&mut &*rest, &mut hash).unwrap();
        copy(&mut &*rest, &mut mac).unwrap();
        hash.flush().unwrap();
        mac.flush().unwrap();
        assert_eq!(hash.finalize(), HasherOf::<H>::digest(&data));
        assert_eq!(mac.finalize(), HmacKey::<H>::new(b"key").mac(&data));
    }
    every_hash!(check);
}

#[test]
fn lanes_count_every_byte() {
    every_hash!(lengths_in_lanes);
}

#[test]
fn sha1() {
    fips180::<Sha1>(&Fips180 {
        empty: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        abc: "a9993e364706816aba3e25717850c26c9cd0d89d",
        alphabet_448: "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
        alphabet_896: "a49b2446a02c645bf419f995b67091253a04a259",
        million_a: "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
    });
}

#[test]
fn sha224() {
    fips180::<Sha224>(&Fips180 {
        empty: "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
        abc: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
        alphabet_448: "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525",
        alphabet_896: "c97ca9a559850ce97a04a96def6d99a9e0e0e2ab14e6b8df265fc0b3",
        million_a: "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67",
    });
}

#[test]
fn sha256() {
    fips180::<Sha256>(&Fips180 {
        empty: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        abc: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        alphabet_448: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        alphabet_896: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
        million_a: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    });
}

#[test]
fn sha384() {
    fips180::<Sha384>(&Fips180 {
        empty: "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da\
            274edebfe76f65fbd51ad2f14898b95b",
        abc: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
            8086072ba1e7cc2358baeca134c825a7",
        alphabet_448: "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6\
            b0455a8520bc4e6f5fe95b1fe3c8452b",
        alphabet_896: "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712\
            fcc7c71a557e2db966c3e9fa91746039",
        million_a: "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b\
            07b8b3dc38ecc4ebae97ddd87f3d8985",
    });
}

#[test]
fn sha512() {
    fips180::<Sha512>(&Fips180 {
        empty: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
            47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
        abc: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
            2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        alphabet_448: "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335\
            96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
        alphabet_896: "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
            501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
        million_a: "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb\
            de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
    });
}

#[test]
fn sha512_256() {
    fips180::<Sha512_256>(&Fips180 {
        empty: "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a",
        abc: "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
        alphabet_448: "bde8e1f9f19bb9fd3406c90ec6bc47bd36d8ada9f11880dbc8a22a7078b6a461",
        alphabet_896: "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a",
        million_a: "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21",
    });
}

/// Where the caller's iterator panics, every hash counts what it has absorbed: a part of its data.
#[test]
fn hashes_whose_iterator_panics_stay_consistent() {
    fn check<H: Hash>() {
        let data = painted(1000);
        for given in 0..40 {
            let mut hashes = vec![HasherOf::<H>::new(); 40];
            hashes.iter_mut().enumerate().for_each(|(i, hash)| hash.update(&data[..i]));
            let run = AssertUnwindSafe(|| {
                let pass = |(i, hash)| if i == given { panic!("the caller's") } else { hash };
                let _ =
                    HasherOf::<H>::update_many(hashes.iter_mut().enumerate().map(pass), &[&data[40..]; 40]);
            });
            catch_unwind(run).unwrap_err();
            for (i, hash) in hashes.into_iter().enumerate() {
                let all = [&data[..i], &data[40..]].concat();
                let digest = hash.finalize();
                // The likely ones first: before this call, and after it.
                let mut lens = [i, all.len()].into_iter().chain(i..all.len());
                let absorbed = lens.find(|&len| HasherOf::<H>::digest(&all[..len]) == digest);
                assert!(
                    absorbed.is_some() && (i < given || absorbed == Some(i)),
                    "{given}, {i}: {absorbed:?}"
                );
            }
        }
    }
    check::<Sha1>();
    check::<Sha256>();
    check::<Sha512>();
}
