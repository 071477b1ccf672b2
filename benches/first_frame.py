#!/usr/bin/env python3
"""Times the start of the window to its first frame, and its peak memory, on a virtual display.

    benches/first_frame.py [PROGRAM] [--starts 10]

Needs Xvfb and a driver, such as Mesa's software Vulkan; WGPU_BACKEND chooses another. Reads the picture of the virtual display every
millisecond: "frame" is the first picture with text. "cpu" is the time of all its threads until then, which other work on the machine does
not change, "log" the time at which the log tells of the frame. Memory is the peak of the resident set, two seconds after the frame. The
first start has an empty home folder and a cold driver and is shown by itself.
"""

import argparse
import mmap
import os
import signal
import statistics
import struct
import subprocess
import tempfile
import time
from pathlib import Path

WIDTH, HEIGHT = 1280, 820
# Colours of a picture with text: its edges have many.
COLOURS = 16


def picture(folder):
    """The bytes of the display's picture, which Xvfb keeps in a file in the format of xwd."""
    with open(folder / "Xvfb_screen0", "rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header = struct.unpack(">25I", view[:100])
    begin, line = header[0] + header[19] * 12, header[12]
    return view, begin, line


def colours(view, begin, line):
    found = set()
    for row in range(20, HEIGHT, 40):
        start = begin + row * line
        found.update(memoryview(view[start : start + WIDTH * 4]).cast("I"))
    return found


def start(program, display, folder, home):
    """Seconds to the first frame, of the clock and of processors, the peak in MB, and the time in the log."""
    view, begin, line = picture(folder)
    environment = {**os.environ, "DISPLAY": display, "HOME": str(home), "CANOPY_LOG": "canopy=info"}
    environment.pop("WAYLAND_DISPLAY", None)
    begun = time.monotonic()
    process = subprocess.Popen([program], env=environment, stderr=subprocess.PIPE, text=True)
    while True:
        found = colours(view, begin, line)
        now = time.monotonic() - begun
        if len(found) >= COLOURS:
            times = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            cpu = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
            break
        if process.poll() is not None or now > 60:
            process.kill()
            raise SystemExit(f"no frame: {process.stderr.read()}")
        time.sleep(0.001)
    time.sleep(2)
    status = Path(f"/proc/{process.pid}/status").read_text()
    peak = int(next(it for it in status.splitlines() if it.startswith("VmHWM")).split()[1]) / 1024
    process.send_signal(signal.SIGTERM)
    log = process.communicate()[1]
    said = next((it.split()[0] for it in log.splitlines() if "first frame" in it), "-")
    # The display is empty again before the next start.
    while len(colours(view, begin, line)) > 1:
        time.sleep(0.05)
    return now, cpu, peak, said


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", nargs="?", default="target/release/canopy")
    arguments.add_argument("--starts", type=int, default=10)
    arguments = arguments.parse_args()
    display = ":97"
    with tempfile.TemporaryDirectory() as name:
        folder, home = Path(name), Path(name) / "home"
        home.mkdir()
        server = subprocess.Popen(
            ["Xvfb", display, "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir", name, "-noreset"], stderr=subprocess.DEVNULL
        )
        try:
            time.sleep(2)
            print("start  frame s  cpu s  log s      peak MB")
            rows = []
            for number in range(arguments.starts + 1):
                frame, cpu, peak, said = start(arguments.program, display, folder, home)
                print(f"{number or 'first':>5}  {frame:7.3f}  {cpu:5.2f}  {said:<9}  {peak:7.0f}", flush=True)
                if number:
                    rows.append((frame, cpu, peak))
            medians = [statistics.median(column) for column in zip(*rows)]
            print("median {:7.3f}  {:5.2f}             {:7.0f}".format(*medians))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
