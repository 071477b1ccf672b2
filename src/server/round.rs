//! One round of translation: a share of the sentences of several jobs, in one search.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::job::{Job, TranslatedSentence};
use super::models::OpenModel;
use crate::error::Result;
use canopy_base::error::caught;
use canopy_document::placeholder::stripped;
use canopy_train::with_confirmed;
use canopy_translate::inference::{
    DocumentModel, DocumentRequest, SearchOptions, Step, TranslationRequest, Translator,
};

/// The translations that a search found for one document.
type Found = Vec<(usize, TranslatedSentence)>;

/// Translates the next sentences of each job. Once none of them is awaited, the rest is left.
///
/// # Errors
/// If the device fails. What was found until then is kept.
pub(super) fn translate_round(
    model: &OpenModel,
    jobs: &mut [Job],
    options: &SearchOptions,
) -> Result<()> {
    let translator = match model {
        OpenModel::Translator(translator) => Some(translator),
        OpenModel::LanguageModel(_) => None,
    };
    let prepared = translator.and_then(|translator| prepared(translator, jobs));
    let translator = prepared.as_ref().or(translator);
    let model: &dyn DocumentModel = match &prepared {
        Some(prepared) => prepared,
        None => model.as_document_model(),
    };
    let shares: Vec<usize> = jobs.iter().flat_map(Job::shares).collect();
    let (mut documents, mut replies) = (Vec::new(), Vec::new());
    for job in &mut *jobs {
        replies.push(&job.reply);
        for item in &mut job.items {
            let share = shares[documents.len()];
            documents.push(DocumentRequest {
                document: &item.document,
                sentences: &item.left[..share],
                known: &mut item.known,
            });
        }
    }
    let mut found: Vec<Found> = vec![Vec::new(); documents.len()];
    let mut others: HashMap<(usize, usize), Vec<String>> = HashMap::new();
    let request = TranslationRequest {
        documents,
        search: *options,
        formality: None,
    };
    let done = caught(|| {
        model.run(request, &mut |event| {
            let number = event.document;
            match event.step {
                Step::Waiting | Step::Drafted { .. } => {}
                Step::Alternatives {
                    index,
                    translations,
                } => {
                    let texts = translations.into_iter().map(|it| it.text);
                    others.insert((number, index), texts.collect());
                }
                Step::Translated { index, translation } => {
                    let translated = TranslatedSentence {
                        translation,
                        links: Vec::new(),
                        alternatives: others.remove(&(number, index)).unwrap_or_default(),
                    };
                    found[number].push((index, translated));
                }
            }
            if replies.iter().any(|reply| !reply.is_closed()) {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
    });
    let (mut found, mut shares) = (found.into_iter(), shares.into_iter());
    for job in jobs {
        let links_words = job.links_words && !job.is_abandoned();
        for (item, found) in job.items.iter_mut().zip(&mut found) {
            let done: HashSet<usize> = found.iter().map(|(index, _)| *index).collect();
            let share = shares.next().unwrap_or_default();
            let missing = item.left.drain(..share).filter(|it| !done.contains(it));
            let missing: Vec<usize> = missing.collect();
            drop(item.left.splice(..0, missing));
            for (index, mut translated) in found {
                if let (true, Some(translator)) = (links_words, translator) {
                    let sentence = &item.document.sentences[index];
                    let target = &translated.translation.text;
                    translated.links =
                        translator
                            .aligner()
                            .word_links(&sentence.text, &sentence.points, target);
                }
                item.done.insert(index, translated);
            }
        }
    }
    Ok(done?)
}

/// A translator that is adapted to its memory's matches for the sentences of this round, and to what their client has confirmed.
fn prepared(translator: &Translator, jobs: &[Job]) -> Option<Translator> {
    let (mut sentences, mut confirmed) = (Vec::new(), Vec::new());
    for job in jobs {
        for (item, share) in job.items.iter().zip(job.shares()) {
            let text = |sentence: usize| item.document.sentences[sentence].plain_text();
            sentences.extend(item.left[..share].iter().map(|&sentence| text(sentence)));
            let own = item.confirmed.iter();
            confirmed.extend(own.map(|(&sentence, target)| (text(sentence), stripped(target))));
        }
    }
    with_confirmed(translator, &sentences, &confirmed, &mut |_, _| {
        ControlFlow::Continue(())
    })
}
