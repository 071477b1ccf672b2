#!/usr/bin/env python3
"""Writes the licences of all packages that the program contains, each text once.

    packaging/licences.py TARGET > THIRD-PARTY.txt

TARGET is a triple such as x86_64-unknown-linux-gnu. Needs cargo, and the packages' sources as `cargo fetch` brings them. A package
without a text gets that of another one with its licence; without such a one it is an error.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

# Files with a licence or what a licence asks to be kept.
FILES = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
REPOSITORY = Path(__file__).resolve().parent.parent


def metadata(target):
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE).stdout)


def contained(about):
    """Packages that the program is linked with."""
    nodes = {node["id"]: node for node in about["resolve"]["nodes"]}
    left, found = [about["resolve"]["root"]], set()
    while left:
        package = left.pop()
        if package in found:
            continue
        found.add(package)
        for needed in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in needed["dep_kinds"]):
                left.append(needed["pkg"])
    packages = [package for package in about["packages"] if package["id"] in found and package["source"]]
    return sorted(packages, key=lambda package: (package["name"], package["version"]))


def licence(package):
    return package["license"] or f"see {package['license_file']}"


def texts(package):
    """The licence files of a package; of a choice with MIT in it, MIT alone."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if FILES.match(path.name) and path.is_file())
    if package["license_file"]:
        files.append(folder / package["license_file"])
    choices = re.split(r" OR |/", licence(package))
    mit = [path for path in files if "mit" in path.name.lower()]
    if "MIT" in choices and mit:
        files = mit + [path for path in files if path.name.lower().startswith("notice")]
    found = (path.read_text(encoding="utf-8", errors="replace").strip() for path in dict.fromkeys(files) if path.is_file())
    return [text for text in found if text]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    packages = contained(metadata(sys.argv[1]))
    owners, shown, without = defaultdict(list), {}, []
    for package in packages:
        found = texts(package)
        for text in found:
            key = " ".join(text.split())
            shown.setdefault(key, text)
            owners[key].append(package)
        if not found:
            without.append(package)
    standard = {}
    for key, packages_of_text in owners.items():
        for package in packages_of_text:
            # A text that is the package's only one is that of its licence.
            if len(texts(package)) == 1:
                standard.setdefault(package["license"], key)
                if "MIT" in re.split(r" OR |/", licence(package)):
                    standard.setdefault("MIT", key)
    unknown = []
    for package in without:
        choices = [licence(package), *re.split(r" OR |/| AND ", licence(package))]
        key = next((standard[it.strip("() ")] for it in choices if it.strip("() ") in standard), None)
        if key is None:
            unknown.append(f"{package['name']} {package['version']}: {licence(package)}")
        else:
            owners[key].append(package)
    if unknown:
        sys.exit("no text for\n" + "\n".join(unknown))
    print(f"Canopy contains {len(packages)} packages of others, under these licences. Its own is in LICENSE-MIT and LICENSE-APACHE.\n")
    for package in packages:
        print(f"{package['name']} {package['version']}: {licence(package)}; {package['repository'] or 'crates.io'}")
    for key, of_text in sorted(owners.items(), key=lambda item: -len(item[1])):
        print("\n" + "=" * 100)
        for package in of_text:
            authors = ", ".join(author.split(" <")[0] for author in package["authors"])
            bare = package in without
            print(f"{package['name']} {package['version']}" + (f" (by {authors}; without a text of its own)" if bare else ""))
        print("=" * 100 + "\n")
        print(shown[key])


if __name__ == "__main__":
    main()
