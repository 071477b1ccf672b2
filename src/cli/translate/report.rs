//! A translated document as JSON.

use serde_json::{Value, json};

use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Document;
use canopy_document::export::Languages;
use canopy_document::placeholder::stripped;
use canopy_project::markup::to_editable;
use canopy_translate::inference::{TermUse, Translation, Translator};

/// The model that has translated, with what belongs to the user.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportedModel<'m> {
    pub name: &'m str,
    pub source_language: &'m str,
    pub target_language: &'m str,
    pub terms: Option<&'m TermUse>,
    pub memory: Option<&'m TranslationMemory>,
}

/// Translations of a document.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// One for each sentence that was to be translated.
    pub translations: Vec<Option<Translation>>,
    /// Other translations of each sentence, if they were requested.
    pub alternatives: Option<Vec<Vec<String>>>,
}

impl Found {
    /// Nothing yet, for so many sentences.
    pub(crate) fn nothing(sentences: usize, alternatives: usize) -> Self {
        let none = vec![Vec::new(); sentences];
        Self {
            translations: vec![None; sentences],
            alternatives: Some(none).filter(|_| alternatives > 0),
        }
    }

    /// Adds other translations of a sentence.
    pub(crate) fn add_alternatives(&mut self, sentence: usize, translations: Vec<Translation>) {
        if let Some(alternatives) = &mut self.alternatives {
            alternatives[sentence] = translations.into_iter().map(|it| it.text).collect();
        }
    }
}

impl<'m> From<&'m Translator> for ReportedModel<'m> {
    fn from(translator: &'m Translator) -> Self {
        let info = translator.info();
        Self {
            name: &info.name,
            source_language: &info.source_language,
            target_language: &info.target_language,
            terms: translator.resources().terms().map(AsRef::as_ref),
            memory: translator.memory().map(AsRef::as_ref),
        }
    }
}

/// Its sentences with their translations, scores and flags.
pub(super) fn report(model: ReportedModel<'_>, document: &Document, found: &Found) -> Value {
    let sentence = |(index, translation): (usize, &Option<Translation>)| {
        let mut entry = place(document, index);
        if let Some(alternatives) = &found.alternatives {
            let texts = alternatives[index].iter().map(|text| to_editable(text));
            entry["alternatives"] = json!(texts.collect::<Vec<_>>());
        }
        if let Some(translation) = translation {
            entry["target"] = json!(to_editable(&translation.text));
            // What no model wrote is not certain, but unknown.
            let is_written = translation.num_tokens > 0;
            entry["log_prob"] = json!(is_written.then_some(translation.log_prob));
            entry["tokens"] = json!(translation.num_tokens);
            entry["confidence"] = json!(translation.confidence());
            entry["flags"] = json!(translation.flags);
            if let Some(terms) = model.terms {
                entry["terms"] = used_terms(terms, document, index, translation);
            }
        }
        if let Some(memory) = model.memory {
            let shown = document.sentences[index].plain_text();
            entry["similar"] = json!(memory.to_show(shown.trim()));
        }
        entry
    };
    json!({
        "document": document.name,
        "model": model.name,
        "source_language": model.source_language,
        "target_language": model.target_language,
        "sentences": found.translations.iter().enumerate().map(sentence).collect::<Vec<_>>(),
    })
}

/// A document's sentences with texts that no model has written, or that its file has.
pub(super) fn report_without_model(
    document: &Document,
    texts: &[Option<String>],
    languages: &Languages,
) -> Value {
    let sentence = |(index, text): (usize, &Option<String>)| {
        let mut entry = place(document, index);
        let known = document.sentences[index].known_text();
        if let Some(text) = text.as_deref().or(known) {
            entry["target"] = json!(to_editable(text));
        }
        entry
    };
    json!({
        "document": document.name,
        "model": null,
        "source_language": languages.source,
        "target_language": languages.target,
        "sentences": texts.iter().enumerate().map(sentence).collect::<Vec<_>>(),
    })
}

/// A sentence and its place.
fn place(document: &Document, index: usize) -> Value {
    let position = document.position(index);
    json!({
        "index": index,
        "section": position.section,
        "paragraph": position.paragraph,
        "sentence_in_paragraph": position.sentence_in_paragraph,
        "source": to_editable(&document.sentences[index].text),
    })
}

/// The terms in a sentence, each with whether its translation uses it.
fn used_terms(
    terms: &TermUse,
    document: &Document,
    index: usize,
    translation: &Translation,
) -> Value {
    let shown = document.sentences[index].plain_text();
    let used = terms
        .usage()
        .used(&shown, &stripped(&translation.text))
        .into_iter();
    let used = used.map(|(found, is_used)| {
        let targets = terms
            .usage()
            .index()
            .terms(&found)
            .flat_map(|term| &term.targets);
        json!({
            "text": &shown[found.range.clone()],
            "targets": targets.collect::<Vec<_>>(),
            "used": is_used,
        })
    });
    Value::Array(used.collect())
}
