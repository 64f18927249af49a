#!/usr/bin/env python3
"""Tunes with a job array of Slurm on one machine, loses a node in the middle, and compares with one process.

usage: slurm_cluster.py SBATCH_FILE

Starts munged, slurmctld and two slurmd in a folder of its own, and ends them.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PARTS = 4
SHAPES = "64,128,256\n128,256,256\n256,512,128\n96,96,96\n"
OPTIONS = ["--rehearse=smooth", "--policy=model", "--trials=192", "--enough=192", "--jobs=1"]
CONF = """ClusterName=hone
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={0}/munge.sock
CryptoType=crypto/munge
SlurmctldPort=17817
StateSaveLocation={0}/state
SlurmdSpoolDir={0}/spool-%n
SlurmctldPidFile={0}/slurmctld.pid
SlurmdPidFile={0}/slurmd-%n.pid
SlurmctldLogFile={0}/slurmctld.log
SlurmdLogFile={0}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobRequeue=1
SchedulerParameters=sched_interval=1
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17821 CPUs=1
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17822 CPUs=1
PartitionName=p Nodes=n1,n2 Default=YES State=UP
"""


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


class Cluster:
    """A queue with two nodes."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        with open(f"{self.folder}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONF.format(self.folder))
        key = f"{self.folder}/key"
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o400), "wb") as file:
            file.write(os.urandom(1024))
        os.environ["SLURM_CONF"] = f"{self.folder}/slurm.conf"
        os.environ["PATH"] += ":/usr/sbin"
        os.mkdir(f"{self.folder}/state")
        names = ("socket=munge.sock", "pid-file=munge.pid", "log-file=munge.log", "seed-file=munge.seed")
        places = ["--" + name.replace("=", f"={self.folder}/") for name in names]
        run("munged", "--force", f"--key-file={key}", *places)
        run("slurmctld", "-c")
        for node in ("n1", "n2"):
            run("slurmd", "-N", node)
        end = time.monotonic() + 30
        while run("sinfo", "-h", "-o", "%D %t").strip() != "2 idle":
            if time.monotonic() > end:
                sys.exit("expected two idle nodes within 30 s")
            time.sleep(0.2)
        return self

    def __exit__(self, *_):
        for name in ("slurmd-n1.pid", "slurmd-n2.pid", "slurmctld.pid", "munge.pid"):
            try:
                with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                    os.kill(int(file.read()), signal.SIGTERM)
            except (FileNotFoundError, ProcessLookupError):
                pass
        time.sleep(1)


def waiting():
    """[(task, state, reason, node)] of tasks that are not done."""
    return [line.split() for line in run("squeue", "-h", "-r", "-o", "%i %T %r %N").splitlines()]


def node_with_results(results):
    """The node of a task that runs and has a copy of its results."""
    while tasks := waiting():
        for task in tasks:
            number = task[0].partition("_")[2]
            if task[1] == "RUNNING" and os.path.exists(f"{results}/part-{number}.jsonl"):
                return task[3]
        time.sleep(0.1)
    sys.exit("expected a task that runs and has results, but all are done")


def lose_a_node(results):
    """Takes down a node whose task has results; the task goes back to the queue. None does if the task ended before."""
    node = node_with_results(results)
    run("scontrol", "update", f"nodename={node}", "state=down", "reason=lost")
    for _ in range(100):  # its end takes a moment
        if lost := [task for task in waiting() if task[2] == "BeginTime"]:
            break
        time.sleep(0.1)
    # A node whose task still ends refuses.
    for _ in range(100):
        command = ["scontrol", "update", f"nodename={node}", "state=resume"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            break
        time.sleep(0.2)
    return len(lost)


def finish(seconds=300):
    end = time.monotonic() + seconds
    while tasks := waiting():
        for task, _, reason, *_ in tasks:
            if reason == "BeginTime":  # Slurm lets two minutes pass
                run("scontrol", "update", f"jobid={task}", "StartTime=now")
        if time.monotonic() > end:
            sys.exit(f"expected the end of all tasks within {seconds} s, but got {tasks}")
        time.sleep(0.3)


def choices(database):
    rows = map(json.loads, run("hone", "db", "export", database).splitlines())
    return {row["problem"]: row["schedule"] for row in rows if row.get("grade") == "chosen"}


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder, Cluster(folder):
        shapes, results = f"{folder}/shapes.txt", f"{folder}/results"
        os.mkdir(results)
        with open(shapes, "w", encoding="utf-8") as file:
            file.write(SHAPES)
        more = [f"--array=1-{PARTS}", f"--output={folder}/task-%a.log"]
        run("sbatch", *more, arguments[0], shapes, results, *OPTIONS, env={**os.environ, "COPY_SECONDS": "0.2"})
        while not (lost := lose_a_node(results)):
            pass
        finish()
        print(f"lost and queued again: {lost}")
        run("hone", "tune", f"--shapes={shapes}", f"--db={folder}/one.db", *OPTIONS)
        for name in sorted(name for name in os.listdir(results) if name.endswith(".jsonl")):
            run("hone", "db", "import", f"{folder}/all.db", f"--from={results}/{name}")
        expected, found = choices(f"{folder}/one.db"), choices(f"{folder}/all.db")
        if found != expected:
            sys.exit(f"expected {expected}, but got {found}")
        print(f"{len(found)} choices are those of one machine")


main(sys.argv[1:])
