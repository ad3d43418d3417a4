//! lettre sends a mail by STARTTLS to an aiosmtpd, which puts it into a mailbox.

use keylane_program_checks::{Identity, Server, free_port, handshakes, provider};
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport};
use std::fs;
use std::process::Command;

#[test]
fn a_mail_arrives() {
    let identity = Identity::new();
    let port = free_port();
    let mut server = Command::new("aiosmtpd");
    server.current_dir(&identity.folder).args(["-n", "-l", &format!("127.0.0.1:{port}")]);
    server.args(["--tlscert", "cert.pem", "--tlskey", "key.pem"]);
    server.args(["-c", "aiosmtpd.handlers.Mailbox", "mailbox"]);
    let _server = Server::start(&mut server, "python3-aiosmtpd", port);

    provider().install_default().unwrap();
    let certificate = Certificate::from_pem(identity.pem().as_bytes()).unwrap();
    let tls = TlsParameters::builder("localhost".into()).add_root_certificate(certificate).build().unwrap();
    let mailer = SmtpTransport::builder_dangerous("127.0.0.1").port(port).tls(Tls::Required(tls)).build();
    let lines = Vec::from_iter((0..2_000).map(|line| format!("This is line {line}."))).join("\r\n");
    let mail = Message::builder()
        .from("Ada <ada@example.org>".parse().unwrap())
        .to("Alan <alan@example.org>".parse().unwrap())
        .subject("Lines")
        .body(lines.clone());
    mailer.send(&mail.unwrap()).unwrap();

    let mails: Vec<_> = fs::read_dir(identity.path("mailbox/new")).unwrap().collect();
    assert_eq!(mails.len(), 1);
    let received = fs::read_to_string(mails[0].as_ref().unwrap().path()).unwrap();
    assert!(received.contains("Subject: Lines\n"), "{received}");
    assert!(received.replace('\n', "\r\n").contains(&lines), "{received}");
    assert_eq!(handshakes(), 1);
}
