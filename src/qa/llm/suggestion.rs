//! A suggestion of a large language model, whose markup is right.

use std::time::{Duration, Instant};

use super::answer::translation;
use super::client::{Endpoint, Message, Usage};
use super::prompt::{Languages, Question, correction};
use crate::error::{Error, Result};
use canopy_document::editable::{from_editable, repaired};

/// Maximum number of repeated requests because of wrong markup.
const RETRIES: usize = 2;

/// A translation by a large language model.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// With the placeholders of the source, each once and well nested.
    pub text: String,
    /// Time of all requests.
    pub elapsed: Duration,
    /// Tokens of all requests.
    pub usage: Usage,
    /// Number of repeated requests because of wrong markup.
    pub retries: usize,
    /// Whether its markup was still wrong then, and was put right here.
    pub is_repaired: bool,
}

impl Endpoint {
    /// Requests the translation of a sentence. Where its markup is wrong the request is repeated with the problem; where it still
    /// is wrong, it is put right.
    ///
    /// # Errors
    /// [`Error::Llm`] if the server cannot be reached, does not answer in time, answers something else, or answers nothing.
    pub fn suggest(&self, languages: Languages<'_>, question: &Question) -> Result<Suggestion> {
        let begun = Instant::now();
        let mut messages = question.messages(languages);
        let mut usage = Usage::default();
        let mut retries = 0;
        loop {
            let (answer, used) = self.answer(&messages)?;
            usage += used;
            let edited = translation(&answer, &question.source);
            if edited.is_empty() {
                return Err(Error::LlmSilent {
                    model: self.model().to_owned(),
                });
            }
            let done = |text, is_repaired| Suggestion {
                text,
                elapsed: begun.elapsed(),
                usage,
                retries,
                is_repaired,
            };
            let problems = match from_editable(&edited, &question.stored) {
                Ok(text) => return Ok(done(text, false)),
                Err(problems) => problems,
            };
            if retries == RETRIES {
                let edited = repaired(&edited, &question.stored);
                let text = from_editable(&edited, &question.stored);
                // What was put right is right; the source is the last resort.
                return Ok(done(text.unwrap_or_else(|_| question.stored.clone()), true));
            }
            retries += 1;
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            messages.push(Message::assistant(answer));
            messages.push(correction(&problems, &question.stored));
        }
    }
}
