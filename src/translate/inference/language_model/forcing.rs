//! Questions to a language model about its context: a translation scored behind another conversation, and what is written
//! there.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::error::{Error, Result};
use canopy_document::document::Document;
use canopy_document::editable::{from_editable, to_editable};
use canopy_document::placeholder::visible;
use canopy_explain::{
    Condition, ContextChange, ContextDifference, ContextEdit, LeaveOneOut, ScoredWord,
    WordDifference, probed_heads_words,
};
use canopy_llm::Attention;
use canopy_qa::llm::{Conversation, Request, Turn};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::chat::Chat;
use super::checking::examined;
use super::tracing::{Owner, answer_ids, owned_prompt, piece};
use super::{DocumentChat, LanguageModelTranslator, LocalChat};
use crate::inference::leave_one_out::ChangedContext;
use crate::inference::translation::Translation;

/// Seed of the shuffled order; fixed, so that the same question has the same answer.
const SEED: u64 = 1;

/// A translation behind the conversation in which its model has written it.
struct Forced<'d> {
    chat: DocumentChat<'d, LocalChat>,
    /// With all sentences that are read before it.
    conversation: Conversation,
    request: Request,
    sentence: usize,
    max_tokens: usize,
    answer: Vec<u32>,
}

impl LanguageModelTranslator {
    /// The change of a translation's probability without each sentence that the model reads before it, beside the attention
    /// that the sentence has: of the heads that find the antecedent on a probe, if there are such, else of the last layer.
    /// `step` hears how many sentences are done and how many there are, and may break it off.
    ///
    /// # Errors
    /// [`Error::NotLeftOut`] if nothing is read before the sentence, it is not translated, or `step` breaks it off; if the
    /// model refuses a prompt.
    pub fn leave_one_out(
        &self,
        change: ChangedContext<'_>,
        step: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<LeaveOneOut> {
        self.attempt(|| {
            let mut forced = self.forced(change)?;
            let others = forced.read_before();
            if others.is_empty() {
                return not_left_out("no other sentence is in the model's reach");
            }
            let mut report = |done| match step(done, others.len()) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => not_left_out("it was stopped"),
            };
            report(0)?;
            let (masses, meaning) = forced.masses(&self.probed_heads())?;
            let mut view = self.in_whole_context(&mut forced, change)?;
            let mut changes = Vec::new();
            // The last ones first: what stands before a sentence that is left out is in the cache.
            for (done, &other) in others.iter().rev().enumerate() {
                let turns = forced.conversation.turns().iter();
                let turns = turns.filter(|turn| turn.sentence != other).cloned();
                let without = forced.conversation.with_turns(turns.collect());
                let log_probs = forced.log_probs(&without)?;
                let text = change.document.sentences[other].plain_text();
                changes.push(ContextChange {
                    attention: Some(masses.get(&other).copied().unwrap_or_default()),
                    ..ContextChange::new(other, text, &view.words, &log_probs)
                });
                report(done + 1)?;
            }
            changes.reverse();
            self.keep_session(forced.chat);
            view.changes = changes;
            view.attention = Some(format!(
                "sentence {} · all words · {meaning}",
                change.sentence + 1
            ));
            Ok(view.correlated())
        })
    }

    /// The change of a translation's probability where somebody has edited a sentence before it.
    ///
    /// # Errors
    /// As [`Self::leave_one_out`], and if the model does not read that sentence.
    pub fn edit_context(
        &self,
        change: ChangedContext<'_>,
        edit: &ContextEdit,
    ) -> Result<LeaveOneOut> {
        self.attempt(|| {
            let mut forced = self.forced(change)?;
            let mut turns = forced.conversation.turns().to_vec();
            let mut edited = turns.iter_mut().filter(|it| it.sentence == edit.sentence);
            let Some(turn) = edited.next() else {
                return not_left_out("the model does not read the edited sentence for this one");
            };
            if let Some(source) = &edit.source {
                turn.request.source.clone_from(source);
            }
            if let Some(target) = &edit.target {
                turn.translation.clone_from(target);
            }
            let mut view = self.in_whole_context(&mut forced, change)?;
            let edited = forced.conversation.with_turns(turns);
            let log_probs = forced.log_probs(&edited)?;
            let text = change.document.sentences[edit.sentence].plain_text();
            self.keep_session(forced.chat);
            view.changes = vec![ContextChange {
                edit: Some(edit.clone()),
                ..ContextChange::new(edit.sentence, text, &view.words, &log_probs)
            }];
            Ok(view)
        })
    }

    /// The effect of its context on a sentence of a document and on its translation.
    ///
    /// # Errors
    /// [`Error::NotLeftOut`] if the sentence is not translated; if the model refuses a prompt.
    pub fn context_difference(&self, change: ChangedContext<'_>) -> Result<ContextDifference> {
        self.attempt(|| {
            let mut forced = self.forced(change)?;
            let conditions = [
                forced.conversation.clone(),
                forced.conversation.with_turns(Vec::new()),
                shuffled(&forced.conversation),
            ];
            let (mut written, mut scores) = (Vec::new(), Vec::new());
            for (condition, conversation) in Condition::ALL.into_iter().zip(&conditions) {
                scores.push(forced.log_probs(conversation)?);
                written.push((condition, forced.written(conversation, change)?));
            }
            let labels = forced.words().into_iter();
            self.keep_session(forced.chat);
            let words = labels.enumerate().map(|(place, (label, _))| {
                let score = |condition: usize| scores[condition].get(place).copied();
                WordDifference {
                    label,
                    in_document: score(0).unwrap_or_default(),
                    alone: score(1).unwrap_or_default(),
                    shuffled: score(2).unwrap_or_default(),
                }
            });
            Ok(ContextDifference {
                model: self.info().name.clone(),
                sentence: change.sentence,
                source: change.document.sentences[change.sentence].plain_text(),
                translation: shown(change),
                words: words.collect(),
                written,
                selected: None,
            })
        })
    }

    /// A translation behind all that its model has read before it.
    fn forced<'d>(&'d self, change: ChangedContext<'d>) -> Result<Forced<'d>> {
        let ChangedContext {
            document,
            translations,
            sentence,
        } = change;
        let text = |it: usize| translations[it].as_ref().map(|it| it.text.as_str());
        let target = text(sentence).filter(|it| !it.trim().is_empty());
        let Some(target) = target else {
            return not_left_out("the sentence is not translated");
        };
        let mut chat = self.continued_chat(document);
        if chat.chat.reads_sentences_alone() {
            return not_left_out("the model reads each sentence by itself");
        }
        for before in 0..sentence {
            if let (true, Some(target)) = (chat.reads(before), text(before)) {
                chat.read(before, target);
            }
        }
        let own = &document.sentences[sentence];
        let request = chat.request(own.text.trim(), &own.points);
        if chat.is_long(&request) {
            return not_left_out("the sentence is so long that it is translated in parts");
        }
        let max_tokens = chat.make_room(&request, sentence);
        let answer = answer_ids(&mut chat.chat, to_editable(target).trim());
        if answer.is_empty() {
            return not_left_out("the sentence has no words to translate");
        }
        Ok(Forced {
            conversation: chat.conversation.clone(),
            chat,
            request,
            sentence,
            max_tokens,
            answer,
        })
    }

    /// The translation in its whole context, nothing changed.
    fn in_whole_context(
        &self,
        forced: &mut Forced<'_>,
        change: ChangedContext<'_>,
    ) -> Result<LeaveOneOut> {
        let log_probs = forced.log_probs(&forced.conversation.clone())?;
        let words = forced.words().into_iter().zip(log_probs);
        let words = words.map(|((label, begins), log_prob)| ScoredWord {
            label,
            begins,
            log_prob,
        });
        Ok(LeaveOneOut {
            model: self.info().name.clone(),
            sentence: change.sentence,
            source: change.document.sentences[change.sentence].plain_text(),
            translation: shown(change),
            words: words.collect(),
            changes: Vec::new(),
            attention: None,
            rank_correlation: None,
            selected: None,
        })
    }
}

impl Forced<'_> {
    /// The sentences that are read before it.
    fn read_before(&self) -> Vec<usize> {
        let turns = self.conversation.turns().iter();
        let mut sentences: Vec<usize> = turns.map(|turn| turn.sentence).collect();
        sentences.dedup();
        sentences
    }

    /// The tokens of the translation, and whether a word begins with each.
    fn words(&mut self) -> Vec<(String, bool)> {
        let tokenizer = &self.chat.chat.session().model().tokenizer;
        let pieces = self.answer.iter().map(|id| piece(tokenizer, *id));
        let words = pieces.map(|piece| {
            let bare = piece.trim_start_matches('▁');
            (bare.to_owned(), piece.starts_with('▁'))
        });
        words.collect()
    }

    /// The log-probability of each token behind a conversation.
    fn log_probs(&mut self, conversation: &Conversation) -> Result<Vec<f32>> {
        let chat = &mut self.chat.chat;
        let (_, prompt) = chat.prompt(conversation, &self.request, &[])?;
        Ok(chat.session().forced(&prompt, &self.answer)?)
    }

    /// The attention that the translation gives to each sentence before it, and the heads whose mean it is.
    fn masses(&mut self, probed: &[(usize, usize)]) -> Result<(BTreeMap<usize, f32>, String)> {
        let network = &self.chat.chat.session().model().network;
        let last = network.num_layers().saturating_sub(1);
        let all = network.num_heads();
        let heads: Vec<(usize, usize)> = match probed {
            [] => (0..all).map(|head| (last, head)).collect(),
            probed => probed.to_vec(),
        };
        let meaning = match probed {
            [] => format!("layer {} · mean of {all} heads", last + 1),
            probed => probed_heads_words(probed),
        };
        let (prompt, owners) =
            owned_prompt(&mut self.chat.chat, &self.conversation, &self.request)?;
        let mut masses = BTreeMap::new();
        let rows = (heads.len() * self.answer.len()) as f32;
        let mut recorder = |attention: Attention<'_>| {
            if !heads.contains(&(attention.layer, attention.head)) {
                return;
            }
            let seen = owners.get(attention.first..).unwrap_or_default();
            for (owner, weight) in seen.iter().zip(attention.weights) {
                if let Some(sentence) = Owner::sentence_before(*owner) {
                    *masses.entry(sentence).or_insert(0.0) += weight / rows;
                }
            }
        };
        let session = self.chat.chat.session();
        session.record(&prompt, &self.answer, &mut recorder)?;
        Ok((masses, meaning))
    }

    /// The model's translation behind a conversation, for people.
    fn written(
        &mut self,
        conversation: &Conversation,
        change: ChangedContext<'_>,
    ) -> Result<String> {
        let request = (&self.request, [].as_slice());
        let go_on = &mut |_| ControlFlow::Continue(());
        let answer = (self.chat.chat).answer(conversation, request, self.max_tokens, go_on)?;
        let Some(answer) = answer else {
            return Ok(String::new());
        };
        let own = &change.document.sentences[self.sentence];
        let texts = (own.text.trim(), self.request.source.as_str());
        let found = examined(&answer.text, answer.ended, texts, self.chat.languages);
        let stored = from_editable(&found.edited, own.text.trim());
        Ok(stored.map_or(found.edited, |stored| visible(&stored, &own.points)))
    }
}

/// The texts of a conversation in random order.
fn shuffled(conversation: &Conversation) -> Conversation {
    let mut turns: Vec<Turn> = conversation.turns().to_vec();
    turns.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
    conversation.with_turns(turns)
}

/// The selected translation, for people.
fn shown(change: ChangedContext<'_>) -> String {
    let ChangedContext {
        document,
        translations,
        sentence,
    } = change;
    let shown = |it: &Translation, document: &Document| {
        visible(&it.text, &document.sentences[sentence].points)
    };
    let translation = translations[sentence].as_ref();
    translation.map_or_else(String::new, |it| shown(it, document))
}

fn not_left_out<T>(problem: &'static str) -> Result<T> {
    Err(Error::NotLeftOut { problem })
}
