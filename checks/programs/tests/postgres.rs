//! tokio-postgres writes and reads PostgreSQL rows; the server reports the cipher suite.

use keylane_program_checks::{Identity, SUITE, Server, free_port, handshakes};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;
use tokio_postgres::{Client, Error};

async fn connect(at: &str, config: rustls::ClientConfig) -> Result<Client, Error> {
    let tls = tokio_postgres_rustls::MakeRustlsConnect::new(config);
    let (client, connection) = tokio_postgres::connect(at, tls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Starts a new PostgreSQL, which refuses to run as root.
fn start(identity: &Identity) -> (Server, u16) {
    let versions =
        fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL of Debian's postgresql is required");
    let bin = versions.map(|version| version.unwrap().path()).max().unwrap().join("bin");
    let id = Command::new("id").args(["-u", "postgres"]).output().unwrap().stdout;
    let user: u32 = match fs::metadata("/proc/self").unwrap().uid() {
        0 => String::from_utf8(id).unwrap().trim().parse().unwrap(),
        user => user,
    };
    fs::write(identity.path("password"), "of the test").unwrap();
    fs::set_permissions(identity.path("key.pem"), fs::Permissions::from_mode(0o600)).unwrap();
    for name in ["", "cert.pem", "key.pem", "password"] {
        chown(identity.path(name), Some(user), None).unwrap();
    }
    let run = |program: &str| {
        let mut command = Command::new(bin.join(program));
        command.uid(user).current_dir(&identity.folder).args(["-D", "data"]);
        command
    };
    let options = ["--auth=scram-sha-256", "--pwfile=password", "--username=postgres", "--no-sync"];
    let initdb = run("initdb").args(options).output().unwrap();
    assert!(initdb.status.success(), "{initdb:?}");
    let port = free_port();
    let settings = [
        &format!("port={port}"),
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "fsync=off",
        "ssl=on",
        "ssl_cert_file=../cert.pem",
        "ssl_key_file=../key.pem",
    ];
    let mut postgres = run("postgres");
    for setting in settings {
        postgres.args(["-c", setting]);
    }
    let server = Server::start(&mut postgres, "postgresql", port);
    // It listens before it takes clients.
    let at = format!("--host=127.0.0.1 --port={port} --quiet");
    while !Command::new(bin.join("pg_isready")).args(at.split(' ')).status().unwrap().success() {
        sleep(Duration::from_millis(20));
    }
    (server, port)
}

#[tokio::test]
async fn rows_come_back() {
    let identity = Identity::new();
    let (_server, port) = start(&identity);
    let at = format!("host=127.0.0.1 port={port} user=postgres password='of the test' sslmode=require");
    let client = connect(&at, identity.client()).await.unwrap();

    client.batch_execute("CREATE TABLE notes (id INT PRIMARY KEY, body BYTEA)").await.unwrap();
    let insert = client.prepare("INSERT INTO notes VALUES ($1, $2)").await.unwrap();
    // More than a record.
    let body = |id: i32| vec![id as u8; 50_000 * id as usize];
    for id in 1..=5 {
        assert_eq!(client.execute(&insert, &[&id, &body(id)]).await.unwrap(), 1);
    }
    let rows = client.query("SELECT id, body FROM notes ORDER BY id", &[]).await.unwrap();
    let read: Vec<(i32, Vec<u8>)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(read, Vec::from_iter((1..=5).map(|id| (id, body(id)))));

    let suite = "SELECT cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    assert_eq!(client.query_one(suite, &[]).await.unwrap().get::<_, &str>(0), SUITE);
    assert_eq!(handshakes(), 1);
}
