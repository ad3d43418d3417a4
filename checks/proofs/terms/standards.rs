//! AES (FIPS 197), GCM (NIST SP 800-38D) and GCM-SIV (RFC 8452) in terms.

use super::bytes::{self, Bytes, Form, INV_MIX, MIX};
use super::field::{Field, Half};

/// A block, or a round key.
pub type Block = Vec<Form>;

impl Bytes {
    pub fn xor_all(&mut self, a: &[Form], b: &[Form]) -> Vec<Form> {
        a.iter().zip(b).map(|(&a, &b)| self.xor(a, b)).collect()
    }

    pub fn sub_bytes(&mut self, bytes: &[Form]) -> Vec<Form> {
        bytes.iter().map(|&x| self.sub_byte(x)).collect()
    }

    pub fn inv_sub_bytes(&mut self, bytes: &[Form]) -> Vec<Form> {
        bytes.iter().map(|&x| self.inv_sub_byte(x)).collect()
    }

    /// FIPS 197 §5.2: the round keys.
    pub fn key_expansion(&mut self, key: &[Form]) -> Vec<Block> {
        let nk = key.len() / 4;
        let mut w: Vec<Vec<Form>> = key.chunks(4).map(<[Form]>::to_vec).collect();
        let mut rcon = 1_u8;
        for i in nk..4 * (nk + 7) {
            let mut temp = w[i - 1].clone();
            if i % nk == 0 {
                temp.rotate_left(1);
                temp = self.sub_bytes(&temp);
                let constant = self.constant(rcon);
                temp[0] = self.xor(temp[0], constant);
                rcon = rcon << 1 ^ if rcon >= 0x80 { 0x1b } else { 0 };
            } else if nk > 6 && i % nk == 4 {
                temp = self.sub_bytes(&temp);
            }
            w.push(self.xor_all(&w[i - nk], &temp));
        }
        w.chunks(4).map(<[_]>::concat).collect()
    }

    /// FIPS 197 §5.1: the cipher.
    pub fn encrypt(&mut self, keys: &[Block], block: &[Form]) -> Block {
        let rounds = keys.len() - 1;
        let mut state = self.xor_all(block, &keys[0]);
        for (round, key) in keys.iter().enumerate().skip(1) {
            state = self.sub_bytes(&state);
            // Byte r + 4c is in row r and column c.
            state = (0..16).map(|i| state[(i + 4 * (i % 4)) % 16]).collect();
            if round < rounds {
                state = self.mix_columns(MIX, &state);
            }
            state = self.xor_all(&state, key);
        }
        state
    }

    /// FIPS 197 §5.3: the inverse cipher, which is not the equivalent one that kernels have.
    pub fn decrypt(&mut self, keys: &[Block], block: &[Form]) -> Block {
        let rounds = keys.len() - 1;
        let mut state = self.xor_all(block, &keys[rounds]);
        for (round, key) in keys[..rounds].iter().enumerate().rev() {
            state = (0..16).map(|i| state[(i + 16 - 4 * (i % 4)) % 16]).collect();
            state = self.inv_sub_bytes(&state);
            state = self.xor_all(&state, key);
            if round > 0 {
                state = self.mix_columns(INV_MIX, &state);
            }
        }
        state
    }

    /// Returns the values of outputs of one byte each.
    pub fn outputs(&mut self, bytes: &[Form]) -> Vec<bytes::Half> {
        let zero = self.constant(0);
        bytes.iter().map(|&byte| [byte, zero, zero, zero, zero, zero, zero, zero]).collect()
    }
}

/// NIST SP 800-38D.
impl Field {
    pub fn constants(&mut self, bytes: &[u8]) -> Vec<Form> {
        bytes.iter().map(|&byte| self.bytes.constant(byte)).collect()
    }

    /// Returns a block in reverse order, times x: POLYVAL's key for GHASH (RFC 8452 appendix A).
    pub fn times_x(&mut self, block: &[Form]) -> Block {
        let reversed: Block = block.iter().rev().copied().collect();
        let carry = self.bytes.spread(reversed[15], 0xff);
        let rotated = self.bytes.rotate_right(&reversed, 127);
        let polynomial: u128 = 1 << 127 | 1 << 126 | 1 << 121 | 1;
        let without = polynomial ^ 1;
        let places = rotated.iter().zip(without.to_le_bytes());
        places
            .map(|(&byte, folded)| {
                let folded = self.bytes.and(carry, folded);
                self.bytes.xor(byte, folded)
            })
            .collect()
    }

    /// §6.2: the block whose last 32 bits are `count` higher.
    pub fn inc32(&mut self, block: &[Form], count: u32) -> Block {
        let mut counter = block[12..].to_vec();
        counter.reverse();
        let mut counter = self.bytes.add(&counter, count.into());
        counter.reverse();
        [&block[..12], &counter].concat()
    }

    /// §6.5: GCTR of the text, from `blocks` blocks after J0 on.
    pub fn gctr(&mut self, keys: &[Block], j0: &[Form], blocks: u32, text: &[Form]) -> Vec<Form> {
        let mut output = Vec::new();
        for (i, block) in text.chunks(16).enumerate() {
            let counter = self.inc32(j0, blocks.wrapping_add(i as u32));
            let stream = self.bytes.encrypt(keys, &counter);
            output.extend(self.bytes.xor_all(block, &stream));
        }
        output
    }

    /// §6.4: GHASH of the parts, each padded with zeros to whole blocks, and of the lengths. It begins with
    /// the hash of what was before.
    pub fn ghash(&mut self, hash: &[Form], parts: [&[Form]; 2]) -> Block {
        let zero = self.bytes.constant(0);
        let mut blocks = Vec::new();
        for part in parts {
            blocks.extend_from_slice(part);
            blocks.resize(blocks.len().next_multiple_of(16), zero);
        }
        for part in parts {
            blocks.extend(self.constants(&(8 * part.len() as u64).to_be_bytes()));
        }
        let first = self.bytes.xor_all(hash, &blocks[..16]);
        self.hash(&[&first, &blocks[16..]].concat(), true)
    }

    /// §7.1 (`seal`) and §7.2: the output and the tag. The text begins after `before` blocks and with a hash.
    pub fn gcm(
        &mut self,
        seal: bool,
        keys: &[Block],
        j0: &[Form],
        (before, hash): (u32, &[Form]),
        [aad, text]: [&[Form]; 2],
    ) -> Vec<Form> {
        let output = self.gctr(keys, j0, before.wrapping_add(1), text);
        let s = self.ghash(hash, [aad, if seal { &output } else { text }]);
        let mask = self.bytes.encrypt(keys, j0);
        [output, self.bytes.xor_all(&s, &mask)].concat()
    }

    pub fn outputs(&mut self, bytes: &[Form]) -> Vec<Half> {
        let zero = self.bytes.constant(0);
        bytes.iter().map(|&byte| self.half_of([byte, zero, zero, zero, zero, zero, zero, zero])).collect()
    }
}

/// RFC 8452 §4 and §5.
impl Field {
    /// Derives the keys of a message: that of POLYVAL, which p_1 stands for from here on, and the round keys.
    pub fn message_keys(&mut self, keys: &[Block], nonce: &[Form]) -> Vec<Block> {
        let mut derived = Vec::new();
        for i in 0..if keys.len() == 11 { 4_u32 } else { 6 } {
            let block = [self.constants(&i.to_le_bytes()), nonce.to_vec()].concat();
            derived.extend(&self.bytes.encrypt(keys, &block)[..8]);
        }
        let (hash, key) = derived.split_at(16);
        self.derive_key(hash);
        self.bytes.key_expansion(key)
    }

    /// Returns the tag of a plaintext.
    pub fn siv_tag(&mut self, keys: &[Block], nonce: &[Form], aad: &[Form], text: &[Form]) -> Block {
        let zero = self.bytes.constant(0);
        let mut blocks = Vec::new();
        for part in [aad, text] {
            blocks.extend_from_slice(part);
            blocks.resize(blocks.len().next_multiple_of(16), zero);
        }
        for part in [aad, text] {
            blocks.extend(self.constants(&(8 * part.len() as u64).to_le_bytes()));
        }
        let mut hash = self.hash(&blocks, false);
        let masked = self.bytes.xor_all(&hash[..12], nonce);
        hash.splice(..12, masked);
        hash[15] = self.bytes.and(hash[15], 0x7f);
        self.bytes.encrypt(keys, &hash)
    }

    /// Encrypts or decrypts. The first 32 bits of a counter block count, little-endian.
    pub fn siv_ctr(&mut self, keys: &[Block], tag: &[Form], text: &[Form]) -> Vec<Form> {
        let (rest, top) = (self.bytes.and(tag[15], 0x7f), self.bytes.constant(0x80));
        let last = self.bytes.xor(rest, top);
        let mut output = Vec::new();
        for (i, block) in text.chunks(16).enumerate() {
            let counter = self.bytes.add(&tag[..4], i as u128);
            let stream = self.bytes.encrypt(keys, &[&counter, &tag[4..15], &[last]].concat());
            output.extend(self.bytes.xor_all(block, &stream));
        }
        output
    }
}
