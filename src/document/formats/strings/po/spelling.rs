//! Strings as gettext writes them.

/// How many characters a line may have.
const WIDTH: usize = 77;

/// A value in quotation marks: in one line, or wrapped as gettext does.
pub(super) fn spelt(value: &str, is_wrapped: bool, line_end: &str) -> String {
    let lines: Vec<&str> = value.split_inclusive('\n').collect();
    let is_short = value.chars().count() <= WIDTH;
    if lines.len() <= 1 && (!is_wrapped || is_short) {
        return format!("\"{}\"", escaped(value));
    }
    let mut written = String::from("\"\"");
    for line in lines {
        for part in wrapped(line) {
            written.extend([line_end, "\"", &part, "\""]);
        }
    }
    written
}

/// The escaped parts of a line, each no longer than a line of the file if there are spaces in it.
fn wrapped(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let word = escaped(word);
        let last = parts.len() - 1;
        let length = parts[last].chars().count();
        if length > 0 && length + word.chars().count() > WIDTH {
            parts.push(word);
        } else {
            parts[last].push_str(&word);
        }
    }
    parts
}

fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            '\u{7}' => written.push_str("\\a"),
            '\u{8}' => written.push_str("\\b"),
            '\u{B}' => written.push_str("\\v"),
            '\u{C}' => written.push_str("\\f"),
            _ if character.is_ascii_control() => {
                written.extend([format!("\\{:03o}", u32::from(character))]);
            }
            _ => written.push(character),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_the_text_breaks_them() {
        assert_eq!(spelt("a \"b\"\\\t", false, "\n"), "\"a \\\"b\\\"\\\\\\t\"");
        assert_eq!(spelt("a\n", true, "\n"), "\"a\\n\"");
        assert_eq!(spelt("a\nb", false, "\r\n"), "\"\"\r\n\"a\\n\"\r\n\"b\"");
        let long = "word ".repeat(40);
        let lines = spelt(&long, true, "\n");
        assert!(
            lines.lines().skip(1).all(|line| line.len() <= WIDTH + 2),
            "{lines}"
        );
        assert_eq!(spelt(&long, false, "\n").lines().count(), 1);
    }
}
