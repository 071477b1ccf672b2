"""Firefox's engine on a model of Firefox's: what `cargo bench --bench decoding -- firefox` compares with.

Arguments: the folder of a model as Firefox keeps it (config*.yml or decoder.yml, *.intgemm.alphas.bin, *.spm, lex*.bin), and IN and
OUT to translate a file and end. Without these, one request a line on standard input, answered by one line: {"lines": ["…", …]}
gives {"seconds": s, "lines": […], "kilobytes": most memory}. Needs bergamot 0.4.5 (Python 3.10) and pyyaml.
"""
import glob
import json
import os
import resource
import sys
import tempfile
import time
import unittest.mock

import requests
import yaml

# The package asks for a list of models when it is imported.
NO_MODELS = type("Answer", (), {"text": '{"models": []}'})()
with unittest.mock.patch.object(requests, "get", lambda *arguments, **options: NO_MODELS):
    import bergamot

# As Firefox sets them; `alignment` costs nothing that is not asked for.
SETTINGS = {"ssplit-prefix-file": "", "ssplit-mode": "paragraph", "max-length-break": 128, "mini-batch-words": 1024, "workspace": 128, "alignment": "soft"}


def opened(folder):
    [config] = [path for name in ("config*.yml", "decoder.yml") for path in glob.glob(os.path.join(folder, name))][:1]
    settings = {**yaml.safe_load(open(config)), **SETTINGS, "relative-paths": False}
    inside = lambda name: os.path.join(os.path.abspath(folder), name)
    settings["models"] = [inside(name) for name in settings["models"]]
    settings["vocabs"] = [inside(name) for name in settings["vocabs"]]
    settings["shortlist"] = [inside(settings["shortlist"][0]), *settings["shortlist"][1:]]
    service = bergamot.Service(bergamot.ServiceConfig(numWorkers=os.cpu_count(), logLevel="off"))
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write(yaml.dump(settings, sort_keys=False))
        file.flush()
        model = service.modelFromConfigPath(file.name)
    options = bergamot.ResponseOptions(alignment=False, qualityScores=False, HTML=False)

    def translated(lines):
        answers = service.translate(model, bergamot.VectorString(lines), options)
        return [answer.target.text.replace("\n", " ").strip() for answer in answers]

    return translated


def main():
    translated = opened(sys.argv[1])
    if len(sys.argv) > 2:
        lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
        with open(sys.argv[3], "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in translated(lines))
        return
    from importlib.metadata import version
    print(json.dumps({"bergamot": version("bergamot")}), flush=True)
    for request in sys.stdin:
        lines = json.loads(request)["lines"]
        begun = time.perf_counter()
        found = translated(lines)
        seconds = time.perf_counter() - begun
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps({"seconds": seconds, "lines": found, "kilobytes": memory}), flush=True)


main()
