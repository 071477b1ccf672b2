#!/usr/bin/env bash
# Lays out what lies beside the program in packages: packaging/stage.sh FOLDER TARGET [ENDING]
# TARGET is a triple such as x86_64-unknown-linux-gnu, whose packages' licences are gathered; names of licences get ENDING, such as .txt.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1 target=$2 ending=${3:-}
mkdir -p "$folder/assets" "$folder/docs"
cp -r assets/models assets/samples assets/cluster "$folder/assets/"
cp -r docs/. "$folder/docs/"
cp README.md CHANGELOG.md "$folder/"
cp assets/desktop/copyright "$folder/COPYRIGHT$ending"
for name in LICENSE-MIT LICENSE-APACHE; do
    cp "$name" "$folder/$name$ending"
done
packaging/licences.py "$target" >"$folder/THIRD-PARTY.txt"
chmod -R u=rwX,go=rX "$folder"
