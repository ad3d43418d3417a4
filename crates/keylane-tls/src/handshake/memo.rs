//! What a connection has derived, so that the hand-over need not derive it again.
//!
//! rustls derives its last keys for its own record layer, and once more when it hands over its secrets.

use keylane_cpu::constant_time::{declassify, equal};
use keylane_cpu::wipe::wipe;

/// The length of four keys and IVs of TLS 1.3, or of a key block of TLS 1.2. It never grows, which would
/// leave a copy in memory.
const CAPACITY: usize = 448;

/// Outputs of a function of a secret and other inputs. Wiped on drop.
#[derive(Default)]
pub(super) struct Memo {
    /// For each, the lengths of the secret, of the inputs and of the output; then these three.
    entries: Vec<u8>,
}

impl Memo {
    /// Fills `output` if its length is that of the output that was kept for the same inputs. Returns whether
    /// it was.
    pub(super) fn recall(&self, secret: &[u8], inputs: &[&[u8]], output: &mut [u8]) -> bool {
        let mut entries = &self.entries[..];
        while let Some((&lens, rest)) = entries.split_first_chunk() {
            let [secret_len, inputs_len, output_len] = lens.map(usize::from);
            let (known_secret, rest) = rest.split_at(secret_len);
            let (known_inputs, rest) = rest.split_at(inputs_len);
            let (known_output, rest) = rest.split_at(output_len);
            if output.len() == output_len
                && declassify(equal(known_secret, secret))
                && inputs.iter().copied().flatten().eq(known_inputs)
            {
                output.copy_from_slice(known_output);
                return true;
            }
            entries = rest;
        }
        false
    }

    /// Keeps an output, if there is room for it.
    pub(super) fn keep(&mut self, secret: &[u8], inputs: &[&[u8]], output: &[u8]) {
        let lens = [secret.len(), inputs.iter().map(|input| input.len()).sum(), output.len()];
        if self.entries.len() + lens.len() + lens.iter().sum::<usize>() > CAPACITY
            || lens.iter().any(|&len| len > u8::MAX.into())
        {
            return;
        }
        self.entries.reserve_exact(CAPACITY - self.entries.len());
        self.entries.extend(lens.map(|len| len as u8));
        self.entries.extend(secret);
        inputs.iter().for_each(|input| self.entries.extend(*input));
        self.entries.extend(output);
    }
}

impl Drop for Memo {
    fn drop(&mut self) {
        wipe(&mut self.entries[..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_inputs_recall_an_output() {
        let mut memo = Memo::default();
        let recalled = |memo: &Memo, secret: &[u8], inputs: &[&[u8]], len| {
            let mut output = vec![0; len];
            memo.recall(secret, inputs, &mut output).then_some(output)
        };
        memo.keep(b"one", &[b"in", b"put"], &[1; 32]);
        memo.keep(b"two", &[b"input"], &[2; 12]);
        for inputs in [&[&b"input"[..]][..], &[b"in", b"put"], &[b"", b"inpu", b"t"]] {
            assert_eq!(recalled(&memo, b"one", inputs, 32), Some(vec![1; 32]));
            assert_eq!(recalled(&memo, b"two", inputs, 12), Some(vec![2; 12]));
            assert_eq!(recalled(&memo, b"one", inputs, 12), None);
            assert_eq!(recalled(&memo, b"onei", inputs, 32), None);
            assert_eq!(recalled(&memo, b"not", inputs, 32), None);
        }
        assert_eq!(recalled(&memo, b"one", &[b"inputs"], 32), None);
        assert_eq!(recalled(&memo, b"one", &[b"inpu"], 32), None);
        // What has no room is left out.
        let place = memo.entries.as_ptr();
        for byte in 3..30 {
            memo.keep(&[byte; 48], &[b"input"], &[byte; 32]);
        }
        assert_eq!(memo.entries.as_ptr(), place);
        assert_eq!(recalled(&memo, &[3; 48], &[b"input"], 32), Some(vec![3; 32]));
        assert_eq!(recalled(&memo, &[29; 48], &[b"input"], 32), None);
    }
}
