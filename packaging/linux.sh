#!/usr/bin/env bash
# Makes the packages for Linux in target/packages, of the program that `cargo build --profile dist` has made.
#   packaging/linux.sh [tar] [deb] [rpm]      without any, all three
#   packaging/linux.sh try SUITE              what packaging/linux/try.sh tries in a bare Debian, such as bookworm; as root
# PROFILE=release takes the program of that profile. The .deb needs cargo-deb and dpkg-dev, the .rpm cargo-generate-rpm, the trial
# debootstrap; LINUX_ROOT is the Debian's folder (target/linux-SUITE), DEBIAN_MIRROR its mirror (that of this machine's apt).
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${PROFILE:-dist}
out=target/packages
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
mkdir -p "$out"

# Dates in the packages are that of the last commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH

make_tar() {
    packaging/portable.sh "${CARGO_TARGET_DIR:-target}/$profile/canopy"
}

# What packages contain besides files of the repository.
licences() {
    packaging/licences.py "$(uname -m)-unknown-linux-gnu" >"$out/THIRD-PARTY.txt"
}

# Debian wants a changelog in a form of its own.
debian_changelog() {
    local maintainer
    maintainer=$(sed -n '/^\[package.metadata.deb\]/,/^\[/s/^maintainer = "\([^"]*\)".*/\1/p' Cargo.toml)
    printf 'canopy (%s-1) unstable; urgency=medium\n\n  * What changes is in /usr/share/doc/canopy/changelog.gz.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(date -uRd "@$SOURCE_DATE_EPOCH")" >"$out/debian-changelog"
}

make_deb() {
    licences
    debian_changelog
    cargo deb --profile "$profile" --no-build --output "$out/"
}

make_rpm() {
    licences
    cargo generate-rpm --profile "$profile" --output "$out/"
}

# A Debian with nothing but its base, in which the packages are tried.
try_in() {
    local suite=$1 root=${LINUX_ROOT:-$PWD/target/linux-$1} mirror
    mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -E '/debian/?$' | head -n 1)}
    [[ -e $root/etc/debian_version ]] || debootstrap --variant=minbase "$suite" "$root" "$mirror"
    apt-config dump | grep -E '^Acquire::(http|https|Check)' >"$root/etc/apt/apt.conf.d/90host" || true
    mkdir -p "$root"/{packages,reference,source}
    local canopy=${CARGO_TARGET_DIR:-target}/$profile/canopy
    "$canopy" translate assets/samples/printing-a-brochure.html --device cpu --force -o "$root/reference/brochure.de.html"
    "$canopy" translate assets/samples/letter.docx --to pt --device cpu --force -o "$root/reference/carta.docx"
    ROOT=$root SOURCE=$PWD unshare --mount --fork bash -euo pipefail -c '
        mount -t proc proc "$ROOT/proc"
        mount --rbind /dev "$ROOT/dev"
        mount --bind "$SOURCE" "$ROOT/source"
        mount --bind "$SOURCE/target/packages" "$ROOT/packages"
        exec chroot "$ROOT" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash /source/packaging/linux/try.sh'
}

if [[ ${1:-} == try ]]; then
    try_in "${2:?a suite of Debian, such as bookworm}"
    exit
fi
kinds=("$@")
[[ $# != 0 ]] || kinds=(tar deb rpm)
for kind in "${kinds[@]}"; do
    case $kind in
        tar | deb | rpm) make_"$kind" ;;
        *) sed -n '2,/^set/s/^# //p' "packaging/$(basename "$0")"; exit 2 ;;
    esac
done
ls -l "$out"
