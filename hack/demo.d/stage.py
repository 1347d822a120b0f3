"""The stage of the demo: network namespaces joined by veth, the processes in them, and their orderly end.

    ue ── tunnel ── gnb 10.33.0.2/.3 ──── n3 10.33.0.1  upf  n6 10.99.0.1 ──── 10.99.0.2 dn

Names carry the id of this process, so two demos do not meet, and what a killed one left behind is told apart and removed.
"""
import json
import os
import re
import selectors
import signal
import subprocess
import time
from pathlib import Path

PREFIX = "upfdemo"
STATE = Path("/run/upf-demo")


class DemoFailed(Exception):
    """Something the demo shows did not hold; the message is what a stranger should read."""


def run(*command, check=True, timeout=60):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL)
    if check and done.returncode:
        raise DemoFailed(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


class Stage:
    def __init__(self, log_folder):
        self.logs = log_folder
        self.names = {role: f"{PREFIX}{os.getpid()}-{role}" for role in ("gnb", "upf", "dn", "ue")}
        self.children = []

    def __getitem__(self, role):
        return self.names[role]

    def build(self):
        STATE.mkdir(exist_ok=True)
        for name in self.names.values():
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        self.join("upf", "n3", "10.33.0.1/24", "gnb", "gnb0", "10.33.0.2/24")
        run("ip", "-n", self["gnb"], "addr", "add", "10.33.0.3/24", "dev", "gnb0")
        self.join("upf", "n6", "10.99.0.1/24", "dn", "dn0", "10.99.0.2/24")
        run("ip", "-n", self["dn"], "route", "add", "10.60.0.0/16", "via", "10.99.0.1")
        self.inside("ue", "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        # As on a Kubernetes node: the kernel beside the dataplane would forward, too, if nothing held it back.
        self.inside("upf", "sysctl", "-qw", "net.ipv4.ip_forward=1")

    def join(self, a, device_a, address_a, b, device_b, address_b):
        run("ip", "link", "add", device_a, "netns", self[a], "type", "veth", "peer", "name", device_b, "netns", self[b])
        for role, device, address in ((a, device_a, address_a), (b, device_b, address_b)):
            run("ip", "-n", self[role], "addr", "add", address, "dev", device)
            run("ip", "-n", self[role], "link", "set", device, "up")

    def mtu(self, bytes_):
        run("ip", "-n", self["gnb"], "link", "set", "gnb0", "mtu", bytes_)
        run("ip", "-n", self["upf"], "link", "set", "n3", "mtu", bytes_)

    def attach_ue(self, device, address, mtu):
        run("ip", "-n", self["ue"], "addr", "add", f"{address}/32", "dev", device)
        run("ip", "-n", self["ue"], "link", "set", device, "up", "mtu", mtu)
        run("ip", "-n", self["ue"], "route", "add", "default", "dev", device)

    def inside(self, role, *command, **options):
        return run("ip", "netns", "exec", self[role], *command, **options)

    def start(self, name, *command, role=None, talks=False):
        """Starts a process that ends with the stage. One that `talks` takes commands and answers in lines of JSON."""
        if role is not None:
            command = ("ip", "netns", "exec", self[role], *command)
        child = Child(name, [str(part) for part in command], self.logs / f"{name}.log", talks)
        self.children.append(child)
        return child

    def strike(self):
        for child in reversed(self.children):
            child.end()
        for name in self.names.values():
            run("ip", "netns", "delete", name, check=False)


def leftovers():
    """Namespaces of demos whose process is gone; those of a demo that still runs are not ours to touch."""
    names = [line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.strip()]
    ours = [(name, re.fullmatch(PREFIX + r"(\d+)-[a-z]+", name)) for name in names]
    return [name for name, match in ours if match and not Path("/proc", match.group(1)).exists()]


class Child:
    def __init__(self, name, command, log, talks):
        self.name, self.log = name, log
        guarded = ["setpriv", "--pdeathsig", "TERM", "--", *command]    # it ends with us, even if we are killed
        self.process = subprocess.Popen(
            guarded, stdin=subprocess.PIPE if talks else subprocess.DEVNULL, stdout=subprocess.PIPE if talks else log.open("w"),
            stderr=log.open("w") if talks else subprocess.STDOUT, start_new_session=True)
        self.buffered = b""
        if talks:
            os.set_blocking(self.process.stdout.fileno(), False)
            self.selector = selectors.DefaultSelector()
            self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def alive(self):
        return self.process.poll() is None

    def tell(self, command):
        try:
            self.process.stdin.write(command.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise DemoFailed(f"{self.name} has ended: {self.last_words()}") from None

    def lines(self, seconds):
        """Yields the lines of JSON that arrive within the time given."""
        until = time.monotonic() + seconds
        while True:
            while b"\n" in self.buffered:
                line, self.buffered = self.buffered.split(b"\n", 1)
                yield json.loads(line)
            left = until - time.monotonic()
            if left <= 0:
                return
            if self.selector.select(left):
                chunk = self.process.stdout.read(65536)
                if chunk == b"":
                    raise DemoFailed(f"{self.name} has ended: {self.last_words()}")
                self.buffered += chunk or b""

    def ask(self, command, kind, seconds, other=lambda line: None):
        """Sends a command and returns the answer of that kind; what else arrives goes to `other`."""
        if command is not None:
            self.tell(command)
        for line in self.lines(seconds):
            if line.get("kind") == kind:
                return line
            other(line)
        raise DemoFailed(f"{self.name} did not answer «{command}» within {seconds} s: {self.last_words()}")

    def last_words(self):
        text = self.log.read_text(errors="replace").strip() if self.log.exists() else ""
        return text.splitlines()[-1] if text else f"exit code {self.process.poll()}, nothing in {self.log}"

    def end(self, patience_seconds=15):
        if self.alive():
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(patience_seconds)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
