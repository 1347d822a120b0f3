"""What the demo asks of the product: the operator in standalone mode, the resource it follows, and the dataplane's /status."""
import json
import re
import time
from pathlib import Path

import yaml

from stage import DemoFailed

METRICS_PORT = 9464
MARKS = {"Pass": "✓", "Warn": "!", "Fail": "✗", "Unknown": "?", "Skipped": "-"}


class Engine:
    def __init__(self, stage, cr):
        self.stage, self.cr = stage, cr
        self.repository = Path(__file__).resolve().parents[2]
        self.state = stage.logs / "state"
        self.log = stage.logs / "operator.log"
        self.generation_before = 0

    def start(self):
        for left in self.state.glob("**/*"):
            if left.is_file():
                left.unlink()
        self.state.mkdir(exist_ok=True)
        self.child = self.stage.start(
            "operator", self.repository / "hack/operator", "standalone", "-f", self.cr, "--netns", self.stage["upf"], "--state", self.state,
            "--dataplane", self.repository / "hack/dataplane")

    def alive(self):
        return self.child.alive()

    # ---- the resource, as a cluster would hold it ----

    def resource_status(self):
        path = self.state / "status.yaml"
        return (yaml.safe_load(path.read_text()) or {}).get("status", {}) if path.exists() else {}

    def condition(self, type_):
        return next((c for c in self.resource_status().get("conditions", []) if c["type"] == type_), None)

    def checks(self):
        return self.resource_status().get("preflight", {}).get("checks", [])

    def show_preflight(self, show):
        self.wait_for(self.checks, 90, "preflight")
        for check in self.checks():
            line = f"{MARKS[check['result']]} {check['name']:<18} {check.get('observed') or ''}"
            if check["result"] != "Pass" and check.get("hint"):
                line += f" — {check['hint']}"
            show(line)

    # ---- edits ----

    def begin_edit(self):
        self.generation_before = self.resource_status().get("observedGeneration", 0)

    def write(self, text):
        """As an editor saves: the file is replaced, never half there."""
        self.begin_edit()
        new = self.cr.with_suffix(".new")
        new.write_text(text)
        new.replace(self.cr)

    def edit(self, field, value):
        text = self.cr.read_text()
        line = re.search(rf"^ *{field}: *\S+.*$", text, re.MULTILINE).group(0)
        new = re.sub(rf"({field}: *)\S+", rf"\g<1>{value}", line, count=1)
        self.write(text.replace(line, new, 1))
        return line, new

    def judged(self):
        """The verdict of preflight on the present edit, or None while there is none."""
        condition = self.condition("PreflightPassed")
        return condition if condition and condition.get("observedGeneration", 0) > self.generation_before else None

    def refusal(self, check):
        """How this check refused the present edit, in one line; None while it has not."""
        judged = self.judged()
        if not judged or judged["status"] != "False":
            return None
        failed = next((c for c in self.checks() if c["name"] == check and c["result"] == "Fail"), None)
        if not failed:
            return None
        return f"✗ {check}: found {failed.get('observed')}; needed {failed.get('required')}; {failed.get('hint')}"

    def accepted(self, seconds):
        self.wait_for(lambda: (self.judged() or {}).get("status") == "True", seconds, "the resource to be accepted again")

    # ---- the dataplane ----

    def status(self):
        text = self.stage.inside("upf", "curl", "-s", "-m", 3, f"http://127.0.0.1:{METRICS_PORT}/status", check=False)
        return json.loads(text) if text else {}

    def wait_until(self, holds, seconds, what):
        self.wait_for(lambda: holds(self.status()), seconds, what)
        return self.status()

    def wait_for(self, holds, seconds, what):
        deadline = time.monotonic() + seconds
        while not holds():
            if not self.alive():
                raise DemoFailed(f"the operator ended while waiting for {what}: {self.child.last_words()}")
            if time.monotonic() > deadline:
                raise DemoFailed(f"waited {seconds} s for {what}; the operator's last words: {self.child.last_words()}")
            time.sleep(0.2)
