//! Translations by a large language model that the user runs: a sentence with what is known of it in, a suggestion out.
//!
//! The model is reached over OpenAI's interface, as llama.cpp, Ollama and vLLM have it, at an address that the user names;
//! no request is sent unless one is named. Tensors are of no concern here.

mod answer;
mod client;
mod conversation;
mod prompt;
mod suggestion;
#[cfg(test)]
mod tests;

pub use answer::translation;
pub use client::{Endpoint, Message, Usage};
pub use conversation::{Conversation, Dropped, Refusal, Request, Turn};
pub use prompt::{Languages, Neighbour, Question};
pub use suggestion::Suggestion;
