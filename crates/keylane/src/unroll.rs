//! Loops written out.

/// Repeats a block of code with a constant bound to each number: unrolled whatever the optimiser is told.
macro_rules! each {
    ($I:ident in [$($n:literal)+] $body:block) => {
        $({
            const $I: usize = $n;
            $body
        })+
    };
}
pub(crate) use each;
