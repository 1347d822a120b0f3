"""Tells which modes this machine can run, and why not, without starting a dataplane.

    check.py CR --out FOLDER

The demo's namespaces and devices are made, probed as the operator probes a host, judged for every mode, and removed.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from stage import DemoFailed, Stage, leftovers, run

CANNOT_RUN_HERE = 3     # told apart from «could not be asked», which is 1
MODES = ("AF_PACKET", "AF_XDP", "CNDP", "DPDK")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cr", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    repository = Path(__file__).resolve().parents[2]
    operator = [repository / "hack/operator"]

    for name in leftovers():
        run("ip", "netns", "delete", name)
    stage = Stage(options.out)
    try:
        stage.build()
        report = options.out / "node-report.yaml"
        report.write_text(stage.inside("upf", repository / "hack/dataplane", "probe"))
        able = []
        for mode in MODES:
            cr = options.out / f"{mode}.yaml"
            cr.write_text(re.sub(r"(?m)^  mode: \S+", f"  mode: {mode}", options.cr.read_text()))
            judged = subprocess.run([*operator, "plan", "-f", cr, "--node-report", report, "--host"],
                                    capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
            if judged.returncode not in (0, 2):
                raise DemoFailed(f"the operator could not judge {mode}: {judged.stderr.strip() or judged.stdout.strip()}")
            able += [mode] * (judged.returncode == 0)
            print(f"\n  {'✓' if judged.returncode == 0 else '✗'} {mode}: {'can run here' if judged.returncode == 0 else 'cannot run here'}")
            for line in judged.stdout.splitlines():
                cells = re.split(r" {2,}", line.strip())
                if len(cells) > 2 and cells[1] in ("Fail", "Warn", "Unknown"):
                    print(f"      {cells[1].lower()}: {cells[0]}: {'; '.join(cells[2:])}")
        print(f"\n  The demo needs AF_PACKET and AF_XDP: {'this machine can run it.' if {'AF_PACKET', 'AF_XDP'} <= set(able) else 'this machine cannot run it.'}")
        return 0 if {"AF_PACKET", "AF_XDP"} <= set(able) else CANNOT_RUN_HERE
    except DemoFailed as failed:
        print(f"\n  {failed}")
        return 1
    finally:
        stage.strike()


if __name__ == "__main__":
    sys.exit(main())
