#!/usr/bin/env bash
# What is tried under Wine, as a table: `packaging/windows.sh try` runs it in its Debian, after `pack`; `try page serve` only these.
# REFERENCE, a folder with brochure.de.html and carta.docx of a program for Linux, is compared with where it is there.
set -uo pipefail
# shellcheck source=packaging/trial.sh
source "$(dirname "$0")/../trial.sh"
zip=$(ls /packages/*.zip | head -n 1)
drive=$WINEPREFIX/drive_c
work="$drive/Übungen für Jörg"
reference=${REFERENCE:-/reference}
log=/tmp/try.log
rm -rf "$drive/long" "$log"
[[ $# != 0 ]] || rm -rf "$work" "$drive/canopy"
[[ -d $drive ]] || wineboot -i
mkdir -p "$work"
[[ -d $drive/canopy ]] || (mkdir "$drive/canopy" && cd "$drive/canopy" && unzip -q "$zip" && mv canopy-*/* .)
samples=$drive/canopy/assets/samples

canopy() { timeout 900 wine 'C:\canopy\canopy.exe' "$@" 2>>"$log"; }
same() { [[ ! -e $2 ]] || { cmp -s "$1" "$2" && echo "byte for byte that of Linux"; }; }

version() { canopy --version | tr -d '\r'; }
page() { canopy translate 'C:\canopy\assets\samples\printing-a-brochure.html' --device cpu -o 'C:\Übungen für Jörg\brochure.de.html' &&
    same "$work/brochure.de.html" "$reference/brochure.de.html"; }
letter() { canopy translate 'C:\canopy\assets\samples\letter.docx' --to pt --device cpu -o 'C:\Übungen für Jörg\carta.docx' &&
    same "$work/carta.docx" "$reference/carta.docx"; }
pipe() { printf 'Save the document.\n' | canopy translate --device cpu; }
umlauts() { printf 'Speichern Sie die Übungsdatei für Änderungen.\n' | canopy translate --from de --to en --device cpu; }
stars() { cp "$samples/sorting-a-table.md" "$work/eins.md" && cp "$samples/sorting-a-table.md" "$work/zwei.md" && mkdir -p "$work/fertig" &&
    (cd "$work" && canopy translate '*.md' --device cpu -o fertig) && (cd "$work" && ls fertig | tr '\n' ' '); }
long_path() {
    local part folder='C:\long' place=$drive/long
    part=$(printf 'a-folder-with-quite-a-long-name-%.0s' 1 2)
    for _ in 1 2 3 4 5; do folder+="\\$part" place+="/$part"; done
    mkdir -p "$place" && cp "$samples/notes.txt" "$place/"
    canopy translate "$folder\\notes.txt" --device cpu -o "$folder\\notes.de.txt" && canopy translate "$folder\\notes.txt" --device cpu \
        --force -o "$folder\\notes.de.txt" && [[ -s $place/notes.de.txt ]] && echo "$((${#folder} + 13)) characters, written and replaced"
}
relative_path() { (cd "$work" && cp "$samples/notes.txt" . && canopy translate notes.txt --device cpu -o 'unten/../notes.de.txt'); [[ -s $work/notes.de.txt ]]; }
unc() { canopy translate '\\?\C:\canopy\assets\samples\notes.txt' --device cpu -o '\\?\C:\Übungen für Jörg\verbatim.txt' && [[ -s $work/verbatim.txt ]]; }
line_ends() {
    printf 'Save the document.\r\n\r\nClose the window.\r\n' >"$work/crlf.txt"
    canopy translate 'C:\Übungen für Jörg\crlf.txt' --device cpu -o 'C:\Übungen für Jörg\crlf.de.txt' &&
        [[ $(grep -c $'\r$' "$work/crlf.de.txt") == 3 && $(grep -vc $'\r$' "$work/crlf.de.txt") == 0 ]]
}
refuses() {
    canopy translate 'C:\canopy\assets\samples\notes.txt' --device cpu -o 'C:\Übungen für Jörg\notes.de.txt'
    [[ $? == 1 ]] && tail -n 1 "$log"
}
held_open() {
    cp "$samples/notes.txt" "$work/held.txt"
    # cmd keeps the file open for writing while the pause lasts.
    (cd "$work" && sleep 60 | wine cmd /c 'pause > held.txt') &
    local holder=$!
    sleep 5
    canopy translate 'C:\canopy\assets\samples\notes.txt' --device cpu --force -o 'C:\Übungen für Jörg\held.txt'
    echo "exit code $?, $(tail -n 1 "$log")"
    kill $holder 2>/dev/null
    ls -a "$work" | grep '^\.canopy-' && return 1
    return 0
}
trace() {
    canopy translate 'C:\canopy\assets\samples\sorting-a-table.md' --device cpu --trace 'C:\Übungen für Jörg\table.trace' \
        -o 'C:\Übungen für Jörg\table.de.md' && canopy explain 'C:\Übungen für Jörg\table.trace' --view cross --sentence 2 \
        -o 'C:\Übungen für Jörg\cross.png' && [[ -s $work/cross.png ]] && grep -aoE 'C:[^"]{0,60}' "$work/table.trace" | head -n 1
}
project() {
    (cd "$work" && canopy project new Handbuch --from en --to de 'C:\canopy\assets\samples\notes.txt' 'C:\canopy\assets\samples\sorting-a-table.md' &&
        canopy project translate Handbuch --device cpu && canopy project export Handbuch) >>"$log" &&
        canopy project status 'C:\Übungen für Jörg\Handbuch' | tail -n 3 && grep -c '\\\\' "$work/Handbuch/canopy-project.toml"
    ls "$work/Handbuch/translated" >/dev/null
}
serve() {
    wine 'C:\canopy\canopy.exe' serve --device cpu --port 8579 2>>"$log" &
    local server=$! answer=
    for _ in $(seq 60); do
        sleep 2
        answer=$(curl -s http://127.0.0.1:8579/translate -H 'Content-Type: application/json' \
            -d '{"q": "Save the document.", "source": "en", "target": "de"}') && break
    done
    echo "$answer"
    kill -INT $server
    for _ in $(seq 20); do sleep 1; kill -0 $server 2>/dev/null || break; done
    tail -n 1 "$log"
    ! kill -0 $server 2>/dev/null || { kill -9 $server; return 1; }
    [[ $answer == *translatedText* ]]
}
sample_run() { (cd "$work" && canopy demo --run Probe | tail -n 4); }
resume() {
    local run='C:\Übungen für Jörg\Lauf' corpus
    corpus=$(cd "$work" && ls -d Probe/*/ | grep -i corpus | head -n 1)
    wine 'C:\canopy\canopy.exe' train --corpus "C:\\Übungen für Jörg\\${corpus//\//\\}" --preset transformer-tiny --run "$run" --steps 100000 \
        --checkpoint-every 20 --device cpu 2>>"$log" >/dev/null &
    local training=$!
    for _ in $(seq 120); do sleep 1; [[ -e $work/Lauf/checkpoints/last ]] && break; done
    sleep 2
    wine taskkill /f /im canopy.exe >>"$log"
    wait $training
    canopy train --resume --run "$run" --minutes 0.1 >/dev/null || return 1
    tail -n 1 "$work/Lauf/events.jsonl" | cut -c1-120
}
models() { canopy model list | wc -l; }
installer() {
    local setup left home=$drive/users/root/AppData/Local/Programs/Canopy
    setup=$(ls /packages/*-setup.exe | head -n 1)
    wine "$setup" /S && sleep 3 && wine cmd /c "cd /d C:\\ && canopy --version" && wine reg query 'HKCU\Software\Classes\.docx\OpenWithProgids' |
        grep -c Canopy >>"$log" && touch "$home/mine.txt" "$home/notes.md" "$home/docs/mine.md" && wine "$home/uninstall.exe" /S && sleep 5 &&
        left=$(cd "$home" && find . -type f | sort | tr '\n' ' ') && [[ $left == './docs/mine.md ./mine.txt ./notes.md ' ]] &&
        ! wine reg query 'HKCU\Software\Classes\Canopy.Document' >>"$log" && echo "installed, and removed but for the user's files" && rm -r "$home"
}
# The window on a screen of its own, with a letter: clicks on Explore, Document, Translate document, Models and Document, each of which
# changes the picture of a window that lives; Wine's title is 30 pixels high. The pictures stay in $drive/pictures.
window() {
    local screen server program number picture seen step changes=0 name=${1:-auto}
    local folder=$drive/pictures/$name
    mkdir -p "$folder"
    exec {screen}< <(exec Xvfb -displayfd 1 -screen 0 1280x900x24 2>>"$log")
    server=$!
    read -r -u "$screen" number
    # What is left of the checks before has no screen; Wine itself ends some seconds later.
    DISPLAY=:$number wineboot -k
    sleep 10
    DISPLAY=:$number wine 'C:\canopy\canopy.exe' 'C:\canopy\assets\samples\letter.docx' "${@:2}" 2>>"$log" &
    program=$!
    for _ in $(seq 240); do
        sleep 1
        DISPLAY=:$number xdotool search --onlyvisible --name '^Canopy' >>"$log" 2>&1 && break
        kill -0 $program 2>>"$log" || break
    done
    sleep "$WAIT"
    DISPLAY=:$number import -window root "$folder/0.png"
    seen=$(DISPLAY=:$number import -window root ppm:- | md5sum)
    step=0
    for place in 612 529 1199 842 529; do
        step=$((step + 1))
        DISPLAY=:$number xdotool mousemove "$place" 51 click 1
        sleep "$WAIT"
        DISPLAY=:$number import -window root "$folder/$step.png"
        picture=$(DISPLAY=:$number import -window root ppm:- | md5sum)
        [[ $picture == "$seen" ]] || changes=$((changes + 1))
        seen=$picture
    done
    DISPLAY=:$number wineboot -k
    wait $program
    kill $server
    echo "5 clicks, $changes new pictures"
    ((changes == 5))
}
window_cpu() { window cpu --device cpu; }
window_gl() { WGPU_BACKEND=gl window gl; }

all=(
    version 'version'
    models 'models that come with it'
    page 'page of HTML, to a folder with blanks and umlauts'
    letter 'Word letter'
    pipe 'standard input and output'
    umlauts 'the same with umlauts'
    stars '`*.md`, which the shell does not expand'
    relative_path 'relative path with `..` and `/`'
    long_path 'path of more than 260 characters'
    unc 'path with `\\?\`'
    line_ends 'lines that end with CR LF'
    refuses 'a file that is there stays'
    held_open 'a file that another program holds open'
    trace 'trace and figure'
    project 'project: new, translate, export, status'
    serve 'server, client, Ctrl+C'
    sample_run 'sample run: two trainings'
    resume 'training killed and resumed'
    window 'window'
    window_cpu 'window with `--device cpu`'
    window_gl 'window with `WGPU_BACKEND=gl`'
    installer 'installer, command in the search path, uninstall'
)
echo '| tried | works | time |'
echo '|---|---|---|'
for ((i = 0; i < ${#all[@]}; i += 2)); do
    [[ $# == 0 || " $* " == *" ${all[i]} "* ]] && try "${all[i + 1]}" "${all[i]}"
done
true
