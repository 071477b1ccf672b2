//! Messages as the paragraphs of the documents that they come from.

use std::collections::BTreeMap;

use super::reader::Entry;
use crate::format::{ParallelDocument, ParallelParagraph};
use crate::unit::{Unit, UnitStatus, folded};
use canopy_document::placeholder;

/// Documents under construction, by their ids.
#[derive(Debug, Default)]
pub(super) struct Documents {
    found: BTreeMap<String, Found>,
    /// Messages so far: those of one line keep their order.
    added: usize,
}

#[derive(Debug, Default)]
struct Found {
    catalogue: String,
    /// Each after its line, and its number among all.
    paragraphs: BTreeMap<(u32, usize), ParallelParagraph>,
}

impl Documents {
    /// Adds a message to the documents that it is in, and says how many pairs that are; none if it is not translated.
    pub(super) fn add(&mut self, catalogue: &str, entry: &Entry, reversed: bool) -> Option<usize> {
        let pairs = pairs(entry);
        if pairs.is_empty() {
            return None;
        }
        let note = note(entry);
        let places = entry.references.iter();
        let mut places: Vec<(String, u32)> = places
            .map(|place| {
                let file = place.file.trim_start_matches(['.', '/']);
                (format!("{catalogue}/{file}"), place.line.unwrap_or(0))
            })
            .collect();
        if places.is_empty() {
            places.push((catalogue.to_owned(), 0));
        }
        places.dedup();
        let mut count = 0;
        for (document, line) in places {
            let document = self.found.entry(document).or_default();
            catalogue.clone_into(&mut document.catalogue);
            for (source, target) in &pairs {
                let (source, target) = if reversed {
                    (target, source)
                } else {
                    (source, target)
                };
                let mut unit = Unit::new(source.clone(), target.clone());
                if entry.fuzzy {
                    unit.status = UnitStatus::Doubtful;
                }
                let paragraph = ParallelParagraph {
                    id: (line > 0).then(|| line.to_string()),
                    note: note.clone(),
                    ..unit.into()
                };
                document.paragraphs.insert((line, self.added), paragraph);
                self.added += 1;
                count += 1;
            }
        }
        Some(count)
    }

    /// All documents, sorted by id, each with the name of its catalogue.
    pub(super) fn finished(self) -> impl Iterator<Item = (ParallelDocument, String)> {
        self.found.into_iter().map(|(id, found)| {
            let paragraphs = found.paragraphs.into_values().collect();
            (ParallelDocument::flat(id, paragraphs), found.catalogue)
        })
    }
}

/// The message and its translation; of a plural the form for one and that for most numbers.
fn pairs(entry: &Entry) -> Vec<(String, String)> {
    let singular = entry.targets.first().map(|target| (&entry.source, target));
    let plural = entry.plural.as_ref().zip(entry.targets.last());
    let both = [singular, plural].into_iter().flatten();
    let shown = both.map(|(source, target)| {
        let [source, target] = [source, target].map(|text| folded(&placeholder::stripped(text)));
        without_mark(source, target)
    });
    shown
        .filter(|(source, target)| !source.is_empty() && !target.is_empty())
        .collect()
}

/// Both without the context that some programs write before a message: `female^Mage`.
fn without_mark(source: String, target: String) -> (String, String) {
    match mark(&source) {
        Some(mark) => {
            let target = target.strip_prefix(&format!("{mark}^")).unwrap_or(&target);
            (
                source[mark.len() + 1..].trim_start().to_owned(),
                target.trim_start().to_owned(),
            )
        }
        None => (source, target),
    }
}

fn mark(source: &str) -> Option<&str> {
    let (mark, rest) = source.split_once('^')?;
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ' ');
    let is_mark = mark.starts_with(char::is_alphabetic) && mark.chars().all(is_word);
    (is_mark && rest.trim_start().starts_with(char::is_alphanumeric)).then_some(mark)
}

/// The notes for a translator: the message's context and the comments of the source.
fn note(entry: &Entry) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let context = entry.context.as_deref().into_iter();
    let context = context.chain(mark(&entry.source));
    for part in context.chain(entry.notes.iter().map(String::as_str)) {
        let part = folded(&placeholder::stripped(part));
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gettext::reader::Reference;

    fn entry(source: &str, target: &str, places: &[(&str, u32)]) -> Entry {
        let place = |&(file, line): &(&str, u32)| Reference {
            file: file.to_owned(),
            line: Some(line),
        };
        Entry {
            source: source.to_owned(),
            targets: vec![target.to_owned()],
            references: places.iter().map(place).collect(),
            ..Entry::default()
        }
    }

    fn texts(document: &ParallelDocument) -> Vec<(&str, &str)> {
        let units = document.paragraphs.iter().flat_map(|it| &it.units);
        units
            .map(|unit| (unit.source.as_str(), unit.target.as_str()))
            .collect()
    }

    #[test]
    fn messages_stand_in_the_order_of_their_lines_in_every_file() {
        let mut documents = Documents::default();
        let mut add = |entry: &Entry| documents.add("tale", entry, false);
        assert_eq!(add(&entry("Go!", "Geh!", &[("b", 9), ("a", 2)])), Some(2));
        assert_eq!(add(&entry("Who?", "Wer?", &[("./a", 1)])), Some(1));
        assert_eq!(add(&entry("No.", "", &[("a", 3)])), None);
        assert_eq!(add(&entry("Easy\\n", " Leicht ", &[])), Some(1));
        let found: Vec<_> = documents.finished().map(|(document, _)| document).collect();
        let ids: Vec<&str> = found.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids, ["tale", "tale/a", "tale/b"]);
        assert_eq!(texts(&found[1]), [("Who?", "Wer?"), ("Go!", "Geh!")]);
        assert_eq!(texts(&found[0]), [("Easy\\n", "Leicht")]);
    }

    #[test]
    fn plurals_are_two_pairs_and_marks_of_context_are_notes() {
        let mut plural = entry("%d orc", "%d Ork", &[("a", 1)]);
        plural.plural = Some("%d orcs".to_owned());
        plural.targets.push("%d Orks".to_owned());
        assert_eq!(
            pairs(&plural),
            [("%d orc", "%d Ork"), ("%d orcs", "%d Orks")]
                .map(|(source, target)| (source.to_owned(), target.to_owned()))
        );
        let mut marked = entry("female^Mage", "Magierin", &[("a", 1)]);
        marked.notes = vec!["speaker=Lorin".to_owned(), "speaker=Lorin".to_owned()];
        assert_eq!(pairs(&marked), [("Mage".to_owned(), "Magierin".to_owned())]);
        assert_eq!(note(&marked).as_deref(), Some("female; speaker=Lorin"));
        assert_eq!(pairs(&entry("2^3 = 8", "2^3 = 8", &[]))[0].0, "2^3 = 8");
        assert_eq!(pairs(&entry("^_^", "^_^", &[]))[0].0, "^_^");
    }
}
