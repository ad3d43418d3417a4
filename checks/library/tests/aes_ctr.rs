//! AES-CTR against published answers, and the carries of its counter.

use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane_contracts::{Aes128Ctr, Aes192Ctr, Aes256Ctr, Random, Stream, every_implementation, hex};

/// NIST SP 800-38A, appendices F.5.1 to F.5.6. Decryption is the same as encryption.
#[test]
fn sp800_38a() {
    let plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
        30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    let counter = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff").try_into().unwrap();
    let cases = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
            5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ),
        (
            "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
            "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94\
            1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
            2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ),
    ];
    every_implementation("aes-ctr", |_| {
        for (key, cipher) in cases {
            let aes = Aes::from_slice(&hex(key)).unwrap();
            for (input, expected) in [(&plain, &hex(cipher)), (&hex(cipher), &plain)] {
                let mut data = input.clone();
                AesCtr::new(&aes, &counter).xor_keystream(&mut data);
                assert_eq!(data, *expected, "key {key}");
                data.fill(0);
                AesCtr::new(&aes, &counter).xor_keystream_to(input, &mut data).unwrap();
                assert_eq!(data, *expected, "key {key}, out of place");
                for len in 0..64 {
                    let mut data = input[..len].to_vec();
                    AesCtr::new(&aes, &counter).xor_keystream(&mut data);
                    assert_eq!(data, expected[..len], "key {key}, {len} bytes");
                }
            }
        }
    });
}

#[test]
fn counters() {
    fn of<S: Stream>() {
        positions_beyond_a_wrap::<S>();
        far_positions::<S>();
    }
    of::<Aes128Ctr>();
    of::<Aes192Ctr>();
    of::<Aes256Ctr>();
}

/// The counter wraps to zero; the position does not.
fn positions_beyond_a_wrap<S: Stream>() {
    let key = Random::new(91).bytes(S::KEY_LEN);
    for before in [1_u128, 2, 7, 8, 100] {
        let nonce = 0_u128.wrapping_sub(before).to_be_bytes();
        let from_zero = S::EXPECTED(&key, &[0; 16], 3000);
        every_implementation(S::PRIMITIVE, |_| {
            let mut cipher = S::new(&key, &nonce);
            let wrap = 16 * before as usize;
            cipher.xor_keystream(&mut vec![0; wrap]).unwrap();
            assert_eq!(cipher.position(), wrap as u128);
            let mut data = vec![0; 3000];
            cipher.xor_keystream(&mut data).unwrap();
            assert_eq!(data, from_zero, "{before} blocks before the end");
            for from in [0, 1, 15, 16, 700] {
                cipher.seek((wrap + from) as u64).unwrap();
                let mut data = vec![0; 3000 - from];
                cipher.xor_keystream(&mut data).unwrap();
                assert_eq!(data, from_zero[from..], "{before} blocks before the end, {from} after it");
                assert_eq!(cipher.position(), (wrap + 3000) as u128);
            }
        });
    }
}

/// Positions around the ends of 32 and 64 bits, in bytes and in blocks.
fn far_positions<S: Stream>() {
    let key = Random::new(92).bytes(S::KEY_LEN);
    for nonce in [0_u128, 0xffff_ffff_fff0, u64::MAX as u128 - 3, u128::MAX - 5, u128::MAX / 3] {
        for edge in [1_u128 << 31, 1 << 32, 1 << 36, 1 << 63, 1 << 64] {
            let starts = [edge - 1, edge - 15, edge - 16, edge - 17, edge - 100, edge - 1000];
            let cases: Vec<_> = starts
                .into_iter()
                .chain([edge, edge + 1, edge + 33])
                .filter_map(|position| u64::try_from(position).ok())
                .map(|position| {
                    let counter = nonce.wrapping_add(u128::from(position) / 16).to_be_bytes();
                    let within = (position % 16) as usize;
                    let keystream = S::EXPECTED(&key, &counter, within + 1500);
                    (position, keystream[within..].to_vec())
                })
                .collect();
            assert!(!cases.is_empty());
            every_implementation(S::PRIMITIVE, |_| {
                for (position, expected) in &cases {
                    let mut cipher = S::new(&key, &nonce.to_be_bytes());
                    cipher.xor_keystream(&mut [0; 5]).unwrap();
                    cipher.seek(*position).unwrap();
                    assert_eq!(cipher.position(), u128::from(*position));
                    let mut data = vec![0; 1500];
                    cipher.xor_keystream(&mut data[..7]).unwrap();
                    cipher.xor_keystream(&mut data[7..]).unwrap();
                    assert_eq!(data, *expected, "{nonce:#x}, position {position:#x}");
                    // This may be beyond the last position that `seek` accepts.
                    assert_eq!(cipher.position(), u128::from(*position) + 1500);
                    cipher.seek(0).unwrap();
                    assert_eq!(cipher.position(), 0);
                }
            });
        }
    }
}
