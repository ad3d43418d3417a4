//! The kinds of evidence, in the page's order.

/// One kind of evidence, and the command that brings it.
pub(super) struct Kind {
    /// Of its record, without `.toml`.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// As one types it; `--record` after it writes the record.
    pub(super) command: &'static str,
    /// What a pass shows, and what it cannot show.
    pub(super) shows: &'static str,
    /// Of the page that a record comes with, if it has one.
    pub(super) page: Option<&'static str>,
}

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "tests",
        title: "Tests",
        command: "cargo xtask tests",
        shows: "Every test of the workspace on this CPU: published vectors over every implementation, every \
            implementation against every other and against independent ones, hostile input.",
        page: None,
    },
    Kind {
        name: "vectors",
        title: "NIST's vectors",
        command: "cargo xtask vectors",
        shows: "The files of NIST's validation program for AES, over every implementation.",
        page: None,
    },
    Kind {
        name: "platforms",
        title: "Platforms",
        command: "cargo xtask cpus all",
        shows: "The tests on other CPUs, in emulators, and builds for bare metal. An emulator computes what a \
            CPU computes, and says nothing of its time.",
        page: Some("[platforms.md](platforms.md) has a row for each."),
    },
    Kind {
        name: "constant-time",
        title: "Constant time",
        command: "cargo xtask constant-time",
        shows: "No branch and no address depends on a secret, as valgrind and MemorySanitizer see it on x86-64: secrets are \
            marked as undefined, and both report what depends on them. Valgrind looks at machine code as users get it, but \
            lacks the newest instructions; MemorySanitizer at LLVM's code after its optimiser at level 1, without inline \
            assembly. Neither sees an instruction whose time depends on its operands, nor what the CPU does ahead of a \
            branch: [constant-time.md](notes/constant-time.md) says what else.",
        page: None,
    },
    Kind {
        name: "assembly",
        title: "Assembly",
        command: "cargo xtask asm",
        shows: "The code of every kernel as it was compiled: no call is left in it, no division, and no load or \
            store whose address is seen to come from data. `xtask/src/asm/secrets.rs` says what can be seen in the text of a \
            program: it is less than the runs above see, but in every kernel, whether or not this CPU has it.",
        page: None,
    },
    Kind {
        name: "sanitizers",
        title: "Sanitizers",
        command: "cargo xtask sanitize",
        shows: "The tests under MemorySanitizer (memory that was never written), AddressSanitizer (outside of what was \
            allocated, or after it was freed) and ThreadSanitizer (races between threads), with the standard library \
            compiled the same way; each first reported a planted fault. \
            [undefined-behaviour.md](undefined-behaviour.md) says what each leaves out.",
        page: None,
    },
    Kind {
        name: "wiping",
        title: "Wiping",
        command: "cargo xtask wiping",
        shows: "The memory of every type that holds a secret, read after the value was dropped, in an optimised build: \
            each is used with two secrets, and nothing on the heap may differ afterwards, but for fewer than 8 bytes in a row, and 64 \
            in all, between the fields of values that libraries put there: a copy of what functions left on the stack. \
            Registers and the stack of functions that returned are not looked at.",
        page: None,
    },
    Kind {
        name: "fuzzing",
        title: "Fuzzing",
        command: "cargo xtask fuzz",
        shows: "Inputs that libFuzzer finds by the code's coverage, under AddressSanitizer: every implementation agrees, no \
            input breaks a promise of those that [checks/fuzz](../checks/fuzz/README.md) lists. Every run has to find a planted fault first. \
            What was not reached was not tried.",
        page: None,
    },
    Kind {
        name: "coverage",
        title: "Coverage",
        command: "cargo xtask coverage",
        shows: "Which lines, regions and functions of keylane, keylane-cpu and keylane-tls the tests run on this CPU.",
        page: Some("[coverage.md](coverage.md) gives the reason for each line that they do not."),
    },
    Kind {
        name: "mutants",
        title: "Mutants",
        command: "cargo xtask mutants",
        shows: "Small faults put into keylane's portable code and into keylane-tls, one at a time: how many of them the tests \
            notice. Where only a part was tried, it was every Nth of the list.",
        page: Some("[mutants.md](mutants.md) explains those that survive."),
    },
    Kind {
        name: "dependencies",
        title: "Dependencies",
        command: "cargo xtask dependencies",
        shows: "Licences, sources, versions and bans of every crate in the lock files. Published advisories are not among \
            them: their database is on GitHub alone, where `cargo deny check advisories` finds it.",
        page: None,
    },
];
