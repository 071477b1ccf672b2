#!/usr/bin/env bash
# What is tried in a bare Debian, as a table: `packaging/linux.sh try SUITE` runs it there.
# /packages has the packages, /reference brochure.de.html and carta.docx of the machine that built them.
set -uo pipefail
# shellcheck source=packaging/trial.sh
source "$(dirname "$0")/../trial.sh"
log=/tmp/try.log
work=/tmp/try
rm -rf "$work" "$log"
mkdir -p "$work"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root
unset DISPLAY WAYLAND_DISPLAY

same() { cmp "$1" "$2" >>"$log" && echo 'byte for byte that of the machine that built it'; }
files() {
    local skipped=(/proc /sys /dev /tmp /packages /reference /source /var/lib/apt /var/lib/dpkg /var/cache /var/log)
    # shellcheck disable=SC2046
    find / -xdev \( -false $(printf -- '-o -path %s ' "${skipped[@]}") \) -prune -o -print | sort
}
packages() { dpkg-query -W -f '${binary:Package}\n' | sort; }

update() { apt-get update -q >>"$log" && echo "$(packages | wc -l) packages, glibc $(dpkg-query -W -f '${Version}' libc6)"; }
install_deb() {
    packages >"$work/packages"
    apt-get install -qy --no-install-recommends /packages/canopy_*.deb >>"$log" || return 1
    echo "$(packages | comm -13 "$work/packages" - | grep -cvx canopy) other packages"
}
recommended() { apt-get install -s --install-recommends /packages/canopy_*.deb 2>>"$log" | grep -c ^Inst; }
version() { "$canopy" --version; }
models() { "$canopy" model list | wc -l; }
page() {
    "$canopy" translate "$samples/printing-a-brochure.html" --device cpu --force -o "$work/brochure.de.html" >>"$log" &&
        same "$work/brochure.de.html" /reference/brochure.de.html
}
letter() {
    "$canopy" translate "$samples/letter.docx" --to pt --device cpu --force -o "$work/carta.docx" >>"$log" &&
        same "$work/carta.docx" /reference/carta.docx
}
no_display() {
    local said code
    said=$("$canopy" 2>&1)
    code=$?
    echo "exit code $code, \"$said\""
    [[ $code == 1 && $said == *"canopy translate"* ]]
}
manual() {
    local folder=/usr/share/doc/canopy
    [[ -s $folder/README.md ]] && grep -q 'GNU GENERAL\|GPL' $folder/copyright &&
        sed -n '1s/, under.*//p' $folder/THIRD-PARTY.txt
}
# A file that ends as one of a format: of XML, JSON or text, as the format has it.
example() {
    case $1 in
        json | jsonc | arb | xcstrings) echo '{}' ;;
        html | htm | xhtml | xml | *xlf | *xliff | dita* | bookmap | dbk | docbook | page | stringsdict | resx | resw | ts)
            printf '<?xml version="1.0"?>\n<a>text</a>\n' ;;
        *) echo 'a text' ;;
    esac
}
# Each ending that the installer for Windows registers.
file_types() {
    local ending type lacks='' total=0
    apt-get install -qy --no-install-recommends desktop-file-utils shared-mime-info libglib2.0-bin >>"$log" || return 1
    mkdir -p "$work/types"
    for ending in $(sed -n 's/.*insertmacro ${DO} "\(.*\)"$/\1/p' /source/packaging/windows/canopy.nsi); do
        example "$ending" >"$work/types/a.$ending"
        type=$(gio info -a standard::content-type "$work/types/a.$ending" | sed -n 's/.*content-type: //p')
        total=$((total + 1))
        [[ $(gio mime "$type") == *canopy.desktop* ]] || lacks+="$ending ($type) "
    done
    echo "$total endings${lacks:+, not offered for: $lacks}"
    [[ -z $lacks ]]
}
uninstall() {
    local left
    apt-get purge -qy canopy >>"$log" || return 1
    left=$(find /usr /etc /var/lib -xdev -iname '*canopy*')
    [[ -z $left ]] || { echo "left: $left"; return 1; }
}
left_of_package() {
    local left
    files >"$work/files"
    apt-get install -qy --no-install-recommends /packages/canopy_*.deb >>"$log" && apt-get purge -qy canopy >>"$log" || return 1
    left=$(files | comm -13 "$work/files" -)
    [[ -z $left ]] || { echo "left: $left"; return 1; }
}
unpack() {
    mkdir -p "$work/a folder"
    tar -C "$work/a folder" -xf /packages/canopy-*-linux-*.tar.gz && du -sm "$work/a folder" | cut -f1
}

echo '| tried | works | time |'
echo '|---|---|---:|'
try 'Debian with nothing but its base' update
canopy=canopy samples=/usr/share/canopy/samples
try '.deb: packages that apt would install with those for the window' recommended
try '.deb: installed by apt' install_deb
try '.deb: `canopy --version`' version
try '.deb: models that come with it' models
try '.deb: page of HTML into German' page
try '.deb: Word letter into Portuguese' letter
try '.deb: `canopy` without a display' no_display
try '.deb: manual page, licences' manual
try '.deb: offered for every format' file_types
try '.deb: removed' uninstall
try '.deb: a second time, all files compared' left_of_package
try 'tar.gz: unpacked, MB' unpack
canopy=$(ls "$work/a folder"/canopy-*/canopy) samples=${canopy%/*}/assets/samples
try 'tar.gz: `canopy --version`' version
try 'tar.gz: page of HTML into German' page
try 'tar.gz: Word letter into Portuguese' letter
try 'tar.gz: `canopy` without a display' no_display
