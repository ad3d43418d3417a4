//! Files that are hashed in parallel, in lanes and on several threads.

use super::workplace::Workplace;
use std::fs;

/// Lengths around blocks and buffers.
const LENGTHS: [usize; 11] = [0, 1, 63, 64, 65, 4096, 65_535, 65_536, 65_537, 100_000, 300_000];
/// More files than two threads have lanes.
const FILES: usize = 70;
const COMMANDS: [&str; 3] = ["hash sha1", "hash sha512", "mac sha256 --key-file key"];

/// Creates files of mixed lengths, no two the same. Returns their names.
fn place() -> (Workplace, Vec<String>) {
    let place = Workplace::with(&[("key", b"a key")]);
    let names = (0..FILES).map(|i| {
        let name = format!("{i}");
        // Neighbours differ in length.
        let len = LENGTHS[i * 7 % LENGTHS.len()];
        place.write(&name, &(0..len).map(|at| (at * 31 + i * 17 + at / 251) as u8).collect::<Vec<_>>());
        name
    });
    let names = names.collect();
    (place, names)
}

/// Returns the lines of files, each hashed alone.
fn lines(place: &Workplace, command: &str, names: &[String]) -> Vec<String> {
    let words: Vec<_> = command.split(' ').collect();
    let alone = |name: &String| {
        let line = place.keylane_with(&words, &place.read(name)).done();
        format!("{}{name}\n", line.strip_suffix("-\n").unwrap())
    };
    names.iter().map(alone).collect()
}

#[test]
fn many_files_have_the_checksums_of_each_alone_in_order() {
    let (place, names) = place();
    for command in COMMANDS {
        let expected = lines(&place, command, &names).concat();
        for threads in 1..=4 {
            let all = format!("{command} --threads {threads} {}", names.join(" "));
            assert_eq!(place.keylane(&all).done(), expected, "{all}");
            // Fewer than lanes or threads.
            let few = format!("{command} --threads {threads} {}", names[..3].join(" "));
            assert_eq!(
                place.keylane(&few).done(),
                expected.split_inclusive('\n').take(3).collect::<String>()
            );
        }
    }
}

#[test]
fn unreadable_files_and_standard_input_are_in_order() {
    let (place, mut names) = place();
    fs::create_dir(place.path("folder")).unwrap();
    let mut expected = lines(&place, COMMANDS[0], &names);
    let stdin = vec![b'x'; 200_000];
    expected.insert(9, place.keylane_with(&["hash", "sha1", "-"], &stdin).done());
    names.insert(9, "-".to_owned());
    for (at, name) in [(70, "also missing"), (40, "folder"), (3, "missing")] {
        names.insert(at, name.to_owned());
    }
    for threads in ["1", "2", "3", "4"] {
        let mut arguments = vec!["hash", "sha1", "--threads", threads];
        arguments.extend(names.iter().map(String::as_str));
        let run = place.keylane_with(&arguments, &stdin);
        assert_eq!((run.status, run.out), (2, expected.concat()), "{threads}");
        assert_eq!(
            run.err,
            "keylane: missing: No such file or directory\n\
             keylane: folder: Is a directory; --recursive takes the files in it\n\
             keylane: 'also missing': No such file or directory\n"
        );
    }
}

#[test]
fn many_listed_files_are_checked_in_order() {
    let (place, names) = place();
    for command in COMMANDS {
        let mut expected: Vec<_> = names.iter().map(|name| format!("{name}: OK\n")).collect();
        let mut list = lines(&place, command, &names);
        // A wrong checksum, and missing files.
        let at = list[20].find(' ').unwrap() - 1;
        let other = if list[20].as_bytes()[at] == b'0' { "1" } else { "0" };
        list[20].replace_range(at..=at, other);
        expected[20] = "20: FAILED\n".to_owned();
        for at in [5, 69] {
            list[at] = list[at].replace("  ", "  gone-");
            expected[at] = format!("gone-{at}: FAILED open or read\n");
        }
        place.write("list", list.concat().as_bytes());
        for threads in 1..=4 {
            let run = place.keylane(&format!("{command} --threads {threads} --check list"));
            assert_eq!((run.status, run.out), (1, expected.concat()));
            assert_eq!(
                run.err,
                "keylane: gone-5: No such file or directory\nkeylane: gone-69: No such file or directory\n\
                 keylane: WARNING: 2 listed files could not be read\n\
                 keylane: WARNING: 1 computed checksum did NOT match\n"
            );
        }
    }
}

#[test]
fn threads_are_at_least_one() {
    let place = Workplace::with(&[("a", b"1")]);
    for command in ["hash sha256 --threads 0 a", "mac sha256 --key-file a --threads x a"] {
        let run = place.keylane(command);
        assert!(run.status == 2 && run.err.contains("--threads <N>"), "{run:?}");
    }
    // More threads than files.
    assert_eq!(place.keylane("hash sha256 --threads 100000 a a").done().lines().count(), 2);
}

/// The writer of the second begins when all of the first was read.
#[cfg(unix)]
#[test]
fn pipes_are_read_one_after_the_other() {
    let place = Workplace::with(&[("file", b"abc")]);
    let Some(made) = place.tool("mkfifo", &["one", "two"]) else { return };
    made.done();
    let (one, two) = (vec![1; 300_000], vec![2; 300_000]);
    let alone = |bytes| place.keylane_with(&["hash", "sha256"], bytes).done();
    let expected = [(&one[..], "one"), (b"abc", "file"), (&two, "two")];
    let expected = expected.map(|(bytes, name)| alone(bytes).replace('-', name));
    let out = std::thread::scope(|scope| {
        scope.spawn(|| {
            ["one", "two"].iter().zip([&one, &two]).for_each(|(name, bytes)| place.write(name, bytes))
        });
        place.keylane("hash sha256 --threads 4 one file two").done()
    });
    assert_eq!(out, expected.concat());
}

/// Measures when all files are done and standard input, the last, is still open.
#[cfg(target_os = "linux")]
#[test]
fn memory_depends_neither_on_sizes_nor_on_their_number() {
    use std::io::{BufRead, BufReader};
    let place = Workplace::with(&[("small", b"a small file")]);
    let large: Vec<_> = (0..64).map(|i| format!("large-{i}")).collect();
    for name in &large {
        // Sparse files, 512 MiB in all.
        fs::File::create(place.path(name)).unwrap().set_len(8 << 20).unwrap();
    }
    let arguments = ["hash", "sha256", "--threads", "4"].into_iter();
    let arguments = arguments.chain(large.iter().map(String::as_str)).chain(["small"; 3000]);
    let arguments: Vec<_> = arguments.chain(["-"]).collect();
    let mut child = place.start(env!("CARGO_BIN_EXE_keylane"), &arguments).unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..64 + 3000 {
        lines.next().unwrap().unwrap();
    }
    let memory = super::workplace::peak_memory_kib(&child);
    // For 64 buffers of 64 KiB and the program itself.
    assert!(memory < 32 << 10, "{memory} KiB");
    drop(child.stdin.take());
    assert!(lines.next().unwrap().unwrap().ends_with("  -"));
    assert!(child.wait().unwrap().success());
}

/// With a low limit of open files, fewer are read at a time.
#[cfg(unix)]
#[test]
fn few_files_may_be_open() {
    let (place, names) = place();
    let hash = format!("hash sha256 --threads 2 {}", names.join(" "));
    let few = place.shell(&format!("ulimit -n 24; $K {hash}"));
    assert_eq!(few.done(), place.keylane(&hash).done());
}
