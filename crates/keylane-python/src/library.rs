//! What runs here.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// An implementation of a primitive, as it stands on this CPU.
#[pyclass(frozen, get_all, module = "keylane")]
pub(crate) struct Backend {
    /// "sha256", "aes-gcm".
    primitive: &'static str,
    /// The instructions: "sha-ni", "avx2", "portable".
    name: &'static str,
    /// Whether this CPU and its operating system can run it.
    usable: bool,
    /// Whether it is usable and gives the right answers here.
    passes_self_test: bool,
    /// Whether it is what runs for from_messages messages at once.
    chosen: bool,
    /// The fewest messages at once that it is preferred for.
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

/// Every implementation of every primitive, best first.
#[pyfunction]
pub(crate) fn backends(py: Python<'_>) -> Vec<Backend> {
    // It tests those that were not tested before.
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

/// Tests every usable implementation of every primitive against known answers. What runs was tested before its first use,
/// with or without this call.
///
/// Raises RuntimeError if one computes something wrong.
#[pyfunction]
pub(crate) fn self_test(py: Python<'_>) -> PyResult<()> {
    py.detach(keylane::self_test).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
