//! Other translations of a sentence than the greedy one: answers drawn at random, of which those that are translations are
//! kept, each once, the likeliest first.

use std::ops::ControlFlow;

use crate::error::Result;
use canopy_qa::llm::Request;

use super::checking::examined;
use super::{Chat, DocumentChat, Effort, SourcePart};
use crate::inference::translation::{Flag, Translation};

/// Answers that are drawn for each that is wanted, at most.
const TRIES: usize = 2;

impl<C: Chat> DocumentChat<'_, C> {
    /// Other translations of the sentence that was translated last than its own, the likeliest first.
    pub fn other_translations(&mut self, own: &str) -> Vec<Translation> {
        let mut others = std::mem::take(&mut self.others);
        others.retain(|other| other.text != own);
        others.truncate(self.alternatives);
        others
    }

    /// Answers to a request that have no faults: `wanted`, and one more, since the translation itself may be among them.
    pub(super) fn sampled(
        &mut self,
        part: &SourcePart<'_>,
        (request, max_tokens, wanted): (&Request, usize, usize),
        step: &mut dyn FnMut(Effort) -> ControlFlow<()>,
    ) -> Result<Vec<Translation>> {
        let stored = self.as_read(part, request);
        let mut found: Vec<Translation> = Vec::new();
        let (mut drawn, most) = (0, wanted * TRIES);
        while found.len() <= wanted && drawn < most {
            let left = (wanted + 1 - found.len()).min(most - drawn);
            let seed = |number: usize| (part.sentence as u64) << 32 | number as u64;
            let seeds = seed(drawn)..seed(drawn + left);
            drawn += left;
            let effort = self.effort;
            let mut on_token = |cost| step(Effort { cost, ..effort });
            let answers = self.chat.sample(
                &self.conversation,
                request,
                (max_tokens, seeds),
                &mut on_token,
            )?;
            if answers.is_empty() {
                break;
            }
            for answer in answers {
                let texts = (stored.as_str(), request.source.as_str());
                let examined = examined(&answer.text, answer.ended, texts, self.languages);
                if !examined.faults.is_empty() {
                    continue;
                }
                let whole = self.whole(part, request, &examined.edited)?;
                let other = Translation {
                    log_prob: answer.log_prob.unwrap_or_default(),
                    num_tokens: answer.log_prob.map_or(0, |_| answer.num_tokens),
                    flags: Vec::from_iter(whole.is_repaired.then_some(Flag::Markup)),
                    ..Translation::written(whole.text)
                };
                let other = other.checked(part.stored);
                if found.iter().all(|known| known.text != other.text) {
                    found.push(other);
                }
            }
        }
        let mean = |it: &Translation| it.log_prob / it.num_tokens.max(1) as f32;
        found.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
        Ok(found)
    }
}
