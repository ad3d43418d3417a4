//! The cases, which `cases.txt` lists, and their inputs.

/// One row of the tables.
#[derive(Clone)]
pub struct Case {
    /// The table it stands in, which filters choose in lower case.
    pub table: &'static str,
    pub algorithm: &'static str,
    pub operation: &'static str,
    /// The name of the row, which filters and bars use.
    pub name: String,
    /// Bytes of a message, or of a derived key; 0 where there is neither.
    pub len: usize,
    /// Messages, or passwords, in a call.
    pub batch: usize,
    /// Whether so much other code runs between the calls that nothing of this is in the level-2 cache.
    pub cold: bool,
    pub is_charted: bool,
}

pub static KEY: [u8; 32] = [
    11, 48, 85, 122, 159, 196, 233, 14, 51, 88, 125, 162, 199, 236, 17, 54, 91, 128, 165, 202, 239, 20, 57,
    94, 131, 168, 205, 242, 23, 60, 97, 134,
];
pub static NONCE: [u8; 12] = [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
/// The same, and more, for AEADs with longer ones.
pub static NONCE24: [u8; 24] =
    [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23];
pub static IV16: [u8; 16] = [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 1];
pub static AAD: [u8; 13] = [0, 0, 0, 0, 0, 0, 0, 1, 23, 3, 3, 64, 0];
pub static SALT: [u8; 16] = *b"0123456789abcdef";
pub static INFO: [u8; 10] = *b"keylane-hk";
/// PBKDF2's.
pub const ITERATIONS: u32 = 10_000;

/// Returns a message, or several back to back.
pub fn msg(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect()
}

/// Returns a password of the PBKDF2 cases.
pub fn password(i: usize) -> [u8; 16] {
    let mut p = *b"correct horse 00";
    p[15] = b'0' + (i as u8 % 10);
    p
}

/// Returns every case, in the order of the tables, each short one also with cold caches.
pub fn all() -> Vec<Case> {
    let lines = include_str!("../cases.txt").lines();
    lines.filter(|line| !line.starts_with('#')).flat_map(parse).collect()
}

/// Returns the cases of a line of `cases.txt`.
fn parse(line: &'static str) -> Vec<Case> {
    let mut fields = line.split_whitespace();
    let [table, algorithm, operation] =
        [(); 3].map(|()| fields.next().unwrap_or_else(|| panic!("not three names: {line}")));
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("{text} is no number: {line}"));
    let mut cases = Vec::new();
    for field in fields {
        let size = field.strip_suffix('*').unwrap_or(field);
        let names: Vec<_> = [algorithm, operation, size].into_iter().filter(|name| *name != "-").collect();
        let units = [('K', 10), ('M', 20)];
        let len = match units.iter().find_map(|(unit, shift)| Some((size.strip_suffix(*unit)?, shift))) {
            _ if size == "-" => 0,
            Some((digits, shift)) => number(digits) << shift,
            None => number(size),
        };
        let batch = operation.split_once("batch").or_else(|| operation.split_once("each"));
        let batch = batch.map_or(1, |(_, count)| number(count));
        let (name, is_charted) = (names.join("/"), size != field);
        let case = Case { table, algorithm, operation, name, len, batch, cold: false, is_charted };
        let name = format!("{}/cold", case.name);
        let cold = Case { name, cold: true, is_charted: false, ..case.clone() };
        cases.push(case);
        if batch == 1 && len <= 1024 && !["PBKDF2", "memcpy"].contains(&table) {
            cases.push(cold);
        }
    }
    cases
}

impl Case {
    /// Returns what belongs to the case's hash: SHA-1's, SHA-256's, SHA-384's or SHA-512's.
    pub fn by_hash<T>(&self, values: [T; 4]) -> Option<T> {
        let hash = self.algorithm.rsplit('-').next()?;
        let at = ["sha1", "sha256", "sha384", "sha512"].iter().position(|name| *name == hash)?;
        values.into_iter().nth(at)
    }

    /// Returns what belongs to the case's AEAD: AES-128-GCM's, AES-256-GCM's or ChaCha20-Poly1305's.
    pub fn by_aead<T>(&self, values: [T; 3]) -> Option<T> {
        let at = ["aes128gcm", "aes256gcm", "chachapoly"].iter().position(|name| *name == self.algorithm)?;
        values.into_iter().nth(at)
    }

    /// Returns a key as long as the algorithm takes it.
    pub fn key(&self) -> &'static [u8] {
        &KEY[..if self.algorithm.starts_with("aes128") { 16 } else { 32 }]
    }

    fn digest_len(&self) -> usize {
        self.by_hash([20, 32, 48, 64]).expect("a case with a hash")
    }

    /// Returns the message bytes of a call; 0 where cycles per byte have no sense.
    pub fn bytes(&self) -> usize {
        if ["PBKDF2", "HKDF"].contains(&self.table) { 0 } else { self.batch * self.len }
    }

    /// Returns how many messages or iterations a call is, for whose costs figures stand.
    pub fn units(&self) -> f64 {
        if self.table == "PBKDF2" {
            let blocks = self.batch * self.len / self.digest_len();
            return f64::from(ITERATIONS) * blocks as f64;
        }
        self.batch as f64
    }

    /// Returns the size of the buffer that a call gets.
    pub fn out_len(&self) -> usize {
        match (self.table, self.operation) {
            (_, "keysetup") => 0,
            ("HMAC" | "Hash", _) => self.batch * self.digest_len(),
            ("AES-GCM" | "AES-GCM-SIV" | "XAES-256-GCM" | "ChaCha20-Poly1305", _) => {
                self.batch * (self.len + 16)
            }
            ("Poly1305", _) => 16,
            _ => self.batch * self.len,
        }
    }

    /// Returns how many leading bytes of the buffer all libraries must agree on after a call.
    pub fn checked_len(&self) -> usize {
        if self.operation == "open" { self.len } else { self.out_len() }
    }
}
