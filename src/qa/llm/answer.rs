//! The translation in an answer, and the text that a model wrote around it.

/// The translation within what a model answers: without its thoughts, and without what frames it.
pub fn translation(answer: &str, source: &str) -> String {
    let text = without_thoughts(answer);
    let text = without_fence(text.trim());
    let text = without_label(text.trim());
    unquoted(text.trim(), source.trim()).trim().to_owned()
}

/// The answer after the thoughts that some models write down first.
fn without_thoughts(answer: &str) -> &str {
    const END: &str = "</think>";
    match answer.rfind(END) {
        Some(at) => &answer[at + END.len()..],
        None => answer,
    }
}

/// The inside of a block of code, if all is one.
fn without_fence(text: &str) -> &str {
    let inside = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"));
    let Some(inside) = inside else { return text };
    match inside.split_once('\n') {
        Some((_language, code)) => code,
        None => inside,
    }
}

/// The text after a word that only says what it is.
fn without_label(text: &str) -> &str {
    const LABELS: [&str; 3] = [
        "translation:",
        "translated sentence:",
        "the translation is:",
    ];
    for label in LABELS {
        let begins = text.get(..label.len());
        if begins.is_some_and(|begins| begins.eq_ignore_ascii_case(label)) {
            return text[label.len()..].trim_start();
        }
    }
    text
}

/// The text within quotation marks that the source does not have.
fn unquoted<'t>(text: &'t str, source: &str) -> &'t str {
    const PAIRS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('\'', '\'')];
    for (open, close) in PAIRS {
        let inside = text
            .strip_prefix(open)
            .and_then(|text| text.strip_suffix(close));
        let is_source_quoted = PAIRS.iter().any(|&(open, _)| source.starts_with(open));
        if let Some(inside) = inside
            && !is_source_quoted
            && !inside.contains([open, close])
        {
            return inside;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_frames_a_translation_is_taken_off() {
        let source = "Open the file.";
        for answer in [
            "Öffnen Sie die Datei.",
            "\n Öffnen Sie die Datei.\n",
            "\"Öffnen Sie die Datei.\"",
            "„Öffnen Sie die Datei.“",
            "Translation: Öffnen Sie die Datei.",
            "```\nÖffnen Sie die Datei.\n```",
            "```text\nÖffnen Sie die Datei.\n```",
            "<think>The user wants \"file\" …</think>\n\nÖffnen Sie die Datei.",
        ] {
            assert_eq!(
                translation(answer, source),
                "Öffnen Sie die Datei.",
                "{answer}"
            );
        }
    }

    #[test]
    fn quotation_marks_of_the_source_stay() {
        let quoted = "„Öffnen“";
        assert_eq!(translation(quoted, "\"Open\""), quoted);
        let inner = "\"Öffnen\" und \"Schließen\"";
        assert_eq!(translation(inner, "Open and close"), inner);
        assert_eq!(translation("", "Open"), "");
    }
}
