//! Several certificates, certificates of clients, OCSP.

use super::{SELF_SIGNED, Server, exchange};
use crate::workplace::Workplace;
use keylane::sha2::Sha256;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

/// An authority in NAME.pem and NAME.key.
fn authority(place: &Workplace, name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    place.write(format!("{name}.pem"), issuer.pem().as_bytes());
    place.write(format!("{name}.key"), issuer.key().serialize_pem().as_bytes());
    issuer
}

/// A certificate for these names in FILE.pem and FILE.key. Returns its SHA-256.
fn issue(
    place: &Workplace,
    issuer: &CertifiedIssuer<'static, KeyPair>,
    file: &str,
    names: &[&str],
) -> String {
    let key = KeyPair::generate().unwrap();
    let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    let cert = CertificateParams::new(names).unwrap().signed_by(&key, issuer).unwrap();
    place.write(format!("{file}.pem"), cert.pem().as_bytes());
    place.write(format!("{file}.key"), key.serialize_pem().as_bytes());
    Sha256::digest(cert.der()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn certificates_are_chosen_by_name() {
    let place = Workplace::new();
    let ca = authority(&place, "ca");
    issue(&place, &ca, "one", &["a.test"]);
    issue(&place, &ca, "two", &["b.test", "*.c.test"]);
    let server = Server::start(&place, "--cert one.pem --key one.key --cert two.pem --key two.key --echo");
    for name in ["a.test", "b.test", "x.c.test"] {
        assert_eq!(server.connect(&place, &format!("--name {name}"), b"1").received(), b"1");
    }
    // Others get the first, and so does a client that asks for no name.
    for name in ["d.test", "x.y.c.test", "127.0.0.1"] {
        server
            .connect(&place, &format!("--name {name}"), b"")
            .fails_with(1, "only valid for DnsName(\"a.test\")");
    }
    let run = place.keylane("tls serve --cert one.pem --cert two.pem --key one.key --echo");
    run.fails_with(2, "2 --cert and 1 --key");
}

/// A client that knows only RSA's signatures gets the certificate that has one.
#[test]
fn certificates_are_chosen_by_signature() {
    let place = Workplace::new();
    issue(&place, &authority(&place, "ca"), "ecdsa", &["localhost"]);
    let rsa = "req -x509 -nodes -subj /CN=rsa -newkey rsa:2048 -addext subjectAltName=DNS:localhost \
        -out rsa.pem -keyout rsa.key";
    let Some(_) = place.tool("openssl", &rsa.split_whitespace().collect::<Vec<_>>()) else { return };
    let server =
        Server::start(&place, "--cert ecdsa.pem --key ecdsa.key --cert rsa.pem --key rsa.key --echo");
    for (algorithm, kind) in [("rsa_pss_rsae_sha256", "RSA-PSS"), ("ecdsa_secp256r1_sha256", "ECDSA")] {
        let arguments =
            ["s_client", "-connect", &server.address, "-servername", "localhost", "-sigalgs", algorithm];
        let run = place.tool("openssl", &arguments).unwrap();
        assert!(run.out.contains(&format!("Peer signature type: {kind}\n")), "{run:?}");
    }
}

#[test]
fn certificates_of_clients() {
    let place = Workplace::new();
    let (ours, other) = (authority(&place, "ours"), authority(&place, "other"));
    let fingerprint = issue(&place, &ours, "client", &["client.test"]);
    issue(&place, &other, "stranger", &["client.test"]);
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo --client-ca ours.pem"));
    for version in ["tls12", "tls13"] {
        let own = format!("--{version} --quiet --cert client.pem --key client.key");
        assert_eq!(server.connect(&place, &own, b"1").received(), b"1");
        let ended = server.ended();
        assert!(ended.ends_with(&format!("full handshake, client {fingerprint}: closed")), "{ended}");
        // The session remembers the certificate.
        assert_eq!(server.connect(&place, &format!("{own} --session-repeat 2"), b"1").received(), b"11");
        server.ended();
        assert!(server.ended().ends_with(&format!("resumed, client {fingerprint}: closed")));
        for (client, alert) in
            [("", "certificate_required"), ("--cert stranger.pem --key stranger.key", "unknown_ca")]
        {
            let run = server.connect(&place, &format!("--{version} --quiet {client}"), b"1");
            assert_eq!(run.out, b"");
            run.fails_with(2, &format!("the peer sent the alert {alert}"));
            assert!(server.ended().starts_with("no TLS connection: "));
        }
    }
    let optional = format!("{SELF_SIGNED} --echo --client-ca ours.pem --client-auth optional");
    let mut server = Server::start(&place, &optional);
    assert_eq!(server.connect(&place, "", b"1").received(), b"1");
    assert!(server.ended().ends_with("full handshake: closed"));
    let run = server.connect(&place, "--quiet --cert stranger.pem --key stranger.key", b"1");
    run.fails_with(2, "the peer sent the alert unknown_ca");
    server.ended();
    let run = exchange(&place, "tls connect localhost:1 --cert client.pem --key stranger.key", b"");
    run.fails_with(2, "client.pem and stranger.key: the key does not belong to the certificate");
    let s_client = ["s_client", "-connect", &server.address, "-cert", "client.pem", "-key", "client.key"];
    if place.tool("openssl", &s_client).is_some() {
        assert!(server.ended().contains(&format!("client {fingerprint}: ")));
    }
}

#[test]
fn ocsp_responses() {
    let place = Workplace::new();
    let ca = authority(&place, "ca");
    issue(&place, &ca, "one", &["a.test"]);
    issue(&place, &ca, "two", &["b.test"]);
    let openssl = |arguments: &str| place.tool("openssl", &arguments.split_whitespace().collect::<Vec<_>>());
    let Some(serial) = openssl("x509 -in two.pem -noout -serial") else { return };
    let serial = serial.done();
    let serial = serial.trim().strip_prefix("serial=").unwrap();
    place.write("index", format!("V\t491231235959Z\t\t{serial}\tunknown\t/CN=two\n").as_bytes());
    openssl("ocsp -issuer ca.pem -cert two.pem -no_nonce -reqout request.der").unwrap();
    let run = openssl(
        "ocsp -index index -rsigner ca.pem -rkey ca.key -CA ca.pem -ndays 2 -reqin request.der -respout two.ocsp",
    );
    assert_eq!(run.unwrap().status, 0);
    let pairs = "--cert one.pem --key one.key --cert two.pem --ocsp two.ocsp --key two.key";
    let server = Server::start(&place, &format!("{pairs} --echo"));
    for (name, status) in [("a.test", "OCSP response: no response sent"), ("b.test", "Cert Status: good")] {
        let client =
            format!("s_client -connect {} -servername {name} -status -CAfile ca.pem", server.address);
        let run = openssl(&client).unwrap();
        assert!(run.out.contains(status), "{run:?}");
    }
    for (arguments, what) in [
        ("--ocsp two.ocsp --cert two.pem --key two.key", "--ocsp belongs after the --cert"),
        ("--cert two.pem --key two.key --ocsp two.pem", "two.pem: not a successful OCSP response in DER"),
        ("--cert two.pem --key two.key --ocsp refused", "refused: not a successful OCSP response in DER"),
        ("--cert two.pem --key two.key --ocsp cut", "cut: not a successful OCSP response in DER"),
        ("--cert two.pem --key two.key --ocsp none", "none: No such file"),
    ] {
        place.write("refused", &[0x30, 3, 0x0a, 1, 6]);
        place.write("cut", &place.read("two.ocsp")[..100]);
        place.keylane(&format!("tls serve --echo {arguments}")).fails_with(2, what);
    }
}

/// A response with a signature of zeros, valid between two times, in seconds from now.
#[cfg(unix)]
fn ocsp_response(from: i64, until: i64) -> Vec<u8> {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};
    use yasna::models::{GeneralizedTime, ObjectIdentifier};
    use yasna::{DERWriter, Tag, construct_der};
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let time = |offset| {
        let time = UNIX_EPOCH + Duration::from_secs(now.checked_add_signed(offset).unwrap());
        GeneralizedTime::from_datetime(time.into())
    };
    let oid = |writer: DERWriter<'_>, oid: &[u64]| writer.write_oid(&ObjectIdentifier::from_slice(oid));
    let single = |writer: DERWriter<'_>| {
        writer.write_sequence(|single| {
            single.next().write_sequence(|certificate| {
                certificate.next().write_sequence(|sha1| oid(sha1.next(), &[1, 3, 14, 3, 2, 26]));
                certificate.next().write_bytes(&[0; 20]);
                certificate.next().write_bytes(&[0; 20]);
                certificate.next().write_u8(1);
            });
            single.next().write_tagged_implicit(Tag::context(0), |good| good.write_null());
            single.next().write_generalized_time(&time(from));
            single.next().write_tagged(Tag::context(0), |tagged| tagged.write_generalized_time(&time(until)));
        });
    };
    let basic = construct_der(|writer| {
        writer.write_sequence(|basic| {
            basic.next().write_sequence(|data| {
                data.next().write_tagged(Tag::context(2), |responder| responder.write_bytes(&[0; 20]));
                data.next().write_generalized_time(&time(from));
                data.next().write_sequence(|all| single(all.next()));
            });
            basic.next().write_sequence(|ecdsa| oid(ecdsa.next(), &[1, 2, 840, 10045, 4, 3, 2]));
            basic.next().write_bitvec_bytes(&[0; 8], 64);
        });
    });
    construct_der(|writer| {
        writer.write_sequence(|response| {
            response.next().write_enum(0);
            response.next().write_tagged(Tag::context(0), |tagged| {
                tagged.write_sequence(|bytes| {
                    oid(bytes.next(), &[1, 3, 6, 1, 5, 5, 7, 48, 1, 1]);
                    bytes.next().write_bytes(&basic);
                });
            });
        });
    })
}

#[cfg(unix)]
#[test]
fn ocsp_responses_are_sent_while_they_are_valid() {
    use std::io::{BufRead, BufReader};
    const HOUR: i64 = 3600;
    let place = Workplace::new();
    issue(&place, &authority(&place, "ca"), "one", &["localhost"]);
    let start = |from, until| {
        place.write("one.ocsp", &ocsp_response(from, until));
        let mut server = Server::start(&place, "--cert one.pem --key one.key --ocsp one.ocsp --echo");
        let messages = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
        (server, messages)
    };
    let is_sent = |server: &Server| {
        let run = place.tool("openssl", &["s_client", "-connect", &server.address, "-status"])?;
        let (sent, none) = ("OCSP Response Status: successful", "OCSP response: no response sent");
        assert!(run.out.contains(sent) != run.out.contains(none), "{run:?}");
        Some(run.out.contains(sent))
    };
    let warning =
        |problem| format!("keylane: WARNING: one.ocsp: the OCSP response {problem} and is not sent");
    for (from, until, problem) in [(-2 * HOUR, -HOUR, "has expired"), (HOUR, 2 * HOUR, "is not valid yet")] {
        let (server, mut messages) = start(from, until);
        let Some(sent) = is_sent(&server) else { return };
        assert!(!sent);
        assert_eq!(messages.next().unwrap(), warning(problem));
        place.write("one.ocsp", &ocsp_response(-HOUR, HOUR));
        server.signal("HUP");
        assert_eq!(messages.next().unwrap(), "keylane: the files were read again");
        assert_eq!(is_sent(&server), Some(true));
        server.signal("TERM");
        assert_eq!(messages.next(), None);
    }
    // It expires while the server runs.
    let (server, mut messages) = start(-HOUR, 2);
    while is_sent(&server).unwrap() {}
    assert_eq!(messages.next().unwrap(), warning("has expired"));
    assert_eq!(is_sent(&server), Some(false));
    server.signal("TERM");
    assert_eq!(messages.next(), None);
}
