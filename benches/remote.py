#!/usr/bin/env python3
"""Times a page translated here, by `canopy serve --compute` on the same machine, and by it behind a slow connection.

    python3 benches/remote.py target/release/canopy assets/samples/printing-a-brochure.html --model assets/models/help-en-de
"""

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time


def relay(source, target, delay):
    """Passes bytes on, each as much later as the connection is slow."""
    queue, ready = [], threading.Condition()

    def write():
        while True:
            with ready:
                ready.wait_for(lambda: queue)
                due, data = queue.pop(0)
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                if not data:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(data)
            except OSError:
                return

    threading.Thread(target=write, daemon=True).start()
    while True:
        try:
            data = source.recv(1 << 16)
        except OSError:
            data = b""
        with ready:
            queue.append((time.monotonic() + delay, data))
            ready.notify()
        if not data:
            return


def slow(port, delay):
    """A port of this machine behind a connection that takes so long one way."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", port))
            for stream in (client, server):
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for pair in ((client, server), (server, client)):
                threading.Thread(target=relay, args=(*pair, delay), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("page")
    parser.add_argument("--model", required=True)
    parser.add_argument("--beam", default="4")
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--round-trip-ms", type=float, default=50.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as store:
        server = subprocess.Popen(
            [arguments.program, "serve", "--compute", "--port", "0", "--store", store, "--device", "cpu"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        far = slow(port, arguments.round_trip_ms / 2_000)
        devices = {"here": "cpu", "loopback": f"remote:127.0.0.1:{port}",
                   f"{arguments.round_trip_ms:.0f} ms": f"remote:127.0.0.1:{far}"}
        texts, traffic_of = {}, {}
        for name, device in devices.items():
            command = [arguments.program, "translate", arguments.page, "--json", "--model", arguments.model,
                       "--beam", arguments.beam, "--device", device]
            secs = []
            for _ in range(arguments.times + 1):
                begun = time.monotonic()
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
                secs.append(time.monotonic() - begun)
            report = json.loads(done.stdout)
            texts[name] = [sentence["target"] for sentence in report["sentences"]]
            tokens = sum(sentence["tokens"] or 0 for sentence in report["sentences"])
            traffic = re.search(r"(\d+) round trips.*", done.stderr)
            traffic_of[name] = traffic.group(0) if traffic else ""
            # The first one sends the model, and opens it there.
            print(f"{name}: first {secs[0]:.2f} s, then {statistics.median(secs[1:]):.2f} s "
                  f"({min(secs[1:]):.2f} to {max(secs[1:]):.2f}); {tokens} tokens; {traffic_of[name]}")
        assert all(text == texts["here"] for text in texts.values()), "translations differ"
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
