#!/usr/bin/env python3
"""Compares merged results of shards with one run that is as long as all of them.

usage: compare.py RUN MERGED, each a file with the lines of `--json`
"""
import json
import sys


def lines(path, kind):
    with open(path) as file:
        events = (json.loads(line) for line in file)
        return [event for event in events if event["event"] == kind]


run = {event["test"]: event for event in lines(sys.argv[1], "test_ended")}
(merged,) = lines(sys.argv[2], "merged")
differences = []
print(f"{'test':<22}{'schedules':>12}{'distinct':>10}{'first bug':>11}   in {merged['shards']} shards / one run")
for test in merged["tests"]:
    one = run[test["test"]]
    first = test["failures"][0]["iteration"] if test["failures"] else None
    row = [("first bug", first, one["first_bug"])]
    # A run ends with its first bug; shards that do not hear of it have one of their own.
    if one["first_bug"] is None:
        for key in ("schedules", "distinct", "steps", "longest"):
            row.append((key, test["counters"][key], one["counters"][key]))
        if not test["distinct_is_exact"]:
            differences.append(f"{test['test']}: distinct schedules are not counted exactly")
    for key, shards, whole in row:
        if shards != whole:
            differences.append(f"{test['test']}: {key} {shards}, not {whole}")
    counters = test["counters"]
    print(f"{test['test']:<22}{counters['schedules']:>12,}{counters['distinct']:>10,}{str(first):>11}"
          f"   / {one['counters']['schedules']:,} {one['counters']['distinct']:,} {one['first_bug']}")
if merged["missing"] or merged["unfinished"]:
    differences.append(f"missing: {merged['missing']}, unfinished: {merged['unfinished']}")
for difference in differences:
    print("DIFFERS:", difference)
print("nothing is lost, nothing is counted twice" if not differences else "FAILED")
sys.exit(bool(differences))
