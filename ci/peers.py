"""peers.py PEER FOLDER: Keylane's streams against OpenSSL, in every cipher suite, as client and as server.

What was sent is compared with what came, byte for byte. PEER is the program of checks/tls; FOLDER takes what is
written.
"""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path

PEER, FOLDER = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).absolute()
PATIENCE = 120
# Digits: OpenSSL takes some letters for commands.
DIGITS = random.Random(1)
PAYLOAD = b"".join(b"%063d\n" % DIGITS.randrange(10**63) for _ in range(1 << 15))
END = PAYLOAD[-64:]
CIPHERS = ["AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"]
# Suites, and the kind of the server's key.
SUITES = [(f"TLS_{cipher}", key) for cipher, key in zip(CIPHERS, ["ecdsa", "rsa", "ecdsa"])] + [
    (f"TLS_ECDHE_{key.upper()}_WITH_{cipher}", key) for key in ["ecdsa", "rsa"] for cipher in CIPHERS
]


class Meeting:
    """Programs that run in a folder of their own, in one cipher suite."""

    def __init__(self, name, suite, key):
        self.suite, self.tls13, self.programs = suite, "ECDHE" not in suite, []
        self.version = "1.3" if self.tls13 else "1.2"
        self.cert, self.key = FOLDER / f"{key}.pem", FOLDER / f"{key}.key"
        self.folder = FOLDER / name / suite
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    async def start(self, *command):
        pipes = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE, "limit": 1 << 27}
        program = await asyncio.create_subprocess_exec(*map(str, command), cwd=self.folder, **pipes)
        self.programs.append(program)
        return program

    async def serve(self):
        """Starts a server of Keylane's and returns it with its port."""
        server = await self.start(PEER, "serve", self.suite, self.cert, self.key)
        return server, port_of(await server.stdout.readline())

    async def connect(self, port, times=1, key_update=False):
        """Starts a client of Keylane's."""
        every = 300000 if key_update and self.tls13 else 0
        return await self.start(PEER, "connect", self.suite, FOLDER / "all.pem", port, times, every)

    def agreed(self, resumed):
        return f"TLS {self.version}, {self.suite}, {'resumed' if resumed else 'full handshake'}"

    async def served(self, server, resumed):
        """The server's next connection was as agreed and was closed."""
        line = (await server.stdout.readline()).decode()
        assert line == f"{self.agreed(resumed)}: closed\n", line

    def connected(self, printed, *resumed):
        """Each connection of a client was as agreed and was closed; returns how often it changed keys."""
        lines, updates = printed.decode().splitlines(), 0
        for begin, end, was_resumed in zip(lines[::2], lines[1::2], resumed, strict=True):
            assert begin == self.agreed(was_resumed), begin
            updates += int(end.removeprefix("closed, ").removesuffix(" key updates"))
        return updates

    async def openssl(self, program, *options):
        version = "-tls" + self.version.replace(".", "_")
        command = ["openssl", program, version, "-msg", "-msgfile", "messages", *options]
        # Without stdbuf it keeps its lines until it ends.
        return await self.start("stdbuf", "-oL", *command)

    def messages(self, direction, what):
        """How many messages of handshakes, and alerts, OpenSSL has seen."""
        lines = (self.folder / "messages").read_text().splitlines()
        return sum(line.startswith(direction) and what in line for line in lines)


def port_of(line):
    return line.decode().strip().rsplit(":", 1)[1]


async def finish(program):
    """Waits for a program's good end and returns what it has printed since it was last read."""
    printed = await program.communicate()
    assert program.returncode == 0, f"status {program.returncode}: {printed[1].decode()}"
    return printed


async def openssl_client(m):
    server, port = await m.serve()
    options = ["s_client", "-brief", "-connect", f"localhost:{port}", "-verify_return_error", "-CAfile", m.cert]
    client = await m.openssl(*options, "-sess_out", "session")
    # `K` and `k`, alone in what it reads, are changes of keys; `K` asks for an answer.
    for letter in [b"", b"K\n", b"k\n"] if m.tls13 else [b""]:
        if letter:
            client.stdin.write(letter)
            await client.stderr.readuntil(b"KEYUPDATE")
        client.stdin.write(PAYLOAD)
        assert await client.stdout.readexactly(len(PAYLOAD)) == PAYLOAD, "what came back is not what was sent"
    client.stdin.close()
    assert (await finish(client))[0] == b"", "more came back than was sent"
    await m.served(server, False)
    updates = m.messages("<<<", "KeyUpdate"), m.messages(">>>", "KeyUpdate")
    assert updates == ((1, 2) if m.tls13 else (0, 0)), updates
    client = await m.openssl(*options, "-sess_in", "session")
    client.stdin.write(PAYLOAD)
    assert await client.stdout.readexactly(len(PAYLOAD)) == PAYLOAD, "what came back is not what was sent"
    client.stdin.close()
    await finish(client)
    await m.served(server, True)


async def openssl_server(m):
    async def arrived():
        # s_server says so where it has read a record without data.
        printed = (await server.stdout.readuntil(END)).replace(b"Read BLOCK\n", b"")
        assert printed.endswith(PAYLOAD), "what arrived is not what was sent"

    files = ["-cert", m.cert, "-key", m.key]
    server = await m.openssl("s_server", "-accept", "127.0.0.1:0", "-naccept", "3", *files)
    await server.stdout.readuntil(b"ACCEPT ")
    port = port_of(await server.stdout.readline())
    client = await m.connect(port, key_update=True)
    # s_server may hang if it finds data on its standard input before the handshake is done.
    client.stdin.write(PAYLOAD)
    await arrived()
    letters = [b"", b"K\n", b"k\n"] if m.tls13 else [b"", b""]
    for times, letter in enumerate(letters):
        if letter:
            server.stdin.write(letter)
            await server.stdout.readuntil(b"SSL_do_handshake -> 1")
        server.stdin.write(PAYLOAD)
        if times > 0:
            client.stdin.write(PAYLOAD)
            await arrived()
        assert await client.stdout.readexactly(len(PAYLOAD)) == PAYLOAD, "what came is not what was sent"
    client.stdin.close()
    out, err = await finish(client)
    ours = m.connected(err, False)
    client = await m.connect(port, 2)
    client.stdin.write(PAYLOAD)
    client.stdin.close()
    m.connected((await finish(client))[1], False, True)
    await arrived()
    await arrived()
    await finish(server)
    assert out == b"" and m.messages("<<<", "close_notify") == 3, "OpenSSL has not seen each close_notify"
    if m.tls13:
        assert ours >= 6 and m.messages(">>>", "KeyUpdate") >= 3, "too few key updates"
        # One is the answer to `K`.
        assert m.messages("<<<", "KeyUpdate") == ours + 1, "key updates were lost"


def prepare():
    for name, key in [("ecdsa", ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]), ("rsa", ["rsa:2048"])]:
        command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-newkey", *key]
        command += ["-addext", "basicConstraints=critical,CA:FALSE"]
        command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        command += ["-out", f"{name}.pem", "-keyout", f"{name}.key"]
        subprocess.run(command, cwd=FOLDER, check=True, capture_output=True)
    (FOLDER / "all.pem").write_bytes((FOLDER / "ecdsa.pem").read_bytes() + (FOLDER / "rsa.pem").read_bytes())


async def passes(meet, suite, key, turns):
    async with turns:
        start, m, passed = time.monotonic(), Meeting(meet.__name__, suite, key), False
        try:
            async with asyncio.timeout(PATIENCE):
                await meet(m)
            passed = True
            print(f"{meet.__name__:15} {suite:46} {time.monotonic() - start:5.1f} s", flush=True)
        except Exception as error:
            print(f"{meet.__name__:15} {suite:46} FAILED: {error!r}")
        for program in m.programs:
            if program.returncode is None:
                program.kill()
            for printed in await program.communicate():
                if not passed:
                    print(printed[-2000:].decode(errors="replace"))
        return passed


async def main():
    prepare()
    turns = asyncio.Semaphore(os.cpu_count())
    meetings = [(meet, *suite) for meet in [openssl_client, openssl_server] for suite in SUITES]
    passed = await asyncio.gather(*(passes(*meeting, turns) for meeting in meetings))
    print(f"peers: {passed.count(True)} passed, {passed.count(False)} failed")
    sys.exit(not all(passed))


asyncio.run(main())
