//! The conversation that requests the translation of a sentence.

use std::fmt::Write;

use super::client::Message;
use canopy_document::editable::{Token, tokens};

/// Instructions about markup.
pub(super) const MARKS: &str = " Marks such as ⟨1⟩, ⟨/1⟩ and ⟨2/⟩ are formatting: put each of them exactly once where it \
                                belongs in the translation, and close what is opened.";

/// The names of both languages, in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Languages<'a> {
    /// The source language.
    pub source: &'a str,
    /// The target language.
    pub target: &'a str,
}

/// A sentence near another, as people edit it, and its translation if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The source sentence.
    pub source: String,
    /// Its translation.
    pub target: Option<String>,
}

/// A sentence that is to be translated, and what is known of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// The sentence as it is stored, with placeholders for its markup.
    pub stored: String,
    /// The sentence as people edit it, with `⟨1⟩…⟨/1⟩` for its markup.
    pub source: String,
    /// Sentences before and after it, in the order of the document.
    pub before: Vec<Neighbour>,
    /// Sentences after it.
    pub after: Vec<Neighbour>,
    /// Terms that occur in it, and what they are called.
    pub terms: Vec<(String, String)>,
    /// Similar sentences that were translated before, the most similar first.
    pub memory: Vec<(String, String)>,
}

impl Question {
    /// The conversation that requests this sentence.
    pub(super) fn messages(&self, languages: Languages<'_>) -> Vec<Message> {
        let Languages { source, target } = languages;
        let mut rules = format!(
            "You translate one sentence of a document from {source} to {target}. Answer with the translation alone: no \
             explanation, no quotation marks around it, no other sentences. Keep numbers, names, placeholders such as %s \
             and {{name}}, and the marks at the end."
        );
        if !tokens(&self.stored).is_empty() {
            rules.push_str(MARKS);
        }
        vec![
            Message::system(rules),
            Message::user(self.request_text(languages)),
        ]
    }

    fn request_text(&self, Languages { source, target }: Languages<'_>) -> String {
        let mut request_text = String::new();
        let mut pairs = |title: &str, pairs: &[(String, String)]| {
            if pairs.is_empty() {
                return;
            }
            let _ = writeln!(request_text, "{title}:");
            for (from, to) in pairs {
                let _ = writeln!(request_text, "- {from} → {to}");
            }
            request_text.push('\n');
        };
        pairs("Use these terms", &self.terms);
        pairs("Similar sentences were translated like this", &self.memory);
        let mut neighbours = |title: &str, neighbours: &[Neighbour]| {
            if neighbours.is_empty() {
                return;
            }
            let _ = writeln!(request_text, "{title}:");
            for Neighbour {
                source: from,
                target: to,
            } in neighbours
            {
                match to {
                    Some(to) => {
                        let _ = writeln!(request_text, "- {from} → {to}");
                    }
                    None => {
                        let _ = writeln!(request_text, "- {from}");
                    }
                }
            }
            request_text.push('\n');
        };
        neighbours("Sentences before it", &self.before);
        neighbours("Sentences after it", &self.after);
        let _ = write!(
            request_text,
            "Translate this {source} sentence to {target}:\n{}",
            self.source
        );
        request_text
    }
}

/// Describes faults in the tags of an answer, for the model that wrote it.
pub(super) fn correction(problems: &[String], stored: &str) -> Message {
    let needed: Vec<String> = tokens(stored).iter().map(Token::to_string).collect();
    Message::user(format!(
        "The marks are wrong: {}. Answer with the translation alone again, with each of these marks exactly once: {}",
        problems.join("; "),
        needed.join(" ")
    ))
}
