//! The packets that `examples/firmware` sends after its first start, computed on the host.

use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::hmac::HmacKey;
use keylane::sha2::Sha256;

fn main() {
    let (cipher, key) = (ChaCha20Poly1305::new(&[1; 32]), HmacKey::<Sha256>::new(&[2; 32]));
    for (number, mut reading) in [(1, *b"t=21.5C rh=40.1%"), (2, *b"t=21.6C rh=40.0%")] {
        let nonce = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, number];
        let tag = cipher.seal(&nonce, b"sensor 7", &mut reading).expect("short");
        let sent: [&[u8]; 3] = [&nonce, &reading, &tag];
        for part in sent.into_iter().chain([&key.mac_parts(&sent)[..]]) {
            for byte in part {
                print!("{byte:02x}");
            }
            print!(" ");
        }
        println!();
    }
}
