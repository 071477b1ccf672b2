//! Documents by language models: one conversation for a document, which grows sentence by sentence, in this program or on a
//! server.
//!
//! Whatever a model answers, every sentence gets exactly one translation with the markup of its source: answers that are none
//! are requested again, and the best answer is taken.

mod alternatives;
mod answering;
mod chat;
mod checking;
mod forcing;
mod marks;
mod opened;
mod packed;
mod probe;
mod sentences;
#[cfg(test)]
mod tests;
mod tracing;

use std::ops::ControlFlow;

use crate::error::Result;
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::{Document, Sentence};
use canopy_document::editable::{to_editable, tokens};
use canopy_document::placeholder::{folded, visible};
use canopy_llm::Cost;
use canopy_qa::llm::{Conversation, Dropped, Request, Turn};

pub use chat::{Answer, Chat, LocalChat, RemoteChat};
pub(in crate::inference) use opened::{
    LANGUAGE_MODELS, described_language_model, is_language_model,
};
pub use opened::{LanguageModelTranslator, place_language_model};
pub use packed::LanguageModelFiles;
pub(in crate::inference) use packed::PackedLanguageModel;
pub use probe::HeadScore;

use super::is_translatable;
use super::markup_projection::StrippedSource;
use super::other_languages::{is_mostly_in, other_language};
use super::parts::parts;
use super::translation::{Flag, Translation};
use super::translator::TermUse;

/// Maximum number of repeated requests for a sentence.
const RETRIES: usize = 2;

/// Tokens of a document that a model reads at once, unless its window is smaller or a user says otherwise.
const BUDGET: usize = 4_096;

/// Tokens of a sentence that are translated at once, at most.
const LONGEST: usize = 256;

/// Tokens that an answer may have in addition to twice those of its sentence.
const LEAST_ROOM: usize = 32;

/// Similar sentences of a memory that a prompt shows.
const SIMILAR: usize = 3;

/// Tokens of a turn in addition to its texts.
const OVERHEAD: usize = 16;

/// Both languages of a translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Languages {
    /// A code such as `en`.
    pub source: String,
    /// A code such as `de`.
    pub target: String,
    /// Name of the source language, in English.
    pub source_name: String,
    /// Name of the target language, in English.
    pub target_name: String,
}

impl Languages {
    /// Languages with the names that ISO 639 gives them.
    pub fn new(source: &str, target: &str) -> Self {
        let name = |code: &str| {
            let main = code.split(['-', '_']).next().unwrap_or(code);
            let language =
                isolang::Language::from_639_1(main).or_else(|| isolang::Language::from_639_3(main));
            language.map_or_else(|| code.to_owned(), |it| it.to_name().to_owned())
        };
        Self {
            source_name: name(source),
            target_name: name(target),
            source: source.to_owned(),
            target: target.to_owned(),
        }
    }
}

/// Resources of the user that go into prompts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Resources<'r> {
    /// Similar sentences are looked up in it.
    pub memory: Option<&'r TranslationMemory>,
    /// Terms of the document are stated.
    pub terms: Option<&'r TermUse>,
    /// Tokens of the document that are read at once, at most.
    pub budget: Option<usize>,
}

/// The work on a document so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Tokens that were computed.
    pub cost: Cost,
    /// Number of sentences that were requested again.
    pub num_retried: usize,
    /// Number of repeated requests.
    pub retries: usize,
    /// Sentences whose markup was put in by place.
    pub placed: usize,
    /// Parts of prompts for which there was no room.
    pub dropped: Dropped,
}

/// A document under translation by a language model.
pub struct DocumentChat<'d, C: Chat> {
    document: &'d Document,
    languages: &'d Languages,
    resources: Resources<'d>,
    chat: C,
    conversation: Conversation,
    effort: Effort,
    /// Other translations of each sentence that are wanted, and those of the one that was translated last, the likeliest
    /// first.
    alternatives: usize,
    others: Vec<Translation>,
    /// Tokens of the instructions and terms.
    preamble: usize,
    is_mostly_in_source: bool,
}

/// A sentence, or a part of one, to be translated.
struct SourcePart<'s> {
    stored: &'s str,
    points: &'s [String],
    /// Number in the document.
    sentence: usize,
}

impl<'d, C: Chat> DocumentChat<'d, C> {
    /// A document of which nothing is translated yet.
    pub fn new(
        document: &'d Document,
        languages: &'d Languages,
        resources: Resources<'d>,
        chat: C,
    ) -> Self {
        let sentences = &document.sentences;
        let names = canopy_qa::llm::Languages {
            source: &languages.source_name,
            target: &languages.target_name,
        };
        let has_marks = sentences.iter().any(|it| !tokens(&it.text).is_empty());
        let window = chat.window().min(resources.budget.unwrap_or(BUDGET));
        let mut left = window / 4;
        let mut terms = terms_of(document, resources.terms);
        let all = terms.len();
        terms.retain(|(from, to)| {
            let tokens = chat.count(from) + chat.count(to) + 4;
            let fits = tokens <= left;
            left -= if fits { tokens } else { left };
            fits
        });
        if terms.len() < all {
            ::tracing::info!(
                all,
                kept = terms.len(),
                "kept the first terms of a document"
            );
        }
        let conversation = Conversation::new(names, terms, has_marks);
        let instructions = conversation.messages(&Request::default(), &[]);
        let preamble = instructions
            .iter()
            .map(|it| chat.count(&it.content) + OVERHEAD);
        Self {
            preamble: preamble.sum(),
            is_mostly_in_source: is_mostly_in(document, &languages.source),
            document,
            languages,
            resources,
            chat,
            conversation,
            effort: Effort::default(),
            alternatives: 0,
            others: Vec::new(),
        }
    }

    /// Has so many other translations of each sentence drawn, if the model can.
    #[must_use]
    pub fn with_alternatives(self, alternatives: usize) -> Self {
        Self {
            alternatives,
            ..self
        }
    }

    /// The work so far.
    pub fn effort(&self) -> Effort {
        Effort {
            cost: self.chat.cost(),
            ..self.effort
        }
    }

    /// Adds a sentence that has its translation already, so that those after it read both.
    pub fn read(&mut self, sentence: usize, target: &str) {
        let source = &self.document.sentences[sentence];
        if is_translatable(&source.text) && !target.trim().is_empty() {
            let request = self.request(source.text.trim(), &source.points);
            self.push(request, to_editable(target), sentence);
        }
    }

    /// Whether the sentence is the last one that those behind it read.
    fn has_read(&self, sentence: usize) -> bool {
        let last = self.conversation.turns().last();
        last.is_some_and(|turn| turn.sentence == sentence)
    }

    /// Whether sentences behind it read this one.
    fn reads(&self, sentence: usize) -> bool {
        let settled = self.settled(sentence);
        settled.is_none_or(|settled| settled.flags.contains(&Flag::Memory))
    }

    fn into_chat(self) -> C {
        self.chat
    }

    /// The translation of a sentence that needs no model: what has no words, what the user or the file has translated so
    /// before, what is in another language.
    pub fn settled(&self, sentence: usize) -> Option<Translation> {
        let text = &self.document.sentences[sentence].text;
        if !is_translatable(text) {
            return Some(Translation::written(text.clone()));
        }
        let shown = text.trim();
        let exact = self.resources.memory.and_then(|memory| memory.exact(shown));
        let flagged = |flag, text: String| Translation {
            flags: vec![flag],
            ..Translation::written(text)
        };
        if let Some(exact) = exact {
            return Some(flagged(Flag::Memory, text.replacen(shown, exact, 1)));
        }
        if let Some(matching) = self.document.matching(text) {
            return Some(flagged(Flag::Memory, matching.to_owned()));
        }
        let is_other =
            self.is_mostly_in_source && other_language(text, &self.languages.source).is_some();
        is_other.then(|| flagged(Flag::OtherLanguage, text.clone()))
    }

    /// Translates a sentence, which those after it read then. `step` is called for each token; none is given if it breaks.
    ///
    /// # Errors
    /// If the model cannot be reached, or refuses its prompt.
    pub fn translate(
        &mut self,
        sentence: usize,
        step: &mut dyn FnMut(Effort) -> ControlFlow<()>,
    ) -> Result<Option<Translation>> {
        self.others.clear();
        if let Some(settled) = self.settled(sentence) {
            if settled.flags.contains(&Flag::Memory) {
                self.read(sentence, &settled.text);
            }
            return Ok(Some(settled));
        }
        let document = self.document;
        let Sentence { text, points, .. } = &document.sentences[sentence];
        let count = |text: &str| self.chat.count(&to_editable(text));
        let longest = self.longest();
        if count(text) <= longest {
            let part = SourcePart {
                stored: text,
                points,
                sentence,
            };
            let found = self.translate_part(&part, self.alternatives, step)?;
            return Ok(found.map(|found| found.checked(text)));
        }
        // Marks whose pair stands in another part are no help.
        let plain = StrippedSource::from_text(text, points).text;
        let pieces = parts(&plain, longest, &count);
        let pieces: Vec<String> = pieces.into_iter().map(str::to_owned).collect();
        let mut joined = Translation::written(String::new());
        for piece in &pieces {
            let part = SourcePart {
                stored: piece,
                points: &[],
                sentence,
            };
            let Some(part) = self.translate_part(&part, 0, step)? else {
                return Ok(None);
            };
            let lead = piece.len() - piece.trim_start().len();
            joined.text += &piece[..lead];
            joined.text += part.text.trim();
            joined.text += &piece[piece.trim_end().len().max(lead)..];
            joined.log_prob += part.log_prob;
            joined.num_tokens += part.num_tokens;
            joined.flags.extend(part.flags);
        }
        joined.flags.push(Flag::Split);
        joined.flags.sort_unstable_by_key(|flag| *flag as usize);
        joined.flags.dedup();
        joined.text = self.placed(text, points, &joined.text);
        Ok(Some(joined.checked(text)))
    }

    /// Tokens of a sentence that are translated at once.
    fn longest(&self) -> usize {
        let longest = LONGEST.min(self.window() / 6);
        longest.min(self.chat.longest()).max(1)
    }

    /// Whether a sentence is translated in parts.
    fn is_long(&self, request: &Request) -> bool {
        self.chat.count(&request.source) > self.longest()
    }

    /// Tokens that are read and written together.
    fn window(&self) -> usize {
        self.chat
            .window()
            .min(self.resources.budget.unwrap_or(BUDGET))
    }

    fn section(&self, sentence: usize) -> usize {
        let paragraph = self.document.sentences[sentence].paragraph;
        self.document.paragraphs[paragraph].section
    }

    /// A sentence with what the memory has like it.
    fn request(&self, stored: &str, shown: &[String]) -> Request {
        if self.chat.reads_sentences_alone() {
            return Request {
                source: StrippedSource::from_text(stored, shown).text,
                similar: Vec::new(),
            };
        }
        let plain = visible(stored, shown);
        let similar = self.resources.memory.map(|memory| {
            let similar = memory.to_show(plain.trim()).into_iter().take(SIMILAR);
            let similar = similar.filter(|it| it.source != plain.trim());
            let similar = similar.filter(|it| self.chat.count(it.source) <= self.longest());
            similar
                .map(|it| (it.source.to_owned(), it.target.to_owned()))
                .collect()
        });
        Request {
            source: to_editable(stored),
            similar: similar.unwrap_or_default(),
        }
    }

    /// Tokens of a request.
    fn count_request(&self, request: &Request) -> usize {
        let similar = request.similar.iter();
        let similar = similar.map(|(from, to)| self.chat.count(from) + self.chat.count(to) + 4);
        self.chat.count(&request.source) + similar.sum::<usize>() + OVERHEAD
    }

    /// Tokens of the prompt of a request.
    fn needed(&self, request: &Request) -> usize {
        let turns = self.conversation.turns().iter();
        let turns: usize = turns.map(|turn| turn.tokens).sum();
        self.preamble + turns + self.count_request(request)
    }

    /// A translation as the model writes it.
    fn as_written(&self, stored: &str, points: &[String]) -> String {
        if self.chat.reads_sentences_alone() {
            return folded(&visible(stored, points));
        }
        to_editable(stored)
    }

    /// Adds a sentence to what those behind it read, if they read any.
    fn push(&mut self, request: Request, translation: String, sentence: usize) {
        if self.chat.reads_sentences_alone() {
            return;
        }
        let tokens = self.count_request(&request) + self.chat.count(&translation);
        self.conversation.push(Turn {
            request,
            translation,
            sentence,
            section: self.section(sentence),
            tokens,
        });
    }

    /// Drops context that leaves no room for a request and its answers, and says so; gives the most tokens of an answer.
    fn make_room(&mut self, request: &Request, sentence: usize) -> usize {
        let max_tokens = 2 * self.chat.count(&request.source) + LEAST_ROOM;
        // A refused sentence is requested again after all answers.
        let answers = max_tokens * (RETRIES + 1);
        let needed = self.preamble + self.count_request(request) + answers;
        let budget = self.window().saturating_sub(needed);
        if let Some(dropped) =
            self.conversation
                .shorten(budget, self.section(sentence), &request.source)
        {
            let Dropped {
                sections,
                sentences,
                tokens,
            } = dropped;
            ::tracing::info!(
                sections,
                sentences,
                tokens,
                budget,
                "dropped context of a language model that was too long"
            );
            self.effort.dropped += dropped;
        }
        max_tokens
    }
}

/// The terms that occur in a document, in the order in which they do.
fn terms_of(document: &Document, terms: Option<&TermUse>) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let Some(terms) = terms else { return found };
    for sentence in &document.sentences {
        for pair in terms.usage().index().pairs(&sentence.text) {
            if !found.contains(&pair) {
                found.push(pair);
            }
        }
    }
    found
}
