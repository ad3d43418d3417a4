//! The programs that need no other program, with valid and invalid input.

use super::{Program, run, succeed};
use keylane::hmac::HmacKey;
use keylane::sha2::Sha256;
use std::fs;
use tempfile::TempDir;

/// Runs a program that must fail and print nothing. Returns its standard error.
fn fail(program: &str, folder: &TempDir, arguments: &[&str], input: &[u8]) -> String {
    let output = run(program, folder, arguments, input);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Creates a folder with one file.
fn folder_with(name: &str, content: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    folder
}

#[test]
fn webhook() {
    const WEBHOOK: &str = env!("CARGO_BIN_EXE_webhook");
    // The example of GitHub's documentation.
    const AUTHENTIC: &str =
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17 Hello, World!\n";
    let folder = folder_with("secret", "\u{feff}It's a Secret to Everybody\n".as_bytes());
    let good = AUTHENTIC.repeat(40);
    assert_eq!(
        succeed(WEBHOOK, &folder, &["secret"], good.as_bytes()),
        "40 of 40 deliveries are authentic\n"
    );

    let other_body = AUTHENTIC.replace("World", "world");
    let deliveries = format!("{good}{other_body}{AUTHENTIC}sha1=00 Hello, World!\n");
    let output = run(WEBHOOK, &folder, &["secret"], deliveries.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "delivery 41: forged\ndelivery 43: forged\n41 of 43 deliveries are authentic\n"
    );

    for empty in ["", "\n", " \r\n"] {
        fs::write(folder.path().join("secret"), empty).unwrap();
        assert!(fail(WEBHOOK, &folder, &["secret"], b"").contains("the secret is empty"));
    }
}

#[test]
fn jwt() {
    const JWT: &str = env!("CARGO_BIN_EXE_jwt");
    let folder = folder_with("key", &[7; 32]);
    let claims = "{\"exp\":4102444800,\"sub\":\"alice\"}\n";
    let token = succeed(JWT, &folder, &["sign", "key"], claims.as_bytes());
    assert!(token.starts_with("eyJ"), "{token}");
    assert_eq!(succeed(JWT, &folder, &["verify", "key"], token.as_bytes()), claims);

    let mut forged = token.clone().into_bytes();
    forged[60] ^= 1;
    assert!(fail(JWT, &folder, &["verify", "key"], &forged).contains("AuthenticationFailed"));
    let expired = succeed(JWT, &folder, &["sign", "key"], b"{\"exp\":1700000000}");
    assert!(fail(JWT, &folder, &["verify", "key"], expired.as_bytes()).contains("expired"));
    let endless = succeed(JWT, &folder, &["sign", "key"], b"{}");
    assert!(fail(JWT, &folder, &["verify", "key"], endless.as_bytes()).contains("without an end"));
    // {"alg":"none"}, the same claims, no tag.
    let encoded = token.split('.').nth(1).unwrap();
    let unsigned = format!("eyJhbGciOiJub25lIn0.{encoded}.");
    assert!(fail(JWT, &folder, &["verify", "key"], unsigned.as_bytes()).contains("WrongLength"));

    // A wrong header is refused although key and tag are right.
    let verify = |header: &str| {
        let token = jwt_with(&[7; 32], header, claims);
        run(JWT, &folder, &["verify", "key"], token.as_bytes())
    };
    assert!(verify(r#"{"alg":"HS256"}"#).status.success());
    for header in [
        r#"{"alg":"HS512"}"#,
        r#"{"alg":"none"}"#,
        r#"{"alg":"hs256"}"#,
        r#"{"typ":"JWT"}"#,
        r#"{"alg":"HS256","crit":["exp"]}"#,
        r#"{"alg":"HS256","crit":null}"#,
    ] {
        let output = verify(header);
        assert_eq!((output.status.code(), output.stdout), (Some(1), vec![]), "{header}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("another algorithm, or an unknown extension"), "{header}: {error}");
    }

    fs::write(folder.path().join("key"), [7; 31]).unwrap();
    assert!(fail(JWT, &folder, &["sign", "key"], b"{}").contains("at least 32 bytes"));
}

/// Returns a token with HMAC-SHA256, whatever its header says.
fn jwt_with(key: &[u8], header: &str, claims: &str) -> String {
    let encode = |bytes: &[u8]| data_encoding::BASE64URL_NOPAD.encode(bytes);
    let signed = format!("{}.{}", encode(header.as_bytes()), encode(claims.as_bytes()));
    let tag = HmacKey::<Sha256>::new(key).mac(signed.as_bytes());
    format!("{signed}.{}", encode(&tag))
}

#[test]
fn jwt_for_others_or_for_later() {
    const JWT: &str = env!("CARGO_BIN_EXE_jwt");
    let folder = folder_with("key", &[7; 32]);
    let both = r#""aud":["mail","files"],"#;
    for (claims, audience, refused) in [
        (r#""nbf":1700000000.5,"#, "", ""),
        (r#""nbf":4102444799,"#, "", "not yet valid"),
        (r#""nbf":"1700000000","#, "", "a beginning that is no date"),
        (r#""aud":"mail","#, "mail", ""),
        (both, "files", ""),
        (r#""aud":"mail","#, "", "for another audience"),
        (r#""aud":"mail","#, "files", "for another audience"),
        (r#""aud":"mail","#, "mai", "for another audience"),
        (both, "", "for another audience"),
        (both, "mail,files", "for another audience"),
        (r#""aud":[],"#, "mail", "for another audience"),
        (r#""aud":null,"#, "", "for another audience"),
        ("", "mail", "for another audience"),
    ] {
        let claims = format!("{{{claims}\"exp\":4102444800}}");
        let token = succeed(JWT, &folder, &["sign", "key"], claims.as_bytes());
        let mut arguments = vec!["verify", "key"];
        arguments.extend((!audience.is_empty()).then_some(audience));
        if refused.is_empty() {
            succeed(JWT, &folder, &arguments, token.as_bytes());
        } else {
            let error = fail(JWT, &folder, &arguments, token.as_bytes());
            assert!(error.contains(refused), "{claims} {audience}: {error}");
        }
    }
}

/// RFC 7515, appendix A.1: authentic, but expired long ago.
#[test]
fn jwt_of_the_standard() {
    const JWT: &str = env!("CARGO_BIN_EXE_jwt");
    const TOKEN: &str = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const KEY: &str =
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
    let key = data_encoding::BASE64URL_NOPAD.decode(KEY.as_bytes()).unwrap();
    let folder = folder_with("key", &key);
    assert!(fail(JWT, &folder, &["verify", "key"], TOKEN.as_bytes()).contains("expired"));
}

#[test]
fn password() {
    const PASSWORD: &str = env!("CARGO_BIN_EXE_password");
    // Made by Python: hashlib.pbkdf2_hmac("sha512", b"hunter2", b"0123456789abcdef", 1000).
    const OLD: &str = "$pbkdf2-sha512$i=1000$MDEyMzQ1Njc4OWFiY2RlZg$Xp/4UtI3VYuUskUJvg/ElBho/1QUob2t4wOqDH2dRs5/P6kzj5+E8oi97sPcw7P4ZvydZ2rKx3aQeetuxYWOOg";
    let new = succeed(PASSWORD, &folder_with("line", b""), &["new"], b"correct horse\n");
    assert!(new.starts_with("$pbkdf2-sha512$i=210000$"), "{new}");
    let folder = folder_with("line", new.as_bytes());
    assert_eq!(succeed(PASSWORD, &folder, &["check", "line"], b"correct horse\n"), "");
    assert!(fail(PASSWORD, &folder, &["check", "line"], b"correct house\n").contains("AuthenticationFailed"));

    for empty in [&b""[..], b"\n", b"\r\n", b"\nsecond line\n"] {
        assert!(fail(PASSWORD, &folder, &["new"], empty).contains("no password"));
    }

    // An old line is replaced by one with the current cost.
    let folder = folder_with("line", OLD.as_bytes());
    let replaced = succeed(PASSWORD, &folder, &["check", "line"], b"hunter2");
    assert!(replaced.starts_with("$pbkdf2-sha512$i=210000$"), "{replaced}");
    fs::write(folder.path().join("lines"), format!("{OLD}\n{replaced}{new}")).unwrap();
    assert_eq!(
        succeed(PASSWORD, &folder, &["audit", "lines"], "\u{feff}hunter2\npassword\n".as_bytes()),
        "line 1: hunter2\nline 2: hunter2\n"
    );
}

#[test]
fn seal_file() {
    const SEAL_FILE: &str = env!("CARGO_BIN_EXE_seal_file");
    let folder = folder_with("key", &[7; 32]);
    let path = |name: &str| folder.path().join(name);
    // Texts whose last chunk is empty, is short, or is the only one.
    for len in [0, 1, 16_384, 16_385, 32_768, 300_000] {
        let text: Vec<u8> = (0..len).map(|i: u32| (i % 251) as u8).collect();
        fs::write(path("text"), &text).unwrap();
        succeed(SEAL_FILE, &folder, &["seal", "key", "text", "sealed"], b"");
        succeed(SEAL_FILE, &folder, &["open", "key", "sealed", "opened"], b"");
        assert!(fs::read(path("opened")).unwrap() == text, "{len} bytes");
        assert_eq!(fs::read(path("sealed")).unwrap().len() as u32, 56 + len + 16 * (len / 16_384 + 1));
    }

    let sealed = fs::read(path("sealed")).unwrap();
    let (head, chunk) = (56, 16_384 + 16);
    let mut changed = sealed.clone();
    changed[head + chunk + 5] ^= 1;
    let mut swapped = sealed.clone();
    swapped[head..head + 2 * chunk].rotate_left(chunk);
    // Truncated within a chunk, and after a whole one.
    let cut = |len: usize| sealed[..len].to_vec();
    for bad in [changed, swapped, cut(sealed.len() - 1), cut(head + 2 * chunk)] {
        fs::write(path("bad"), bad).unwrap();
        let error = fail(SEAL_FILE, &folder, &["open", "key", "bad", "out"], b"");
        assert!(error.contains("AuthenticationFailed") || error.contains("cut off"), "{error}");
        assert!(!path("out").exists() && !path("out.partial").exists(), "nothing is left of it");
    }
}

#[test]
fn tls_echo() {
    const TLS_ECHO: &str = env!("CARGO_BIN_EXE_tls_echo");
    let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (_server, address) = Program::serve(TLS_ECHO, &here, &["serve", "cert.pem"]);
    let (_other, other_address) = Program::serve(TLS_ECHO, &elsewhere, &["serve", "cert.pem"]);
    let lines = format!("one\n\n{}\n", "long ".repeat(20_000));
    assert_eq!(
        succeed(TLS_ECHO, &here, &["connect", "cert.pem", &address], lines.as_bytes()),
        lines,
        "what was sent comes back"
    );
    // The client refuses a server with another certificate.
    let error = fail(TLS_ECHO, &here, &["connect", "cert.pem", &other_address], b"secret\n");
    assert!(error.contains("InvalidCertificate"), "{error}");
}
