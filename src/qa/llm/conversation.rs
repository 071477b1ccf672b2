//! A document as one conversation. It grows by a sentence and its translation at a time, so that a continuation can
//! keep what has been read.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use super::client::Message;
use super::prompt::{Languages, MARKS};

/// Turns are dropped until so much of the budget is used, in quarters, so that the next ones find room.
const QUARTERS_LEFT: usize = 3;

/// A sentence that is to be translated, as people edit it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// With `⟨1⟩…⟨/1⟩` for its markup.
    pub source: String,
    /// Similar sentences that were translated before, the most similar first.
    pub similar: Vec<(String, String)>,
}

/// A sentence that has its translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The sentence.
    pub request: Request,
    /// As people edit it.
    pub translation: String,
    /// Number of the sentence in the document.
    pub sentence: usize,
    /// Section of the document.
    pub section: usize,
    /// Tokens of both, estimated or counted.
    pub tokens: usize,
}

/// An answer that is rejected, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// As the model gave it.
    pub answer: String,
    /// Such as `⟨1⟩ is missing`.
    pub problems: Vec<String>,
}

/// Context that has made room for what follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Sections that left it whole.
    pub sections: usize,
    /// Sentences, those of the sections among them.
    pub sentences: usize,
    /// Tokens of all of them.
    pub tokens: usize,
}

impl std::ops::AddAssign for Dropped {
    fn add_assign(&mut self, other: Self) {
        self.sections += other.sections;
        self.sentences += other.sentences;
        self.tokens += other.tokens;
    }
}

/// Instructions, terms, and the sentences of a document that have a translation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    source: String,
    target: String,
    terms: Vec<(String, String)>,
    has_marks: bool,
    turns: Vec<Turn>,
}

impl Conversation {
    /// A document without sentences. `terms` are those that occur in it; `has_marks` says whether any sentence has markup.
    pub fn new(languages: Languages<'_>, terms: Vec<(String, String)>, has_marks: bool) -> Self {
        Self {
            source: languages.source.to_owned(),
            target: languages.target.to_owned(),
            terms,
            has_marks,
            turns: Vec::new(),
        }
    }

    /// The sentences that have a translation and were not dropped.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// These instructions before other sentences.
    #[must_use]
    pub fn with_turns(&self, turns: Vec<Turn>) -> Self {
        Self {
            turns,
            source: self.source.clone(),
            target: self.target.clone(),
            terms: self.terms.clone(),
            has_marks: self.has_marks,
        }
    }

    /// Adds a sentence and its translation at the end.
    pub fn push(&mut self, turn: Turn) {
        self.turns.push(turn);
    }

    fn rules(&self) -> String {
        let (source, target) = (&self.source, &self.target);
        let mut rules = format!(
            "You translate a document from {source} to {target}, sentence by sentence. Answer with the translation of the \
             last sentence alone: no explanation, no quotation marks around it, no other sentences. Keep numbers, names, \
             placeholders such as %s and {{name}}, and the marks at the end."
        );
        if self.has_marks {
            rules.push_str(MARKS);
        }
        if !self.terms.is_empty() {
            rules.push_str("\n\nUse these terms:");
            add_pairs(&mut rules, &self.terms);
        }
        rules
    }

    /// The message, or the part of a text, that requests a sentence; it ends with the sentence.
    pub fn request_text(&self, request: &Request, as_text: bool) -> String {
        if as_text {
            return format!("{}: {}", self.source, request.source);
        }
        let mut request_text = String::new();
        if !request.similar.is_empty() {
            request_text.push_str("Similar sentences were translated like this:");
            add_pairs(&mut request_text, &request.similar);
            request_text.push_str("\n\n");
        }
        // Writing to a string does not fail.
        let _ = write!(
            request_text,
            "Translate to {}:\n{}",
            self.target, request.source
        );
        request_text
    }

    /// The conversation that requests a sentence, and again for each of its refusals.
    pub fn messages(&self, request: &Request, refusals: &[Refusal]) -> Vec<Message> {
        let mut messages = vec![Message::system(self.rules())];
        for turn in &self.turns {
            messages.push(Message::user(self.request_text(&turn.request, false)));
            messages.push(Message::assistant(turn.translation.clone()));
        }
        messages.push(Message::user(self.request_text(request, false)));
        for refusal in refusals {
            messages.push(Message::assistant(refusal.answer.clone()));
            messages.push(Message::user(self.refused(refusal)));
        }
        messages
    }

    /// The message that repeats the request.
    pub fn refused(&self, refusal: &Refusal) -> String {
        format!(
            "That is not right: {}. Answer with the {} translation of the sentence alone.",
            refusal.problems.join("; "),
            self.target
        )
    }

    /// The prompt of a model that continues texts and was not trained to converse: sentence and translation on a line each,
    /// the last line to be continued. It has no refusals.
    pub fn text(&self, request: &Request) -> String {
        let Self { source, target, .. } = self;
        let mut text = format!("A document in {source}, and its translation to {target}.\n\n");
        let mut add = |from: &str, to: &str| {
            let _ = write!(text, "{source}: {from}\n{target}: {to}\n\n");
        };
        for (from, to) in &self.terms {
            add(from, to);
        }
        for turn in &self.turns {
            for (from, to) in &turn.request.similar {
                add(from, to);
            }
            add(&turn.request.source, &turn.translation);
        }
        for (from, to) in &request.similar {
            add(from, to);
        }
        let _ = write!(text, "{source}: {}\n{target}:", request.source);
        text
    }

    /// Makes room for a request in `section` where all turns have more than `budget` tokens: whole sections are dropped, the
    /// one that is least like `text` first, never the section itself; if that is not enough, its oldest sentences.
    pub fn shorten(&mut self, budget: usize, section: usize, text: &str) -> Option<Dropped> {
        let all: usize = self.turns.iter().map(|turn| turn.tokens).sum();
        if all <= budget {
            return None;
        }
        let least = (all - budget / 4 * QUARTERS_LEFT).min(all);
        let mut dropped = Dropped::default();
        for unlike in self.sections_by_likeness(section, text) {
            if dropped.tokens >= least {
                break;
            }
            dropped.sections += 1;
            self.turns.retain(|turn| {
                let stays = turn.section != unlike;
                if !stays {
                    dropped.sentences += 1;
                    dropped.tokens += turn.tokens;
                }
                stays
            });
        }
        let mut oldest = 0;
        while dropped.tokens < least && oldest < self.turns.len() {
            dropped.sentences += 1;
            dropped.tokens += self.turns[oldest].tokens;
            oldest += 1;
        }
        self.turns.drain(..oldest);
        Some(dropped)
    }

    /// All sections of the turns but one, the least like `text` first, the older of equals first.
    fn sections_by_likeness(&self, own: usize, text: &str) -> Vec<usize> {
        let wanted: HashSet<String> = words(text).collect();
        let mut sections: BTreeMap<usize, HashSet<String>> = BTreeMap::new();
        for turn in self.turns.iter().filter(|turn| turn.section != own) {
            let section = sections.entry(turn.section).or_default();
            section.extend(words(&turn.request.source));
        }
        let likeness = |section: &HashSet<String>| {
            let shared = section.intersection(&wanted).count();
            // Cosine of two sets, squared; whole numbers have a total order.
            shared * shared * 1_000_000 / (section.len() * wanted.len()).max(1)
        };
        let mut sections: Vec<(usize, usize)> = sections
            .iter()
            .map(|(number, words)| (likeness(words), *number))
            .collect();
        sections.sort_unstable();
        sections.into_iter().map(|(_, number)| number).collect()
    }
}

/// The words of a text that say what it is about: those of more than three letters, in small letters.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| word.chars().nth(3).is_some())
        .map(str::to_lowercase)
}

fn add_pairs(to: &mut String, pairs: &[(String, String)]) {
    for (source, target) in pairs {
        // Writing to a string does not fail.
        let _ = write!(to, "\n- {source} → {target}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        let languages = Languages {
            source: "English",
            target: "German",
        };
        let terms = vec![("file".to_owned(), "Datei".to_owned())];
        Conversation::new(languages, terms, false)
    }

    fn request(source: &str) -> Request {
        Request {
            source: source.to_owned(),
            similar: Vec::new(),
        }
    }

    fn turn(source: &str, section: usize, tokens: usize) -> Turn {
        Turn {
            request: request(source),
            translation: source.to_uppercase(),
            sentence: 0,
            section,
            tokens,
        }
    }

    #[test]
    fn a_longer_conversation_begins_with_the_shorter_one() {
        let mut conversation = conversation();
        let before = conversation.messages(&request("Open the file."), &[]);
        let text = conversation.text(&request("Open the file."));
        conversation.push(turn("Open the file.", 0, 9));
        let after = conversation.messages(&request("Close it."), &[]);
        assert_eq!(before, after[..before.len()]);
        assert_eq!(after[2].content, "OPEN THE FILE.");
        assert!(after[0].content.contains("file → Datei"));
        let longer = conversation.text(&request("Close it."));
        assert!(longer.starts_with(&text), "{longer}");
        assert!(longer.ends_with("German: OPEN THE FILE.\n\nEnglish: Close it.\nGerman:"));
    }

    #[test]
    fn a_refusal_says_its_reason_behind_the_answer() {
        let refusal = Refusal {
            answer: "Sure!".to_owned(),
            problems: vec!["it has no number".to_owned()],
        };
        let messages = conversation().messages(&request("Open 2 files."), &[refusal]);
        let roles: Vec<&str> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"]);
        assert!(messages[3].content.contains("it has no number"));
    }

    #[test]
    fn whole_sections_make_room_and_the_least_alike_goes_first() {
        let mut conversation = conversation();
        for (source, section) in [
            ("Printers print pages.", 0),
            ("Music is loud here.", 1),
            ("Music is quiet here.", 1),
            ("Print more pages.", 2),
        ] {
            conversation.push(turn(source, section, 10));
        }
        assert_eq!(
            conversation.shorten(40, 2, "The printer prints pages."),
            None
        );
        let dropped = conversation
            .shorten(30, 2, "Print pages.")
            .expect("too many");
        assert_eq!(
            (dropped.sections, dropped.sentences, dropped.tokens),
            (1, 2, 20)
        );
        let left: Vec<usize> = conversation
            .turns()
            .iter()
            .map(|turn| turn.section)
            .collect();
        assert_eq!(left, [0, 2]);
        // The oldest sentences of a single section go.
        conversation.push(turn("Print again.", 2, 30));
        let dropped = conversation.shorten(40, 2, "Print.").expect("too many");
        assert_eq!((dropped.sections, dropped.sentences), (1, 2));
        assert_eq!(conversation.turns().len(), 1);
    }
}
