"""Runs a command and says, in the last line of standard error, what it took: ``python -I -S benchmarks/launch.py COMMAND…``.

The kernel counts, among the most memory that a process held, what the process that started it held then. So a process that holds
next to nothing starts what is measured, and imports nothing to do so but what Python has loaded already.
"""

import json
import os
import sys
import time

if __name__ == "__main__":
    start = time.perf_counter()
    process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - start
    found = {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)}
    sys.stderr.write(f"\n{json.dumps(found)}\n")
    sys.exit(os.waitstatus_to_exitcode(status) != 0)
