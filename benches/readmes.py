"""What becomes of code, addresses, placeholders, emphasis and links when Markdown files are translated.

    python benches/readmes.py FOLDER --model MODEL [--canopy target/release/canopy]

Counts each as it is written in the source, and how often it stands so in the translation.
"""

import argparse
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

KINDS = {
    "code": r"(?<!`)(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)",
    "addresses": r"https?://[^\s)>\]\"`]+",
    "placeholders": r"%[sd]\b|\{[A-Za-z_]\w*\}|%\(\w+\)s",
    "marks of strong text": r"\*\*",
    "link targets": r"\]\([^)\s]*",
}


def found(pattern, text):
    return Counter(match.group(0) for match in re.finditer(pattern, text))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--canopy", default="target/release/canopy")
    arguments = parser.parse_args()
    total, kept, files = Counter(), Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(arguments.folder.glob("*.md")):
            output = Path(folder) / path.name
            command = [arguments.canopy, "translate", path, "--model", arguments.model, "--beam", "1", "-o", output]
            subprocess.run(command, capture_output=True, check=True)
            source, target = (file.read_text(errors="replace") for file in (path, output))
            files += 1
            for kind, pattern in KINDS.items():
                own, other = found(pattern, source), found(pattern, target)
                total[kind] += sum(own.values())
                kept[kind] += sum((own & other).values())
    print(f"{files} files")
    for kind in KINDS:
        print(f"{kind}: {kept[kind]} of {total[kind]}")


main()
