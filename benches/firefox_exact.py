"""What Firefox's engine makes of lines, with products that do not depend on the processor: what docs/research/firefox-exactness.md compares with.

Where there is no VNNI, the engine adds products of bytes in 16 bits, which overflow. `--exact` puts a product in its place that sums
in 32, as a processor with VNNI does; `--noise X` changes its results at random by that share; `--single` translates each line by
itself; `--all-words` leaves the shortlist out. Arguments: the folder of a model as Firefox keeps it, IN, OUT. Needs gcc, bergamot 0.4.5
(Python 3.10) and pyyaml on x86-64.
"""
import argparse
import ctypes
import glob
import os
import subprocess
import tempfile
import unittest.mock

import requests
import yaml

NO_MODELS = type("Answer", (), {"text": '{"models": []}'})()
with unittest.mock.patch.object(requests, "get", lambda *arguments, **options: NO_MODELS):
    import bergamot
    from bergamot import _bergamot

# Matrices lie in blocks of eight columns, of each 32 rows at a time (intgemm's layout for AVX2).
PRODUCT = r"""
#include <stdint.h>
#include <stddef.h>
typedef struct { float multiplier; const float *bias; float *output; } Ending;
static float noise; static uint32_t seed = 1;
void set_noise(float it) { noise = it; }
void product(const uint8_t *a, const int8_t *b, uint32_t rows, uint32_t width, uint32_t columns, Ending ending) {
  for (uint32_t first = 0; first < columns; first += 8)
    for (uint32_t row = 0; row < rows; row++)
      for (uint32_t column = 0; column < 8; column++) {
        int sum = 0;
        for (uint32_t block = 0; block < width; block += 32) {
          const int8_t *weights = b + (size_t)first * width + block * 8 + column * 32;
          for (uint32_t i = 0; i < 32; i++) sum += a[(size_t)row * width + block + i] * weights[i];
        }
        volatile float value = (float)sum * ending.multiplier;
        value = value + ending.bias[first + column];
        if (noise) {
          seed = seed * 1664525u + 1013904223u;
          value *= 1.0f + noise * ((int)(seed >> 8) % 2001 - 1000) / 1000.0f;
        }
        ending.output[(size_t)row * columns + first + column] = value;
      }
}
"""
DISPATCHED = "_ZN7intgemm9Int8Shift12MultiplyImplINS_9callbacks28UnquantizeAndAddBiasAndWriteEE3runE"


def make_exact(noise):
    folder = tempfile.mkdtemp()
    source, library = os.path.join(folder, "product.c"), os.path.join(folder, "product.so")
    open(source, "w").write(PRODUCT)
    subprocess.run(["gcc", "-O3", "-mavx2", "-shared", "-fPIC", "-o", library, source], check=True)
    library = ctypes.CDLL(library)
    library.set_noise.argtypes = [ctypes.c_float]
    library.set_noise(noise)
    place = ctypes.c_void_p.in_dll(ctypes.CDLL(_bergamot.__file__), DISPATCHED)
    place.value = ctypes.cast(library.product, ctypes.c_void_p).value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--all-words", action="store_true")
    arguments = parser.parse_args()
    if arguments.exact or arguments.noise:
        make_exact(arguments.noise)
    inside = lambda name: os.path.join(os.path.abspath(arguments.folder), name)
    [config] = glob.glob(inside("config*.yml"))
    settings = yaml.safe_load(open(config))
    settings.update({"ssplit-prefix-file": "", "ssplit-mode": "paragraph", "max-length-break": 128, "mini-batch-words": 1024, "workspace": 128, "alignment": "soft", "relative-paths": False})
    settings["models"], settings["vocabs"] = [[inside(name) for name in settings[key]] for key in ("models", "vocabs")]
    settings["shortlist"] = [inside(settings["shortlist"][0]), *settings["shortlist"][1:]]
    if arguments.all_words:
        del settings["shortlist"]
    service = bergamot.Service(bergamot.ServiceConfig(numWorkers=1, logLevel="off"))
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write(yaml.dump(settings, sort_keys=False))
        file.flush()
        model = service.modelFromConfigPath(file.name)
    options = bergamot.ResponseOptions(alignment=False, qualityScores=False, HTML=False)
    lines = open(arguments.input, encoding="utf-8").read().splitlines()
    batches = [[line] for line in lines] if arguments.single else [lines]
    with open(arguments.output, "w", encoding="utf-8") as file:
        for batch in batches:
            for answer in service.translate(model, bergamot.VectorString(batch), options):
                file.write(answer.target.text.replace("\n", " ").strip() + "\n")


main()
