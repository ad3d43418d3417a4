use super::*;

/// Bytes 0, 1, 2 and so on: the keys of FIPS 197, appendix C.
const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < 32 {
        key[i] = i as u8;
        i += 1;
    }
    key
};

const PLAINTEXT: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;

/// FIPS 197, appendix C.
const ANSWERS: [(usize, u128); 3] = [
    (16, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a),
    (24, 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191),
    (32, 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089),
];

fn expanded<W: Word>(key: &[u8]) -> RoundKeys {
    let mut keys = RoundKeys::EMPTY;
    expand::<W>(KeyBytes::from_slice(key).unwrap(), &mut keys);
    keys
}

/// Returns blocks that all differ.
fn some_blocks(count: usize) -> Vec<[u8; 16]> {
    (0..count as u128).map(|i| (PLAINTEXT.wrapping_mul(2 * i + 1)).to_be_bytes()).collect()
}

fn appendix_c_in_every_place_of_a_group<W: Word>() {
    for (key_len, answer) in ANSWERS {
        let mut keys = SlicedKeys::<W>::EMPTY;
        keys.set(&expanded::<W>(&KEY[..key_len]));
        for place in 0..GROUP {
            let mut blocks: [[u8; 16]; GROUP] = some_blocks(GROUP).try_into().unwrap();
            blocks[place] = PLAINTEXT.to_be_bytes();
            let before = blocks;
            keys.encrypt(&mut blocks);
            assert_eq!(blocks[place], answer.to_be_bytes(), "{key_len}, {place}");
            keys.decrypt(&mut blocks);
            assert_eq!(blocks, before, "{key_len}, {place}");
        }
    }
}

/// FIPS 197, appendix A: the last words of the three expansions.
fn appendix_a<W: Word>() {
    let expand = |key: &str, words: u128| {
        let key: Vec<u8> =
            (0..key.len()).step_by(2).map(|i| u8::from_str_radix(&key[i..i + 2], 16).unwrap()).collect();
        let keys = expanded::<W>(&key);
        assert_eq!(keys.rounds, key.len() / 4 + 6);
        assert_eq!(keys.keys[14], words.to_be_bytes(), "{} bytes", key.len());
        assert_eq!(keys.all().len(), keys.rounds + 1);
        assert_eq!(keys.all().as_flattened()[..key.len()], key);
        assert!(keys.keys[..14 - keys.rounds].iter().all(|key| *key == [0; 16]));
    };
    expand("2b7e151628aed2a6abf7158809cf4f3c", 0xd014_f9a8_c9ee_2589_e13f_0cc8_b663_0ca6);
    expand("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", 0xe98b_a06f_448c_773c_8ecc_7204_0100_2202);
    expand(
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        0xfe48_90d1_e618_8d0b_046d_f344_706c_631e,
    );
}

fn any_number_of_blocks<W: Word>() {
    for (key_len, _) in ANSWERS {
        let keys = expanded::<W>(&KEY[..key_len]);
        let plain = some_blocks(40);
        let mut each = plain.clone();
        for block in &mut each {
            encrypt_blocks::<W>(&keys, core::slice::from_mut(block));
        }
        for count in 0..=40 {
            let mut blocks = plain.clone();
            encrypt_blocks::<W>(&keys, &mut blocks[..count]);
            assert_eq!(blocks[..count], each[..count], "{count}");
            assert_eq!(blocks[count..], plain[count..], "{count}");
            decrypt_blocks::<W>(&keys, &mut blocks[..count]);
            assert_eq!(blocks, plain, "{count}");
        }
    }
}

/// Any length, in place and out of place, against the encryption of each counter, which wraps.
fn keystream<W: Word>() {
    let keys = expanded::<W>(&KEY[..16]);
    let text: Vec<u8> = (0..200).map(|i| i as u8 ^ 0x5a).collect();
    for counter in [PLAINTEXT, u128::MAX - 2, PLAINTEXT | (u128::from(u64::MAX) - 4)] {
        let mut stream: Vec<_> = (0..13).map(|i| counter.wrapping_add(i).to_be_bytes()).collect();
        encrypt_blocks::<W>(&keys, &mut stream);
        let expected: Vec<u8> = text.iter().zip(stream.as_flattened()).map(|(a, b)| a ^ b).collect();
        for len in 0..=text.len() {
            let (mut apart, mut last) = ([0xa5; 200], [0xa5; 16]);
            xor_keystream::<W>(
                &keys,
                Order::Big,
                counter,
                &mut InOut::apart(&text[..len], &mut apart[..len]),
                &mut last,
            );
            assert_eq!(apart[..len], expected[..len], "{len}");
            assert_eq!(apart[len..], [0xa5; 200][len..], "{len}");
            assert_eq!(last, if len % 16 == 0 { [0xa5; 16] } else { stream[len / 16] }, "{len}");
            let mut in_place = text.clone();
            xor_keystream::<W>(
                &keys,
                Order::Big,
                counter,
                &mut InOut::in_place(&mut in_place[..len]),
                &mut last,
            );
            assert_eq!(in_place[..len], expected[..len], "{len}");
            assert_eq!(in_place[len..], text[len..], "{len}");
        }
    }
}

macro_rules! in_words {
    ($($name:ident $Word:ty),+) => { $(
        #[test]
        fn $name() {
            appendix_c_in_every_place_of_a_group::<$Word>();
            appendix_a::<$Word>();
            any_number_of_blocks::<$Word>();
            keystream::<$Word>();
        }
    )+ };
}
in_words!(in_words_of_64 u64, in_words_of_32 u32);
