//! Sentences one after the other, where the encoder reads the translations of those before.

use std::ops::ControlFlow;

use super::request::OnStep;
use super::{DocumentRequest, JointSearch, Pass, Step, TranslationEvent};
use crate::error::Result;
use crate::inference::translator::Translator;

/// Translates sentences in the order of the document, each after the translations of those before it: what was
/// edited or confirmed, what has been found, else a draft that is made first.
pub(super) fn translate_in_order(
    translator: &Translator,
    request: &mut DocumentRequest<'_>,
    pass: Pass<'_>,
    on_step: &mut OnStep<'_>,
) -> Result<ControlFlow<()>> {
    let reader = translator.reader();
    let mut wanted = request.sentences.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    for sentence in wanted {
        let is_missing = |&other: &usize| !reader.is_known(request.document, other, request.known);
        let missing: Vec<usize> = reader.before(sentence).filter(is_missing).collect();
        let num = missing.len();
        for (done, other) in missing.into_iter().enumerate() {
            let unheard = &mut |_| ControlFlow::Continue(());
            let flow = translate_next(translator, request, other, pass, unheard)?;
            debug_assert!(flow.is_continue(), "nobody breaks it off");
            let done = done + 1;
            if on_step(Step::Drafted { done, num }).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if translate_next(translator, request, sentence, pass, on_step)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Translates a sentence after what is known of those before it, and keeps what is found.
fn translate_next(
    translator: &Translator,
    request: &mut DocumentRequest<'_>,
    sentence: usize,
    pass: Pass<'_>,
    on_step: &mut OnStep<'_>,
) -> Result<ControlFlow<()>> {
    let DocumentRequest {
        document, known, ..
    } = request;
    let before = &translator.reader().read_before(document, sentence, known);
    let mut one = [DocumentRequest {
        document,
        sentences: &[sentence],
        known,
    }];
    let mut found = Vec::new();
    let search = JointSearch::new(translator, Pass { before, ..pass });
    let flow = search.run(&mut one, &mut |event: TranslationEvent| {
        if let Step::Translated { translation, .. } = &event.step {
            found.clone_from(&translation.parts);
        }
        on_step(event.step)
    })?;
    for (part, ids) in found.into_iter().enumerate() {
        known.drafts.insert((sentence, part), ids);
    }
    Ok(flow)
}
