//! A sentence's translation: answers are examined, requested again where something is wrong with them, and the best one is
//! taken.

use std::ops::ControlFlow;

use crate::error::Result;
use canopy_document::editable::{from_editable, to_editable, tokens};
use canopy_document::placeholder::stripped;
use canopy_qa::llm::{Refusal, Request};

use super::checking::{Examined, Fault, examined};
use super::marks::placed;
use super::{Answer, Chat, DocumentChat, Effort, RETRIES, SourcePart};
use crate::inference::markup_projection::Projected;
use crate::inference::translation::{Flag, Translation};

impl<C: Chat> DocumentChat<'_, C> {
    /// The best answer for a sentence; with `alternatives` sampled ones, if the model can sample.
    pub(super) fn translate_part(
        &mut self,
        part: &SourcePart<'_>,
        alternatives: usize,
        step: &mut dyn FnMut(Effort) -> ControlFlow<()>,
    ) -> Result<Option<Translation>> {
        let request = self.request(part.stored.trim(), part.points);
        let max_tokens = self.make_room(&request, part.sentence);
        let stored = self.as_read(part, &request);
        let mut refusals: Vec<Refusal> = Vec::new();
        let mut best: Option<(Answer, Examined)> = None;
        loop {
            let (effort, conversation) = (self.effort, &self.conversation);
            let mut on_token = |cost| step(Effort { cost, ..effort });
            let answer = self.chat.answer(
                conversation,
                (&request, &refusals),
                max_tokens,
                &mut on_token,
            )?;
            let Some(answer) = answer else {
                return Ok(None);
            };
            let texts = (stored.as_str(), request.source.as_str());
            let mut found = examined(&answer.text, answer.ended, texts, self.languages);
            let is_echo = |refusal| conversation.refused(refusal).contains(&found.edited);
            if !found.edited.is_empty() && refusals.iter().any(is_echo) {
                found.faults.push(Fault::Untranslated);
            }
            let problems = found
                .faults
                .iter()
                .map(|fault| fault.problem(self.languages));
            let refusal = Refusal {
                answer: answer.text.trim().to_owned(),
                problems: problems.collect(),
            };
            let is_good = found.faults.is_empty();
            if best
                .as_ref()
                .is_none_or(|(_, best)| found.cost() < best.cost())
            {
                best = Some((answer, found));
            }
            let said = refusals
                .iter()
                .chain([&refusal])
                .map(|it| self.chat.count(&it.answer));
            let all = self.needed(&request) + said.sum::<usize>() + 2 * max_tokens;
            if is_good || refusals.len() == RETRIES || all > self.chat.window() {
                break;
            }
            self.effort.num_retried += usize::from(refusals.is_empty());
            self.effort.retries += 1;
            refusals.push(refusal);
        }
        let Some((answer, found)) = best else {
            return Ok(None);
        };
        if alternatives > 0 {
            self.others = self.sampled(part, (&request, max_tokens, alternatives), step)?;
        }
        self.accepted(request, &answer, &found, part).map(Some)
    }

    /// A sentence as the model reads it, with its markup or without.
    pub(super) fn as_read(&self, part: &SourcePart<'_>, request: &Request) -> String {
        if self.chat.reads_sentences_alone() {
            return request.source.clone();
        }
        part.stored.trim().to_owned()
    }

    /// The translation of an answer, which is read from then on.
    fn accepted(
        &mut self,
        request: Request,
        answer: &Answer,
        found: &Examined,
        part: &SourcePart<'_>,
    ) -> Result<Translation> {
        let Projected { text, is_repaired } = self.whole(part, &request, &found.edited)?;
        if found.is_example() && !stripped(&text).trim().is_empty() {
            self.push(request, to_editable(&text), part.sentence);
        }
        let cut_off = (!answer.ended).then_some(Flag::CutOff);
        let empty = found.is_untranslated().then_some(Flag::Empty);
        let markup = is_repaired.then_some(Flag::Markup);
        Ok(Translation {
            text,
            log_prob: answer.log_prob.unwrap_or_default(),
            num_tokens: answer.log_prob.map_or(0, |_| answer.num_tokens),
            flags: cut_off.into_iter().chain(empty).chain(markup).collect(),
            parts: Vec::new(),
        })
    }

    /// An answer with all of its markup.
    pub(super) fn whole(
        &mut self,
        part: &SourcePart<'_>,
        request: &Request,
        edited: &str,
    ) -> Result<Projected> {
        if self.chat.reads_sentences_alone() {
            return self.with_markup(part, request, edited);
        }
        let stored = part.stored.trim();
        let text = from_editable(edited, stored)
            .unwrap_or_else(|_| self.placed(stored, part.points, edited));
        Ok(Projected {
            text,
            is_repaired: false,
        })
    }

    /// An answer with the markup that it has lost.
    pub(super) fn placed(&mut self, stored: &str, points: &[String], edited: &str) -> String {
        self.effort.placed += usize::from(!tokens(stored).is_empty());
        placed(stored, points, edited, &self.languages.target).text
    }
}
