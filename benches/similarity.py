"""The same search by faiss: what `cargo bench --bench similarity` compares with.

Arguments: a file of 32-bit floats, their dimensions, the number of queries. Prints seconds, the nearest other row of
each query by cosine, and the peak of memory, as JSON. Needs faiss-cpu.
"""
import json
import resource
import sys
import time

import faiss
import numpy as np

path, dimensions, queries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
vectors = np.fromfile(path, dtype="<f4").reshape(-1, dimensions)
begun = time.perf_counter()
faiss.normalize_L2(vectors)
index = faiss.IndexFlatIP(dimensions)
index.add(vectors)
_, rows = index.search(vectors[:queries], 2)
own = np.arange(queries)
picks = np.where(rows[:, 0] == own, rows[:, 1], rows[:, 0])
secs = time.perf_counter() - begun
peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"secs": secs, "picks": picks.tolist(), "peak_mib": peak_mib}))
