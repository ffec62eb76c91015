"""Checks the times in the CSV file of `startile bench`: those of the library and of the peer.

usage: python3 check_csv.py STARTILE FOLDER"""
import csv
import os
import subprocess
import sys

REPEATS = 3


def rows_of(startile, path, *arguments):
    """Runs the benchmark and returns the rows of its CSV file."""
    subprocess.run([startile, "bench", *arguments, "--repeat", str(REPEATS), "--csv", path], check=True)
    with open(path, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def check_spread(row, name):
    """Ends the program unless 0 < minimum <= median <= maximum."""
    low, middle, high = (float(row[name + end]) for end in ("_min", "", "_max"))
    if not 0 < low <= middle <= high:
        sys.exit(f"{name}: minimum {low}, median {middle}, maximum {high}")


def main():
    startile, folder = sys.argv[1:]
    for arguments in (["potrf", "--n", "60"], ["potrf_batch", "--n", "20", "--batch", "10"]):
        path = os.path.join(folder, arguments[0] + "_times.csv")
        for peer in ([], ["--peer"]):
            row, = rows_of(startile, path, *arguments, *peer)
            if row["repeat"] != str(REPEATS):
                sys.exit(f"repeat: {row['repeat']}")
            if row.get("gpus", "0") != "0":
                sys.exit(f"gpus: {row['gpus']}")
            check_spread(row, "seconds")
            if row["peer_name"]:
                check_spread(row, "peer_seconds")
            elif row["peer_seconds"] + row["peer_seconds_min"] + row["peer_seconds_max"]:
                sys.exit("times without a peer")
            if row["peer_name"] and not peer:
                sys.exit("a peer without --peer")
    print("all times are right")


main()
