"""Traces a run of the command and checks the files: StarPU's list of tasks and the Paje trace contain
every submitted task once, with its codelet, step and tile; the picture is valid SVG. With further options of
the command, such as --simulate, only that each file has every task of a Cholesky factorization.

usage: check_trace.py STARTILE FOLDER [OPTION...]"""
import collections
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

N, NB = 300, 64
STEPS = -(-N // NB)
OPTIONS = {routine: ["--mb", str(NB)] for routine in ("getrf", "getrf_tntpiv", "geqrf")}
SVG = "{http://www.w3.org/2000/svg}"


def require(condition, text):
    """Ends the program with the text if the condition is false."""
    if not condition:
        sys.exit(f"check_trace: {text}")


def run(startile, routine, folder, options):
    """Runs the command with a trace and returns the number of traced tasks that it prints."""
    command = [startile, "bench", routine, "--n", str(N), "--nb", str(NB), "--repeat", "1",
               "--trace", folder, *OPTIONS.get(routine, []), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout, done.stderr, sep="")
    require(done.returncode == 0, f"exit code {done.returncode} of {' '.join(command)}")
    require(not done.stderr, "output on standard error")
    return int(re.search(r"^traced tasks +(\d+)$", done.stdout, re.M)[1])


def records(folder):
    """Returns the records of tasks.rec except StarPU's own tasks, whose names begin with an underscore."""
    with open(os.path.join(folder, "tasks.rec"), encoding="utf-8") as file:
        for text in file.read().split("\n\n"):
            record = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
            if record and not record.get("Name", "_").startswith("_"):
                yield record


def paje_states(folder):
    """Returns the Paje trace's events that begin a task, as dictionaries of their fields. Checks all colors."""
    definitions, states = {}, []
    with open(os.path.join(folder, "paje.trace"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("%EventDef"):
                _, name, number = line.split()
                fields = []
            elif line.startswith("%EndEventDef"):
                definitions[number] = name, fields
            elif line.startswith("%"):
                fields.append(line.split()[1])
            else:
                values = re.findall(r'"[^"]*"|\S+', line)
                if not values:
                    continue
                name, fields = definitions[values[0]]
                require(len(values) - 1 >= len(fields), f"a field is missing: {line}")
                event = dict(zip(fields, (value.strip('"') for value in values[1:])))
                event["event"] = name
                # WS: state of a worker; a GPU's thread has the state of the task, too
                if name == "PajeSetState" and "JobId" in fields and event["Type"] == "WS":
                    states.append(event)
                if name == "PajeDefineEntityValue" and "Color" in event:
                    parts = [float(part) for part in event["Color"].split()]
                    require(all(0 <= part <= 1 for part in parts), f"no color: {line}")
    return states


def cholesky():
    """Returns how many tasks the algorithm has for each (codelet, step, row, column)."""
    expected = collections.Counter()
    for k in range(STEPS):
        expected["dpotrf", k, k, k] += 1
        for m in range(k + 1, STEPS):
            expected["dtrsm_inverse", k, m, k] += 1
            for n in range(k + 1, m + 1):
                name = "dherk" if m == n == k + 1 else "dherk_gemm"
                expected[name, k, m, n] += 1
    return expected


def left_interchanges():
    """Yields (step, row, column) of LU's interchanges left of the panels, for up to 8 panels at a
    time. A task of step k on block column j applies panels k − since … k."""
    most = 8
    for k in range(STEPS):
        for j in range(k):
            since = (k - j - 1) % most
            if since == most - 1 or k == STEPS - 1:
                yield k, k - since, j


def lu():
    """Returns the tasks of LU with partial pivoting, as cholesky() does."""
    expected = collections.Counter(("dlaswp", *at) for at in left_interchanges())
    for k in range(STEPS):
        expected["dgetrf", k, k, k] += 1
        for j in range(k + 1, STEPS):
            expected["dlaswp_trsm_gemm", k, k, j] += 1
    return expected


def tournament_lu():
    """Returns the tasks of LU with tournament pivoting, as cholesky() does. Each panel has one
    leaf, because a leaf of 8 NB rows is taller than the matrix."""
    expected = collections.Counter(("dlaswp", *at) for at in left_interchanges())
    for k in range(STEPS):
        for name in "tntpiv_select", "tntpiv_order", "laswp", "getrf_nopiv":
            expected["d" + name, k, k, k] += 1
        if k + 1 < STEPS:
            expected["dtrsm_column", k, k + 1, k] += 1
        for j in range(k + 1, STEPS):
            expected["dlaswp_trsm_gemm", k, k, j] += 1
    return expected


def qr():
    """Returns the tasks of QR, as cholesky() does."""
    expected = collections.Counter()
    for k in range(STEPS):
        expected["dgeqrf", k, k, k] += 1
        for j in range(k + 1, STEPS):
            expected["dlarfb", k, k, j] += 1
    return expected


def check_picture(folder, tasks):
    """Checks gantt.svg: labels, and one bar for each task on its worker."""
    picture = xml.etree.ElementTree.parse(os.path.join(folder, "gantt.svg"))
    words = {text.text for text in picture.iter(f"{SVG}text")}
    names = {task["Name"] for task in tasks}
    require(names <= words, "a codelet is missing in the picture")
    require({"time in ms", "worker, busy in %"} <= words, "an axis has no label")
    require(any(word.startswith("startile bench ") and f"--n {N}" in word for word in words), "no title")
    bars = collections.Counter()
    for path in picture.iter(f"{SVG}path"):
        name, _, worker = path.get("id", "").rpartition(".")
        bars[name, worker] += path.get("d").count("M") if name else 0
    # Workers of a process other than the first have larger numbers in the picture.
    expected = collections.Counter((task["Name"], task["MPIRank"], task["WorkerId"]) for task in tasks)
    require(sorted((key[0], count) for key, count in (+bars).items()) ==
            sorted((key[0], count) for key, count in expected.items()), f"bars {+bars} for the tasks {expected}")


def check(startile, routine, folder, options=()):
    """Traces the routine. Checks that each file has each executed task once."""
    executed = run(startile, routine, folder, options)
    tasks = list(records(folder))
    jobs = {task["JobId"] for task in tasks}
    require(len(jobs) == len(tasks) == executed,
            f"{len(tasks)} records of {len(jobs)} tasks, but {executed} were executed")
    require(all(float(task["StartTime"]) <= float(task["EndTime"]) for task in tasks), "times")
    shown = collections.Counter(state["JobId"] for state in paje_states(folder))
    require(shown == collections.Counter(jobs), f"{sum(shown.values())} tasks in paje.trace")
    check_picture(folder, tasks)
    with open(os.path.join(folder, "dag.dot"), encoding="utf-8") as dag:
        require(all(f'"task_{job}"' in text for text in [dag.read()] for job in jobs), "dag.dot")


def check_tasks(folder, expected):
    """Checks codelets, steps, tiles and priorities of the tasks in a trace."""
    priority = {task["JobId"]: task["Priority"] for task in records(folder)}
    states = [state for state in paje_states(folder) if state["JobId"] in priority]
    seen = collections.Counter((state["Value"], int(state["Iteration"]), int(state["X"]),
                                int(state["Y"])) for state in states)
    require(seen == expected, f"{folder}: {seen - expected} instead of {expected - seen}")
    require(all(state["Priority"] == priority[state["JobId"]] for state in states), "priorities")
    require(len(set(priority.values())) > STEPS, "priorities are all the same")


def check_colors(startile, folder):
    """Draws a trace whose codelets have colors that StarPU gives to codelets without one, that two share, and
    none. Checks that each codelet has a color of its own, and a title of one line."""
    colors = {"dtrsm": "242.0 142.0 43.0", "mine": "0.0 0.6 0.4", "dtrsm_inverse": "242.0 142.0 43.0",
              "yours": "0.0 0.6 0.4", "two words": "0.0 0.6 0.4"}
    files = {"about.txt": "once more\n",
             "tasks.rec": "".join(f"Name: {name}\nWorkerId: 0\nStartTime: {i}.0\nEndTime: {i}.5\n\n"
                                  for i, name in enumerate(colors)),
             "paje.trace": "".join(f'6\t{name}\tWS\t{name}\t"{color}" \n' for name, color in colors.items())}
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run([startile, "gantt", folder], check=True)
    picture = xml.etree.ElementTree.parse(os.path.join(folder, "gantt.svg"))
    require("once more" in {text.text for text in picture.iter(f"{SVG}text")}, "no title")
    keys = [key.get("fill") for key in picture.iter(f"{SVG}rect")][1:]  # the first one is the background
    require(len(set(keys)) == len(colors) == len(keys) and keys[0] == "#f28e2b", f"colors {keys}")


def main():
    startile, folder, *options = sys.argv[1:]
    if options:
        check(startile, "potrf", folder, options)
        return
    os.makedirs(folder, exist_ok=True)
    check_colors(startile, os.path.join(folder, "colors"))
    info = subprocess.run([startile, "info"], capture_output=True, text=True, check=True).stdout
    if "without FxT" in info:
        print("-- skipped: this StarPU was built without FxT")
        return
    expected = {"potrf": cholesky(), "getrf": lu(), "getrf_tntpiv": tournament_lu(), "geqrf": qr()}
    for routine in *expected, "geqrf_tree", "gels":
        check(startile, routine, os.path.join(folder, routine))
    for routine, tasks in expected.items():
        check_tasks(os.path.join(folder, routine), tasks)
    print("all tasks are there")


main()
