//! A sensor on a Cortex-M0. It encrypts its readings for their reader, and signs what it sends, so that
//! relays can check its origin but cannot read it.
#![no_std]
#![no_main]

mod meter;
mod nonces;

use cortex_m_rt::entry;
use keylane::Error;
use keylane::chacha20poly1305::ChaCha20Poly1305;
use keylane::hmac::HmacKey;
use keylane::sha2::Sha256;
use meter::measured;
use nonces::Nonces;
use semihosting::{print, println, process};

/// Each device has keys of its own: one nonce of two devices with one key would break it.
const SEALING_KEY: [u8; 32] = [1; 32];
const SIGNING_KEY: [u8; 32] = [2; 32];
/// Authenticated with each reading, and not sent.
const DEVICE: &[u8] = b"sensor 7";

/// What is sent: a nonce, the sealed reading and its tag, and the signature of these.
struct Packet {
    nonce: [u8; 12],
    reading: [u8; 16],
    tag: [u8; 16],
    signature: [u8; 32],
}

/// Sends two readings. Here, to the emulator, which prints them.
fn work(nonces: &mut Nonces) -> Result<(), Error> {
    let cipher = ChaCha20Poly1305::new(&SEALING_KEY);
    let (key, new_key) = measured(|| HmacKey::<Sha256>::new(&SIGNING_KEY));
    println!("a key that signs: {new_key} instructions");
    for reading in [*b"t=21.5C rh=40.1%", *b"t=21.6C rh=40.0%"] {
        let mut packet = Packet { nonce: nonces.next(), reading, tag: [0; 16], signature: [0; 32] };
        let (tag, sealing) = measured(|| cipher.seal(&packet.nonce, DEVICE, &mut packet.reading));
        packet.tag = tag?;
        let sent: [&[u8]; 3] = [&packet.nonce, &packet.reading, &packet.tag];
        let (signature, signing) = measured(|| key.mac_parts(&sent));
        packet.signature = signature;
        for part in sent.into_iter().chain([&packet.signature[..]]) {
            for byte in part {
                print!("{byte:02x}");
            }
            print!(" ");
        }
        println!("\nsealed in {sealing} instructions, signed in {signing}");

        // What the receiver does.
        cipher.open(&packet.nonce, DEVICE, &mut packet.reading, &packet.tag)?;
        assert_eq!(packet.reading, reading);
    }
    Ok(())
}

#[entry]
fn start() -> ! {
    work(&mut Nonces::start()).expect("short and authentic");
    println!("{} bytes of stack", meter::stack());
    process::exit(0)
}
