//! Numbers of chunks that no test counts to.

use super::*;

/// A message of which only the header and the end are in memory.
struct End<'a> {
    bytes: &'a [u8],
    len: u64,
    at: u64,
}

impl Read for End<'_> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let left_out = if self.at < HEADER_LEN as u64 { 0 } else { self.len - self.bytes.len() as u64 };
        let len = (&self.bytes[(self.at - left_out) as usize..]).read(output)?;
        self.at += len as u64;
        Ok(len)
    }
}

impl Seek for End<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.expect("a place in the message");
        Ok(self.at)
    }
}

/// Runs a test with the stack that kernels need without optimisation: with AVX-512, a frame takes 2 MiB.
fn with_stack(test: fn()) {
    if cfg!(target_family = "wasm") {
        return test();
    }
    std::thread::Builder::new().stack_size(16 << 20).spawn(test).unwrap().join().unwrap();
}

#[test]
fn the_last_number_is_of_a_short_chunk() {
    with_stack(the_last_number);
}

fn the_last_number() {
    let (key, number) = ([7; 32], super::super::MAX_CHUNKS - 1);
    for (len, fits) in [(20, true), (CHUNK_LEN, false)] {
        let mut writer = Writer::new(Vec::new(), &key, &[9; 24], b"").unwrap();
        writer.number = number;
        let done = writer.write_all(&vec![5; len]).and_then(|()| writer.finish());
        assert_eq!(done.is_ok(), fits, "{len}");
        let Ok(bytes) = done else { continue };
        let message = End { bytes: &bytes, len: bytes.len() as u64 + number * SEALED_LEN as u64, at: 0 };
        let text_len = Reader::new(message, &key, b"").unwrap().text_len().unwrap();
        assert_eq!(text_len, number * CHUNK_LEN as u64 + len as u64);
    }
}
