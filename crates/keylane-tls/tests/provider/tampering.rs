//! Records that were changed in transit.

use crate::pair::{Ends, Pair, deliver, outgoing, pass};
use crate::{bytes, ours, suites};
use rustls::crypto::ring;
use rustls::{AlertDescription, CipherSuite, Error};
use std::io::{Read, Write};

/// Returns a connection, and the last record that the client sent.
fn sent(suite: CipherSuite) -> (Pair, Vec<u8>) {
    let mut pair = Ends::for_suite(ring::default_provider(), ours(), suite).connect();
    pair.client.writer().write_all(&bytes(1, 1000)).unwrap();
    let record = outgoing(&mut pair.client);
    assert_eq!(record.len(), 5 + usize::from(u16::from_be_bytes([record[3], record[4]])));
    (pair, record)
}

/// Checks that the server refuses `record`, returns none of its data, and sends an alert.
fn refused(mut pair: Pair, record: &[u8]) {
    assert_eq!(deliver(record, &mut pair.server), Err(Error::DecryptError));
    assert_eq!(
        pair.server.reader().read(&mut [0; 2000]).map_err(|error| error.kind()),
        Err(std::io::ErrorKind::WouldBlock)
    );
    let told = pass(&mut pair.server, &mut pair.client);
    assert_eq!(told, Err(Error::AlertReceived(AlertDescription::BadRecordMac)));
}

#[test]
fn any_changed_bit_of_a_record_is_noticed() {
    for (suite, _) in suites() {
        let len = sent(suite.suite()).1.len();
        // The first and last bytes are an explicit nonce, or text, and a tag.
        for place in [5, 12, 13, len / 2, len - 17, len - 16, len - 1] {
            let (pair, mut record) = sent(suite.suite());
            record[place] ^= 0x10;
            refused(pair, &record);
        }
    }
}

#[test]
fn a_shortened_record_is_noticed() {
    for (suite, _) in suites() {
        let len = sent(suite.suite()).1.len() - 5;
        for left in [1, 8, 15, 16, 17, 23, 24, 25, 500, len - 1] {
            let (pair, mut record) = sent(suite.suite());
            record.truncate(5 + left);
            record[3..5].copy_from_slice(&(left as u16).to_be_bytes());
            refused(pair, &record);
        }
    }
}

#[test]
fn a_record_that_comes_twice_is_noticed() {
    for (suite, _) in suites() {
        let (mut pair, record) = sent(suite.suite());
        deliver(&record, &mut pair.server).unwrap();
        let mut text = [0; 1000];
        pair.server.reader().read_exact(&mut text).unwrap();
        assert!(text[..] == bytes(1, 1000));
        refused(pair, &record);
    }
}

#[test]
fn records_in_another_order_are_noticed() {
    for (suite, _) in suites() {
        let (mut pair, _first) = sent(suite.suite());
        pair.client.writer().write_all(b"second").unwrap();
        let second = outgoing(&mut pair.client);
        refused(pair, &second);
    }
}
