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
# A screen of its own, so wide and high; what is left of the checks before has none, and Wine itself ends some seconds later.
open_screen() {
    local screen number
    mkdir -p /tmp/screen
    exec {screen}< <(exec Xvfb -fbdir /tmp/screen -displayfd 1 -screen 0 "${1:-1280x900}x24" 2>>"$log")
    server=$!
    read -r -u "$screen" number
    export DISPLAY=:$number
    wineboot -k
    sleep 10
}
close_screen() {
    wineboot -k
    sleep 3
    # Once in a while wineboot leaves a program alone.
    [[ $# == 0 ]] || { kill -9 "$@"; wait "$@"; } 2>>"$log"
    kill "$server"
}
# Waits for a window with this in its title.
appears() {
    for _ in $(seq 240); do
        sleep 1
        xdotool search --onlyvisible --name "$1" >>"$log" 2>&1 && return
    done
    return 1
}
# The pictures stay in $drive/pictures. They are read from Xvfb's file, since another program may hold the server.
picture() { mkdir -p "$drive/pictures/${1%/*}" && convert xwd:/tmp/screen/Xvfb_screen0 "$drive/pictures/$1.png"; }
seen() { md5sum </tmp/screen/Xvfb_screen0; }
# Waits until nothing moves, but not for ever.
rest() {
    local before='' now
    for _ in $(seq 60); do
        sleep 3
        now=$(seen)
        [[ $now != "$before" ]] || return 0
        before=$now
    done
}
# The program with these arguments, until its window stands, and a picture of that; `program` is its process.
show() {
    wine 'C:\canopy\canopy.exe' "${@:2}" 2>>"$log" &
    program=$!
    appears 'Canopy$'
    sleep "$WAIT"
    picture "$1"
}
click() { xdotool mousemove "$1" "$2" click 1; }
line() { xdotool type "$1" && xdotool key Return; }

# A letter in the window: clicks on Explore, Document, Translate document, Models and Document, each of which changes the picture of a
# window that lives. Without a window manager it has no title, and Wine leaves the 30 pixels above it black.
window() {
    local program before now changes=0 step=0 name=${1:-auto}
    open_screen
    show "$name/0" 'C:\canopy\assets\samples\letter.docx' "${@:2}"
    before=$(seen)
    for place in 612 529 1199 842 529; do
        step=$((step + 1))
        click "$place" 51
        sleep "$WAIT"
        picture "$name/$step"
        now=$(seen)
        [[ $now == "$before" ]] || changes=$((changes + 1))
        before=$now
    done
    close_screen $program
    echo "5 clicks, $changes new pictures"
    ((changes == 5))
}
window_cpu() { window cpu --device cpu; }
window_gl() { WGPU_BACKEND=gl window gl; }

# The letter is opened by the system's dialog, translated, and saved by the dialog: it is the same as without the window. Clicks give the
# dialog's field for names and the window the keys, which a window manager would.
dialogs() {
    local program saved=$drive/Brief.docx
    rm -f "$saved"
    canopy translate 'C:\canopy\assets\samples\letter.docx' --device cpu --force -o 'C:\Übungen für Jörg\letter.de.docx'
    open_screen
    show dialogs/start
    click 1000 700
    xdotool key ctrl+o
    sleep "$WAIT"
    picture dialogs/open
    click 380 476
    line 'C:\canopy\assets\samples\letter.docx'
    sleep "$WAIT"
    picture dialogs/opened
    click 600 835
    xdotool key ctrl+Return
    sleep "$((4 * WAIT))"
    picture dialogs/translated
    xdotool key ctrl+s
    sleep "$WAIT"
    picture dialogs/save
    click 380 476
    xdotool key ctrl+a
    line 'C:\Brief.docx'
    sleep "$WAIT"
    picture dialogs/saved
    close_screen $program
    cmp "$saved" "$work/letter.de.docx" && rm "$saved" && echo 'the file that the command line writes'
}

# Whether the window is dark or light, as Windows is.
brightness() {
    local program
    wine reg add 'HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize' /v AppsUseLightTheme /t REG_DWORD /d "$1" /f >>"$log"
    open_screen
    show "theme/$1" --device cpu
    convert "$drive/pictures/theme/$1.png" -colorspace gray -format '%[fx:int(100*mean)]' info:
    close_screen $program
}
theme() {
    local light dark
    light=$(brightness 1)
    dark=$(brightness 0)
    wine reg delete 'HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize' /f >>"$log"
    echo "brightness of the light one $light %, of the dark one $dark %"
    ((light > 60 && dark < 40))
}

# The size of the window at 100, 150 and 200 %.
scales() {
    local program dots sizes=''
    for dots in 96 144 192; do
        wine reg add 'HKCU\Control Panel\Desktop' /v LogPixels /t REG_DWORD /d $dots /f >>"$log"
        open_screen 2700x1800
        show "scales/$dots" 'C:\canopy\assets\samples\letter.docx' --device cpu
        sizes+="$(xdotool search --onlyvisible --name 'Canopy$' getwindowgeometry | sed -n 's/.*Geometry: //p' | tail -n 1) "
        close_screen $program
    done
    wine reg add 'HKCU\Control Panel\Desktop' /v LogPixels /t REG_DWORD /d 96 /f >>"$log"
    echo "$sizes"
}

# A text in six scripts, without fonts for them, and with two in the folder of Windows and two in that of the user.
fonts() {
    local program state folder=$drive/windows/Fonts own=$drive/users/root/AppData/Local/Microsoft/Windows/Fonts
    printf '%s\n\n' 'Latin: Übung' 'العربية: مكتبة المدينة' 'हिन्दी: शहर का पुस्तकालय' 'ไทย: ห้องสมุดเมือง' '中文：城市图书馆' '日本語：市の図書館' >"$work/scripts.txt"
    rm -f "$folder"/* "$own"/*
    mkdir -p "$own"
    for state in without with; do
        [[ $state == without ]] || (cd /usr/share/fonts && cp truetype/droid/DroidSansFallbackFull.ttf truetype/lohit-devanagari/*.ttf "$folder" &&
            cp truetype/tlwg/Garuda.ttf opentype/fonts-hosny-amiri/Amiri-Regular.ttf "$own") || return
        open_screen
        show "fonts/$state" 'C:\Übungen für Jörg\scripts.txt' --device cpu
        close_screen $program
    done
    rm -f "$folder"/* "$own"/*
    # A picture that is not there is no difference.
    cmp -s "$drive/pictures/fonts/without.png" "$drive/pictures/fonts/with.png"
    [[ $? == 1 ]]
}

# Started as by a click, with a console of its own, which goes; the titles of all windows.
no_console() {
    local titles
    open_screen
    wine start 'C:\canopy\canopy.exe' 2>>"$log"
    appears 'Canopy$'
    sleep "$WAIT"
    picture console/none
    titles=$(xdotool search --onlyvisible --name . 2>>"$log" | while read -r id; do xdotool getwindowname "$id"; done | sort -u | tr '\n' ' ')
    close_screen
    echo "windows: $titles"
    [[ $titles == 'Canopy ' ]]
}

# A console of Wine with cmd in it: umlauts, the line of progress, colours, Ctrl+C.
console() {
    local program
    rm -rf "$drive/Lauf"
    open_screen
    (cd "$drive" && exec wineconsole cmd) 2>>"$log" &
    program=$!
    sleep 15
    click 200 200
    line 'cd \canopy'
    line 'canopy translate assets\samples\notes.txt --device cpu'
    sleep 2
    picture console/progress
    rest
    picture console/text
    line 'cls & canopy translate missing.txt & canopy --help'
    rest
    picture console/colours
    line 'cls & canopy demo --run C:\Lauf'
    sleep "$((2 * WAIT))"
    picture console/training
    xdotool key ctrl+c
    rest
    picture console/stopped
    line 'cls & echo %errorlevel% & dir \Lauf'
    rest
    picture console/after
    close_screen $program
}
# The same in a terminal of Unix, by Wine's console.
terminal() {
    rm -f "$work/terminal.txt"
    script -qec "wine 'C:\\canopy\\canopy.exe' translate 'C:\\canopy\\assets\\samples\\notes.txt' --device cpu" "$work/terminal.txt" </dev/null >>"$log"
    grep -ao '[[:alpha:]]*[äöüß][[:alpha:]]*' "$work/terminal.txt" | head -n 3 | tr '\n' ' '
    grep -aq 'ü\|ö\|ä' "$work/terminal.txt"
}

# Wine takes \\server\share from a link.
share() {
    mkdir -p "$1" "$WINEPREFIX/dosdevices/unc/server"
    ln -sfn "$1" "$WINEPREFIX/dosdevices/unc/server/share"
}
network() {
    local place=/srv/share
    rm -rf $place
    share $place
    mkdir "$place/aus"
    cp "$samples/letter.docx" "$samples/notes.txt" $place/
    canopy translate '\\server\share\letter.docx' --to pt --device cpu -o '\\server\share\aus\carta.docx' &&
        canopy translate '\\?\UNC\server\share\notes.txt' --device cpu -o '\\?\UNC\server\share\aus\notes.de.txt' &&
        canopy translate '//server/share/notes.txt' --device cpu --force -o '//server/share/aus/notes.de.txt' &&
        canopy translate '\\server\share\*.txt' --device cpu -o '\\server\share\alle' && cmp $place/alle/notes*.txt $place/aus/notes.de.txt &&
        same $place/aus/carta.docx "$reference/carta.docx"
    ! canopy translate '\\server\share\notes.txt' --device cpu -o '\\server\share\aus\notes.de.txt' && tail -n 1 "$log"
    ! canopy translate '\\server\nothing\notes.txt' --device cpu -o 'C:\nothing.txt' && tail -n 1 "$log"
    [[ $(find $place -type f | wc -l) == 5 ]]
}
network_project() {
    local place=/srv/share
    share $place
    rm -rf $place/Handbuch
    canopy project new '\\server\share\Handbuch' --from en --to de '\\server\share\notes.txt' 'C:\canopy\assets\samples\sorting-a-table.md' >>"$log" &&
        canopy project translate '\\server\share\Handbuch' --device cpu >>"$log" && canopy project export '\\?\UNC\server\share\Handbuch' >>"$log" &&
        canopy project status '//server/share/Handbuch' | tail -n 1 && (cd $place/Handbuch/translated && ls | tr '\n' ' ') &&
        ! grep -n 'server\|\\\\' $place/Handbuch/canopy-project.toml
}
network_trace() {
    local place=/srv/share
    share $place
    rm -f $place/table.trace $place/cross.png
    cp "$samples/sorting-a-table.md" $place/
    canopy translate '\\server\share\sorting-a-table.md' --device cpu --trace '\\server\share\table.trace' --force -o '\\server\share\table.de.md' &&
        canopy explain '\\server\share\table.trace' --view cross --sentence 2 -o '\\server\share\cross.png' && [[ -s $place/cross.png ]] &&
        grep -aoE '(C:|\\\\\\\\|//)[^"]{0,60}' $place/table.trace | head -n 1
}
# A second drive, as a stick: a project and a trace on it, made from another drive, and opened when the stick is F:.
drives() {
    local stick=/srv/stick
    rm -rf $stick
    mkdir -p $stick
    ln -sfn $stick "$WINEPREFIX/dosdevices/e:"
    cp "$samples/notes.txt" "$samples/sorting-a-table.md" $stick/
    canopy project new 'E:\Handbuch' --from en --to de 'e:/notes.txt' 'C:\canopy\assets\samples\sorting-a-table.md' >>"$log" &&
        (cd $stick && canopy translate 'E:sorting-a-table.md' --device cpu --trace 'E:table.trace' -o '\table.de.md') && ls $stick/table.* >>"$log" &&
        mv "$WINEPREFIX/dosdevices/e:" "$WINEPREFIX/dosdevices/f:" && canopy project translate 'F:\Handbuch' --device cpu >>"$log" &&
        canopy project export 'F:\Handbuch' >>"$log" && canopy project status 'F:\Handbuch' | tail -n 1 &&
        canopy explain 'F:\table.trace' --view cross --sentence 2 -o 'F:\cross.png' && [[ -s $stick/cross.png ]] &&
        ! grep -ni '[ef]:\|\\\\' $stick/Handbuch/canopy-project.toml && (cd $stick/Handbuch/translated && ls | tr '\n' ' ')
}

# The windows of the installer and of the uninstaller in a language, page by page; the key Return presses what leads on.
installer_windows() {
    local page place=$drive/users/root/AppData/Local/Programs/Canopy
    export LC_ALL=$1
    rm -rf "$place"
    open_screen 520x420
    wine "$(ls /packages/*-setup.exe | head -n 1)" 2>>"$log" &
    appears Canopy
    for page in welcome licence parts folder; do
        rest
        picture "$1/$page"
        xdotool key Return
    done
    for _ in $(seq 300); do sleep 1; [[ -e $place/uninstall.exe ]] && break; done
    rest
    picture "$1/finished"
    wineboot -k
    sleep 10
    [[ -e $place/canopy.exe ]] || return 1
    wine "$place/uninstall.exe" 2>>"$log" &
    appears Canopy
    rest
    picture "$1/uninstall"
    xdotool key Return
    sleep 10
    rest
    picture "$1/uninstalled"
    close_screen
    [[ ! -e $place ]]
}
german() { installer_windows de_DE.UTF-8; }
portuguese() { installer_windows pt_BR.UTF-8; }

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
    dialogs 'document opened, translated and saved by the window and the dialogs of the system'
    theme 'window as light or dark as Windows'
    scales 'window at 100, 150 and 200 %'
    fonts 'fonts of the system and of the user, found by script (look at the pictures)'
    no_console 'window of a program started by a click, without a console'
    console 'console: text, progress, colours, Ctrl+C (look at the pictures)'
    terminal 'terminal of Unix'
    network 'documents in `\\server\share`'
    network_project 'project there'
    network_trace 'trace there'
    drives 'project and trace on another drive, whose letter changes'
    german 'windows of the installer in German'
    portuguese 'the same in Portuguese'
    installer 'installer, command in the search path, uninstall'
)
echo '| tried | works | time |'
echo '|---|---|---|'
for ((i = 0; i < ${#all[@]}; i += 2)); do
    [[ $# == 0 || " $* " == *" ${all[i]} "* ]] && try "${all[i + 1]}" "${all[i]}"
done
true
