#!/usr/bin/env bash
# Makes target/packages/Canopy.app and a zip of it, on a Mac with Rust and the command line tools of Xcode. Nobody has tried it yet.
#   packaging/macos.sh
# The bundle is signed for this machine alone; to give it away, sign it with a Developer ID and have it notarised.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
target=$(rustc -vV | sed -n 's/^host: //p')
cargo build --profile dist --locked --target "$target"
out=$PWD/target/packages
app=$out/Canopy.app
rm -rf "$app"
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
install -m 755 "target/$target/dist/canopy" "$app/Contents/MacOS/canopy"
# Models and samples are found beside the program, and code signing wants data among the resources.
packaging/stage.sh "$app/Contents/Resources" "$target"
ln -s ../Resources/assets "$app/Contents/MacOS/assets"
sed "s/VERSION/$version/" packaging/macos/Info.plist >"$app/Contents/Info.plist"
icons=$(mktemp -d)/canopy.iconset
mkdir -p "$icons"
for size in 16 32 128 256; do
    sips -z $size $size assets/desktop/canopy.png --out "$icons/icon_${size}x$size.png" >/dev/null
done
iconutil --convert icns --output "$app/Contents/Resources/canopy.icns" "$icons"
codesign --force --deep --sign - "$app"
ditto -c -k --keepParent "$app" "$out/canopy-$version-macos-${target%%-*}.zip"
ls -l "$out"
