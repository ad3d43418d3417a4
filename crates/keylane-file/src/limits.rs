//! What a header and a key file may say, which errors name.

use std::ops::RangeInclusive;

/// The fewest iterations of PBKDF2 that are allowed.
pub const MIN_ITERATIONS: u32 = 600_000;
/// The most iterations of PBKDF2 that are allowed, which limits the cost of a forged header to seconds.
pub const MAX_ITERATIONS: u32 = 10_000_000;
/// The memory that Argon2id may use, in MiB. The upper end limits what a forged header can cost.
pub const ARGON2ID_MEMORY_MIB: RangeInclusive<u16> = 64..=1024;
/// The passes that Argon2id may make over its memory. The upper end limits the cost of a forged header to
/// seconds.
pub const ARGON2ID_PASSES: RangeInclusive<u8> = 1..=10;
/// The lanes that Argon2id may divide its memory into.
pub const ARGON2ID_LANES: RangeInclusive<u8> = 1..=16;
/// The shortest key file, in bytes.
pub const MIN_KEY_FILE_LEN: usize = 32;
/// The longest key file: 1 MiB.
pub const MAX_KEY_FILE_LEN: usize = 1 << 20;
