//! The partner of the conversation: a model of this program, or a server.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::error::Result;
use canopy_llm::{Cost, Generated, Generation, LanguageModel, Sampling, Session};
use canopy_qa::llm::{Conversation, Endpoint, Message, Refusal, Request};

use super::LEAST_ROOM;
use super::sentences::aligned;
use crate::inference::markup_projection::Alignment;

/// Characters of a token, where tokens are not counted.
const CHARACTERS: usize = 3;

/// Temperature of other answers than the greedy one.
const TEMPERATURE: f32 = 0.8;
const TOP_P: f32 = 0.95;

/// Tokens that a server reads at most, where it does not say how many it can.
const WINDOW_OF_SERVERS: usize = 8_192;

/// An answer, as it was given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// As the model wrote it.
    pub text: String,
    /// Sum of the tokens' log-probabilities; none if they are not known.
    pub log_prob: Option<f32>,
    /// With the end.
    pub num_tokens: usize,
    /// Whether it came to an end by itself.
    pub ended: bool,
}

/// A language model that translates sentences of a document, one after the other.
pub trait Chat {
    /// Answers a request after a conversation, and again for each refusal; at most `max_tokens`. None if `step` breaks,
    /// which is called for each token.
    ///
    /// # Errors
    /// If the model cannot be reached, or refuses the conversation.
    fn answer(
        &mut self,
        conversation: &Conversation,
        request: (&Request, &[Refusal]),
        max_tokens: usize,
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Answer>>;

    /// Other answers to a request, one drawn at random by each seed; none if `step` breaks, or the partner does not support it.
    ///
    /// # Errors
    /// As [`Self::answer`].
    fn sample(
        &mut self,
        _conversation: &Conversation,
        _request: &Request,
        (_max_tokens, _seeds): (usize, Range<u64>),
        _step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Vec<Answer>> {
        Ok(Vec::new())
    }

    /// Whether it reads each sentence by itself, its words alone: no instructions, context, terms or markup.
    fn reads_sentences_alone(&self) -> bool {
        false
    }

    /// How much each token of a translation has to do with the words of its sentence, if that is known.
    ///
    /// # Errors
    /// As [`Self::answer`].
    fn align(&mut self, _request: &Request, _translation: &str) -> Result<Option<Alignment>> {
        Ok(None)
    }

    /// Tokens of a sentence that it reads at most, whatever its window.
    fn longest(&self) -> usize {
        usize::MAX
    }

    /// Tokens of a text, counted or estimated.
    fn count(&self, text: &str) -> usize;

    /// Tokens that it can read and write together; where each sentence is read alone, nothing adds up.
    fn window(&self) -> usize;

    /// The cost of all answers so far.
    fn cost(&self) -> Cost;
}

/// How a model is addressed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// By the template of its file; the instructions stand in a message of their own, or else in the first one.
    Template { has_system: bool },
    /// As a text that it continues.
    Text,
    /// By the sentence alone, which an encoder reads, behind what says which translation is meant.
    Sentence { prefix: String },
}

/// A model of this program.
#[derive(Debug)]
pub struct LocalChat {
    session: Session,
    form: Form,
    /// First tokens of the answers that were refused last.
    beginnings: Vec<u32>,
}

impl LocalChat {
    /// A model that has read nothing yet.
    pub fn new(model: Arc<LanguageModel>) -> Self {
        Self::from_session(Session::new(model))
    }

    /// A model that has read a prompt; its costs are counted from here on.
    pub fn continuing(mut session: Session) -> Self {
        session.forget_cost();
        Self::from_session(session)
    }

    /// The model with what it has read, for the next document.
    pub fn into_session(self) -> Session {
        self.session
    }

    /// A model that reads each prompt anew, to be compared with.
    pub fn without_cache(model: Arc<LanguageModel>) -> Self {
        Self::from_session(Session::new(model).without_cache())
    }

    fn from_session(session: Session) -> Self {
        let conversation = Conversation::default();
        let messages = conversation.messages(&Request::default(), &[]);
        let model = session.model();
        let form = match &model.template {
            _ if model.network.has_encoder() => Form::Sentence {
                prefix: String::new(),
            },
            None => Form::Text,
            Some(template) => Form::Template {
                has_system: template.prompt(&messages).is_ok(),
            },
        };
        Self {
            session,
            form,
            beginnings: Vec::new(),
        }
    }

    /// A model that reads each sentence behind a prefix, if it is one that reads sentences.
    #[must_use]
    pub(super) fn behind(mut self, prefix: Option<&str>) -> Self {
        if let (Form::Sentence { prefix: own }, Some(prefix)) = (&mut self.form, prefix) {
            prefix.clone_into(own);
        }
        self
    }

    /// A prompt and its tokens.
    pub(super) fn prompt(
        &self,
        conversation: &Conversation,
        request: &Request,
        refusals: &[Refusal],
    ) -> Result<(String, Vec<u32>)> {
        let model = self.session.model();
        let tokenizer = &model.tokenizer;
        let template = model.template.as_ref();
        let (Form::Template { has_system }, Some(template)) = (&self.form, template) else {
            let text = if let Form::Sentence { prefix } = &self.form {
                format!("{prefix}{}", tokenizer.defused(&request.source))
            } else {
                tokenizer.defused(&conversation.text(request))
            };
            let ids = tokenizer.encode_prompt(&text);
            return Ok((text, ids));
        };
        let mut messages = conversation.messages(request, refusals);
        if !has_system {
            messages = joined_with_first(messages);
        }
        for message in &mut messages {
            message.content = tokenizer.defused(&message.content);
        }
        let text = template.prompt(&messages)?;
        let ids = tokenizer.encode_conversation(&text);
        Ok((text, ids))
    }

    /// The part of a prompt that requests a sentence, which it ends with.
    pub(super) fn request_text(&self, conversation: &Conversation, request: &Request) -> String {
        match self.form {
            Form::Template { .. } => conversation.request_text(request, false),
            Form::Text => conversation.request_text(request, true),
            Form::Sentence { .. } => request.source.clone(),
        }
    }

    /// Text in front of an answer, and whether it begins a text.
    pub(super) fn before_answers(&self) -> (&'static str, bool) {
        match self.form {
            Form::Template { .. } => ("", false),
            Form::Text => (" ", false),
            Form::Sentence { .. } => ("", true),
        }
    }

    /// Whether it sees which of its answers were refused.
    fn sees_refusals(&self) -> bool {
        matches!(self.form, Form::Template { .. })
    }

    pub(super) fn model(&self) -> &Arc<LanguageModel> {
        self.session.model()
    }

    pub(super) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn answered(&self, generated: &Generated) -> Answer {
        Answer {
            text: self.session.model().tokenizer.fused(&generated.text),
            log_prob: Some(generated.log_prob),
            num_tokens: generated.ids.len() + 1,
            ended: generated.ended,
        }
    }
}

/// A conversation whose instructions are part of the first user message.
fn joined_with_first(mut messages: Vec<Message>) -> Vec<Message> {
    if messages.len() > 1 {
        let system = messages.remove(0);
        messages[0].content = format!("{}\n\n{}", system.content, messages[0].content);
    }
    messages
}

impl Chat for LocalChat {
    fn answer(
        &mut self,
        conversation: &Conversation,
        (request, refusals): (&Request, &[Refusal]),
        max_tokens: usize,
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Answer>> {
        let (_, prompt) = self.prompt(conversation, request, refusals)?;
        if refusals.is_empty() || self.sees_refusals() {
            self.beginnings.clear();
        }
        let generation = Generation {
            max_tokens,
            is_line: self.form == Form::Text,
            // A model that does not see refusals would repeat its answer.
            other_beginnings: self.beginnings.clone(),
            sampling: None,
        };
        let generated = self.session.continue_prompt(&prompt, &generation, step)?;
        let Some(generated) = generated else {
            return Ok(None);
        };
        self.beginnings.extend(generated.ids.first());
        Ok(Some(self.answered(&generated)))
    }

    fn sample(
        &mut self,
        conversation: &Conversation,
        request: &Request,
        (max_tokens, seeds): (usize, Range<u64>),
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Vec<Answer>> {
        let (_, prompt) = self.prompt(conversation, request, &[])?;
        let generations = seeds.map(|seed| Generation {
            max_tokens,
            is_line: self.form == Form::Text,
            other_beginnings: Vec::new(),
            sampling: Some(Sampling {
                temperature: TEMPERATURE,
                top_p: TOP_P,
                seed,
            }),
        });
        let generations: Vec<Generation> = generations.collect();
        let generated = self
            .session
            .continue_prompt_each(&prompt, &generations, step)?;
        let generated = generated.unwrap_or_default().into_iter();
        Ok(generated.map(|it| self.answered(&it)).collect())
    }

    fn reads_sentences_alone(&self) -> bool {
        self.model().network.has_encoder()
    }

    fn align(&mut self, request: &Request, translation: &str) -> Result<Option<Alignment>> {
        if !self.reads_sentences_alone() {
            return Ok(None);
        }
        aligned(self, request, translation).map(Some)
    }

    fn longest(&self) -> usize {
        if self.reads_sentences_alone() {
            // An answer may be twice as long.
            return self.model().network.context().saturating_sub(LEAST_ROOM) / 2;
        }
        usize::MAX
    }

    fn count(&self, text: &str) -> usize {
        let tokenizer = &self.session.model().tokenizer;
        tokenizer
            .encode(text, canopy_llm::Specials::AsText, false)
            .len()
    }

    fn window(&self) -> usize {
        if self.reads_sentences_alone() {
            return usize::MAX;
        }
        self.session.model().network.context()
    }

    fn cost(&self) -> Cost {
        self.session.cost()
    }
}

/// A server.
#[derive(Debug)]
pub struct RemoteChat {
    endpoint: Endpoint,
    cost: Cost,
}

impl RemoteChat {
    /// A server that has computed nothing yet.
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            cost: Cost::default(),
        }
    }
}

impl Chat for RemoteChat {
    fn answer(
        &mut self,
        conversation: &Conversation,
        (request, refusals): (&Request, &[Refusal]),
        _: usize,
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Answer>> {
        let messages = conversation.messages(request, refusals);
        let begin = std::time::Instant::now();
        let (text, usage) = self.endpoint.answer(&messages)?;
        self.cost.read += usage.prompt_tokens;
        self.cost.written += usage.completion_tokens;
        self.cost.writing += begin.elapsed();
        let answer = Answer {
            text,
            ended: true,
            ..Answer::default()
        };
        Ok(step(self.cost).is_continue().then_some(answer))
    }

    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(CHARACTERS)
    }

    fn window(&self) -> usize {
        WINDOW_OF_SERVERS
    }

    fn cost(&self) -> Cost {
        self.cost
    }
}
