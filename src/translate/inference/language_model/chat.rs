//! The partner of the conversation: a model of this program, or a server.

use std::ops::ControlFlow;
use std::sync::Arc;

use canopy_base::error::Result;
use canopy_llm::{Cost, Generated, Generation, LanguageModel, Sampling, Session};
use canopy_qa::llm::{Conversation, Endpoint, Message, Refusal, Request};

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

    /// Another answer to a request, drawn at random by a seed; none if `step` breaks, or the partner does not support it.
    ///
    /// # Errors
    /// As [`Self::answer`].
    fn sample(
        &mut self,
        _conversation: &Conversation,
        _request: &Request,
        (_max_tokens, _seed): (usize, u64),
        _step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Answer>> {
        Ok(None)
    }

    /// Tokens of a text, counted or estimated.
    fn count(&self, text: &str) -> usize;

    /// Tokens that it can read and write together.
    fn window(&self) -> usize;

    /// The cost of all answers so far.
    fn cost(&self) -> Cost;
}

/// How a model is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By the template of its file; the instructions stand in a message of their own, or else in the first one.
    Template { has_system: bool },
    /// As a text that it continues.
    Text,
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
    pub fn new(model: Arc<LanguageModel>) -> Self {
        Self::from_session(Session::new(model))
    }

    /// A model that has read a prompt; its costs are counted from here on.
    pub fn continuing(mut session: Session) -> Self {
        session.forget_cost();
        Self::from_session(session)
    }

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
        let form = match &session.model().template {
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
        let (Form::Template { has_system }, Some(template)) = (self.form, template) else {
            let text = tokenizer.defused(&conversation.text(request));
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

    /// Whether it continues texts, not conversations.
    pub(super) fn continues_texts(&self) -> bool {
        self.form == Form::Text
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
        let is_line = self.form == Form::Text;
        if refusals.is_empty() || !is_line {
            self.beginnings.clear();
        }
        let generation = Generation {
            max_tokens,
            is_line,
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
        (max_tokens, seed): (usize, u64),
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Answer>> {
        let (_, prompt) = self.prompt(conversation, request, &[])?;
        let generation = Generation {
            max_tokens,
            is_line: self.form == Form::Text,
            other_beginnings: Vec::new(),
            sampling: Some(Sampling {
                temperature: TEMPERATURE,
                top_p: TOP_P,
                seed,
            }),
        };
        let generated = self.session.continue_prompt(&prompt, &generation, step)?;
        Ok(generated.map(|generated| self.answered(&generated)))
    }

    fn count(&self, text: &str) -> usize {
        let tokenizer = &self.session.model().tokenizer;
        tokenizer
            .encode(text, canopy_llm::Specials::AsText, false)
            .len()
    }

    fn window(&self) -> usize {
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
