//! Unit tests of buffers and the pool.

use super::*;

const SECRET: &[u8] = b"plaintext that another connection must not see";

fn is_in_pool(bytes: &[u8]) -> bool {
    lock(&POOL).iter().any(|storage| storage.windows(bytes.len()).any(|window| window == bytes))
}

#[test]
fn plaintext_is_wiped_before_a_buffer_is_given_back() {
    let mut buffer = ReceiveBuffer::new();
    for _ in 0..2 {
        let space = buffer.space();
        for at in [0, 1000, BUFFER_LEN - SECRET.len()] {
            space[at..][..SECRET.len()].copy_from_slice(SECRET);
        }
        buffer.filled(BUFFER_LEN);
        // The rest moves to the front, and leaves a copy where it was.
        buffer.take(BUFFER_LEN - SECRET.len());
        buffer.space();
        assert_eq!(buffer.received(), SECRET);
        buffer.clear();
        assert!(buffer.received().is_empty());
        assert!(!is_in_pool(SECRET));
    }
    buffer.space()[..SECRET.len()].copy_from_slice(SECRET);
    buffer.filled(SECRET.len());
    drop(buffer);
    assert!(!is_in_pool(SECRET));
}

/// Later bytes are fewer, and lie in the place of the first.
#[test]
fn plaintext_behind_later_bytes_is_wiped() {
    let mut buffer = ReceiveBuffer::new();
    buffer.space()[100..][..SECRET.len()].copy_from_slice(SECRET);
    for len in [100 + SECRET.len(), 10] {
        buffer.space();
        buffer.filled(len);
        buffer.take(len);
    }
    buffer.clear();
    assert!(!is_in_pool(SECRET));
}

/// Bytes move only when the room after them is short, and then less than a record of them.
#[test]
fn bytes_move_only_for_want_of_room() {
    let mut buffer = ReceiveBuffer::new();
    buffer.space();
    buffer.filled(100);
    buffer.take(60);
    assert_eq!((buffer.space().len(), buffer.start), (BUFFER_LEN - 100, 60));
    buffer.filled(BUFFER_LEN - 100 - MAX_RECORD_LEN + 1);
    buffer.take(BUFFER_LEN - MAX_RECORD_LEN + 1 - 60 - 7);
    assert_eq!((buffer.space().len(), buffer.start), (BUFFER_LEN - 7, 0));
    buffer.take(7);
    assert_eq!((buffer.space().len(), buffer.start), (BUFFER_LEN, 0));
}

#[test]
fn what_is_pending_is_kept_in_a_longer_buffer() {
    let mut buffer = SendBuffer::new();
    buffer.make_room(30);
    buffer.room()[..30].copy_from_slice(&[1; 30]);
    buffer.sealed(30);
    buffer.sent(10);
    buffer.make_room(SHORT_LEN);
    assert!(buffer.room_len() >= SHORT_LEN);
    buffer.room()[..5].copy_from_slice(&[2; 5]);
    buffer.sealed(5);
    assert_eq!(buffer.pending(), [[1; 20].as_slice(), &[2; 5]].concat());
    buffer.sent(25);
    buffer.release();
    assert!(buffer.pending().is_empty());
}

#[test]
fn the_pool_is_bounded() {
    let mut buffers: Vec<_> = (0..POOLED + 5).map(|_| SendBuffer::new()).collect();
    for buffer in &mut buffers {
        buffer.make_room(BUFFER_LEN);
        buffer.room()[0] = 1;
    }
    drop(buffers);
    let pool = lock(&POOL);
    assert!((1..=POOLED).contains(&pool.len()), "{}", pool.len());
    assert!(pool.iter().all(|storage| storage.len() == BUFFER_LEN));
}
