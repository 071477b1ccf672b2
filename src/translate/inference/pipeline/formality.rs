//! The form of address of a document, kept: once a person has written `du`, it is not changed.
//!
//! Whatever the model reads: the words of the form are constraints of its search, as terms are. Measured in
//! `docs/research/stories.md`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::request::OnStep;
use super::{DocumentRequest, Pass, Plan, Step};
use crate::error::Result;
use crate::inference::translator::{SOFT_BONUS, TermMode, Translator, spelt};
use canopy_metrics::discourse::begins_sentence;
use canopy_metrics::formality::{Formality, OtherPersons};
use canopy_nn::search::{TermConstraints, TermForce};
use canopy_tokenize::{Side, Tokenizer};

/// The form of address of German translations from English where none was edited or confirmed before: those that do
/// otherwise are translated once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormalityOption {
    /// *du*, to one person.
    Du,
    /// *Sie*.
    Sie,
    /// *ihr*, to several people.
    Ihr,
    /// *Ihr*, to one person, as in old stories.
    PoliteIhr,
    /// As most sentences of the document do when each is translated by itself.
    Commonest,
}

impl FormalityOption {
    /// All choices, in the order in which they are offered.
    pub const ALL: [Self; 5] = [
        Self::Du,
        Self::Sie,
        Self::Ihr,
        Self::PoliteIhr,
        Self::Commonest,
    ];

    /// The form, if it is known before anything is translated.
    pub fn form(self) -> Option<Formality> {
        match self {
            Self::Du => Some(Formality::Du),
            Self::Sie => Some(Formality::Formal),
            Self::Ihr => Some(Formality::Plural),
            Self::PoliteIhr => Some(Formality::Polite),
            Self::Commonest => None,
        }
    }
}

/// The words of each form as a tokenizer spells them.
#[derive(Debug, Clone)]
pub struct FormalityConstraints {
    /// For a text that speaks of each of [`OtherPersons::ALL`].
    constraints: Vec<(Formality, [Arc<TermConstraints>; 3])>,
}

impl FormalityConstraints {
    /// One word of a form, and none that only another one has.
    pub fn new(tokenizer: &dyn Tokenizer, mode: TermMode) -> Self {
        let ids = |words: &[String]| {
            let ids = words.iter().flat_map(|word| spelt(word, tokenizer));
            ids.collect::<Vec<_>>()
        };
        // Behind which a word has a capital, whatever it means.
        let ends_sentence = |&id: &u32| {
            let piece = tokenizer.piece(Side::Target, id);
            let opens = piece.ends_with(['„', '‚', '«', '›', '(', '–', '—']);
            opens || !piece.is_empty() && begins_sentence(&piece)
        };
        let num_tokens = u32::try_from(tokenizer.len(Side::Target)).expect("ids fit 32 bits");
        let ends: Vec<u32> = (0..num_tokens).filter(ends_sentence).collect();
        let force = match mode {
            TermMode::Hard => TermForce::Hard,
            TermMode::Soft => TermForce::Soft { bonus: SOFT_BONUS },
        };
        let constraints = Formality::ALL.map(|form| {
            let wanted = ids(form.words());
            let constraints = OtherPersons::ALL.map(|others| {
                let forbidden = ids(&form.words_of_others(others));
                let wanted = std::slice::from_ref(&wanted);
                let constraints = TermConstraints::new(wanted, &forbidden, force);
                let within = ids(&form.words_of_others_within());
                Arc::new(constraints.forbidding_within(&within, ends.clone()))
            });
            (form, constraints)
        });
        Self {
            constraints: constraints.into(),
        }
    }

    /// The constraints that request a form in the translation of `source`.
    pub fn constraints(&self, form: Formality, source: &str) -> Option<Arc<TermConstraints>> {
        let mut constraints = self.constraints.iter();
        let (_, constraints) = constraints.find(|(other, _)| *other == form)?;
        let others = OtherPersons::from_source(source);
        let place = OtherPersons::ALL.iter().position(|it| *it == others)?;
        Some(Arc::clone(&constraints[place]))
    }
}

/// Translates sentences of a document as `then` does, then once more those that leave the form that is chosen: what addresses
/// nobody stays as it is.
pub(super) fn translate_in_form(
    choice: FormalityOption,
    (translator, then): (&Translator, &Plan<'_>),
    request: &mut DocumentRequest<'_>,
    pass: Pass<'_>,
    on_step: &mut OnStep<'_>,
) -> Result<ControlFlow<()>> {
    let document = request.document;
    let source = |index: usize| document.sentences[index].text.as_str();
    let mut held = BTreeMap::new();
    let flow = then.pass_over(request, pass, &mut |step| match step {
        Step::Translated { index, translation } if Formality::is_chosen_for(source(index)) => {
            held.insert(index, translation);
            on_step(Step::Waiting)
        }
        step => on_step(step),
    })?;
    if flow.is_break() {
        return Ok(flow);
    }
    let fixed = request.known.fixed.iter();
    let fixed = fixed.map(|(&index, text)| (index, text.as_str()));
    let found = held.iter();
    let found = found.map(|(&index, translation)| (index, translation.text.as_str()));
    let texts: BTreeMap<usize, &str> = found.chain(fixed).collect();
    let texts = texts.into_iter().map(|(index, text)| (source(index), text));
    let form = choice.form().or_else(|| Formality::commonest(texts));
    let leaves = |index: usize, target: &str| {
        let part = source(index);
        let form_terms =
            translator
                .resources()
                .form_constraints(document, index, part, request.known, None);
        form_terms.is_none() && form.is_some_and(|form| form.is_left_by(part, target))
    };
    let mut again = Vec::new();
    for (index, translation) in held {
        if leaves(index, &translation.text) {
            again.push(index);
        } else if on_step(Step::Translated { index, translation }).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    let mut rest = DocumentRequest {
        document,
        sentences: &again,
        known: &mut *request.known,
    };
    then.pass_over(&mut rest, Pass { form, ..pass }, on_step)
}
