//! The stack that each operation takes, self-tests included: a thread may have little.
#![cfg(target_os = "linux")]

use keylane_contracts::{Call, Subject, clean_stack, every_implementation, subjects};
use std::env;
use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::thread;

/// How many more bytes a first call may take than a later one. At opt-level 3, most take 4 KB, and SHA-512 in
/// eight lanes 8.4.
const MORE: usize = 9 << 10;

/// More bytes than a call takes, and fewer than are cleared before, also by the subject.
const DEPTH: usize = 60_000;

/// Returns the depth of the stack that the work has written to.
#[inline(never)]
fn depth(work: impl FnOnce()) -> usize {
    let mut stack = vec![0; DEPTH];
    let memory = File::open("/proc/self/mem").unwrap();
    clean_stack();
    work();
    let top = 0_u8;
    let from = (&raw const *black_box(&top)).addr() - stack.len();
    memory.read_exact_at(&mut stack, from as u64).unwrap();
    stack.len() - stack.iter().take_while(|byte| **byte == 0).count()
}

fn run(subject: &Subject) {
    let (mut data, mut answer) = (vec![7; 5000], [0; 64]);
    let cuts: Vec<usize> = (1..40).map(|i| i * 100).collect();
    (subject.make)(&[7; 100])(&mut Call { data: &mut data, cuts: &cuts, answer: &mut answer });
}

/// Each operation in a process of its own, in which it is the first.
#[test]
fn a_first_call_takes_little_more_stack_than_later_ones() {
    const VARIABLE: &str = "KEYLANE_FIRST_CALL_OF";
    if let Ok(name) = env::var(VARIABLE) {
        let subject = subjects().iter().find(|subject| subject.name == name).unwrap();
        let [first, later] = [(); 2].map(|()| depth(|| run(subject)));
        assert!(
            later < DEPTH && first <= later + MORE,
            "{name}: the first {first} bytes, the second {later}"
        );
        return;
    }
    for subject in subjects() {
        let mut child = Command::new(env::current_exe().unwrap());
        // The other test took most of the time of each process.
        child.args(["--exact", "a_first_call_takes_little_more_stack_than_later_ones"]);
        let output = child.env(VARIABLE, &subject.name).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// `cargo xtask check` runs this where Keylane is not optimised, and no two values share a place on the
/// stack.
#[test]
fn every_operation_runs_on_a_small_stack() {
    for subject in subjects() {
        // Batches of hashes in AVX-512 take most.
        let kib = if subject.primitive.starts_with("sha") { 1024 } else { 512 };
        let all = || every_implementation(subject.primitive, |_| run(subject));
        thread::Builder::new().stack_size(kib << 10).spawn(all).unwrap().join().unwrap();
    }
}
