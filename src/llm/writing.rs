//! A continuation, token by token.

use super::completion::{LanguageModel, largest};
use super::product::log_sum_exp;
use super::sampling::Sampler;
use super::session::{Generated, Generation};

/// A continuation that is being written.
pub(crate) struct Writing<'m> {
    model: &'m LanguageModel,
    generation: &'m Generation,
    sampler: Option<Sampler>,
    bytes: Vec<u8>,
    generated: Generated,
}

impl<'m> Writing<'m> {
    pub(crate) fn new(model: &'m LanguageModel, generation: &'m Generation) -> Self {
        Self {
            model,
            generation,
            sampler: generation.sampling.map(Sampler::new),
            bytes: Vec::new(),
            generated: Generated::default(),
        }
    }

    /// The next token by its logits; none at the end.
    pub(crate) fn write(&mut self, logits: &mut [f32]) -> Option<u32> {
        if self.is_full() {
            return None;
        }
        if self.generated.ids.is_empty() {
            for id in &self.generation.other_beginnings {
                if let Some(logit) = logits.get_mut(*id as usize) {
                    *logit = f32::NEG_INFINITY;
                }
            }
        }
        let id = match &mut self.sampler {
            Some(sampler) => sampler.draw(logits),
            None => largest(logits),
        };
        self.generated.log_prob += logits[id as usize] - log_sum_exp(logits);
        let tokenizer = &self.model.tokenizer;
        let written = tokenizer.bytes(id);
        let is_line_end = self.generation.is_line
            && written.contains(&b'\n')
            && self.bytes.iter().any(|byte| !byte.is_ascii_whitespace());
        if tokenizer.is_end(id) || is_line_end {
            self.generated.ended = true;
            return None;
        }
        self.bytes.extend(written);
        self.generated.ids.push(id);
        Some(id)
    }

    /// Whether there is no room for another token.
    pub(crate) fn is_full(&self) -> bool {
        self.generated.ids.len() >= self.generation.max_tokens
    }

    pub(crate) fn ended(mut self) -> Generated {
        self.generated.text = String::from_utf8_lossy(&self.bytes).into_owned();
        self.generated
    }
}
