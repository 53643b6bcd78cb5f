"""Runs a command that draws progress bars, in terminals of several sizes, and reads the screen with pyte."""

import fcntl
import os
import struct
import subprocess
import sys
import termios

import pyte

COUNT = 30


def screen(columns, lines):
    """Returns all lines that the terminal has shown, with those above the screen."""
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "COLUMNS", "LINES")}
    process = subprocess.Popen(sys.argv[1:], stderr=follower, stdout=subprocess.DEVNULL, env=environment)
    os.close(follower)
    display = pyte.HistoryScreen(columns, lines, history=1000, ratio=0.5)
    stream = pyte.ByteStream(display)
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        stream.feed(data)
    assert process.wait() == 0
    above = ["".join(line[column].data for column in range(columns)) for line in display.history.top]
    return [line.rstrip() for line in above + display.display if line.strip()]


for columns, lines in [(80, 24), (80, 50), (40, 10), (200, 24)]:
    shown = screen(columns, lines)
    numbers = [line.split(":")[0] for line in shown]
    assert sorted(numbers, key=int) == [str(number) for number in range(COUNT)], (columns, lines, shown)
    print(f"{columns} x {lines}: each of {COUNT} bars has one line")
