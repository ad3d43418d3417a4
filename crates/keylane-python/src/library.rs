//! The implementations on this CPU, and their self-tests.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// An implementation of a primitive, and its state on this CPU.
#[pyclass(frozen, get_all, module = "keylane")]
pub(crate) struct Backend {
    /// "sha256", "aes-gcm".
    primitive: &'static str,
    /// The instruction set: "sha-ni", "avx2", "portable".
    name: &'static str,
    /// Whether this CPU and its operating system can run it.
    usable: bool,
    /// Whether it is usable and computes correct results here.
    passes_self_test: bool,
    /// Whether it runs when a call has from_messages messages.
    chosen: bool,
    /// The smallest number of messages in one call for which it is preferred; 2**64 - 1 if it never is.
    from_messages: usize,
}

#[pymethods]
impl Backend {
    fn __repr__(&self) -> String {
        let state = match self {
            Self { chosen: true, .. } => "chosen",
            Self { usable: false, .. } => "not usable",
            Self { passes_self_test: false, .. } => "fails its self-test",
            _ => "usable",
        };
        format!("<keylane.Backend {} {}: {state}>", self.primitive, self.name)
    }
}

/// Returns every implementation of every primitive, best first.
#[pyfunction]
pub(crate) fn backends(py: Python<'_>) -> Vec<Backend> {
    // Releases the GIL, since this runs the self-tests that have not run before.
    py.detach(|| {
        let primitives = keylane::primitives().iter();
        let all = primitives.flat_map(|primitive| {
            primitive.implementations().map(|found| Backend {
                primitive: primitive.name(),
                name: found.name,
                usable: found.usable,
                passes_self_test: found.passes_self_test,
                chosen: found.chosen,
                from_messages: found.from_messages,
            })
        });
        all.collect()
    })
}

/// Tests every usable implementation of every primitive against known answers. Without this call, each is
/// tested before its first use on x86-64 and aarch64, and never elsewhere.
///
/// Raises RuntimeError if one computes a wrong result.
#[pyfunction]
pub(crate) fn self_test(py: Python<'_>) -> PyResult<()> {
    py.detach(keylane::self_test).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
