//! Streams that are longer than the memory in use.

use super::place;
use crate::workplace::{Workplace, peak_memory_kib};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

const LEN: usize = 512 << 20;
/// More than both programs and their pipes hold back while the input is open.
const HELD_BACK: usize = 16 << 20;
/// For two buffers of half a MiB in each of four threads, and the program itself.
const MAX_MEMORY_KIB: usize = 64 << 10;

fn start(place: &Workplace, command: &str, input: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_keylane"))
        .args([command, "--key-file", "key", "--threads", "4"])
        .current_dir(place.path("."))
        .stdin(input)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn half_a_gigabyte_flows_through_little_memory() {
    let place = place();
    let mut encrypt = start(&place, "encrypt", Stdio::piped());
    let mut decrypt = start(&place, "decrypt", encrypt.stdout.take().unwrap().into());
    let mut output = decrypt.stdout.take().unwrap();
    let mut input = encrypt.stdin.take().unwrap();
    let (almost_all, is_almost_all) = mpsc::channel();
    let reader = thread::spawn(move || {
        let (mut buffer, zeros, mut len) = (vec![0; 1 << 20], vec![0; 1 << 20], 0);
        loop {
            let read = output.read(&mut buffer).unwrap();
            assert!(buffer[..read] == zeros[..read]);
            len += read;
            if read == 0 {
                return len;
            }
            if len >= LEN - HELD_BACK {
                // From the second time on, the receiver is gone.
                let _ = almost_all.send(());
            }
        }
    });
    let zeros = vec![0; 1 << 20];
    (0..LEN / zeros.len()).for_each(|_| input.write_all(&zeros).unwrap());
    is_almost_all.recv().unwrap();
    // Both run while the input is open.
    for child in [&encrypt, &decrypt] {
        let memory = peak_memory_kib(child);
        assert!(memory < MAX_MEMORY_KIB, "{memory} KiB");
    }
    drop(input);
    assert_eq!(reader.join().unwrap(), LEN);
    assert!(encrypt.wait().unwrap().success() && decrypt.wait().unwrap().success());
}
