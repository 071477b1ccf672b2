#!/usr/bin/env bash
# Makes target/packages/canopy-VERSION-linux-PROCESSOR.tar.gz, which is unpacked anywhere and run there.
#   packaging/portable.sh [PROGRAM]      without it the one that `cargo build --profile dist` has made
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-${CARGO_TARGET_DIR:-target}/dist/canopy}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=canopy-$version-linux-$(uname -m)
out=$PWD/target/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/stage.sh "$work/$name" "$(uname -m)-unknown-linux-gnu"
install -m 755 "$program" "$work/$name/canopy"
install -m 644 assets/desktop/canopy.{desktop,metainfo.xml,svg,xml} "$work/$name/assets/"
mkdir -p "$out"
# The same files give the same archive.
date=$(git log -1 --format=%cI 2>/dev/null || echo 1980-01-01)
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$date" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
ln -sf "$name.tar.gz" "$out/portable.tar.gz" # for packaging/flatpak
ls -l "$out/$name.tar.gz"
