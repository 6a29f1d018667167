"""One report over sessions that several machines replay, each its part of them.

    python3 pyspark_report.py OUT RULES INPUT... [-- OPTION...]

Each partition runs `ttsr replay --files-from - --format jsonl` over its inputs; `ttsr replay --merge` makes the report
of their traces and writes it to OUT as JSON. The inputs, the rules and `ttsr` itself (or the file that the variable
TTSR names) have to be there under the same path on every machine.
"""

import os
import shlex
import subprocess
import sys
import tempfile

from pyspark import SparkConf, SparkContext

out, rules, *rest = sys.argv[1:]
cut = rest.index("--") if "--" in rest else len(rest)
inputs, options = rest[:cut], rest[cut + 1 :]
ttsr = os.environ.get("TTSR", "ttsr")
partitions = int(os.environ.get("PARTITIONS", "4"))

replay = [ttsr, "replay", "--files-from", "-", "--rules", rules, "--format", "jsonl", "--quiet", *options]
conf = SparkConf().setAppName("ttsr").setIfMissing("spark.master", "local[2]")
context = SparkContext(conf=conf)
context.setLogLevel("ERROR")
# What could not be read is in the traces, so the status of a part says nothing more.
lines = context.parallelize(inputs, partitions).pipe(shlex.join(replay))

with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as trace:
    for line in lines.toLocalIterator():
        trace.write(line + "\n")
    trace.flush()
    with open(out, "wb") as report:
        status = subprocess.run([ttsr, "replay", "--merge", trace.name, "--format", "json"], stdout=report).returncode
context.stop()
sys.exit(status)
