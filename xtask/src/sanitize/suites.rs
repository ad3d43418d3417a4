//! Which tests run under which sanitizer, and why others do not.

use super::Sanitizer;

/// Tests of a package.
pub(super) struct Suite {
    pub(super) package: &'static str,
    /// As cargo is told.
    pub(super) targets: &'static [&'static str],
    /// What does not run, and why.
    pub(super) left_out: Option<&'static str>,
}

const fn whole(package: &'static str) -> Suite {
    Suite { package, targets: &["--tests"], left_out: None }
}

pub(super) fn of(sanitizer: Sanitizer) -> &'static [Suite] {
    match sanitizer {
        Sanitizer::Memory => MEMORY,
        Sanitizer::Address => ADDRESS,
        Sanitizer::Thread => THREAD,
    }
}

const KEYLANE: Suite = Suite {
    package: "keylane",
    targets: &["--test=*"],
    left_out: Some(
        "unit tests, for which every kernel would be compiled once more; the others run the same kernels",
    ),
};

/// Under what gives each allocation memory of its own.
const KEYLANE_FILE: Suite = Suite {
    package: "keylane-file",
    targets: &["--lib", "--test=file"],
    left_out: Some("how much memory it takes: the sanitizer's counts, too"),
};

const MEMORY: &[Suite] = &[
    whole("keylane-cpu"),
    whole("keylane-contracts"),
    KEYLANE,
    whole("keylane-file"),
    whole("keylane-boundary"),
    whole("keylane-ffi"),
    Suite {
        package: "keylane-tls",
        targets: &["--lib", "--test=record"],
        left_out: Some(
            "all that shakes hands: ring does that in assembly, and what it writes seems never written",
        ),
    },
];

const ADDRESS: &[Suite] = &[
    whole("keylane-cpu"),
    whole("keylane-contracts"),
    KEYLANE,
    KEYLANE_FILE,
    whole("keylane-boundary"),
    whole("keylane-ffi"),
    whole("keylane-tls"),
    whole("keylane-tls-testkit"),
    whole("keylane-cli"),
];

const THREAD: &[Suite] = &[
    Suite {
        package: "keylane",
        targets: &["--test=threads", "--test=dispatch"],
        left_out: Some("what computes in one thread"),
    },
    KEYLANE_FILE,
    whole("keylane-ffi"),
    whole("keylane-tls"),
];
