//! Unrolled loops.

/// Repeats a block of code, with a constant bound to each number. The loop is unrolled at any optimisation
/// level.
macro_rules! each {
    ($I:ident in [$($n:literal)+] $body:block) => {
        $({
            const $I: usize = $n;
            $body
        })+
    };
}
pub(crate) use each;
