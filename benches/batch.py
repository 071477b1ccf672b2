"""Translates a folder with several processes, one of which is killed every few seconds, and counts what was lost or doubled.

    python3 benches/batch.py PROGRAM FOLDER OUT --processes 4 --every 20 -- --model assets/models/help-en-de --beam 1

Afterwards an undisturbed process translates the same folder into OUT.undisturbed, and both are compared byte by byte. Python 3
standard library only.
"""
import argparse, json, os, random, signal, subprocess, sys, time


def start(program, folder, out, options, number):
    log = open(f"{out}.{number}.jsonl", "w")
    return subprocess.Popen([program, "translate", folder, "-o", out, *options], stdout=log, stderr=subprocess.DEVNULL)


def files_below(folder):
    for top, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.relpath(os.path.join(top, name), folder) for name in names if not name.startswith("."))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("folder"), parser.add_argument("out")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--every", type=float, default=20, help="seconds from kill to kill")
    parser.add_argument("--seed", type=int, default=1)
    # Behind `--` stand those of `canopy translate`.
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:end])
    arguments.options = sys.argv[end + 1:]
    random.seed(arguments.seed)
    count, kills, begun = 0, 0, time.monotonic()

    def begin():
        nonlocal count
        count += 1
        return start(arguments.program, arguments.folder, arguments.out, arguments.options, count)

    processes = [begin() for _ in range(arguments.processes)]
    next_kill = begun + arguments.every
    while any(process.poll() is None for process in processes):
        time.sleep(0.2)
        if time.monotonic() < next_kill:
            continue
        next_kill += arguments.every
        victim = random.choice([number for number, process in enumerate(processes) if process.poll() is None] or [None])
        if victim is not None:
            processes[victim].send_signal(signal.SIGKILL)
            processes[victim].wait()
            processes[victim] = begin()
            kills += 1
    seconds = time.monotonic() - begun
    translated = {}
    for number in range(1, count + 1):
        for line in open(f"{arguments.out}.{number}.jsonl"):
            # A process may be killed within a line.
            if line.endswith("\n") and (entry := json.loads(line))["outcome"] == "translated":
                translated[entry["document"]] = translated.get(entry["document"], 0) + 1
    undisturbed = f"{arguments.out}.undisturbed"
    subprocess.run([arguments.program, "translate", arguments.folder, "-o", undisturbed, *arguments.options],
                   stdout=subprocess.DEVNULL, check=True)
    expected = set(files_below(undisturbed))
    lost = [name for name in expected if not os.path.exists(os.path.join(arguments.out, name))]
    read = lambda *path: open(os.path.join(*path), "rb").read()
    differ = [name for name in expected if name not in lost and read(arguments.out, name) != read(undisturbed, name)]
    doubled = [name for name, times in translated.items() if times > 1]
    print(f"{len(expected)} documents, {arguments.processes} processes, {kills} killed, {seconds:.0f} s: "
          f"{len(lost)} lost, {len(doubled)} doubled, {len(differ)} other than undisturbed; "
          f"{sum(translated.values())} reported as translated")
    sys.exit(bool(lost or doubled or differ))


main()
