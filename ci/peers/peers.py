"""peers.py KEYLANE FOLDER: `keylane tls` against OpenSSL, curl, Go and nginx, in every cipher suite.

All received data is compared with the data that was sent. FOLDER has go-peer, the program of go/, and takes
the files that are written.
"""

import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

KEYLANE, FOLDER = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).absolute()
PATIENCE = 60
# Digits: OpenSSL takes some letters for commands.
DIGITS = random.Random(1)
PAYLOAD = b"".join(b"%063d\n" % DIGITS.randrange(10**63) for _ in range(1 << 15))
KEY_UPDATE = "--key-update=300000"


class Suite(NamedTuple):
    version: str
    name: str
    openssl: str
    key: str


TLS13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
SUITES = [Suite("1.3", name, name, key) for name, key in zip(TLS13, ["ecdsa", "rsa", "ecdsa"])] + [
    Suite("1.2", f"TLS_ECDHE_{key}_WITH_{cipher}", f"ECDHE-{key}-{openssl}", key.lower())
    for key in ["ECDSA", "RSA"]
    for cipher, openssl in [
        ("AES_128_GCM_SHA256", "AES128-GCM-SHA256"),
        ("AES_256_GCM_SHA384", "AES256-GCM-SHA384"),
        ("CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305"),
    ]
]


class Output:
    """What a program prints, collected as it comes."""

    def __init__(self, pipe):
        self.bytes, self.ended, self.changed = bytearray(), False, threading.Condition()
        threading.Thread(target=self.collect, args=(pipe,), daemon=True).start()

    def collect(self, pipe):
        while piece := os.read(pipe.fileno(), 1 << 16):
            with self.changed:
                self.bytes += piece
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait(self, what, holds):
        with self.changed:
            self.changed.wait_for(lambda: holds() or self.ended, PATIENCE)
            assert holds(), f"waiting for {what}"

    def text(self):
        return self.bytes.decode(errors="replace")

    def wait_for(self, text, times=1):
        self.wait(text, lambda: self.bytes.count(text.encode()) >= times)

    def wait_for_payload(self, times):
        end = PAYLOAD[-64:]
        self.wait("the payload", lambda: len(self.bytes) >= times * len(PAYLOAD) and self.bytes.endswith(end))

    def line(self, number):
        self.wait(f"line {number}", lambda: self.bytes.count(b"\n") > number)
        return self.text().splitlines()[number]


class Program:
    running = []

    def __init__(self, *command):
        self.process = subprocess.Popen(
            [str(word) for word in command],
            cwd=FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.out, self.err = Output(self.process.stdout), Output(self.process.stderr)
        self.running.append(self)

    def send(self, data):
        """In the background: a program may not read before it has written."""

        def write():
            try:
                self.process.stdin.write(data)
                self.process.stdin.flush()
            except OSError:
                pass  # The program's output and status will tell.

        self.writer = threading.Thread(target=write, daemon=True)
        self.writer.start()

    def end_input(self):
        if hasattr(self, "writer"):
            self.writer.join(PATIENCE)
        self.process.stdin.close()

    def finish(self):
        status = self.process.wait(PATIENCE)
        assert status == 0, f"{self.process.args}: {status}"
        for output in [self.out, self.err]:
            output.wait("the end of output", lambda: output.ended)
        return self

    @classmethod
    def end_all(cls):
        for program in cls.running:
            program.process.kill()
            program.process.wait()
        cls.running.clear()


def agreed(suite, resumed):
    return f"TLS {suite.version}, {suite.name}, {'resumed' if resumed else 'full handshake'}"


def keylane(role, suite, *options):
    return Program(
        KEYLANE, "tls", role, f"--tls{suite.version.replace('.', '')}", "--suite", suite.name, *options
    )


class Server:
    """`keylane tls serve`."""

    def __init__(self, suite, *service):
        files = ["--cert", f"{suite.key}.pem", "--key", f"{suite.key}.key"]
        self.suite, self.seen = suite, 0
        self.program = keylane("serve", suite, "--listen", "127.0.0.1:0", *files, *service)
        self.port = self.program.out.line(0).rsplit(":", 1)[1]

    def expect(self, resumed, ended):
        self.seen += 1
        line = self.program.out.line(self.seen)
        assert f": {agreed(self.suite, resumed)}" in line and line.endswith(f": {ended}"), line


def connect(suite, port, *options):
    """`keylane tls connect`."""
    return keylane("connect", suite, f"localhost:{port}", "--ca", "all.pem", *options)


def expect(client, suite, *resumed):
    """Each connection was as agreed and ended in a close; returns how often it changed the keys."""
    updates = 0
    for number, was_resumed in enumerate(resumed):
        begin, end = client.err.line(2 * number), client.err.line(2 * number + 1)
        assert begin.endswith(agreed(suite, was_resumed)), begin
        assert end.startswith("keylane: closed; "), end
        if end.endswith(" key updates"):
            updates += int(end.removesuffix(" key updates").rsplit(", ", 1)[1])
    return updates


def openssl_options(suite):
    return ["-tls" + suite.version.replace(".", "_"), "-msg", "-msgfile", "messages"]


def messages(direction, what):
    """How many messages of handshakes, and alerts, OpenSSL has seen."""
    lines = (FOLDER / "messages").read_text().splitlines()
    return sum(line.startswith(direction) and what in line for line in lines)


def openssl_client(suite):
    def s_client(port, *options):
        trust = ["-verify_return_error", "-CAfile", f"{suite.key}.pem"]
        return Program(
            "openssl", "s_client", "-connect", f"localhost:{port}", *trust, *openssl_options(suite), *options
        )

    server = Server(suite, "--echo")
    client = s_client(server.port, "-brief", "-sess_out", "session")
    # `K` and `k`, alone in a read, change keys; `K` requests an answer.
    letters = [b"", b"K\n", b"k\n"] if suite.version == "1.3" else [b""]
    for times, letter in enumerate(letters):
        if letter:
            client.send(letter)
            client.err.wait_for("KEYUPDATE", times)
        client.send(PAYLOAD)
        client.out.wait_for_payload(times + 1)
    client.end_input()
    assert client.finish().out.bytes == PAYLOAD * len(letters), "what came back is not what was sent"
    server.expect(False, "closed")
    updates = messages("<<<", "KeyUpdate"), messages(">>>", "KeyUpdate")
    assert updates == ((1, 2) if suite.version == "1.3" else (0, 0)), updates
    client = s_client(server.port, "-brief", "-sess_in", "session")
    client.send(PAYLOAD)
    client.out.wait_for_payload(1)
    client.end_input()
    client.finish()
    server.expect(True, "closed")
    # s_client does not look for an answer to its own close_notify: here Keylane is the first to close.
    server = Server(suite, "--folder", "www")
    client = s_client(server.port, "-quiet")
    client.send(b"GET /payload HTTP/1.0\r\n\r\n")
    assert client.finish().out.bytes.endswith(PAYLOAD), "what came is not what was served"
    server.expect(False, "answered, closed")
    assert messages("<<<", "close_notify") == 1, "OpenSSL has seen no close_notify"


def openssl_server(suite):
    files = ["-cert", f"{suite.key}.pem", "-key", f"{suite.key}.key"]
    # Without stdbuf it keeps its lines until it ends.
    accept = ["-accept", "127.0.0.1:0", "-naccept", "3"]
    server = Program("stdbuf", "-oL", "openssl", "s_server", *accept, *openssl_options(suite), *files)
    server.out.wait_for("ACCEPT 127.0.0.1:")
    port = server.out.text().splitlines()[-1].rsplit(":", 1)[1]
    client = connect(suite, port, *([KEY_UPDATE] if suite.version == "1.3" else []))
    # s_server may hang if it finds data on its standard input before the handshake is done.
    client.send(PAYLOAD)
    server.out.wait_for_payload(1)
    server.send(PAYLOAD)
    client.out.wait_for_payload(1)
    letters = [b"K\n", b"k\n"] if suite.version == "1.3" else [b""]
    for times, letter in enumerate(letters, 1):
        if letter:
            server.send(letter)
            server.out.wait_for("SSL_do_handshake -> 1", times)
        server.send(PAYLOAD)
        client.send(PAYLOAD)
        client.out.wait_for_payload(1 + times)
        server.out.wait_for_payload(1 + times)
    assert client.out.bytes == PAYLOAD * (1 + len(letters)), "what came is not what was sent"
    client.end_input()
    ours = expect(client.finish(), suite, False)
    client = connect(suite, port, "--session-repeat", "2")
    client.send(PAYLOAD)
    client.end_input()
    expect(client.finish(), suite, False, True)
    server.finish()
    # s_server says so where it has read a record without data.
    received = server.out.bytes.replace(b"Read BLOCK\n", b"").count(PAYLOAD)
    assert received == len(letters) + 3, f"the payload has arrived {received} times"
    assert messages("<<<", "close_notify") == 3, "OpenSSL has not seen each close_notify"
    if suite.version == "1.3":
        assert ours >= 6 and messages(">>>", "KeyUpdate") >= 3, "too few key updates"
        # One is the answer to `K`.
        assert messages("<<<", "KeyUpdate") == ours + 1, "key updates were lost"


def curl_client(suite):
    server = Server(suite, "--folder", "www")
    option = "--tls13-ciphers" if suite.version == "1.3" else "--ciphers"
    version = [f"--tlsv{suite.version}", "--tls-max", suite.version, option, suite.openssl]
    files = [
        word
        for copy in ["curl-1", "curl-2"]
        for word in ["--output", copy, f"https://localhost:{server.port}/payload"]
    ]
    request = [
        "--silent",
        "--show-error",
        "--fail",
        "--cacert",
        f"{suite.key}.pem",
        "--header",
        "Connection: close",
    ]
    Program("curl", *request, *version, *files).finish()
    for copy, resumed in [("curl-1", False), ("curl-2", True)]:
        server.expect(resumed, "answered, closed")
        assert (FOLDER / copy).read_bytes() == PAYLOAD, f"{copy} is not what was served"
        (FOLDER / copy).unlink()


def go(suite, *options):
    return Program(
        "./go-peer", "-version", suite.version, "-cert", f"{suite.key}.pem", "-connections", "2", *options
    )


def expect_go(peer, first, suite):
    """Go says nothing of a connection that was not closed."""
    for number, resumed in enumerate(["false", "true"]):
        line = peer.out.line(first + number)
        assert line == f"closed: {suite.name}, resumed {resumed}, {len(PAYLOAD)} bytes", line


def go_client(suite):
    server = Server(suite, "--echo")
    client = go(suite, "-connect", f"localhost:{server.port}")
    client.send(PAYLOAD)
    client.end_input()
    expect_go(client.finish(), 0, suite)
    server.expect(False, "closed")
    server.expect(True, "closed")


def go_server(suite):
    server = go(suite, "-serve", "-key", f"{suite.key}.key")
    port = server.out.line(0).rsplit(":", 1)[1]
    options = [KEY_UPDATE] if suite.version == "1.3" else []
    client = connect(suite, port, "--session-repeat", "2", *options)
    client.send(PAYLOAD)
    client.end_input()
    assert client.finish().out.bytes == PAYLOAD * 2, "what came back is not what was sent"
    expect_go(server.finish(), 1, suite)
    assert (expect(client, suite, False, True) > 0) == (suite.version == "1.3"), "key updates"


NGINX = """
daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
http {
  access_log off; client_max_body_size 64m; client_body_temp_path body; proxy_temp_path proxy;
  fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  ssl_protocols TLSv1.2 TLSv1.3; ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;
  ssl_certificate ../ecdsa.pem; ssl_certificate_key ../ecdsa.key;
  ssl_certificate ../rsa.pem; ssl_certificate_key ../rsa.key;
  server {
    listen 127.0.0.1:PORT ssl;
    location / { root ../www; }
    location /taken { root .; dav_methods PUT; }
  }
}
"""


def nginx_server(suite):
    folder = FOLDER / "nginx"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "taken").mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(NGINX.replace("PORT", str(port)))
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    Program(nginx, "-e", "stderr", "-c", "nginx.conf", "-p", folder)
    start = time.monotonic()
    while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
        assert time.monotonic() < start + PATIENCE, "nginx does not listen"
        time.sleep(0.01)
    client = connect(suite, port, "--keep-open", *([KEY_UPDATE] if suite.version == "1.3" else []))
    head = f"PUT /taken/file HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(PAYLOAD)}\r\n"
    head += "Connection: close\r\n\r\n"
    client.send(head.encode() + PAYLOAD)
    client.end_input()
    assert client.finish().out.bytes.startswith(b"HTTP/1.1 201 "), client.out.text()
    assert (expect(client, suite, False) > 0) == (suite.version == "1.3"), "key updates"
    assert (folder / "taken/file").read_bytes() == PAYLOAD, "what arrived is not what was sent"
    # nginx resets a connection that holds what it has not read, such as a close_notify: data are lost.
    client = connect(suite, port, "--session-repeat", "2", "--keep-open")
    client.send(b"GET /payload HTTP/1.0\r\n\r\n")
    client.end_input()
    answers = client.finish().out.bytes
    assert answers.count(PAYLOAD) == 2 and answers.endswith(PAYLOAD), "what came is not what was served"
    expect(client, suite, False, True)


def prepare():
    (FOLDER / "www").mkdir(parents=True, exist_ok=True)
    (FOLDER / "www/payload").write_bytes(PAYLOAD)
    certificates = b""
    for name, key in [("ecdsa", ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]), ("rsa", ["rsa:2048"])]:
        extensions = ["basicConstraints=critical,CA:FALSE", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-newkey", *key]
        command += [word for extension in extensions for word in ["-addext", extension]]
        subprocess.run(
            command + ["-out", f"{name}.pem", "-keyout", f"{name}.key"],
            cwd=FOLDER,
            check=True,
            capture_output=True,
        )
        certificates += (FOLDER / f"{name}.pem").read_bytes()
    (FOLDER / "all.pem").write_bytes(certificates)


def main():
    prepare()
    failed, meetings = 0, [openssl_client, openssl_server, curl_client, go_client, go_server, nginx_server]
    for meet in meetings:
        for suite in SUITES:
            start = time.monotonic()
            try:
                meet(suite)
                print(f"{meet.__name__:15} {suite.name:46} {time.monotonic() - start:5.1f} s", flush=True)
            except (AssertionError, OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
                failed += 1
                print(f"{meet.__name__:15} {suite.name:46} FAILED: {error!r}")
                for program in Program.running:
                    print(
                        f"$ {program.process.args}\n{program.out.text()[-2000:]}\n",
                        program.err.text()[-2000:],
                    )
            Program.end_all()
    print(f"peers: {len(meetings) * len(SUITES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
