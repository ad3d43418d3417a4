//! A limit of open files that is low, or reached.

use super::output::watch;
use super::{SELF_SIGNED, Server, keylane};
use crate::workplace::Workplace;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::time::Duration;

/// A server that may open this many files.
fn limited(place: &Workplace, files: u32, arguments: &str) -> Child {
    let serve = format!("tls serve --listen 127.0.0.1:0 {SELF_SIGNED} {arguments}");
    let limit = format!("ulimit -n {files} && exec {} {serve}", env!("CARGO_BIN_EXE_keylane"));
    place.start("sh", &["-c", &limit]).unwrap()
}

/// Starts a client that asks for a file and reads no more of the answer than its status.
pub(crate) fn ask(server: &Server, place: &Workplace) -> (Child, String) {
    let connect = format!("tls connect {} --ca ca.pem --quiet --keep-open", server.address);
    let mut client = keylane(place, &connect);
    client.stdin.take().unwrap().write_all(b"GET /file HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut status = [0; 12];
    client.stdout.as_mut().unwrap().read_exact(&mut status).unwrap();
    (client, String::from_utf8_lossy(&status).into_owned())
}

/// 30 connections and 4 files, and one to open them: without a limit of their own, files would take the room of connections.
#[test]
fn clients_that_do_not_read_leave_room_for_others() {
    let place = Workplace::new();
    // A sparse file, longer than sockets and pipes hold.
    fs::File::create(place.path("file")).unwrap().set_len(64 << 20).unwrap();
    let server = Server::started(limited(&place, 67, "--folder . --max-connections 30 --idle-timeout 1000"));
    let watch = watch(&server);
    let mut clients: Vec<_> = (0..4).map(|_| ask(&server, &place)).collect();
    assert!(clients.iter().all(|(_, status)| status == "HTTP/1.1 200"), "{clients:?}");
    let others = std::thread::scope(|scope| {
        let others: Vec<_> = (0..25).map(|_| scope.spawn(|| ask(&server, &place))).collect();
        others.into_iter().map(|other| other.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(others.iter().all(|(_, status)| status == "HTTP/1.1 503"), "{others:?}");
    // Its file is closed soon.
    let mut gone = clients.pop().unwrap().0;
    gone.kill().unwrap();
    gone.wait().unwrap();
    loop {
        let (mut client, status) = ask(&server, &place);
        client.kill().unwrap();
        client.wait().unwrap();
        if status == "HTTP/1.1 200" {
            break;
        }
    }
    for (mut client, _) in clients.into_iter().chain(others) {
        client.kill().unwrap();
        client.wait().unwrap();
    }
    drop(watch);
}

#[test]
fn more_connections_than_files_are_refused() {
    let place = Workplace::new();
    let keylane = env!("CARGO_BIN_EXE_keylane");
    let serve = format!("ulimit -n 100 && exec {keylane} tls serve --self-signed --echo --listen nowhere");
    place.tool("sh", &["-c", &serve]).unwrap().fails_with(
        2,
        "500 connections need 534 open files, and this process may open 100: \
         give --max-connections, or raise the limit (ulimit -n)",
    );
}

/// A soft limit is raised.
#[test]
fn a_soft_limit_is_no_limit() {
    let place = Workplace::new();
    let limit = format!(
        "ulimit -S -n 64 && exec {} tls serve --listen 127.0.0.1:0 {SELF_SIGNED} --echo --max-connections 100",
        env!("CARGO_BIN_EXE_keylane")
    );
    let server = Server::started(place.start("sh", &["-c", &limit]).unwrap());
    assert_eq!(server.connect(&place, "", b"1").received(), b"1");
}

#[test]
fn a_server_that_cannot_accept_waits_until_it_can() {
    let place = Workplace::new();
    let mut server = Server::start(&place, &format!("{SELF_SIGNED} --echo"));
    let watch = watch(&server);
    let mut messages = BufReader::new(server.child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let pid = Pid::from_child(&server.child);
    // The hard limit, which the server has from here, stays.
    let maximum = getrlimit(Resource::Nofile).maximum;
    let limit = |current| prlimit(Some(pid), Resource::Nofile, Rlimit { current, maximum }).unwrap();
    // CPU time in ticks of 10 ms.
    let used = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap();
        let ticks = stat.split(' ').skip(13).take(2).map(|ticks| ticks.parse::<u64>().unwrap());
        ticks.sum::<u64>()
    };
    // What is open stays open.
    let before = limit(Some(3));
    let connect = format!("tls connect {} --ca ca.pem --quiet", server.address);
    let mut client = keylane(&place, &connect);
    client.stdin.take().unwrap().write_all(b"1").unwrap();
    assert_eq!(messages.next().unwrap(), "keylane: 127.0.0.1:0: Too many open files");
    let used_before = used();
    std::thread::sleep(Duration::from_secs(2));
    assert!(used() - used_before < 50, "it spins");
    limit(before.current);
    let output = client.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b"1"[..]));
    // It is told again only after a client was accepted.
    limit(Some(3));
    let mut client = keylane(&place, &connect);
    assert_eq!(messages.next().unwrap(), "keylane: 127.0.0.1:0: Too many open files");
    server.signal("TERM");
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert_eq!(messages.next(), None);
    client.kill().unwrap();
    client.wait().unwrap();
    drop(watch);
}
