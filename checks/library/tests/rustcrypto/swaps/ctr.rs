//! From `ctr` and `aes` to Keylane.

use keylane_contracts::{LENGTHS, painted};

swap! {
    before {
        use ctr::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
        type Aes256Ctr = ctr::Ctr128BE<aes::Aes256>;
    }
    after {
        use keylane::rustcrypto::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
        type Aes256Ctr = keylane::rustcrypto::Ctr128BE<keylane::rustcrypto::Aes256>;
    }

    pub(super) fn encrypt(key: &[u8; 32], iv: &[u8; 16], data: &mut [u8]) {
        let mut cipher = Aes256Ctr::new(key.into(), iv.into());
        let (head, rest) = data.split_at_mut(data.len() / 3);
        cipher.apply_keystream(head);
        assert_eq!(cipher.current_pos::<usize>(), head.len());
        cipher.apply_keystream(rest);
    }

    pub(super) fn decrypt_from(position: usize, key: &[u8; 32], iv: &[u8; 16], data: &mut [u8]) {
        let mut cipher = Aes256Ctr::new(key.into(), iv.into());
        cipher.seek(position);
        cipher.apply_keystream(data);
    }
}

#[test]
fn the_same() {
    let (key, iv) = ([7; 32], [0xff; 16]);
    for &len in LENGTHS {
        let text = painted(len);
        let (mut theirs, mut ours) = (text.clone(), text.clone());
        before::encrypt(&key, &iv, &mut theirs);
        after::encrypt(&key, &iv, &mut ours);
        assert_eq!(ours, theirs, "{len} bytes");
        let from = len / 2;
        before::decrypt_from(from, &key, &iv, &mut theirs[from..]);
        after::decrypt_from(from, &key, &iv, &mut ours[from..]);
        assert_eq!(ours, theirs, "{len} bytes");
        assert_eq!(ours[from..], text[from..], "{len} bytes");
    }
}
