//! nginx, which is a server only: gives files, and takes them by PUT.

use super::process::{PATIENCE, Process, Stage};
use super::suite::Suite;
use super::{Lab, Seen, keylane};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// One for all suites: clients choose.
pub(crate) struct Server {
    _process: Process,
    port: u16,
}

impl Server {
    pub(crate) fn start(lab: &Lab, stage: &Stage) -> Result<Self> {
        let folder = lab.path("nginx");
        // What an earlier run has left would be replaced, and answered otherwise.
        let taken = folder.join("taken");
        if taken.exists() {
            fs::remove_dir_all(&taken)?;
        }
        fs::create_dir_all(&taken)?;
        // Free now; nginx cannot say which it would choose itself.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        fs::write(folder.join("nginx.conf"), configuration(port))?;
        let mut command = Command::new(&lab.tools.nginx);
        command.current_dir(&lab.folder).args(["-e", "stderr", "-c", "nginx.conf", "-p"]).arg(&folder);
        let process = stage.start(&mut command)?;
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if start.elapsed() > PATIENCE {
                bail!("nginx does not listen");
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(Self { _process: process, port })
    }

    pub(crate) fn meet(&self, lab: &Lab, suite: &Suite, stage: &Stage) -> Result<Seen> {
        let mut options = vec!["--keep-open"];
        options.extend(suite.is_13().then_some("--key-update=300000"));
        let mut client = keylane::connect(lab, stage, suite, self.port, &options)?;
        let len = lab.payload.len();
        let head = format!(
            "PUT /taken/{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len}\r\nConnection: close\r\n\r\n",
            suite.name
        );
        client.input(head.as_bytes());
        client.input(&lab.payload);
        client.end_input();
        client.finish()?;
        let answer = client.out.text();
        ensure!(answer.starts_with("HTTP/1.1 201 "), "nginx answers {answer}");
        let key_updates = keylane::expect(&client, suite, 0, false)?;
        ensure!((key_updates > 0) == suite.is_13(), "{key_updates} key updates");
        let taken = fs::read(lab.path("nginx/taken").join(suite.name)).context("the file that nginx took")?;
        ensure!(taken == lab.payload, "what arrived is not what was sent");

        // nginx resets a connection that holds what it has not read, such as a close_notify, and then data are lost.
        let mut client =
            keylane::connect(lab, stage, suite, self.port, &["--session-repeat", "2", "--keep-open"])?;
        client.input(b"GET /payload HTTP/1.0\r\n\r\n");
        client.end_input();
        client.finish()?;
        let answers = client.out.bytes();
        let (first, second) = answers.split_at(answers.len() / 2);
        let whole = first.ends_with(&lab.payload) && second.ends_with(&lab.payload);
        ensure!(whole, "what came is not what was served");
        for (connection, resumed) in [false, true].into_iter().enumerate() {
            keylane::expect(&client, suite, connection, resumed)?;
        }
        Ok(Seen { bytes: 3 * len, key_updates: (key_updates, 0), closed: (true, false), resumed: true })
    }
}

fn configuration(port: u16) -> String {
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|name| format!("{name}_temp_path {name};\n"))
        .collect();
    format!(
        "daemon off;\nmaster_process off;\npid nginx.pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n\
        {temporary}client_max_body_size 64m;\n\
        ssl_protocols TLSv1.2 TLSv1.3;\nssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;\n\
        ssl_certificate ../ecdsa.pem;\nssl_certificate_key ../ecdsa.key;\n\
        ssl_certificate ../rsa.pem;\nssl_certificate_key ../rsa.key;\n\
        server {{\nlisten 127.0.0.1:{port} ssl;\n\
        location / {{ root ../www; }}\n\
        location /taken {{ root .; dav_methods PUT; }}\n}}\n}}\n"
    )
}
