//! Random data in random pieces through random transports, both ways at once: exactly this data arrives.

mod support;

use keylane_contracts::Random;
use keylane_tls::session::{Options, RecordSizing};
use keylane_tls::{ClientHandshake, Error, ServerHandshake, TlsStream};
use keylane_tls_checks::certificates::{Configs, Credentials, server_name};
use keylane_tls_checks::terms::{CIPHERS, Key, Terms, Version};
use proptest::prelude::*;
use std::io::{BufRead, ErrorKind, IoSlice, Read, Write};
use std::sync::LazyLock;
use support::{End, Manner, duplex, is_temporary, persist, shake_hands};

/// Configurations that resume sessions: only the first handshake of each is a full one.
static CONFIGS: LazyLock<Vec<(Terms, Configs)>> = LazyLock::new(|| {
    let credentials = Credentials::generate().unwrap();
    let mut configs = Vec::new();
    for version in [Version::Tls12, Version::Tls13] {
        for cipher in CIPHERS {
            let terms = Terms { version, cipher, key: Key::EcdsaP256 };
            let provider = rustls::crypto::ring::default_provider();
            configs.push((terms, credentials.configs(provider, &terms, true).unwrap()));
        }
    }
    configs
});

/// One end: the data to send, and the data received.
struct Party {
    stream: TlsStream<End>,
    random: Random,
    to_send: Vec<u8>,
    sent: usize,
    closed: bool,
    received: Vec<u8>,
    done: bool,
    /// Whether there was data since the last key update, as the limits require.
    may_update: bool,
}

impl Party {
    fn new(stream: TlsStream<End>, seed: u64, to_send: usize) -> Self {
        let mut random = Random::new(seed);
        let to_send = (0..to_send).map(|_| random.next() as u8).collect();
        let (sent, closed, done, may_update) = (0, false, false, true);
        Self { stream, random, to_send, sent, closed, received: Vec::new(), done, may_update }
    }

    /// Does a random action.
    fn act(&mut self) {
        match self.random.below(8) {
            0..=2 => self.send(),
            3 if self.random.below(4) == 0 => self.control(),
            3 => drop(self.stream.flush()),
            _ if !self.done => self.receive(),
            _ => {}
        }
    }

    fn send(&mut self) {
        let left = &self.to_send[self.sent..];
        if left.is_empty() {
            match self.stream.close() {
                Ok(()) => self.closed = true,
                Err(error) => assert!(is_temporary(&error), "{error}"),
            }
            return;
        }
        let scale = [1, 50, 3000, 100_000][self.random.below(4)];
        let pieces = [1, 1, 3, 40][self.random.below(4)];
        let mut rest = left;
        let mut slices = Vec::new();
        for _ in 0..pieces {
            let len =
                if self.random.below(4) == 0 { 0 } else { self.random.below(scale + 1).min(rest.len()) };
            let (slice, after) = rest.split_at(len);
            slices.push(IoSlice::new(slice));
            rest = after;
        }
        let offered: usize = slices.iter().map(|slice| slice.len()).sum();
        let result = if let [slice] = &slices[..] {
            self.stream.write(slice)
        } else {
            self.stream.write_vectored(&slices)
        };
        match result {
            Ok(len) => {
                assert!(len <= offered && (len > 0 || offered == 0), "took {len} of {offered}");
                self.sent += len;
                self.may_update |= len > 0;
            }
            Err(error) => assert!(is_temporary(&error), "{error}"),
        }
    }

    fn control(&mut self) {
        if !std::mem::take(&mut self.may_update) {
            return self.stream.release_buffers();
        }
        let ask = self.random.below(2) == 0;
        if let Err(error) = self.stream.update_keys(ask) {
            assert!(matches!(Error::of(&error), Some(Error::Unsupported(_) | Error::Closed)), "{error}");
        }
    }

    fn receive(&mut self) {
        let result = if self.random.below(2) == 0 {
            let scale = [3, 300, 40_000][self.random.below(3)];
            let mut buffer = vec![0; 1 + self.random.below(scale)];
            self.stream.read(&mut buffer).map(|len| buffer[..len].to_vec())
        } else {
            let random = &mut self.random;
            let taken = self
                .stream
                .fill_buf()
                .map(|data| data[..data.len() - random.below(data.len() + 1) / 2].to_vec());
            self.stream.consume(taken.as_ref().map_or(0, Vec::len));
            taken
        };
        match result {
            Ok(data) if data.is_empty() => {
                assert!(self.stream.peer_closed());
                self.done = true;
            }
            Ok(data) => self.received.extend_from_slice(&data),
            Err(error) => assert!(is_temporary(&error), "{error}"),
        }
    }

    /// Checks that after both closes nothing is read or written, and that the transport is not used.
    fn check_ended(&mut self) {
        let reads = self.stream.get_ref().reads;
        let mut buffer = [0; 10];
        assert_eq!(self.stream.read(&mut buffer).unwrap(), 0);
        assert!(self.stream.fill_buf().unwrap().is_empty());
        assert_eq!(self.stream.get_ref().reads, reads, "a read after the close asked the transport");
        let error = persist(|| self.stream.write(b"more")).unwrap_err();
        assert_eq!((error.kind(), Error::of(&error)), (ErrorKind::BrokenPipe, Some(&Error::Closed)));
    }
}

fn connect(index: usize, options: [Options; 2], manners: [Manner; 2]) -> [TlsStream<End>; 2] {
    let Configs { client, server } = CONFIGS[index].1.clone();
    let [client_manner, server_manner] = manners;
    let (a, b) = duplex(client_manner, server_manner);
    let client = ClientHandshake::new(client, server_name()).unwrap().with_options(options[0]);
    let server = ServerHandshake::new(server).unwrap().with_options(options[1]);
    let (client, server) = shake_hands((client, a), (server, b));
    [client.unwrap(), server.unwrap()]
}

fn any_options(may_wear_out: bool) -> impl Strategy<Value = Options> {
    let wear =
        if may_wear_out { prop_oneof![2..40_u64, Just(u64::MAX)].boxed() } else { Just(u64::MAX).boxed() };
    let longest = prop_oneof![Just(16384_usize), 100..16384_usize, Just(100_000)];
    (any::<bool>(), longest, wear).prop_map(|(fixed, max_fragment_len, records_per_key)| {
        let mut options = Options::default();
        options.record_sizing = if fixed { RecordSizing::Fixed } else { RecordSizing::Dynamic };
        options.max_fragment_len = max_fragment_len;
        options.records_per_key = records_per_key;
        options
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200, max_shrink_iters: 100, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn everything_arrives_and_nothing_else(
        (index, options) in (0..6_usize).prop_flat_map(|index| {
            // In TLS 1.2 the connection ends when its keys are exhausted.
            let options = || any_options(CONFIGS[index].0.version == Version::Tls13);
            (Just(index), [options(), options()])
        }),
        lens in [0..200_000_usize, 0..60_000_usize],
        seed in any::<u64>(),
        rough in any::<[bool; 2]>(),
    ) {
        let mut seeds = Random::new(seed);
        let manners =
            rough.map(|rough| if rough { Manner::Rough(Random::new(seeds.next())) } else { Manner::Whole });
        let [client, server] = connect(index, options, manners);
        let mut parties =
            [Party::new(client, seeds.next(), lens[0]), Party::new(server, seeds.next(), lens[1])];
        let mut acts = 0;
        while parties.iter().any(|party| !party.done || !party.closed) {
            parties[seeds.below(2)].act();
            acts += 1;
            prop_assert!(acts < 1_000_000, "the transfer does not end");
        }
        let [client, server] = &mut parties;
        prop_assert!(server.received == client.to_send, "the server received something else");
        prop_assert!(client.received == server.to_send, "the client received something else");
        parties.iter_mut().for_each(Party::check_ended);
    }
}
