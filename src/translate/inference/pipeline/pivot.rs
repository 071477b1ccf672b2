//! Translating through a third language: two models in a row.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::request::OnStep;
use super::{DocumentRequest, FormalityOption, KnownTranslations, Pass, Plan, Step};
use crate::error::Result;
use crate::inference::translation::Translation;
use crate::inference::translator::Translator;

/// Translates with both models; what the first one finds is reported as drafts.
pub(super) fn translate_through(
    [whole, second]: [&Translator; 2],
    formality: Option<FormalityOption>,
    request: &DocumentRequest<'_>,
    pass: Pass<'_>,
    on_step: &mut OnStep<'_>,
) -> Result<ControlFlow<()>> {
    let document = request.document;
    let mut open = Vec::with_capacity(request.sentences.len());
    for &index in request.sentences {
        let text = &document.sentences[index].text;
        match whole.reader().settled_in(document, text) {
            Some(translation) => {
                if on_step(Step::Translated { index, translation }).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            None => open.push(index),
        }
    }
    let mut middle = document.clone();
    let mut found: HashMap<usize, Translation> = HashMap::new();
    let num = open.len();
    let mut one = DocumentRequest {
        document,
        sentences: &open,
        known: &mut KnownTranslations::default(),
    };
    let first = whole.first_leg();
    let flow = Plan::new(&first, None).pass_over(
        &mut one,
        Pass::new(pass.options),
        &mut |step| match step {
            Step::Translated { index, translation } => {
                middle.sentences[index].text.clone_from(&translation.text);
                found.insert(index, translation);
                let done = found.len();
                on_step(Step::Drafted { done, num })
            }
            Step::Waiting => on_step(Step::Waiting),
            Step::Drafted { .. } | Step::Alternatives { .. } => ControlFlow::Continue(()),
        },
    )?;
    if flow.is_break() {
        return Ok(flow);
    }
    let mut one = DocumentRequest {
        document: &middle,
        sentences: &open,
        known: &mut KnownTranslations::default(),
    };
    let second = whole.last_leg(second);
    // The terms of the source are those of the last target.
    let further = Pass {
        term_source: Some(document),
        ..Pass::new(pass.options)
    };
    let whole_of = |index: usize, translation: Translation| {
        let mut translation = translation.checked(&document.sentences[index].text);
        if let Some(first) = found.get(&index) {
            add_to(&mut translation, first);
        }
        translation
    };
    Plan::new(&second, formality).pass_over(&mut one, further, &mut |step| match step {
        Step::Drafted { .. } => ControlFlow::Continue(()),
        Step::Waiting => on_step(step),
        Step::Alternatives {
            index,
            translations,
        } => {
            let whole = translations.into_iter().map(|it| whole_of(index, it));
            let translations = whole.collect();
            on_step(Step::Alternatives {
                index,
                translations,
            })
        }
        Step::Translated { index, translation } => {
            let translation = whole_of(index, translation);
            on_step(Step::Translated { index, translation })
        }
    })
}

/// Adds score and warnings of the translation in between.
fn add_to(translation: &mut Translation, first: &Translation) {
    for &flag in first.flags.iter().filter(|flag| flag.warns()) {
        if !translation.flags.contains(&flag) {
            translation.flags.push(flag);
        }
    }
    translation.log_prob += first.log_prob;
    translation.num_tokens += first.num_tokens;
}
