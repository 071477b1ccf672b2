//! The forms of address of documents before this one.

use std::collections::HashMap;

use super::FormOfAddress;

/// The form of address last used in earlier documents: for each note, such as who speaks, and overall.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierForms {
    last: Option<FormOfAddress>,
    of_notes: HashMap<String, FormOfAddress>,
}

impl EarlierForms {
    /// Adds the form of a sentence after all others.
    pub fn add(&mut self, note: Option<&str>, form: FormOfAddress) {
        self.last = Some(form);
        if let Some(note) = note {
            self.of_notes.insert(note.to_owned(), form);
        }
    }

    /// Returns the form of the last document that had one.
    pub fn last(&self) -> Option<FormOfAddress> {
        self.last
    }

    /// The last form with this note.
    pub fn of_note(&self, note: Option<&str>) -> Option<FormOfAddress> {
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
            (earlier.last(), earlier.of_note(Some("Anna"))),
            (None, None)
        );
        earlier.add(Some("Anna"), FormOfAddress::Du);
        earlier.add(Some("Anna"), FormOfAddress::Polite);
        earlier.add(None, FormOfAddress::Plural);
        assert_eq!(earlier.last(), Some(FormOfAddress::Plural));
        assert_eq!(earlier.of_note(Some("Anna")), Some(FormOfAddress::Polite));
        assert_eq!(earlier.of_note(Some("Ben")), None);
        assert_eq!(earlier.of_note(None), None);
    }
}
