"""Counts what Surefire, Failsafe and the checks of hack/test reported: summary.py REPOSITORY CHECKS FAILED_STEPS

Lists each failure and each skipped test with its reason, then the count of all, alone on the last line. A step that
failed without a failing test (it did not compile, say) counts as one failure. Exit code 0 only when nothing failed.
"""
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def main(repository, checks, failed_steps):
    passed, failed, skipped = 0, [], []
    reports = sorted(repository.glob("*/target/surefire-reports/TEST-*.xml"))
    reports += sorted(repository.glob("*/target/failsafe-reports/TEST-*.xml"))
    for report in reports:
        for case in ET.parse(report).getroot().iter("testcase"):
            name = case.get("classname").rsplit(".", 1)[-1] + "." + case.get("name")
            trouble = case.find("failure") if case.find("failure") is not None else case.find("error")
            if trouble is not None:
                failed.append((name, trouble.get("message") or (trouble.text or "").strip()))
            elif case.find("skipped") is not None:
                skip = case.find("skipped")
                skipped.append((name, skip.get("message") or (skip.text or "").strip()))
            else:
                passed += 1
    for check in sorted(checks.glob("*")):
        verdict, _, reason = check.read_text().strip().partition(" ")
        if verdict == "passed":
            passed += 1
        else:
            (skipped if verdict == "skipped" else failed).append((check.name, reason))
    if not reports:
        failed.append(("no test ran", "Surefire and Failsafe left no report"))
    elif failed_steps and not failed:
        failed.append(("a step failed without a failing test", "see above"))

    for name, reason in skipped:
        print(f"  skipped: {name}: {first_line(reason)}")
    for name, reason in failed:
        print(f"  FAILED: {name}: {first_line(reason)}")
    print(f"\n{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or failed_steps else 0


def first_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else "no reason given")[:300]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
