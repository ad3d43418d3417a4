//! Checks that memory does not grow with the text. This test is a separate binary, since it measures the
//! whole program.

use allocation_counter::measure;
use keylane_file::{CHUNK_LEN, Encryption, Key};
use std::io::{self, Read};

const KEY: Key<'_> = Key::File(&[7; 32]);

fn zeros(len: u64) -> io::Take<io::Repeat> {
    io::repeat(0).take(len)
}

/// On one thread, where every allocation is counted.
#[test]
fn one_thread_has_its_buffers() {
    let peak = |len: u64| {
        let file = measure(|| {
            Encryption::new(KEY).threads(1).run(zeros(len), io::sink()).unwrap();
        });
        file.bytes_max
    };
    let short = peak(1);
    assert_eq!(peak(100 << 20), short);
    assert!(short < 20 * CHUNK_LEN as u64, "{short}");
}

/// A decryption reads what an encryption writes, on another thread through a pipe.
#[cfg(target_os = "linux")]
#[test]
fn many_threads_have_theirs() {
    use keylane_file::Decryption;
    use std::io::Write;

    // The peak of this program's memory ("high water mark"), in KiB.
    fn peak() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Counts bytes, which must be zeros.
    struct Zeros(u64);

    impl Write for Zeros {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            assert!(bytes.iter().all(|&byte| byte == 0));
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let piped = |len: u64| {
        let (reader, writer) = io::pipe().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| Encryption::new(KEY).threads(4).run(zeros(len), writer).unwrap());
            let mut output = Zeros(0);
            assert_eq!(Decryption::new(KEY).threads(4).run(reader, &mut output).unwrap(), len);
            assert_eq!(output.0, len);
        });
    };
    let before = peak();
    piped(1 << 30);
    let grown = peak() - before;
    // For eight threads with two buffers each, and their stacks.
    assert!(grown < 24 << 10, "{grown} KiB");
}
