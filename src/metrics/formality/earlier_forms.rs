//! The forms of address of documents before this one.

use std::collections::HashMap;

use super::Formality;

/// The form of address last used in earlier documents: for each note, such as who speaks, and overall.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierForms {
    last: Option<Formality>,
    of_notes: HashMap<String, Formality>,
}

impl EarlierForms {
    /// Adds the form of a sentence after all others.
    pub fn add(&mut self, note: Option<&str>, form: Formality) {
        self.last = Some(form);
        if let Some(note) = note {
            self.of_notes.insert(note.to_owned(), form);
        }
    }

    /// Returns the form of the last document that had one.
    pub fn last(&self) -> Option<Formality> {
        self.last
    }

    /// The last form with this note.
    pub fn last_with_note(&self, note: Option<&str>) -> Option<Formality> {
        self.of_notes.get(note?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_form_is_that_of_each_note_and_of_all() {
        let mut earlier = EarlierForms::default();
        assert_eq!(
            (earlier.last(), earlier.last_with_note(Some("Anna"))),
            (None, None)
        );
        earlier.add(Some("Anna"), Formality::Du);
        earlier.add(Some("Anna"), Formality::Polite);
        earlier.add(None, Formality::Plural);
        assert_eq!(earlier.last(), Some(Formality::Plural));
        assert_eq!(
            earlier.last_with_note(Some("Anna")),
            Some(Formality::Polite)
        );
        assert_eq!(earlier.last_with_note(Some("Ben")), None);
        assert_eq!(earlier.last_with_note(None), None);
    }
}
