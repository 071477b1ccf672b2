//! Subtitles.

use super::*;

#[test]
fn a_number_between_cues_is_a_lost_counter() {
    let time = |second: u8| format!("00:00:0{second},000 --> 00:00:0{},000", second + 1);
    for stray in ["2\n\n2\n", "7\n\n2\n", "2\n\n\n3\n2\n"] {
        let file = format!(
            "1\n{}\nFirst text.\n\n{stray}{}\nSecond text.\n",
            time(1),
            time(3)
        );
        let document = read("a.srt", file.as_bytes());
        assert_eq!(texts(&document), ["First text.", "Second text."], "{stray}");
        assert!(shout("a.srt", &file).contains(&format!("FIRST TEXT.\n\n{stray}{}", time(3))));
    }
    let twice = format!(
        "1\n{}\nFirst text.\n2\n2\n{}\nSecond text.\n",
        time(1),
        time(3)
    );
    assert_eq!(
        texts(&read("a.srt", twice.as_bytes())),
        ["First text.", "Second text."]
    );
    // A number that is the text of a cue, or the end of it.
    let file = format!(
        "1\n{}\nThe bet is\n500.\n\n2\n{}\n12 men\n",
        time(1),
        time(3)
    );
    assert_eq!(
        texts(&read("a.srt", file.as_bytes())),
        ["The bet is 500.", "12 men"]
    );
}

#[test]
fn a_cue_without_times_shares_no_sentence_with_the_one_before() {
    let file = "1\n00:00:01,000 --> 00:00:02,000\nthe first text\n\n2\nand the second.\n\n3\n00:00:05,000 --> 00:00:06,000\nThird.\n";
    let document = read("a.srt", file.as_bytes());
    assert_eq!(
        texts(&document),
        ["the first text", "and the second.", "Third."]
    );
    let wanted = file
        .replace("the first text", "THE FIRST TEXT")
        .replace("and the second", "AND THE SECOND")
        .replace("Third", "THIRD");
    assert_eq!(shout("a.srt", file), wanted);
}

#[test]
fn ends_of_lines_that_were_turned_twice_are_ends_of_lines() {
    let file = "1\r\r\n00:00:01,000 --> 00:00:02,000\r\r\nHow\r\r\nmany?\r\r\n500\r\r\n\r\r\n2\r\r\n00:00:08,000 --> 00:00:09,000\r\r\nGo.\r\r\n";
    let document = read("a.srt", file.as_bytes());
    assert_eq!(texts(&document), ["How many? 500", "Go."]);
    assert!(shout("a.srt", file).contains("500\r\r\n\r\r\n2"));
    assert!(
        !shout("a.srt", file)
            .replace("\r\r\n", "")
            .contains(['\r', '\n'])
    );
}

#[test]
fn each_speaker_has_a_colour() {
    let cue = |text: &str| format!("1\n00:00:01,000 --> 00:00:02,000\n{text}\n");
    let two = cue("<font color=\"#ff0\">you and</font>\n<font color=\"#0f0\">me too</font>");
    assert_eq!(texts(&read("a.srt", two.as_bytes())), ["you and", "me too"]);
    let white = cue("Are you there?\n<font color=\"#0f0\">I am here.</font>");
    let written = shout("a.srt", &white);
    assert!(
        written.contains("ARE YOU THERE?\n<font color=\"#0f0\">I AM HERE.</font>"),
        "{written}"
    );
    let voices = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>you and\n<v Bob>me too\n";
    assert_eq!(
        texts(&read("a.vtt", voices.as_bytes())),
        ["you and", "me too"]
    );
    let over = "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.yellow>you and</c>\n\n00:02.000 --> 00:03.000\n<c.green>me too</c>\n";
    assert_eq!(
        texts(&read("a.vtt", over.as_bytes())),
        ["you and", "me too"]
    );
}

#[test]
fn cues_without_blank_lines_and_with_references_are_read() {
    let file = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nWait&hellip; a bit.\n2\n00:03.000 --> 00:04.000\nAT&AMP;T &mdash; now.\n00:05.000 --> 00:06.000\nGo.\n";
    assert_eq!(
        texts(&read("a.vtt", file.as_bytes())),
        ["Wait… a bit.", "AT&T — now.", "Go."]
    );
}

#[test]
fn overrides_stay_in_their_event() {
    let event = |start: u8, text: &str| {
        format!(
            "Dialogue: 0,0:00:0{start}.00,0:00:0{}.00,Default,,0,0,0,,{text}\n",
            start + 1
        )
    };
    let file = format!(
        "[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n{}{}",
        event(1, "we {\\fnA}go and"),
        event(2, "then {\\fnB}stay here")
    );
    let document = read("a.ass", file.as_bytes());
    let [text] = texts(&document)[..] else {
        panic!("one sentence");
    };
    let (words, codes): (Vec<char>, Vec<char>) = text
        .chars()
        .partition(|&c| Placeholder::from_char(c).is_none());
    let [first, second] = codes[..] else {
        panic!("two tags");
    };
    let words: String = words.into_iter().collect();
    for translation in [
        format!("{first}{second}{words}"),
        format!("{words}{second}{first}"),
        format!("{second}{words}{first}"),
    ] {
        let written = document
            .written(&[Some(translation)], Some("de"))
            .expect("written");
        let written = String::from_utf8(written).expect("UTF-8");
        let mut events = written.lines().filter(|line| line.starts_with("Dialogue"));
        assert!(
            events.next().is_some_and(|event| event.contains("{\\fnA}")),
            "{written}"
        );
        assert!(
            events.next().is_some_and(|event| event.contains("{\\fnB}")),
            "{written}"
        );
    }
}
