"""The demo: one UpfDataplane, real GTP-U traffic through it, and its mode edited while the traffic goes on.

    demo.py CR [--quick] [--keep] [--picture FILE]

Run by hack/demo, which has set everything up. Exit code 0 only when everything that is shown held.
"""
import argparse
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import picture
from engine import Engine
from stage import DemoFailed, Stage, leftovers, run

SMF, UPF, DN, GENERATOR = "10.33.0.2", "10.33.0.1", "10.99.0.2", "10.33.0.3"
UE, UE_MTU = "10.60.0.1", 1400
FIRST_GENERATED_UE, GENERATED_UES = "10.60.1.1", 20
PATIENCE = 90  # seconds until a step counts as failed: a busy machine starts a JVM in 15
PPS, PAYLOAD_BYTES = 4000, 200
SWITCH_PATIENCE_SECONDS = 90
JUMBO_MTU = 9000

TTY = sys.stdout.isatty()
BOLD, DIM, RED, GREEN, PLAIN = ("\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[0m") if TTY else ("",) * 5


def headline(text):
    print(f"\n{BOLD}{text}{PLAIN}", flush=True)


def say(text):
    print(f"  {text}", flush=True)


class Demo:
    def __init__(self, options):
        self.options = options
        self.out = Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.stage = Stage(self.out)
        self.cr = self.out / "edge.yaml"
        self.cr.write_text(Path(options.cr).read_text())
        self.engine = Engine(self.stage, self.cr)
        self.checks = []            # (what, held)
        self.results = {}           # mode → figures
        self.switches = []          # (from, to, sink figures, the dataplane's own)
        self.ticks, self.spans, self.marks = [], [], []
        self.mode, self.mode_since = None, 0.0
        self.live_line_at, self.live_lost = 0, [0, 0]

    # ---- the story ----

    def play(self):
        self.one_custom_resource()
        self.one_session()
        self.one_user()
        self.start_traffic()
        self.measure()
        self.switch("AF_XDP")
        self.measure()
        self.one_user_again()
        self.refuse_cpu_limit()
        self.switch("AF_PACKET")
        self.refuse_mtu()
        self.stop_traffic()
        self.summary()

    def one_custom_resource(self):
        headline("1 · The custom resource")
        for line in self.cr.read_text().splitlines():
            print(f"    {DIM if line.startswith('#') else ''}{line}{PLAIN}")
        headline("2 · Preflight, and the dataplane it allows")
        say(f"The network namespace {self.stage['upf']} is this UPF's host; n3 and n6 in it are veth devices. The operator")
        say("runs as it would in a cluster, but reads the resource from a file and starts the dataplane itself.")
        self.engine.start()
        print()
        self.engine.show_preflight(lambda line: print(f"    {line}"))
        status = self.engine.wait_until(lambda s: s.get("ready"), PATIENCE, "the dataplane to be ready")
        self.mode = status["mode"]["active"]
        print()
        say(f"Running: mode {BOLD}{self.mode}{PLAIN}, workers on CPUs {', '.join(str(w['cpu']) for w in status['workers'])}, "
            f"N4 on {UPF}:8805.")
        self.check("the dataplane runs in the mode of the resource", self.mode == "AF_PACKET")

    def one_session(self):
        headline("3 · A PFCP association and sessions, from an SMF that is not ours (scapy)")
        python = sys.executable
        self.smf = self.stage.start("smf", python, Path(__file__).parent.parent / "standins/smf.py", SMF, UPF, role="gnb", talks=True)
        self.smf.ask(None, "ready", PATIENCE)
        answer = self.smf_does("associate", "associate")
        say(f"Association with {answer['upf']}: accepted; the UPF chooses TEIDs: {'yes' if answer['choosesTeids'] else 'no'}.")
        user = self.smf_does(f"establish 1 {UE} 0x201 {SMF} choose", "establish")["sessions"][0]
        say(f"Session for {UE}: the UPF chose TEID {user['uplinkTeid']:#x}.")
        made = self.smf_does(f"establish {GENERATED_UES} {FIRST_GENERATED_UE} 0x1001 {GENERATOR} explicit:0x4001", "establish")
        say(f"{GENERATED_UES} more with TEIDs of the SMF's choice, in {made['seconds']:.2f} s.")
        self.smf_does("tunnel", "tunnel")
        say("The gNB's end of every tunnel was told by a Session Modification.")
        self.user = user
        self.sessions_file = self.out / "sessions.txt"
        self.sessions_file.write_text("".join(f"{s['ue']} {s['uplinkTeid']} {s['downlinkTeid']}\n" for s in made["sessions"]))

    def smf_does(self, command, kind):
        answer = self.smf.ask(command, kind, PATIENCE, other=self.note)
        if not answer["ok"]:
            raise DemoFailed(f"the SMF's «{command}» failed: {answer['reason']}")
        return answer

    def note(self, line):
        if line.get("kind") == "note":
            say(f"SMF: {line['text']}")

    def one_user(self):
        headline("4 · A UE's ping, HTTP and TCP through it")
        tunnel = self.stage.start("tunnel", self.options.bin / "tunnel", self.stage["ue"], "ue0", SMF, UPF,
                                  self.user["uplinkTeid"], self.user["downlinkTeid"], 9, role="gnb")
        deadline = time.monotonic() + PATIENCE
        while "ready" not in tunnel.log.read_text():
            if time.monotonic() > deadline or not tunnel.alive():
                raise DemoFailed(f"the UE's tunnel did not start: {tunnel.last_words()}")
            time.sleep(0.05)
        self.stage.attach_ue("ue0", UE, UE_MTU)
        pages = self.out / "pages"
        pages.mkdir(exist_ok=True)
        (pages / "index.html").write_bytes(b"hello from the data network\n" + os.urandom(1 << 20))
        self.stage.start("http", sys.executable, "-m", "http.server", "8080", "--bind", DN, "--directory", pages, role="dn")
        self.stage.start("iperf3-server", "iperf3", "--server", role="dn")
        time.sleep(0.7)
        self.user_traffic()

    def one_user_again(self):
        headline(f"   The same UE in {self.mode}, beside the numbered packets")
        self.user_traffic()
        self.watch(0.5)
        self.traffic_is_sound(self.mark(), f"{self.mode} beside TCP")

    def user_traffic(self):
        result = self.results.setdefault(self.mode, {})
        seconds = 1 if self.options.quick else 3
        ping = self.stage.inside("ue", "ping", "-c", 10, "-i", 0.1, "-W", 2, DN, check=False)
        answered = re.search(r"(\d+) received", ping)
        times = re.search(r"= [\d.]+/([\d.]+)/", ping)
        result["ping"] = float(times.group(1)) if times else None
        say(f"ping {DN}: {answered.group(1) if answered else 0} of 10 answered" + (f", {result['ping']:.2f} ms on average" if times else ""))
        self.check(f"{self.mode}: ping is answered", bool(answered) and int(answered.group(1)) >= 9)
        fetched = self.stage.inside("ue", "curl", "-s", "-m", 10, "-o", self.out / "fetched", "-w", "%{size_download} %{time_total}",
                                    f"http://{DN}:8080/index.html", check=False)
        same = (self.out / "fetched").exists() and (self.out / "fetched").read_bytes() == (self.out / "pages/index.html").read_bytes()
        say(f"HTTP: {fetched.split()[0] if fetched.split() else 0} bytes fetched, {'every one right' if same else 'NOT what was sent'}.")
        self.check(f"{self.mode}: a megabyte by HTTP arrives unchanged", same)
        (self.out / "fetched").unlink(missing_ok=True)
        for name, label, extra in (("tcpUp", "TCP uplink", ()), ("tcpDown", "TCP downlink", ("--reverse",))):
            result[name] = self.iperf("--time", seconds, *extra)
            say(f"iperf3 {label}: {rate(result[name])}")
            self.check(f"{self.mode}: {label} moves", result[name] > 1e6)
        result["udp"] = self.iperf("--time", 1 if self.options.quick else 2, "--udp", "--bitrate", "20M", "--length", 1200)
        say(f"iperf3 UDP uplink at 20 Mbit/s: {rate(result['udp'])} received")
        self.check(f"{self.mode}: UDP at 20 Mbit/s arrives", result["udp"] > 15e6)

    def iperf(self, *arguments):
        for attempt in range(3):
            text = self.stage.inside("ue", "iperf3", "--client", DN, "--json", "--connect-timeout", 3000, *arguments, check=False)
            report = json.loads(text) if text.lstrip().startswith("{") else {"error": "iperf3 printed no report"}
            if "error" not in report:
                break
            # Its server takes one test at a time, and may still be ending the one before.
            say(f"{DIM}iperf3: {report['error']}{'; once more' if attempt < 2 else ''}{PLAIN}")
            time.sleep(1)
        else:
            return 0.0
        end = report["end"]
        if "--udp" in arguments:
            total = end.get("sum", {})
            return total.get("bits_per_second", 0.0) * (1 - total.get("lost_percent", 100) / 100)
        return end.get("sum_received", {}).get("bits_per_second", 0.0)

    # ---- numbered packets ----

    def start_traffic(self):
        headline("5 · Numbered packets both ways, counted where they come out")
        self.traffic = self.stage.start(
            "traffic", self.options.bin / "traffic", self.stage["gnb"], GENERATOR, UPF, self.stage["dn"], DN,
            self.sessions_file, PPS, PPS, PAYLOAD_BYTES, talks=True)
        say(f"{GENERATED_UES} UEs, {PPS:,} packets a second each way, {PAYLOAD_BYTES} bytes each; checksums left to the device, as NICs do.")
        self.watch(1.5)
        self.mark()     # the first packets found next hops

    def tick(self, line):
        if line["kind"] != "tick":
            return
        up, down = line["uplink"], line["downlink"]
        self.now = line["atSeconds"]
        self.ticks.append((self.now, up["receivedPps"], down["receivedPps"]))
        self.live_lost = [self.live_lost[0] + up["lost"], self.live_lost[1] + down["lost"]]
        if TTY or self.now - self.live_line_at >= 1:
            text = (f"  {self.now:5.1f} s  {self.mode:<9}  uplink {up['receivedPps']:6,.0f}/s  lost {self.live_lost[0]:4d}    "
                    f"downlink {down['receivedPps']:6,.0f}/s  lost {self.live_lost[1]:4d}")
            if self.now - self.live_line_at >= 1:
                self.live_line_at, self.live_lost = self.now, [0, 0]
            print(f"\r{DIM}{text}{PLAIN}\033[K" if TTY else text, end="" if TTY else "\n", flush=True)

    def watch(self, seconds):
        for line in self.traffic.lines(seconds):
            self.tick(line)
        if TTY:
            print("\r\033[K", end="", flush=True)

    def mark(self):
        return self.traffic.ask("mark", "mark", 30, other=self.tick)

    def measure(self):
        self.watch(3 if self.options.quick else 8)
        interval = self.mark()
        result = self.results.setdefault(self.mode, {})
        for name in ("uplink", "downlink"):
            result[name] = interval[name]
        lost, sent = both(interval, "lost"), both(interval, "sent")
        say(f"{self.mode}: {sent:,} packets sent, {lost:,} lost; half passed within "
            f"{max(interval[n]['latencyP50Us'] for n in ('uplink', 'downlink'))} µs, 99 % within "
            f"{max(interval[n]['latencyP99Us'] for n in ('uplink', 'downlink')) / 1000:.1f} ms.")
        self.traffic_is_sound(interval, self.mode)

    def traffic_is_sound(self, interval, when):
        self.check(f"{when}: traffic flows both ways", all(interval[n]["received"] > 0.9 * interval[n]["sent"] > 0 for n in ("uplink", "downlink")))
        self.check(f"{when}: no packet twice, none wrong, no bad checksum",
                   both(interval, "duplicated") + both(interval, "wrong") + both(interval, "badChecksum") == 0)

    def switch(self, to):
        before = self.mode
        headline(f"6 · One field is edited: {before} → {to}" if not self.switches else f"8 · And back: {before} → {to}")
        sessions = self.engine.status()["sessions"]["active"]
        self.mark()
        self.edit_and_show("mode", to)
        self.marks.append((self.now, f"mode: {to}", False))
        self.spans.append((before, self.mode_since, self.now))
        deadline = time.monotonic() + SWITCH_PATIENCE_SECONDS
        while True:
            self.watch(0.4)
            status = self.engine.status()
            if status["mode"]["active"] == to and (status.get("lastTransition") or {}).get("to") == to:
                break
            if time.monotonic() > deadline:
                raise DemoFailed(f"{to} was not active after {SWITCH_PATIENCE_SECONDS} s; /status says {status['mode']}, refused: {status.get('refused')}")
        self.mode, self.mode_since = to, self.now
        self.watch(1)
        interval = self.mark()
        own = status["lastTransition"]
        self.switches.append((before, to, interval, own))
        gap = max(interval[n]["longestGapMs"] for n in ("uplink", "downlink"))
        say(f"{GREEN}{to} is active.{PLAIN} At the sink: nothing came out for {gap:.1f} ms, {both(interval, 'lost')} of "
            f"{both(interval, 'sent'):,} packets were lost.")
        say(f"The dataplane's own figures: {own['interruptionMicros'] / 1000:.1f} ms, {own['packetsLost']} lost; "
            f"{own['sessionsKept']} sessions kept, {own['sessionsLost']} lost.")
        self.check(f"{before} → {to}: no session lost", own["sessionsLost"] == 0 and self.engine.status()["sessions"]["active"] == sessions)
        self.traffic_is_sound(interval, f"{before} → {to}")

    def edit_and_show(self, field, value):
        old, new = self.engine.edit(field, value)
        say(f"{self.cr}")
        print(f"    {RED}- {old}{PLAIN}\n    {GREEN}+ {new}{PLAIN}", flush=True)

    # ---- refusals ----

    def refuse_cpu_limit(self):
        headline("7 · An edit that cannot work is refused: limits.cpu below the workers")
        text = self.cr.read_text()
        self.refused_edit(text, text.replace("\nspec:\n", "\nspec:\n  resources: {limits: {cpu: \"1\"}}\n"), "CpuLimit")

    def refuse_mtu(self):
        headline(f"9 · And so is AF_XDP while N3 has an MTU of {JUMBO_MTU}, which native XDP on veth cannot take")
        self.stage.mtu(JUMBO_MTU)
        self.watch(0.5)
        text = self.cr.read_text()
        self.refused_edit(text, text.replace("mode: AF_PACKET", "mode: AF_XDP"), "MtuFitsXdp")
        self.stage.mtu(1500)

    def refused_edit(self, old, new, check):
        self.mark()
        for removed, added in changes(old, new):
            print(f"    {RED}- {removed}{PLAIN}" if removed is not None else f"    {GREEN}+ {added}{PLAIN}")
        self.engine.write(new)
        self.marks.append((self.now, f"refused: {check}", True))
        finding = None
        deadline = time.monotonic() + PATIENCE
        while finding is None and time.monotonic() < deadline:
            self.watch(0.4)
            finding = self.engine.refusal(check)
        self.watch(1)
        status = self.engine.status()
        interval = self.mark()
        if finding:
            print(f"    {finding}")
            say(f"Refused; {self.mode} goes on: {both(interval, 'sent'):,} packets sent meanwhile, {both(interval, 'lost')} lost.")
        self.check(f"{check} refuses the edit", finding is not None)
        self.check(f"{check}: the running mode is left alone", status["mode"]["active"] == self.mode and status["ready"])
        self.traffic_is_sound(interval, f"{check} refused")
        self.engine.write(old)
        self.engine.accepted(PATIENCE)

    # ---- the end ----

    def stop_traffic(self):
        headline("10 · The end of the traffic")
        self.total = self.traffic.ask("stop", "end", PATIENCE, other=self.tick)
        self.spans.append((self.mode, self.mode_since, self.now))
        if TTY:
            print("\r\033[K", end="")
        smf = self.smf_does("state", "state")
        beats = smf["heartbeats"]
        say(f"{both(self.total, 'sent'):,} packets sent in all, {both(self.total, 'lost'):,} lost, {both(self.total, 'duplicated')} twice, "
            f"{both(self.total, 'reordered')} out of order, {both(self.total, 'badChecksum')} with a bad checksum.")
        say(f"Heartbeats on N4: {beats['answered']} of {beats['sent']} answered, the slowest after {beats['longestMs']:.0f} ms.")
        self.own_books()
        self.check("every heartbeat was answered", beats["missed"] == 0 and beats["answered"] > 0)
        self.check("the SMF still has every session", smf["sessions"] == GENERATED_UES + 1)
        if not self.options.keep:
            ended = self.smf_does("stop", "stop")
            left = self.engine.wait_until(lambda status: status["sessions"]["active"] == 0, PATIENCE, "the sessions to be gone")
            self.check("every session can be deleted", ended["deleted"] == GENERATED_UES + 1 and left["sessions"]["active"] == 0)

    def own_books(self):
        for name, traffic in self.engine.status()["traffic"].items():
            drops = ", ".join(f"{reason} {count:,}" for reason, count in sorted(traffic["drops"].items()) if count) or "none"
            say(f"The dataplane's books, {name}: {traffic['received']:,} received, {traffic['sent']:,} sent; drops: {drops}.")

    def summary(self):
        modes = list(self.results)
        rows = [["", *modes]]
        for label, value in (
                ("ping, average", lambda r: f"{r['ping']:.2f} ms" if r.get("ping") else "-"),
                ("TCP uplink", lambda r: rate(r["tcpUp"])), ("TCP downlink", lambda r: rate(r["tcpDown"])),
                ("packets sent, lost", lambda r: f"{both(r, 'sent'):,}, {both(r, 'lost'):,}"),
                ("one way, half within", lambda r: f"{max(r[n]['latencyP50Us'] for n in ('uplink', 'downlink'))} µs"),
                ("one way, 99 % within", lambda r: f"{max(r[n]['latencyP99Us'] for n in ('uplink', 'downlink')) / 1000:.1f} ms")):
            rows.append([label, *(value(self.results[mode]) for mode in modes)])
        headline("Summary")
        print_table(rows)
        print()
        switch_rows = [["switch", "interruption (own figure)", "lost (own figure)"]]
        for before, to, sink, own in self.switches:
            gap = max(sink[n]["longestGapMs"] for n in ("uplink", "downlink"))
            switch_rows.append([f"{before} → {to}", f"{gap:.1f} ms ({own['interruptionMicros'] / 1000:.1f} ms)",
                                f"{both(sink, 'lost')} ({own['packetsLost']})"])
        print_table(switch_rows)
        self.options.picture.parent.mkdir(parents=True, exist_ok=True)
        picture.draw(self.options.picture, self.ticks, self.spans, self.marks, rows + [[""]] + switch_rows[1:])
        print()
        say(f"As a picture: {self.options.picture}")
        say("TCP was measured beside the numbered packets in AF_XDP and without them in AF_PACKET, and on veth the kernel does most of")
        say("the work: the figures show that all of it moves, they do not rank the modes.")

    def check(self, what, held):
        self.checks.append((what, bool(held)))
        if not held:
            say(f"{RED}DID NOT HOLD: {what}{PLAIN}")

    def verdict(self):
        failed = [what for what, held in self.checks if not held]
        print()
        if failed:
            say(f"{RED}{len(failed)} of {len(self.checks)} checks did not hold:{PLAIN}")
            for what in failed:
                say(f"  - {what}")
        else:
            say(f"{GREEN}All {len(self.checks)} checks held: 0 sessions lost, traffic flowed, what cannot work was refused.{PLAIN}")
        return not failed

    def keep(self):
        headline("Kept running")
        upf = self.stage["upf"]
        say(f"Edit the resource:  {self.cr}   (for example mode: AF_XDP)")
        say(f"Metrics:            ip netns exec {upf} curl -s http://127.0.0.1:9464/metrics")
        say(f"Status:             ip netns exec {upf} curl -s http://127.0.0.1:9464/status")
        say(f"What the operator says: tail -f {self.engine.log}")
        say(f"As the UE:          ip netns exec {self.stage['ue']} ping {DN}")
        say("In a cluster:       kubectl apply --server-side -f crds/ -f examples/upfdataplane.yaml")
        say("Stop with Ctrl-C" + (f", or: kill {os.getpid()}"))
        while self.engine.alive():
            for line in self.smf.lines(5):
                self.note(line)
        raise DemoFailed(f"the operator has ended; its output is in {self.engine.log}")


def both(figures, name):
    return figures["uplink"][name] + figures["downlink"][name]


def rate(bits_per_second):
    return f"{bits_per_second / 1e9:.2f} Gbit/s" if bits_per_second >= 1e9 else f"{bits_per_second / 1e6:.0f} Mbit/s"


def changes(old, new):
    """The lines that differ: (removed, None) or (None, added)."""
    before, after = old.splitlines(), new.splitlines()
    yield from ((line, None) for line in before if line not in after)
    yield from ((None, line) for line in after if line not in before)


def print_table(rows):
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    for r, row in enumerate(rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths))
        print(f"    {BOLD if r == 0 else ''}{line}{PLAIN}")
        if r == 0:
            print("    " + "  ".join("─" * width for width in widths))


def end_once(sign, _):
    """The first signal ends the demo; those after it do not disturb the clearing up."""
    for later in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(later, signal.SIG_IGN)
    if sign == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + sign)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cr")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--picture", type=Path, required=True)
    options = parser.parse_args()

    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, end_once)
    for name in leftovers():
        say(f"Removing the network namespace {name}, left by an earlier demo that was killed.")
        run("ip", "netns", "delete", name)
    demo = Demo(options)
    try:
        demo.stage.build()
        demo.play()
        held = demo.verdict()
        if options.keep:
            demo.keep()
        return 0 if held else 1
    except DemoFailed as failed:
        print(f"\n{RED}The demo failed: {failed}{PLAIN}\nLogs: {demo.out}", flush=True)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", flush=True)
        return 0 if options.keep else 130
    finally:
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sign, signal.SIG_IGN)
        demo.stage.strike()
        print(f"{DIM}All that the demo started has ended; its network namespaces are gone.{PLAIN}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
