//! One document, from its sentences to their translations, with progress and warnings on the terminal.

use std::ops::ControlFlow;
use std::time::Instant;

use super::report::Found;
use crate::error::{Error, Result};
use crate::terminal::{StatusLine, sentences_done, warn};
use canopy_base::error::caught;
use canopy_document::document::Document;
use canopy_train::for_document;
use canopy_translate::error::is_of_device;
use canopy_translate::inference::{
    DocumentModel, FormalityOption, KnownTranslations, SearchOptions, Step, Translation,
    TranslationRequest, Translator, unlike,
};

/// Says how many drafts of the file stay.
pub(super) fn warn_of_drafts(document: &Document) {
    let known = document.sentences.iter();
    let known = known.filter_map(|sentence| sentence.known.as_ref());
    let drafts = known.filter(|known| known.is_draft()).count();
    if drafts > 0 {
        warn(&format!(
            "{}: drafts of the file that are kept: {drafts}; --retranslate-drafts translates them again",
            document.name
        ));
    }
}

/// Translates a whole document, with progress on the terminal; the translator that was made for it, if there was one, and what
/// was found. Where the device fails, the CPU continues, and `translator` computes there from then on.
pub(crate) fn translate(
    translator: &mut Translator,
    document: &Document,
    options: &SearchOptions,
    formality: Option<FormalityOption>,
) -> Result<(Option<Translator>, Found)> {
    let mut found = Found::nothing(document.sentences.len(), options.alternatives);
    let mut known = KnownTranslations::fixed(document.finished());
    let mut attempt = |translator: &Translator| {
        caught::<_, Error>(|| {
            let adapted = adapted(translator, document);
            let by = adapted.as_ref().unwrap_or(translator);
            // What the file has a translation for stays.
            let is_open = |&index: &usize| {
                found.translations[index].is_none() && document.sentences[index].known.is_none()
            };
            let left: Vec<usize> = (0..found.translations.len()).filter(is_open).collect();
            let request = TranslationRequest::new(document, &left, &mut known, options)
                .with_formality(formality);
            translate_rest(by, &document.name, request, &mut found)?;
            Ok(adapted)
        })
    };
    let adapted = match attempt(translator) {
        Err(error) if is_of_device(&error) && !translator.loaded().is_on_cpu() => {
            // If the CPU fails too, the first failure is reported.
            let Ok(other) = translator.on_cpu() else {
                return Err(error);
            };
            warn(&format!(
                "{}: {error}; continuing on the CPU",
                document.name
            ));
            *translator = other;
            attempt(translator)?
        }
        done => done?,
    };
    warn_of_flags(document, &found.translations);
    Ok((adapted, found))
}

/// Lists the sentences to review.
pub(super) fn warn_of_flags(document: &Document, translations: &[Option<Translation>]) {
    for (index, translation) in translations.iter().enumerate() {
        let flags = translation
            .as_ref()
            .map_or(&[][..], |translation| &translation.flags);
        let warning = flags.iter().filter(|flag| flag.warns());
        let names: Vec<String> = warning.map(ToString::to_string).collect();
        if !names.is_empty() {
            warn(&format!(
                "{}: sentence {}: {}",
                document.name,
                document.sentence_name(index),
                names.join(", ")
            ));
        }
    }
}

/// Translates sentences of the document of this name.
fn translate_rest(
    by: &dyn DocumentModel,
    name: &str,
    request: TranslationRequest<'_>,
    found: &mut Found,
) -> Result<()> {
    let num: usize = request.documents.iter().map(|it| it.sentences.len()).sum();
    let (mut line, mut done, mut begun) = (StatusLine::new(), 0_usize, Instant::now());
    let translated = by.run(request, &mut |event| {
        match event.step {
            Step::Waiting => {}
            Step::Alternatives {
                index,
                translations,
            } => found.add_alternatives(index, translations),
            Step::Drafted { done, num } => {
                if done == 0 {
                    begun = Instant::now();
                }
                line.show(&format!("{name}: first pass, {done} of {num} sentences"));
            }
            Step::Translated { index, translation } => {
                found.translations[index] = Some(translation);
                done += 1;
                line.show(&format!("{name}: {}", sentences_done(done, num, begun)));
            }
        }
        ControlFlow::Continue(())
    });
    line.clear();
    Ok(translated?)
}

/// Translations as the model read them, those among them that the file has finished.
pub(super) fn read_by(
    document: &Document,
    translations: &[Option<Translation>],
) -> Vec<Option<Translation>> {
    let mut read = translations.to_vec();
    for (index, text) in document.finished() {
        read[index].get_or_insert_with(|| Translation::written(text));
    }
    read
}

/// A translator that is adapted to what resembles this document, if its model supports that.
fn adapted(translator: &Translator, document: &Document) -> Option<Translator> {
    let mut line = StatusLine::new();
    let adapted = for_document(translator, document, &mut |done, all| {
        line.show(&format!(
            "{}: adapting to similar sentences, {done} of {all}",
            document.name
        ));
        ControlFlow::Continue(())
    });
    line.clear();
    adapted
}

/// Says where a document is unlike what the model knows.
pub(super) fn warn_if_unlike(
    translator: &Translator,
    document: &Document,
    translations: &[Option<Translation>],
) {
    let translations = translations.iter().flatten();
    if let Some(mean) = unlike(translations.filter_map(Translation::confidence)) {
        warn(&format!(
            "{}: unlike what {} knows, its translations are {:.0} % likely to be good; a larger model may know more \
             (canopy model import)",
            document.name,
            translator.info().name,
            mean * 100.0
        ));
    }
}
