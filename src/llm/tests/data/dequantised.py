"""Random blocks of every kind and their numbers as PyPI `gguf` dequantises them: `dequantised.json` for `src/llm/blocks/tests.rs`.

usage: dequantised.py > dequantised.json"""
import json

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

KINDS = "F16 BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K".split()
# Where half floats stand in a block: kept small and finite.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0],
    "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
}
random = np.random.default_rng(7)
rows = []
for name in KINDS:
    kind = GGMLQuantizationType[name]
    numbers, size = GGML_QUANT_SIZES[kind]
    if name in HALVES:
        block = random.integers(0, 256, size, dtype=np.uint8)
        for place in HALVES[name]:
            half = np.float16(random.normal() / 50).tobytes()
            block[place : place + 2] = np.frombuffer(half, dtype=np.uint8)
    elif name == "F16":
        block = random.normal(size=32).astype(np.float16).view(np.uint8)
    else:
        block = (random.normal(size=32).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    values = dequantize(block.reshape(1, -1), kind).reshape(-1).astype(np.float32)
    # The bits of the floats, so that nothing is rounded.
    rows.append({"kind": name, "block": block.tobytes().hex(), "bits": values.view(np.uint32).tolist()})
print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")
