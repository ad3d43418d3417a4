//! Hides instruction sets from detection, to test as if on a CPU with fewer features. The environment
//! variable `KEYLANE_MASK` has their names, separated by commas. Only in builds with `--cfg keylane_mask`.

use std::sync::OnceLock;

/// Returns whether the instruction set `name`, one of `known`, is masked.
///
/// # Panics
/// If `KEYLANE_MASK` has a name that is not an instruction set of this architecture: if it were ignored, a
/// test would not hide what it should.
pub(crate) fn hides(name: &str, known: &[&'static str]) -> bool {
    static MASK: OnceLock<Vec<&str>> = OnceLock::new();
    let masked = || masked(&std::env::var("KEYLANE_MASK").unwrap_or_default(), known);
    MASK.get_or_init(masked).contains(&name)
}

fn masked(list: &str, names: &[&'static str]) -> Vec<&'static str> {
    let known = |name| {
        let known = names.iter().find(|known| **known == name);
        *known.unwrap_or_else(|| panic!("KEYLANE_MASK: no instruction set is named {name:?}: {names:?}"))
    };
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "aarch64")]
    use crate::aarch64::NAMES;
    #[cfg(target_arch = "x86_64")]
    use crate::x86_64::NAMES;
    use std::panic::catch_unwind;

    #[test]
    fn a_list_is_names_and_commas() {
        let [first, .., last] = NAMES else { panic!("too few names") };
        assert!(masked("", NAMES).is_empty() && masked(" , ", NAMES).is_empty());
        assert_eq!(masked(last, NAMES), [*last]);
        assert_eq!(masked(&format!(" {last},,{first} "), NAMES), [*last, *first]);
    }

    #[test]
    fn an_unknown_name_panics() {
        for list in ["neon-ase", "portable", &format!("{},AVX2", NAMES[0]), &NAMES[0].to_uppercase()] {
            assert!(catch_unwind(|| masked(list, NAMES)).is_err(), "{list}");
        }
    }

    #[test]
    fn what_the_variable_names_is_hidden() {
        let list = std::env::var("KEYLANE_MASK").unwrap_or_default();
        for name in NAMES {
            assert_eq!(hides(name, NAMES), list.split(',').any(|masked| masked.trim() == *name), "{name}");
        }
    }
}
