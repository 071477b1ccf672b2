//! The line above a text that is no running text: when subtitles are shown and how fast they have to be read, notes of a
//! speaker.

use canopy_app::OpenDocument;
use canopy_app::jobs::State;
use canopy_document::document::{CueTime, Document, Part, SubtitleLayout};
use canopy_document::placeholder::stripped;

/// Room of the line.
pub(crate) const HEIGHT: f32 = 17.0;

/// Characters that a reader of subtitles reads in a second; Netflix, "Timed Text Style Guide: General Requirements", for most
/// languages.
const FASTEST: f32 = 17.0;

/// A line above a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caption {
    pub source: String,
    pub target: String,
    /// Whether the translation is too long for its time or its room.
    pub warns: bool,
}

/// Whether a row has one: the first sentence of subtitles, and of notes.
pub(crate) fn has_one(document: &Document, sentence: usize) -> bool {
    let number = document.sentences[sentence].paragraph;
    let paragraph = &document.paragraphs[number];
    if paragraph.sentences.start != sentence {
        return false;
    }
    match paragraph.part {
        Some(Part::Cues(_)) => true,
        Some(Part::SpeakerNotes) => {
            let before = number.checked_sub(1).map(|it| &document.paragraphs[it]);
            before.is_none_or(|before| before.part != Some(Part::SpeakerNotes))
        }
        None => false,
    }
}

pub(crate) fn caption(
    open: &OpenDocument,
    sentence: usize,
    layout: SubtitleLayout,
) -> Option<Caption> {
    let document = &open.document;
    if !has_one(document, sentence) {
        return None;
    }
    let paragraph = &document.paragraphs[document.sentences[sentence].paragraph];
    let Part::Cues(time) = paragraph.part? else {
        return Some(Caption {
            source: "Speaker notes".to_owned(),
            target: String::new(),
            warns: false,
        });
    };
    let targets = paragraph.sentences.clone().map(|it| open.target(it));
    let translated = targets.filter(|target| target.state != State::Untranslated);
    let texts: Vec<String> = translated.map(|target| stripped(&target.text)).collect();
    let (target, warns) = reading(&texts.join(" "), time, layout);
    Some(Caption {
        source: times(time),
        target,
        warns,
    })
}

/// `0:01:02.5 → 0:01:04.6`
fn times(time: CueTime) -> String {
    let written = |ms: i64| {
        let (seconds, tenths) = (ms / 1000, ms % 1000 / 100);
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        format!("{hours}:{minutes:02}:{:02}.{tenths}", seconds % 60)
    };
    format!("{} → {}", written(time.start_ms), written(time.end_ms))
}

/// How fast a translation has to be read, and whether that is too fast or it has too little room.
#[expect(clippy::cast_precision_loss, reason = "characters and milliseconds")]
fn reading(text: &str, time: CueTime, layout: SubtitleLayout) -> (String, bool) {
    let chars = text.chars().count();
    if chars == 0 || time.shown_ms <= 0 {
        return (String::new(), false);
    }
    let speed = chars as f32 * 1000.0 / time.shown_ms as f32;
    let room = layout.max_chars * layout.max_lines * time.num_cues;
    let mut parts = vec![format!("{speed:.1} characters/s")];
    if speed > FASTEST {
        parts.push(format!("more than {FASTEST:.0}"));
    }
    if chars > room {
        parts.push(format!("{chars} characters, room for {room}"));
    }
    (parts.join("  ·  "), speed > FASTEST || chars > room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_translation_is_held_against_its_time_and_its_room() {
        let time = CueTime {
            start_ms: 3_723_450,
            end_ms: 3_725_450,
            shown_ms: 2000,
            num_cues: 1,
        };
        assert_eq!(times(time), "1:02:03.4 → 1:02:05.4");
        let layout = SubtitleLayout::default();
        let shown = |chars: usize| reading(&"x".repeat(chars), time, layout);
        assert_eq!(shown(30), ("15.0 characters/s".to_owned(), false));
        let (fast, warns) = shown(40);
        assert!(warns && fast.contains("more than 17"), "{fast}");
        let (long, warns) = shown(100);
        assert!(
            warns && long.contains("100 characters, room for 84"),
            "{long}"
        );
        assert_eq!(shown(0), (String::new(), false));
    }
}
