# One line of a table for each check: `packaging/linux/try.sh` and `packaging/windows/try.sh` read this file.
# shellcheck shell=bash

# Runs a check, a function that prints what is worth knowing; `log` is the file for everything else that it says.
try() {
    local what=$1 said begun
    begun=$(date +%s%N)
    echo "== $what" >>"${log:?}"
    if said=$("$2" 2>>"$log"); then said="yes${said:+: $said}"; else said="**no**${said:+: $said}"; fi
    printf '| %s | %s | %.1f s |\n' "$what" "$(tr '\n\r' '  ' <<<"$said" | sed 's/|/\\|/g; s/ *$//')" \
        "$((($(date +%s%N) - begun) / 100000000))e-1"
}
