"""A simulated SoC behind LiteX's server: `python -m warpsmith_litex.serve DIR`, called by `warpsmith run --on soc:DIR`.

Prints the TCP port of the server, which speaks Etherbone; ends when its input does.
"""

import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from litex.tools.litex_server import RemoteServer
from litex.tools.remote.comm_uart import CommUART
from serial import SerialException

# Seconds until the simulation listens.
START = 30


class SimulatedUART(CommUART):
    """The UART of LiteX's simulation, which sends byte by byte: TCP would wait 40 ms for each answer."""

    def __init__(self, port):
        super().__init__(f"socket://localhost:{port}")
        self.socket = self.port._socket
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _read(self, length):
        data = b""
        while len(data) < length:
            # Linux forgets it after some packets.
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            data += self.port.read(length - len(data))
        return data


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def connected(port, simulation, log):
    """The simulated UART, as soon as it listens."""
    until = time.monotonic() + START
    while time.monotonic() < until and simulation.poll() is None:
        with contextlib.suppress(SerialException):
            return SimulatedUART(port)
        time.sleep(0.05)
    sys.exit(f"the simulation does not listen at port {port}; it said:\n{Path(log.name).read_text()}")


def main():
    gateware = Path(sys.argv[1]).resolve() / "gateware"
    port, server_port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as run, tempfile.NamedTemporaryFile() as log:
        # Vsim reads its settings and modules from the folder it runs in.
        run = Path(run)
        config = json.loads((gateware / "sim_config.js").read_text())
        for module in config:
            if module.get("module") == "serial2tcp":
                module["args"]["port"] = port
        (run / "sim_config.js").write_text(json.dumps(config))
        for name in ("modules", *(p.name for p in gateware.glob("*.init"))):
            (run / name).symlink_to(gateware / name)
        simulation = subprocess.Popen([gateware / "obj_dir/Vsim"], cwd=run, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            server = RemoteServer(connected(port, simulation, log), "localhost", server_port)
            out = sys.stdout
            # The server prints what it does.
            with contextlib.redirect_stdout(sys.stderr):
                server.open()
                server.start(1)
                print(server_port, file=out, flush=True)
                sys.stdin.read()
        finally:
            simulation.kill()
            simulation.wait()


if __name__ == "__main__":
    main()
