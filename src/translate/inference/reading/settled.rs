//! Texts that no model has to translate.

use super::ModelReader;
use crate::inference::other_languages::{is_mostly_in, other_language};
use crate::inference::translation::{Flag, Translation};
use crate::inference::translator::is_translatable;
use canopy_document::document::Document;

/// Bytes up to which a text may be the name of a file alone.
const LONGEST_NAME: usize = 80;

impl ModelReader<'_> {
    /// The translation of a text of a document that no model has to find; the document may have its translation from another place.
    pub(in crate::inference) fn settled_in(
        &self,
        document: &Document,
        text: &str,
    ) -> Option<Translation> {
        let matching = || {
            let translation = document.matching(text)?;
            Some(Translation {
                flags: vec![Flag::Memory],
                ..Translation::written(translation.to_owned())
            })
        };
        let settled = self.settled(text).or_else(matching);
        let settled = settled.or_else(|| self.unread(text));
        settled.or_else(|| self.copy_other_language(document, text))
    }

    /// A sentence of another language than the rest of its document, as it is.
    fn copy_other_language(&self, document: &Document, text: &str) -> Option<Translation> {
        let source = &self.translator.info().source_language;
        other_language(text, source)?;
        is_mostly_in(document, source).then(|| Translation {
            flags: vec![Flag::OtherLanguage],
            ..Translation::written(text.to_owned())
        })
    }

    /// A text of which nothing is left for the model, as it is: names of files, words that its vocabulary cannot spell.
    fn unread(&self, text: &str) -> Option<Translation> {
        if text.is_ascii() && text.len() > LONGEST_NAME {
            return None;
        }
        let prepared = self.prepared_without_names(text);
        let flag = prepared.lacks_letters().then_some(Flag::OtherLanguage);
        (!prepared.has_words()).then(|| Translation {
            flags: flag.into_iter().collect(),
            ..Translation::written(text.to_owned())
        })
    }

    /// The translation of a text that no model has to find: the text itself where there is nothing to translate, or what
    /// the user has translated exactly so before.
    fn settled(&self, text: &str) -> Option<Translation> {
        if !is_translatable(text) {
            return Some(Translation::written(text.to_owned()));
        }
        let shown = text.trim();
        let translation = self.translator.resources().memory()?.exact(shown)?;
        Some(Translation {
            flags: vec![Flag::Memory],
            ..Translation::written(text.replacen(shown, translation, 1))
        })
    }
}
