//! ChaCha20 against published answers, and its counter.

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use keylane::Error;
use keylane::chacha20::{ChaCha20, XChaCha20};
use keylane_contracts::{Random, Stream, every_implementation, hex};

/// Encrypts from a block on, in place, out of place, and from inside the block. Decrypts the results.
fn check<S: Stream>(key: &str, nonce: &str, counter: u64, text: &[u8], cipher: &str) {
    every_implementation(S::PRIMITIVE, |_| {
        let start = || {
            let mut stream = S::new(&hex(key), &hex(nonce));
            stream.seek(64 * counter).unwrap();
            stream
        };
        for (input, expected) in [(text, &hex(cipher)[..]), (&hex(cipher), text)] {
            let mut data = input.to_vec();
            start().xor_keystream(&mut data).unwrap();
            assert_eq!(data, expected, "{cipher}");
            data.fill(0);
            start().xor_keystream_to(input, &mut data).unwrap();
            assert_eq!(data, expected, "{cipher}, out of place");
            let from = input.len().min(5);
            let (mut stream, mut data) = (start(), input.to_vec());
            stream.seek(64 * counter + from as u64).unwrap();
            stream.xor_keystream(&mut data[from..]).unwrap();
            assert_eq!(data[from..], expected[from..], "{cipher}, from byte {from}");
        }
    });
}

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const LAST_ONE: &str = "0000000000000000000000000000000000000000000000000000000000000001";
const COUNT_UP: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const FROM_80: &str = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f";
const TWAS: &str = "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0";
const NONCE_OF_ZEROS: &str = "000000000000000000000000";
const NONCE_TWO: &str = "000000000000000000000002";

/// RFC 8439 §2.3.2 and appendix A.1, #1 to #5.
#[test]
fn rfc8439_blocks() {
    let keystream = |key, nonce, counter, stream| check::<ChaCha20>(key, nonce, counter, &[0; 64], stream);
    keystream(
        COUNT_UP,
        "000000090000004a00000000",
        1,
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
            d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    );
    keystream(
        ZEROS,
        NONCE_OF_ZEROS,
        0,
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
            da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    );
    keystream(
        ZEROS,
        NONCE_OF_ZEROS,
        1,
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
            29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    );
    keystream(
        LAST_ONE,
        NONCE_OF_ZEROS,
        1,
        "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a\
            8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
    );
    keystream(
        "00ff000000000000000000000000000000000000000000000000000000000000",
        NONCE_OF_ZEROS,
        2,
        "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca\
            13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
    );
    keystream(
        ZEROS,
        NONCE_TWO,
        0,
        "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7\
            8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
    );
}

/// RFC 8439 §2.6.2 and appendix A.4: the first half of block 0 is Poly1305's key.
#[test]
fn rfc8439_poly1305_keys() {
    let generated = |key, nonce, expected| check::<ChaCha20>(key, nonce, 0, &[0; 32], expected);
    generated(
        FROM_80,
        "000000000001020304050607",
        "8ad5a08b905f81cc815040274ab29471a833b637e3fd0da508dbb8e2fdd1a646",
    );
    generated(ZEROS, NONCE_OF_ZEROS, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7");
    generated(LAST_ONE, NONCE_TWO, "ecfa254f845f647473d3cb140da9e87606cb33066c447b87bc2666dde3fbb739");
    generated(TWAS, NONCE_TWO, "965e3bc6f9ec7ed9560808f4d229f94b137ff275ca9b3fcbdd59deaad23310ae");
}

/// RFC 8439 §2.4.2 and appendix A.2, #1 to #3.
#[test]
fn rfc8439_texts() {
    check::<ChaCha20>(
        COUNT_UP,
        "000000000000004a00000000",
        1,
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen \
            would be it.",
        "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d6\
            24e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf\
            74a35be6b40b8eedf2785e42874d",
    );
    check::<ChaCha20>(
        ZEROS,
        NONCE_OF_ZEROS,
        0,
        &[0; 64],
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
            da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    );
    check::<ChaCha20>(
        LAST_ONE,
        NONCE_TWO,
        1,
        b"Any submission to the IETF intended by the Contributor for publication as all or part of an IETF \
            Internet-Draft or RFC and any statement made within the context of an IETF activity is considered an \
            \"IETF Contribution\". Such statements include oral statements in IETF sessions, as well as written \
            and electronic communications made at any time or place, which are addressed to",
        "a3fbf07df3fa2fde4f376ca23e82737041605d9f4f4f57bd8cff2c1d4b7955ec2a97948bd3722915c8f3d337f7d370050e9e96\
            d647b7c39f56e031ca5eb6250d4042e02785ececfa4b4bb5e8ead0440e20b6e8db09d881a7c6132f420e52795042bdfa77\
            73d8a9051447b3291ce1411c680465552aa6c405b7764d5e87bea85ad00f8449ed8f72d0d662ab052691ca66424bc86d2d\
            f80ea41f43abf937d3259dc4b2d0dfb48a6c9139ddd7f76966e928e635553ba76c5c879d7b35d49eb2e62b0871cdac6389\
            39e25e8a1e0ef9d5280fa8ca328b351c3c765989cbcf3daa8b6ccc3aaf9f3979c92b3720fc88dc95ed84a1be059c6499b9\
            fda236e7e818b04b0bc39c1e876b193bfe5569753f88128cc08aaa9b63d1a16f80ef2554d7189c411f5869ca52c5b83fa3\
            6ff216b9c1d30062bebcfd2dc5bce0911934fda79a86f6e698ced759c3ff9b6477338f3da4f9cd8514ea9982ccafb341b2\
            384dd902f3d1ab7ac61dd29c6f21ba5b862f3730e37cfdc4fd806c22f221",
    );
    check::<ChaCha20>(
        TWAS,
        NONCE_TWO,
        42,
        b"'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the borogoves,\n\
            And the mome raths outgrabe.",
        "62e6347f95ed87a45ffae7426f27a1df5fb69110044c0d73118effa95b01e5cf166d3df2d721caf9b21e5fb14c616871fd84c5\
            4f9d65b283196c7fe4f60553ebf39c6402c42234e32a356b3e764312a61a5532055716ead6962568f87d3f3f7704c6a8d1\
            bcd1bf4d50d6154b6da731b187b58dfd728afa36757a797ac188d1",
    );
}

/// draft-irtf-cfrg-xchacha-03, appendices A.3.2.1 and A.3.2.2.
#[test]
fn xchacha_texts() {
    let dhole = b"The dhole (pronounced \"dole\") is also known as the Asiatic wild dog, red dog, and whistling dog. \
        It is about the size of a German shepherd but looks more like a long-legged fox. This highly elusive and \
        skilled jumper is classified with wolves, coyotes, jackals, and foxes in the taxonomic family Canidae.";
    for (counter, cipher) in [
        (
            0,
            "4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e98d8d6410d540a1a6375b26d80dace4fab5\
                2384c731acbf16a5923c0c48d3575d4d0d2c673b666faa731061277701093a6bf7a158a8864292a41c48e3a9b4c0da\
                ece0f8d98d0d7e05b37a307bbb66333164ec9e1b24ea0d6c3ffddcec4f68e7443056193a03c810e11344ca06d8ed8a\
                2bfb1e8d48cfa6bc0eb4e2464b748142407c9f431aee769960e15ba8b96890466ef2457599852385c661f752ce20f9\
                da0c09ab6b19df74e76a95967446f8d0fd415e7bee2a12a114c20eb5292ae7a349ae577820d5520a1f3fb62a17ce6a\
                7e68fa7c79111d8860920bc048ef43fe84486ccb87c25f0ae045f0cce1e7989a9aa220a28bdd4827e751a24a6d5c62\
                d790a66393b93111c1a55dd7421a10184974c7c5",
        ),
        (
            1,
            "7d0a2e6b7f7c65a236542630294e063b7ab9b555a5d5149aa21e4ae1e4fbce87ecc8e08a8b5e350abe622b2ffa617b202c\
                fad72032a3037e76ffdcdc4376ee053a190d7e46ca1de04144850381b9cb29f051915386b8a710b8ac4d027b8b050f\
                7cba5854e028d564e453b8a968824173fc16488b8970cac828f11ae53cabd20112f87107df24ee6183d2274fe4c8b1\
                485534ef2c5fbc1ec24bfc3663efaa08bc047d29d25043532db8391a8a3d776bf4372a6955827ccb0cdd4af403a7ce\
                4c63d595c75a43e045f0cce1f29c8b93bd65afc5974922f214a40b7c402cdb91ae73c0b63615cdad0480680f16515a\
                7ace9d39236464328a37743ffc28f4ddb324f4d0f5bbdc270c65b1749a6efff1fbaa09536175ccd29fb9e6057b3073\
                20d316838a9c71f70b5b5907a66f7ea49aadc409",
        ),
    ] {
        check::<XChaCha20>(
            FROM_80,
            "404142434445464748494a4b4c4d4e4f5051525354555658",
            counter,
            dhole,
            cipher,
        );
    }
}

/// draft-irtf-cfrg-xchacha-03 §2.2.1: HChaCha20's result is the key that XChaCha20 continues with.
#[test]
fn hchacha20() {
    let subkey = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc";
    every_implementation("chacha20", |_| {
        for rest in [[0; 8], [0xff; 8], *b"last  8 "] {
            let nonce = [&hex("000000090000004a0000000031415927")[..], &rest].concat();
            let (mut extended, mut inner) = ([0; 300], [0; 300]);
            <XChaCha20 as Stream>::new(&hex(COUNT_UP), &nonce).xor_keystream(&mut extended).unwrap();
            let nonce = [&[0; 4][..], &rest].concat();
            <ChaCha20 as Stream>::new(&hex(subkey), &nonce).xor_keystream(&mut inner).unwrap();
            assert_eq!(extended, inner);
        }
    });
}

#[test]
fn ends_of_key_streams() {
    limits::<ChaCha20>();
    limits::<XChaCha20>();
}

/// The key stream has 2^32 blocks. What goes beyond them is refused, and nothing changes.
fn limits<S: Stream>() {
    let end = (1 << 32) * 64;
    assert_eq!(S::MAX_LEN, Some(end));
    assert_eq!((S::KEY_LEN, S::NONCE_LEN), (32, if S::NAME == "chacha20" { 12 } else { 24 }));
    every_implementation(S::PRIMITIVE, |_| {
        let mut stream = S::new(&[7; 32], &vec![9; S::NONCE_LEN]);
        for left in (0..130).chain([64 * 8, 64 * 16, 64 * 16 + 1, 64 * 40]) {
            stream.seek(end - left).unwrap();
            assert_eq!(stream.seek(end + 1), Err(Error::InputTooLong { max: end }));
            for more in [1, 63, 64, 3000] {
                let (input, mut data) = (vec![5; (left + more) as usize], vec![5; (left + more) as usize]);
                let refused = Err(Error::InputTooLong { max: left });
                assert_eq!(stream.xor_keystream(&mut data), refused, "{more} bytes more than {left}");
                assert_eq!(stream.xor_keystream_to(&input, &mut data), refused, "{more} more than {left}");
                assert_eq!((stream.position(), data), (u128::from(end - left), input));
            }
            stream.xor_keystream(&mut vec![5; left as usize]).unwrap();
            assert_eq!(stream.position(), end.into());
        }
    });
}

/// Positions around the ends of 31 and 32 bits, in bytes and in blocks, up to the last byte.
#[test]
fn far_positions() {
    let (key, nonce) = (Random::new(142).array(), Random::new(143).array());
    const LEN: usize = 2500;
    let edges = [1 << 31, 1 << 32, 1 << 37, ChaCha20::MAX_LEN - LEN as u64, ChaCha20::MAX_LEN - 3 * 64];
    let before = [0, 1, 63, 64, 65, 3 * 64, 4 * 64, 7 * 64, 8 * 64 + 5, 15 * 64, 16 * 64, 17 * 64 - 1, 2400];
    let cases: Vec<_> = edges
        .into_iter()
        .flat_map(|edge| before.map(|before| edge - before))
        .map(|position| {
            let len = LEN.min((ChaCha20::MAX_LEN - position) as usize);
            (position, keystream_at(&key, &nonce, position, len))
        })
        .collect();
    let whole = [&[0; 4][..], &nonce].concat();
    assert_eq!(
        keystream_at(&key, &nonce, 77, 1000),
        ChaCha20::EXPECTED(&key, &whole, 1077)[77..],
        "what is expected"
    );
    every_implementation("chacha20", |_| {
        for (position, expected) in &cases {
            let mut stream = <ChaCha20 as Stream>::new(&key, &whole);
            stream.seek(*position).unwrap();
            let mut data = vec![0; expected.len()];
            stream.xor_keystream(&mut data).unwrap();
            assert_eq!(data, *expected, "position {position:#x}");
            assert_eq!(stream.position(), position + expected.len() as u64);
            // In two pieces, the second from inside a block.
            stream.seek(*position).unwrap();
            data.fill(0);
            let cut = data.len() / 3;
            stream.xor_keystream(&mut data[..cut]).unwrap();
            stream.xor_keystream(&mut data[cut..]).unwrap();
            assert_eq!(data, *expected, "position {position:#x}, cut at {cut}");
        }
    });
}

/// ChaCha20's key stream from any position on, for a nonce that ends with `nonce` after four zeros.
/// RustCrypto's RFC 8439 stops before the last block, so this is its original ChaCha20: the upper half of a
/// counter of 64 bits takes the place of the zeros.
fn keystream_at(key: &[u8; 32], nonce: &[u8; 8], position: u64, len: usize) -> Vec<u8> {
    assert!(position + len as u64 <= ChaCha20::MAX_LEN);
    let mut keystream = vec![0; len];
    let mut cipher = chacha20::ChaCha20Legacy::new(key.into(), nonce.into());
    cipher.seek(position);
    cipher.apply_keystream(&mut keystream);
    keystream
}
