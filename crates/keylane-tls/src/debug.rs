//! `Debug` for types with secret fields: it shows only the fields that a log may contain.

/// Implements `Debug` for a type, with these fields of it.
macro_rules! debug {
    ($([$($generics:tt)*])? $Type:ident $(<$($argument:ident),+>)?: $($field:ident),*) => {
        impl $(<$($generics)*>)? core::fmt::Debug for $Type $(<$($argument),+>)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let mut fields = f.debug_struct(stringify!($Type));
                $(fields.field(stringify!($field), &self.$field);)*
                fields.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use debug;
