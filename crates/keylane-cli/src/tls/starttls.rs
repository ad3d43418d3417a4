//! STARTTLS: the plaintext dialogue before the handshake (RFC 3207, RFC 9051 section 6.2.1).

use clap::ValueEnum;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// In bytes. SMTP's lines are shorter; IMAP's capabilities may be long.
const MAX_LINE_LEN: u64 = 8192;
/// Of one answer.
const MAX_LINES: usize = 100;
/// For the whole dialogue: what SMTP grants a server for its greeting (RFC 5321, section 4.5.3.2.1).
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Starttls {
    Smtp,
    Imap,
}

impl Starttls {
    /// Brings the server to the point where it waits for the handshake.
    ///
    /// # Errors
    ///
    /// If it refuses, does not offer TLS, or has sent anything after its consent: that came in plaintext, from
    /// anyone, and must not be taken for what the server says under TLS.
    pub(crate) async fn negotiate(self, stream: &mut TcpStream) -> io::Result<()> {
        let mut dialogue = Dialogue(BufReader::new(stream));
        let talk = async {
            match self {
                Self::Smtp => dialogue.smtp().await,
                Self::Imap => dialogue.imap().await,
            }
        };
        timeout(PATIENCE, talk).await.unwrap_or_else(|_| problem("the server does not answer"))?;
        if !dialogue.0.buffer().is_empty() {
            return problem("the server sent more before the handshake, which may come from an attacker");
        }
        Ok(())
    }
}

struct Dialogue<'a>(BufReader<&'a mut TcpStream>);

impl Dialogue<'_> {
    async fn smtp(&mut self) -> io::Result<()> {
        self.smtp_answer("220").await?;
        let address = match self.0.get_ref().local_addr()?.ip().to_canonical() {
            std::net::IpAddr::V4(address) => format!("[{address}]"),
            std::net::IpAddr::V6(address) => format!("[IPv6:{address}]"),
        };
        self.say(&format!("EHLO {address}")).await?;
        let offers = self.smtp_answer("250").await?;
        if !offers.iter().any(|offer| offer.eq_ignore_ascii_case("STARTTLS")) {
            return problem("the server does not offer STARTTLS");
        }
        self.say("STARTTLS").await?;
        self.smtp_answer("220").await.map(drop)
    }

    /// Reads the lines of one answer. Returns their texts.
    async fn smtp_answer(&mut self, wanted: &str) -> io::Result<Vec<String>> {
        let mut texts = Vec::new();
        while texts.len() < MAX_LINES {
            let line = self.line().await?;
            let Some(rest) = line.strip_prefix(wanted) else { return refusal(&line) };
            if let Some(text) = rest.strip_prefix('-') {
                texts.push(text.to_owned());
            } else if let Some(text) = rest.strip_prefix(' ') {
                texts.push(text.to_owned());
                return Ok(texts);
            } else if rest.is_empty() {
                return Ok(texts);
            } else {
                return refusal(&line);
            }
        }
        problem("the server's answer does not end")
    }

    async fn imap(&mut self) -> io::Result<()> {
        let greeting = self.line().await?;
        if !greeting.to_ascii_uppercase().starts_with("* OK") {
            return refusal(&greeting);
        }
        self.say("a CAPABILITY").await?;
        let answers = self.imap_answers("a").await?;
        let mut capabilities = answers
            .iter()
            .filter_map(|answer| answer.strip_prefix("* CAPABILITY "))
            .flat_map(str::split_whitespace);
        if !capabilities.any(|capability| capability == "STARTTLS") {
            return problem("the server does not offer STARTTLS");
        }
        self.say("b STARTTLS").await?;
        self.imap_answers("b").await.map(drop)
    }

    /// Reads up to the consent to the command with this tag. Returns the lines before it, in upper case.
    async fn imap_answers(&mut self, tag: &str) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        while lines.len() < MAX_LINES {
            let line = self.line().await?;
            match line.split_once(' ') {
                Some(("*", _)) => lines.push(line.to_ascii_uppercase()),
                Some((of, answer)) if of == tag && answer.to_ascii_uppercase().starts_with("OK") => {
                    return Ok(lines);
                }
                _ => return refusal(&line),
            }
        }
        problem("the server's answer does not end")
    }

    async fn say(&mut self, line: &str) -> io::Result<()> {
        self.0.get_mut().write_all(format!("{line}\r\n").as_bytes()).await
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        (&mut self.0).take(MAX_LINE_LEN).read_until(b'\n', &mut line).await?;
        match line.strip_suffix(b"\n") {
            Some(line) => Ok(String::from_utf8_lossy(line.trim_ascii_end()).into_owned()),
            None if line.len() as u64 == MAX_LINE_LEN => problem("the server sends a line that does not end"),
            None => problem("the server hung up"),
        }
    }
}

fn refusal<T>(line: &str) -> io::Result<T> {
    // It may hold a terminal's control sequences.
    problem(&format!("the server answers {:?}", line.chars().take(200).collect::<String>()))
}

fn problem<T>(what: &str) -> io::Result<T> {
    Err(io::Error::other(format!("STARTTLS: {what}")))
}
