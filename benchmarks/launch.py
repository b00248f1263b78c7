"""Runs a command, and prints its time and memory in the last line of standard error: ``python -I -S benchmarks/launch.py COMMAND…``.

The kernel includes the memory of the starting process in the peak memory of the started process. Therefore a process with almost no
memory starts the measured command, and imports only modules that Python has already loaded.
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
