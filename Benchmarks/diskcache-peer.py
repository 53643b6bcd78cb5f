"""The workloads of the cache suite with python-diskcache, for comparison.

    python3 diskcache-peer.py [rounds] [folder]

Rows are called like the rows that do the same with Tango. Prints JSON: for each its name, and nanoseconds for one
operation (median of the rounds). Exits with 3 where diskcache is not installed.
"""

import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time

try:
    import diskcache
except ImportError:
    sys.exit(3)

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 9
FOLDER = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
SCALE = 1 if ROUNDS > 1 else 10

# Name, bytes, entries, operations, whether several at once make sense.
SIZES = [
    ("200 B", 200, 2_000, 1_000, True),
    ("2 KB", 2_048, 2_000, 1_000, True),
    ("20 KB", 20_480, 400, 200, True),
    ("200 KB", 204_800, 60, 40, False),
    ("2 MB", 2_097_152, 12, 8, False),
]

results = {}


def key(number):
    return f"https://example.com/api/v1/pictures/thumbnail-{1_000_000 + number}"


def measure(name, count, work):
    start = time.perf_counter_ns()
    work()
    results.setdefault(name, []).append((time.perf_counter_ns() - start) / count)


def open_cache(folder):
    return diskcache.Cache(folder, size_limit=64 << 30)


class Workload:
    """One size, with a cache that stays for all rounds."""

    def __init__(self, name, size, entries, operations, is_small):
        self.name = name
        self.is_small = is_small
        self.count = max(1, operations // SCALE)
        self.bodies = [random.Random(number).randbytes(size) for number in range(16)]
        self.cache = open_cache(os.path.join(FOLDER, str(size)))
        self.keys = [key(number) for number in range(max(1, entries // SCALE))]
        self.fresh = 1_000_000
        with self.cache.transact():
            for number, one in enumerate(self.keys):
                self.cache.set(one, self.bodies[number % 16])

    def fresh_keys(self, count):
        self.fresh += count
        return [key(number) for number in range(self.fresh - count, self.fresh)]

    def round(self, number):
        cache, bodies, name = self.cache, self.bodies, self.name
        some = random.Random(7).choices(self.keys, k=self.count)
        measure(f"get {name}, SQLite", self.count, lambda: [cache.get(one) for one in some])
        fresh = self.fresh_keys(self.count)
        if name == "2 KB":
            measure("miss, SQLite", self.count, lambda: [cache.get(one) for one in fresh])

        def set_all(keys, shift=0):
            for index, one in enumerate(keys):
                cache.set(one, bodies[(index + shift) % 16])

        measure(f"set {name}, SQLite", self.count, lambda: set_all(fresh))
        measure(f"overwrite {name}, SQLite", self.count, lambda: set_all(fresh, number + 1))
        measure(f"remove {name}, SQLite", self.count, lambda: [cache.delete(one) for one in fresh])
        if self.is_small:
            keys = self.fresh_keys(max(100, self.count))

            def set_many():
                for first in range(0, len(keys), 100):
                    with cache.transact():
                        set_all(keys[first:first + 100])

            measure(f"setMany of 100 of {name}, SQLite", len(keys), set_many)


def whole(count):
    folder = os.path.join(FOLDER, "many")
    cache = open_cache(folder)
    body = random.Random(1).randbytes(200)
    for first in range(0, count, 1_000):
        with cache.transact():
            for number in range(first, first + 1_000):
                cache.set(key(number), body)
    cache.close()
    for _ in range(ROUNDS):
        opened = []
        measure("open", 1, lambda: opened.append(open_cache(folder)))
        measure("first get after it", 1, lambda: opened[0].get(key(count // 2)))
        opened[0].close()


try:
    workloads = [Workload(*size) for size in SIZES]
    for number in range(-1 if ROUNDS > 1 else 0, ROUNDS):
        if number == 0:
            results.clear()
        for workload in workloads:
            workload.round(number)
    whole(100_000 // SCALE)
finally:
    if len(sys.argv) <= 2:
        shutil.rmtree(FOLDER, ignore_errors=True)

print(json.dumps([
    {"name": name, "nanoseconds": statistics.median(times)} for name, times in results.items()
]))
