//! Words of a sentence and where they are in it.

/// A run of letters and digits, with hyphens and apostrophes inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub text: &'t str,
    /// First byte in the sentence.
    pub start: usize,
    /// Whether it begins the sentence or follows a punctuation mark, markup aside.
    pub after_mark: bool,
}

impl Word<'_> {
    pub(super) fn lower(&self) -> String {
        self.text.to_lowercase()
    }

    pub(super) fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// The sentence with `replacement` in place of this word, capitalised as it was.
    pub(super) fn replaced(&self, sentence: &str, replacement: &str) -> String {
        let end = self.start + self.text.len();
        let replacement = if self.is_capitalised() {
            capitalised(replacement)
        } else {
            replacement.to_owned()
        };
        [&sentence[..self.start], &replacement, &sentence[end..]].concat()
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

pub(super) fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word> = Vec::new();
    let (mut start, mut after_mark) = (None, true);
    let mut letters = sentence.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next_is_letter = letters
            .peek()
            .is_some_and(|(_, next)| next.is_alphanumeric());
        let joins = matches!(letter, '-' | '\'' | '\u{2019}') && start.is_some() && next_is_letter;
        if letter.is_alphanumeric() || joins {
            start.get_or_insert(at);
            if letters.peek().is_some() {
                continue;
            }
        }
        if let Some(first) = start.take() {
            let end = if letter.is_alphanumeric() {
                at + letter.len_utf8()
            } else {
                at
            };
            words.push(Word {
                text: &sentence[first..end],
                start: first,
                after_mark,
            });
            after_mark = false;
        }
        let is_markup = matches!(letter, '\u{E000}'..='\u{F8FF}');
        after_mark |= !(letter.is_alphanumeric() || letter.is_whitespace() || is_markup);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sentence: &str) -> Vec<&str> {
        words(sentence).iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_end_at_marks_and_markup() {
        assert_eq!(
            texts("Das \u{E000}PDF-Feld\u{E200}, das's."),
            ["Das", "PDF-Feld", "das's"]
        );
        assert_eq!(texts("ab- c"), ["ab", "c"]);
        assert_eq!(texts("…"), [""; 0]);
        let marks: Vec<bool> = words("Er kam. Sie \u{E000}nicht, er")
            .iter()
            .map(|w| w.after_mark)
            .collect();
        assert_eq!(marks, [true, false, true, false, true]);
    }

    #[test]
    fn a_replaced_word_keeps_its_case_and_everything_around_it() {
        let sentence = "\u{E000}Er\u{E200} öffnet er.";
        let words = words(sentence);
        assert_eq!(
            words[0].replaced(sentence, "sie"),
            "\u{E000}Sie\u{E200} öffnet er."
        );
        assert_eq!(
            words[2].replaced(sentence, "es"),
            "\u{E000}Er\u{E200} öffnet es."
        );
    }
}
