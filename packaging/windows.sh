#!/usr/bin/env bash
# Builds Canopy for Windows on Linux, in a folder with a Debian unstable of its own. Needs root and debootstrap.
#   packaging/windows.sh root      the folder with Rust, MinGW, NSIS and Wine (4 GB)
#   packaging/windows.sh check     whether all crates compile for Windows
#   packaging/windows.sh build …   canopy.exe, with these options of cargo; PROFILE=dist optimises across crates
#   packaging/windows.sh pack      a zip and an installer in target/packages
#   packaging/windows.sh run …     canopy.exe under Wine, with these arguments
#   packaging/windows.sh try …     what packaging/windows/try.sh tries under Wine; WAIT is how long a picture takes, in seconds
#   packaging/windows.sh           root, build and pack
# WINDOWS_ROOT is the folder (target/windows), DEBIAN_MIRROR the mirror (that of this machine's apt).
set -euo pipefail
cd "$(dirname "$0")/.."
source_folder=$PWD
root=${WINDOWS_ROOT:-$PWD/target/windows}
profile=${PROFILE:-release}
target=x86_64-pc-windows-gnu

mirror() {
    local found
    found=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -E '/debian/?$' | head -n 1)
    found=${DEBIAN_MIRROR:-$found}
    [[ -n $found ]] || { echo "apt here names no mirror of Debian; set DEBIAN_MIRROR" >&2; return 1; }
    echo "$found"
}

# Runs a command in the folder; what is mounted there goes with the command.
inside() {
    mkdir -p "$root"/{source,build,cargo/registry}
    ROOT=$root SOURCE=$source_folder REGISTRY=${CARGO_HOME:-$HOME/.cargo}/registry unshare --mount --fork bash -euo pipefail -c '
        mount -t proc proc "$ROOT/proc"
        mount --rbind /dev "$ROOT/dev"
        mount --bind "$SOURCE" "$ROOT/source"
        [[ ! -d $REGISTRY ]] || mount --bind "$REGISTRY" "$ROOT/cargo/registry"
        exec chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
    ' bash "$@"
}

make_root() {
    [[ -e $root/etc/debian_version ]] || debootstrap --variant=minbase --include=ca-certificates sid "$root" "$(mirror)"
    # The certificates and the way to the network are those of this machine.
    cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/ssl/certs/ca-certificates.crt"
    apt-config dump | grep -E '^Acquire::(http|https|Check)' >"$root/etc/apt/apt.conf.d/90host" || true
    # It can be made again, so nothing waits for the disk.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
    inside sh -ec 'export DEBIAN_FRONTEND=noninteractive
        apt-get update -q
        apt-get install -qy --no-install-recommends cargo rust-src gcc libc6-dev gcc-mingw-w64-x86-64 nsis zip unzip curl
        apt-get install -qy --no-install-recommends wine wine64 xvfb xauth xdotool imagemagick fonts-dejavu-core \
            fonts-droid-fallback fonts-hosny-amiri fonts-lohit-deva fonts-tlwg-garuda-ttf \
            libgl1-mesa-dri libgl1 libegl1 libvulkan1 mesa-vulkan-drivers locales
        for language in de_DE pt_BR; do localedef -i $language -f UTF-8 $language.UTF-8; done'
    startup_objects
}

# Debian has no standard library for Windows, so cargo builds it; it does not build the two objects that rustc links
# every program with. On x86-64 they hold nothing that is used.
startup_objects() {
    inside sh -euc '
        folder=$(rustc --print sysroot)/lib/rustlib/'$target'/lib
        mkdir -p "$folder"
        for name in rsbegin rsend; do
            echo "" | x86_64-w64-mingw32-gcc -c -x c - -o "$folder/$name.o"
        done'
}

# RUSTC_BOOTSTRAP lets a stable compiler build its standard library; our own crates use nothing that is not stable.
cargo_inside() {
    inside RUSTC_BOOTSTRAP=1 CARGO_HOME=/cargo CARGO_TARGET_DIR=/build CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 \
        CARGO_HTTP_CAINFO=/etc/ssl/certs/ca-certificates.crt RUSTFLAGS="-C target-feature=+crt-static" \
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
        CC_x86_64_pc_windows_gnu=x86_64-w64-mingw32-gcc AR_x86_64_pc_windows_gnu=x86_64-w64-mingw32-ar \
        sh -c 'cd /source && exec cargo "$@"' sh "$1" --locked --target $target -Zbuild-std=std,panic_unwind \
        $(for name in core alloc std; do echo "--config profile.$profile.package.$name.opt-level=3"; done) "${@:2}"
}

check() {
    cargo_inside check --profile "$profile" --workspace
}

build() {
    cargo_inside build --profile "$profile" --package canopy --bin canopy --config "profile.$profile.strip=true" "$@"
    ls -l "$root/build/$target/$profile/canopy.exe"
}

pack() {
    local version name work out
    version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
    name=canopy-$version-windows-x86_64
    work=$root/packages/$name
    out=$PWD/target/packages
    rm -rf "$root/packages"
    mkdir -p "$work" "$out"
    packaging/stage.sh "$work" $target .txt
    cp assets/desktop/canopy.ico "$root/build/$target/$profile/canopy.exe" "$work/"
    chmod 755 "$work/canopy.exe"
    inside sh -euc 'cd /packages
        zip -qr9X "$1.zip" "$1"
        (cd "$1" && find . -type f -printf "%P\n" | sed "s,/,\\\\,g; s,.*,Delete \"\$INSTDIR\\\\&\"," &&
            find . -mindepth 1 -depth -type d -printf "%P\n" | sed "s,/,\\\\,g; s,.*,RMDir \"\$INSTDIR\\\\&\",") >remove.nsh
        makensis -V2 -INPUTCHARSET UTF8 -DVERSION="$2" -DFILES="/packages/$1" -DSIZE="$(du -sk "$1" | cut -f1)" \
            -DREMOVE=/packages/remove.nsh -DOUTPUT="/packages/$1-setup.exe" /source/packaging/windows/canopy.nsi' sh "$name" "$version"
    cp "$root/packages/$name.zip" "$root/packages/$name-setup.exe" "$out/"
    ls -l "$out"
}

# Wine with the display of this machine; without one only the command line works.
wine_inside() {
    inside DISPLAY="${DISPLAY:-}" WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree=d;mshtml=d" WINEPREFIX=/root/wine WAIT="${WAIT:-20}" "$@"
}

case ${1:-all} in
    root) make_root ;;
    check) check ;;
    build) shift; build "$@" ;;
    pack) pack ;;
    run) shift; wine_inside wine /build/$target/"$profile"/canopy.exe "$@" ;;
    try) shift; wine_inside bash /source/packaging/windows/try.sh "$@" ;;
    all) make_root; build; pack ;;
    *) sed -n '2,/^set/s/^# //p' "packaging/$(basename "$0")"; exit 2 ;;
esac
