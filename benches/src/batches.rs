//! Batches beside the same messages one by one: "a batch is never slower" as a table of 1,320 batches.
//!
//! Both run in turns, in samples of about 20 microseconds, and the quickest of each counts. A neighbour on
//! the other hardware thread slows batches more than single messages, which leave units idle, so what is
//! above the bar is measured in further passes over the table, each deeper in the stack: a store and a load
//! whose addresses differ by a multiple of 4 KiB make an AEAD with keys in the stack up to 1.13 times as
//! slow.

use keylane::{
    aead::{Aead, Algorithm, ByteArray, Message},
    aes_gcm::Gcm,
    aes_gcm_siv::GcmSiv,
    chacha20poly1305::ChaChaPoly,
    hmac::HmacKey,
    pbkdf2::{self, Job},
    sha1::Sha1,
    sha2::{Sha256, Sha512},
    xaes::Xaes,
};
use std::{cell::RefCell, hint::black_box, num::NonZeroU32, time::Instant};

const COUNTS: [usize; 15] = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 33, 64];
const LENS: [usize; 8] = [0, 16, 32, 64, 200, 512, 1350, 4096];
/// Those above the first are counted, and at most 1 in 100 may be; none above the second.
const BARS: [f64; 2] = [1.03, 1.10];
/// Passes over the table, the second and later ones over what is above the bar.
const PASSES: usize = 9;
const ITERATIONS: NonZeroU32 = NonZeroU32::new(50).unwrap();

/// Returns the times of `count` messages of `len` bytes one by one, and in a batch.
type Times = fn(count: usize, len: usize) -> [f64; 2];

macro_rules! algorithms {
    ($($Hash:ident $len:literal),+; $($name:literal $Aead:ty),+) => { [
        $((stringify!($Hash), (|count, len| {
            let (messages, mut out) = (vec![vec![1; len]; count], vec![[0; $len]; 2 * count]);
            let (one, many) = out.split_at_mut(count);
            times(
                || messages.iter().zip(&mut *one).for_each(|(message, out)| *out = $Hash::digest(message)),
                || $Hash::digest_many(&messages, many).unwrap(),
            )
        }) as Times),
        (concat!("HMAC-", stringify!($Hash)), |count, len| {
            let (messages, mut out) = (vec![vec![1; len]; count], vec![[0; $len]; 2 * count]);
            let ((one, many), key) = (out.split_at_mut(count), HmacKey::<$Hash>::new(b"key"));
            times(
                || messages.iter().zip(&mut *one).for_each(|(message, out)| *out = key.mac(message)),
                || key.mac_many(&messages, many).unwrap(),
            )
        }),
        (concat!("PBKDF2-", stringify!($Hash)), |count, _| {
            let (mut one, mut many) = (vec![[0; $len]; count], vec![[0; $len]; count]);
            let job = |out| Job { password: b"password", salt: b"salt", out };
            let mut jobs: Vec<_> = many.iter_mut().map(|out| job(out)).collect();
            times(
                || for out in &mut one {
                    pbkdf2::derive::<$Hash>(b"password", b"salt", ITERATIONS, out).unwrap();
                },
                || pbkdf2::derive_many::<$Hash>(&mut jobs, ITERATIONS).unwrap(),
            )
        }),)+
        $(($name, aead::<$Aead>)),+
    ] };
}

fn aead<A: Algorithm>(count: usize, len: usize) -> [f64; 2] {
    let key = Aead::<A>::from_slice(&[7; 32][..Aead::<A>::KEY_LEN]).unwrap();
    let aad = black_box(&[1; 13][..]);
    let nonces: Vec<_> =
        (0..count).map(|i| *A::Nonce::from_slice(&[i as u8; 24][..A::Nonce::LEN]).unwrap()).collect();
    let mut out = vec![(vec![1; len], [0; 16]); count];
    let messages = nonces.iter().zip(&mut out).map(|(nonce, (text, tag))| {
        let nonce = nonce.as_ref();
        Message { nonce, aad, text, tag }
    });
    // One by one in the same memory: its place decides how fast a short message is.
    let messages = RefCell::new(messages.collect::<Vec<_>>());
    times(
        || {
            for (nonce, message) in nonces.iter().zip(&mut *messages.borrow_mut()) {
                *message.tag = key.seal(nonce, aad, message.text).unwrap();
            }
        },
        || key.seal_many(&mut messages.borrow_mut()).unwrap(),
    )
}

/// Returns the quickest samples of both, in nanoseconds a call.
fn times(mut one: impl FnMut(), mut many: impl FnMut()) -> [f64; 2] {
    let time = |n: usize, run: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..n).for_each(|_| black_box(&mut *run)());
        start.elapsed().as_nanos() as f64 / n as f64
    };
    let n = 1 + (20_000.0 / (0..5).map(|_| time(1, &mut one)).fold(f64::MAX, f64::min)) as usize;
    let mut least = [f64::MAX; 2];
    for _ in 0..31 {
        least = [least[0].min(time(n, &mut one)), least[1].min(time(n, &mut many))];
    }
    least
}

/// Calls `times` in so many frames of half a kibibyte.
fn deeper(frames: usize, times: &dyn Fn() -> [f64; 2]) -> [f64; 2] {
    let frame = black_box([0_u8; 512]);
    if frames == 0 { times() } else { black_box((frame, deeper(frames - 1, times))).1 }
}

struct Row {
    name: &'static str,
    times: Times,
    count: usize,
    len: usize,
    least: [f64; 2],
}

impl Row {
    fn ratio(&self) -> f64 {
        self.least[1] / self.least[0]
    }
}

/// Prints the table of the algorithms whose name contains one of these, and the batches that miss the bar.
pub fn run(filters: &[String]) {
    let algorithms = algorithms!(
        Sha1 20, Sha256 32, Sha512 64;
        "AES-128-GCM" Gcm<16>, "AES-256-GCM" Gcm<32>, "ChaCha20-Poly1305" ChaChaPoly,
        "AES-256-GCM-SIV" GcmSiv<32>, "XAES-256-GCM" Xaes
    );
    let is_asked = |name: &str| filters.iter().any(|filter| name.to_lowercase().contains(filter));
    let mut rows = Vec::new();
    for (name, times) in algorithms.into_iter().filter(|row| filters.is_empty() || is_asked(row.0)) {
        for &len in if name.starts_with("PBKDF2") { &LENS[..1] } else { &LENS } {
            rows.extend(COUNTS.map(|count| Row { name, times, count, len, least: [f64::MAX; 2] }));
        }
    }
    for pass in 0..PASSES {
        for row in rows.iter_mut().filter(|row| pass == 0 || row.ratio() > BARS[0]) {
            let [one, many] = deeper(pass, &|| (row.times)(row.count, row.len));
            row.least = [row.least[0].min(one), row.least[1].min(many)];
        }
    }
    println!(
        "{:17}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}",
        "", "batches", "> 1.03", "> 1.10", "worst", "best", "mean"
    );
    let print = |name: &str, is_in: &dyn Fn(&str) -> bool| {
        let ratios = rows.iter().filter(|row| is_in(row.name)).map(Row::ratio).collect::<Vec<_>>();
        let above = BARS.map(|bar| ratios.iter().filter(|ratio| **ratio > bar).count());
        let (least, most) = ratios.iter().fold((f64::MAX, 0.0_f64), |(a, b), x| (x.min(a), x.max(b)));
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        println!("{name:17}{:8}{:8}{:8}{most:8.2}{least:8.2}{mean:8.3}", ratios.len(), above[0], above[1]);
    };
    rows.chunk_by(|a, b| a.name == b.name).for_each(|rows| print(rows[0].name, &|name| name == rows[0].name));
    print("without PBKDF2", &|name| !name.starts_with("PBKDF2"));
    for row in rows.iter().filter(|row| row.ratio() > BARS[0]) {
        println!("{} {} × {}: {:.2}", row.name, row.count, row.len, row.ratio());
    }
}
