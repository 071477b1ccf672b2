//! A sentence as a model reads it, and the way back.
//!
//! A model gets its text composed, without invisible characters and not in capitals. What it is not to change is taken out:
//! blanks to fill in, names of files, pictograms, characters that its vocabulary cannot spell. A model with placeholders reads a
//! point for each; another one a [stand-in](stand_ins), in whose place [the projection of
//! markup](crate::inference::markup_projection) puts the point. In the end the translation has all as in the file.

mod capitals;
mod forms;
mod kept;
mod spelling;
mod stand_ins;

use std::borrow::Cow;

use forms::OwnForm;
use kept::{Kind, Span};
use spelling::Spelling;
use stand_ins::StandIns;

use canopy_document::placeholder::{MAX_PLACEHOLDERS, Placeholder, open, point};
use canopy_tokenize::{Side, Tokenizer};

/// How many numbers the placeholders of a sentence have for models that read none.
const MAX_NUMBERS: usize = 256;

/// A model, as far as it decides how a text is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'t> {
    pub tokenizer: &'t dyn Tokenizer,
    pub side: Side,
    /// Whether it reads placeholders.
    pub reads_points: bool,
    /// Whether it reads a point in place of names of files, which most models copy.
    pub hides_names: bool,
    pub target_language: &'t str,
}

/// A sentence as a model reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Preparation {
    /// With points in place of what is not to change.
    pub text: String,
    /// Text that each point shows.
    pub points: Vec<String>,
    /// All placeholders but closing ones, if points were added, with what the file has in their place.
    kept: Vec<(char, String)>,
    /// Blanks before and after all words.
    around: [String; 2],
    forms: Vec<OwnForm>,
    /// Whether the first letter is a capital that the vocabulary does not have.
    lost_capital: bool,
    /// The language of a translation that is to be in capitals.
    capitals: Option<String>,
}

impl Preparation {
    /// Prepares a text whose points show `points`.
    pub(crate) fn from_text(text: &str, points: &[String], reader: Reader<'_>) -> Self {
        let Reader {
            tokenizer,
            side,
            reads_points,
            hides_names,
            target_language,
        } = reader;
        let spelling = Spelling::new(tokenizer, side, reads_points);
        // Our own vocabularies have learnt the bytes of quotation marks and dashes.
        let is_known = |character: char| {
            spelling.knows(character) || spelling.is_of_bytes() && forms::is_typographic(character)
        };
        let is_large = |text: &str| {
            text.chars()
                .find(|c| c.is_alphabetic())
                .is_some_and(char::is_uppercase)
        };
        let begins_large = is_large(text);
        let (text, forms) = forms::normalized(text, &is_known, spelling.is_of_bytes());
        let lost_capital = begins_large && !is_large(&text);
        let mut spans = kept::kept_spans(&text, &spelling, hides_names);
        let (around, text) = without_outer(&text, &mut spans);
        let mut preparation = Self {
            points: points.to_vec(),
            around,
            forms,
            lost_capital,
            ..Self::default()
        };
        preparation.hide(&text, &spans, &spelling);
        if let Some(lowered) = capitals::lowered(&preparation.text, &|word| spelling.is_word(word))
        {
            preparation.text = lowered;
            preparation.capitals = Some(target_language.to_owned());
        }
        preparation
    }

    /// A translation of [`Self::text`] as one of the file's own text.
    pub(crate) fn restored(&self, translation: String) -> String {
        let mut text = translation;
        if let Some(language) = &self.capitals {
            text = capitals::raised(&text, language);
        }
        if self.lost_capital {
            text = begun_large(text);
        }
        if !self.kept.is_empty() {
            let shown = text.chars().map(|character| self.in_file(character));
            text = shown.collect();
        }
        text = forms::with_own_forms(text, &self.forms);
        let [before, behind] = &self.around;
        if before.is_empty() && behind.is_empty() {
            return text;
        }
        format!("{before}{text}{behind}")
    }

    /// Whether a letter is left for a model.
    pub(crate) fn has_words(&self) -> bool {
        self.text.chars().any(char::is_alphabetic)
    }

    /// Whether points were added.
    pub(crate) fn keeps(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Whether characters were taken out that the vocabulary cannot spell.
    pub(crate) fn lacks_letters(&self) -> bool {
        let letters =
            |(_, own): &(char, String)| own.chars().any(|c| c.is_alphabetic() && !c.is_ascii());
        self.kept.iter().any(letters)
    }

    /// A character of a translation as the file has it.
    fn in_file(&self, character: char) -> Cow<'_, str> {
        let kept = self.kept.iter().find(|it| it.0 == character);
        let own = kept.map(|(_, own)| Cow::Borrowed(own.as_str()));
        own.unwrap_or_else(|| Cow::Owned(character.to_string()))
    }

    /// Puts points in place of spans, as far as there are numbers, and numbers all placeholders as they follow each other, as
    /// models have learned them.
    fn hide(&mut self, text: &str, spans: &[Span], spelling: &Spelling<'_>) {
        let is_numbered =
            |c: &char| !matches!(Placeholder::from_char(*c), None | Some(Placeholder::Close));
        let num_own = text.chars().filter(is_numbered).count();
        let most = if spelling.reads_points() {
            MAX_PLACEHOLDERS
        } else {
            MAX_NUMBERS
        };
        let spans = &spans[..spans.len().min(most.saturating_sub(num_own))];
        if spans.is_empty() {
            text.clone_into(&mut self.text);
            return;
        }
        let shown = std::mem::take(&mut self.points);
        let (mut stand_ins, mut end) = (StandIns::default(), 0);
        for span in spans {
            self.renumber(&text[end..span.range.start], &shown);
            let own = &text[span.range.clone()];
            let number = self.points.len();
            self.points
                .push(stand_ins.stand_in(text, span, own, spelling));
            self.text.push(point(number));
            self.kept.push((point(number), own.to_owned()));
            end = span.range.end;
        }
        self.renumber(&text[end..], &shown);
    }

    /// Adds a text of the file whose points show `shown`.
    fn renumber(&mut self, text: &str, shown: &[String]) {
        for character in text.chars() {
            let number = self.points.len();
            let (read, own) = match Placeholder::from_char(character) {
                Some(Placeholder::Open(_)) => (open(number), String::new()),
                Some(Placeholder::Point(own)) => {
                    (point(number), shown.get(own).cloned().unwrap_or_default())
                }
                Some(Placeholder::Close) | None => {
                    self.text.push(character);
                    continue;
                }
            };
            self.points.push(own);
            self.text.push(read);
            self.kept.push((read, character.to_string()));
        }
    }
}

/// A text with a capital as its first letter, unless another sign or a digit precedes it.
fn begun_large(text: String) -> String {
    let mut characters = text.chars();
    let Some(first) = characters.next().filter(|first| first.is_lowercase()) else {
        return text;
    };
    first.to_uppercase().chain(characters).collect()
}

/// Whether a translation has lost a name of a file, a page or a person.
pub(super) fn loses_names(source: &str, target: &str) -> bool {
    let mut names = kept::names(source).into_iter();
    names.any(|name| !target.contains(&source[name]))
}

/// A text without what needs no model at its ends: blanks, signs and pictograms, with the space, the digits and the points that
/// are next to them. The spans are those that are left.
fn without_outer(text: &str, spans: &mut Vec<Span>) -> ([String; 2], String) {
    // Digits next to a blank are numbers of pages and lines; next to a sign they are its subject.
    let is_bare = |gap: &str, kind: Kind| {
        let is_number = |c: char| kind == Kind::Blank && c.is_ascii_digit();
        gap.chars()
            .all(|c| c.is_whitespace() || is_number(c) || ".,;:".contains(c))
    };
    let is_outer = |span: &&Span| !text[span.range.clone()].contains(char::is_alphanumeric);
    let outer: Vec<Span> = spans.iter().filter(is_outer).cloned().collect();
    let (mut start, mut end) = (0, text.len());
    for Span { range, kind } in &outer {
        if !is_bare(&text[start..range.start], *kind) {
            break;
        }
        start = range.end;
    }
    for Span { range, kind } in outer.iter().rev() {
        if range.start < start || !is_bare(&text[range.end..end], *kind) {
            break;
        }
        end = range.start;
    }
    let inner = &text[start..end];
    if inner.len() == text.len() || !inner.contains(char::is_alphabetic) {
        return (Default::default(), text.to_owned());
    }
    if start > 0 {
        start += inner.len() - inner.trim_start().len();
    }
    if end < text.len() {
        end = start + text[start..end].trim_end().len();
    }
    spans.retain(|span| start <= span.range.start && span.range.end <= end);
    for span in spans {
        span.range = span.range.start - start..span.range.end - start;
    }
    let around = [text[..start].to_owned(), text[end..].to_owned()];
    (around, text[start..end].to_owned())
}

#[cfg(test)]
mod tests;
