//! A client's job: documents in translation, and which of their sentences are wanted.

use std::collections::BTreeMap;

use tokio::sync::oneshot;

use super::refusal::Refusal;
use canopy_document::document::Document;
use canopy_translate::inference::{KnownTranslations, Route, Translation, WordLink};

/// Sentences of a job that one round translates, so that a long document does not keep the others waiting.
const MOST_A_ROUND: usize = 48;

/// A request of a client on its way through the worker.
#[derive(Debug)]
pub(super) struct Job {
    pub way: Way,
    pub items: Vec<Item>,
    /// Whether word alignments are requested.
    pub links_words: bool,
    pub reply: oneshot::Sender<Result<Answer, Refusal>>,
}

/// The models of a job, and the language that the first of them reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    pub source: String,
    pub route: Route,
    /// How many other translations of each sentence are wanted.
    pub alternatives: usize,
}

/// A document of a job.
#[derive(Debug)]
pub(super) struct Item {
    pub document: Document,
    /// Sentences that are still to be translated, in their order.
    pub left: Vec<usize>,
    pub known: KnownTranslations,
    /// Translations that a person has written or confirmed, by their sentences, with placeholders.
    pub confirmed: BTreeMap<usize, String>,
    pub done: BTreeMap<usize, TranslatedSentence>,
}

/// The translation of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TranslatedSentence {
    pub translation: Translation,
    pub links: Vec<WordLink>,
    /// Other translations, the more probable ones first.
    pub alternatives: Vec<String>,
}

/// All that was translated for a client.
#[derive(Debug)]
pub(super) struct Answer {
    /// Name of the model, and its languages as it names them.
    pub model: String,
    pub source: String,
    pub target: String,
    pub documents: Vec<TranslatedDocument>,
}

/// A document and the translations of its requested sentences.
#[derive(Debug)]
pub(super) struct TranslatedDocument {
    pub document: Document,
    pub sentences: BTreeMap<usize, TranslatedSentence>,
}

impl Item {
    /// All sentences of a document that its file has no translation for.
    pub(crate) fn whole(document: Document) -> Self {
        let open = document.sentences.iter().enumerate();
        let open = open.filter(|(_, sentence)| sentence.known.is_none());
        let left = open.map(|(index, _)| index).collect();
        let known = KnownTranslations::fixed(document.finished());
        Self {
            known,
            ..Self::part(document, left, BTreeMap::new())
        }
    }

    /// These sentences of a document.
    pub(crate) fn part(
        document: Document,
        left: Vec<usize>,
        confirmed: BTreeMap<usize, String>,
    ) -> Self {
        Self {
            document,
            left,
            known: KnownTranslations::fixed(confirmed.clone()),
            confirmed,
            done: BTreeMap::new(),
        }
    }
}

impl Job {
    /// Whether it is no longer awaited.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.items.iter().all(|item| item.left.is_empty())
    }

    /// Whether it holds what only its own client may see used.
    pub(crate) fn is_private(&self) -> bool {
        self.items.iter().any(|item| !item.confirmed.is_empty())
    }

    /// How many sentences of each of its documents the next round translates.
    pub(crate) fn shares(&self) -> Vec<usize> {
        let mut room = MOST_A_ROUND;
        let share = |item: &Item| {
            let share = item.left.len().min(room);
            room -= share;
            share
        };
        self.items.iter().map(share).collect()
    }

    /// Sends the result to its client, if that client is still connected.
    pub(crate) fn finish(self, (model, target): (String, String)) {
        let documents = self.items.into_iter().map(|item| TranslatedDocument {
            document: item.document,
            sentences: item.done,
        });
        let answer = Answer {
            model,
            source: self.way.source,
            target,
            documents: documents.collect(),
        };
        let _ = self.reply.send(Ok(answer));
    }

    pub(crate) fn refuse(self, refusal: Refusal) {
        let _ = self.reply.send(Err(refusal));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::*;
    use canopy_document::document::Format;

    /// A job of documents with these numbers of sentences, and where its answer arrives.
    pub(crate) fn job(
        model: &str,
        sentences: &[usize],
    ) -> (Job, oneshot::Receiver<Result<Answer, Refusal>>) {
        let (reply, answer) = oneshot::channel();
        let item = |&count: &usize| {
            let text = "Open the file.\n\n".repeat(count);
            Item::whole(Document::parse("a.txt", Format::Text, text).expect("a text"))
        };
        let job = Job {
            way: Way {
                source: "en".to_owned(),
                route: Route::Direct {
                    folder: PathBuf::from(model),
                    target: "de".to_owned(),
                },
                alternatives: 0,
            },
            items: sentences.iter().map(item).collect(),
            links_words: false,
            reply,
        };
        (job, answer)
    }

    #[test]
    fn a_long_document_has_its_share_of_a_round_and_no_more() {
        let (long, _answer) = job("a", &[500]);
        assert_eq!(long.shares(), [48]);
        let (several, _answer) = job("a", &[1, 40, 20, 5]);
        assert_eq!(several.shares(), [1, 40, 7, 0]);
    }
}
