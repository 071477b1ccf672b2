//! Which heads of a language model find the antecedent of a pronoun.
//!
//! Most heads look at the token before, the first token or the end of a sentence, so that a mean over all of them says
//! nothing of what was read. The probe is made up: of four sentences with their German translations one names a thing, at
//! each place alike, and the sentence behind them has *it*, whose translation depends on that thing's gender. The weight of
//! the sentence with the thing, of the query behind which the pronoun is written, is taken beside the mean weight of the
//! others. The score of a head is how much larger it is than behind a sentence without a pronoun, so that heads that look at
//! the longest or the oddest sentence, whatever is asked, have none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use canopy_base::file::write_atomically;
use canopy_llm::{Attention, LanguageModel};
use canopy_qa::llm::{Conversation, Languages, Request, Turn};
use serde::{Deserialize, Serialize};

use super::LocalChat;
use super::tracing::{answer_ids, owned_prompt};
use crate::inference::installed_models::DESCRIPTION;

/// A file beside the description of an installed model.
const FILE: &str = "heads.json";

/// Version of the probe; scores of another one are computed anew.
const VERSION: u32 = 1;

/// Heads that a trace names, at most.
const MOST: usize = 8;

/// The share of the probe in which a head has to find the sentence: twice what chance does.
const LEAST_FOUND: f32 = 0.5;

/// A thing in English and German, the article of the latter in the accusative, and its pronoun.
const THINGS: [(&str, &str, &str); 12] = [
    ("lamp", "eine Lampe", "sie"),
    ("key", "einen Schlüssel", "ihn"),
    ("book", "ein Buch", "es"),
    ("clock", "eine Uhr", "sie"),
    ("table", "einen Tisch", "ihn"),
    ("picture", "ein Bild", "es"),
    ("bag", "eine Tasche", "sie"),
    ("coat", "einen Mantel", "ihn"),
    ("bicycle", "ein Fahrrad", "es"),
    ("camera", "eine Kamera", "sie"),
    ("carpet", "einen Teppich", "ihn"),
    ("radio", "ein Radio", "es"),
];

/// Sentences that name no thing.
const OTHERS: [(&str, &str); 4] = [
    (
        "We went home early yesterday.",
        "Wir sind gestern früh nach Hause gegangen.",
    ),
    ("My parents were tired.", "Meine Eltern waren müde."),
    (
        "Nobody wanted to wait any longer.",
        "Niemand wollte länger warten.",
    ),
    ("They were very friendly.", "Sie waren sehr freundlich."),
];

/// Sentences before the one with the pronoun.
const BEFORE: usize = 4;

/// The translation up to the word that is asked about.
const BEGUN: &str = "Wir werden";

/// How well a head finds the antecedent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeadScore {
    /// Layer, counted from 0.
    pub layer: usize,
    /// Head of the layer, counted from 0.
    pub head: usize,
    /// Mean weight of the sentence with the antecedent beside the others, minus that behind a sentence without a pronoun.
    pub score: f32,
    /// The share of the probe in which it gives that sentence more than any other, and more than without a pronoun.
    pub found: f32,
}

impl HeadScore {
    /// Layer and head of those that find the antecedent far more often than chance does, of scores in their order.
    pub fn surest(scores: &[Self]) -> Vec<(usize, usize)> {
        let sure = scores.iter().filter(|it| it.is_sure());
        sure.take(MOST).map(|it| (it.layer, it.head)).collect()
    }

    /// Whether it finds the antecedent far more often than chance does.
    pub fn is_sure(&self) -> bool {
        self.score > 0.0 && self.found > LEAST_FOUND
    }
}

/// Scores of an installed model.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u32,
    layers: usize,
    heads: usize,
    scores: Vec<HeadScore>,
}

/// The scores that are kept with an installed model, if they are those of this model.
pub(super) fn kept_scores(folder: &Path, model: &LanguageModel) -> Option<Vec<HeadScore>> {
    let bytes = std::fs::read(place(folder)?).ok()?;
    let kept: Kept = serde_json::from_slice(&bytes).ok()?;
    let (layers, heads) = (model.network.num_layers(), model.network.num_heads());
    let is_one = |it: &HeadScore| it.layer < layers && it.head < heads;
    let is_own = (kept.version, kept.layers, kept.heads) == (VERSION, layers, heads);
    (is_own && kept.scores.iter().all(is_one)).then_some(kept.scores)
}

/// Keeps the scores with an installed model.
pub(super) fn keep_scores(folder: &Path, scores: &[HeadScore]) {
    let Some(place) = place(folder) else { return };
    let most = |number: fn(&HeadScore) -> usize| scores.iter().map(number).max();
    let kept = Kept {
        version: VERSION,
        layers: most(|it| it.layer).map_or(0, |last| last + 1),
        heads: most(|it| it.head).map_or(0, |last| last + 1),
        scores: scores.to_vec(),
    };
    let written = serde_json::to_vec(&kept).map_err(|error| error.to_string());
    let written = written.and_then(|bytes| {
        let written = write_atomically(&place, &bytes, true);
        written.map_err(|error| error.to_string())
    });
    if let Err(error) = written {
        ::tracing::warn!(%error, "the scores of a probe are not kept");
    }
}

fn place(folder: &Path) -> Option<PathBuf> {
    let is_installed = folder.join(DESCRIPTION).is_file();
    is_installed.then(|| folder.join(FILE))
}

/// Every head with its score, the surest first.
///
/// # Errors
/// If the model refuses a prompt.
pub(super) fn probe(model: &Arc<LanguageModel>) -> Result<Vec<HeadScore>> {
    let (layers, heads) = (model.network.num_layers(), model.network.num_heads());
    let mut scores: Vec<HeadScore> = (0..layers * heads)
        .map(|number| HeadScore {
            layer: number / heads,
            head: number % heads,
            score: 0.0,
            found: 0.0,
        })
        .collect();
    let mut chat = LocalChat::new(Arc::clone(model));
    let all = THINGS.len() as f32;
    for number in 0..THINGS.len() {
        let [asked, control] = [item(number), control(number)];
        let found = [weights(&mut chat, &asked)?, weights(&mut chat, &control)?];
        let antecedent = number % BEFORE;
        // The weight of the sentence beside that of each other one.
        let beside = |weights: &[f32; BEFORE]| {
            let own = weights[antecedent];
            own - (weights.iter().sum::<f32>() - own) / (BEFORE - 1) as f32
        };
        for (score, (asked, control)) in scores.iter_mut().zip(found[0].iter().zip(&found[1])) {
            let largest = asked.iter().copied().fold(0.0, f32::max);
            let gain = beside(asked) - beside(control);
            let found = gain > 0.0 && asked[antecedent] >= largest;
            score.score += gain / all;
            score.found += f32::from(u8::from(found)) / all;
        }
    }
    scores.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok(scores)
}

/// A conversation, the sentence that it asks for, and its translation up to the word that is asked about and with it.
struct Item {
    conversation: Conversation,
    request: Request,
    begun: &'static str,
    whole: String,
}

/// The weights of each head that the query behind which the word is written gives to each sentence before, by layer and
/// head.
fn weights(chat: &mut LocalChat, item: &Item) -> Result<Vec<[f32; BEFORE]>> {
    let (prompt, owners) = owned_prompt(chat, &item.conversation, &item.request)?;
    let written = answer_ids(chat, item.begun).len();
    let mut answer = answer_ids(chat, &item.whole);
    answer.truncate(written + 1);
    let asks = prompt.len() - 1 + written;
    let network = &chat.session().model().network;
    let (layers, heads) = (network.num_layers(), network.num_heads());
    let mut weights = vec![[0.0; BEFORE]; layers * heads];
    let mut recorder = |attention: Attention<'_>| {
        if attention.position != asks {
            return;
        }
        let own = &mut weights[attention.layer * heads + attention.head];
        let seen = owners.get(attention.first..).unwrap_or_default();
        for (owner, weight) in seen.iter().zip(attention.weights) {
            if let Some(sentence) = owner.sentence_before() {
                own[sentence] += weight;
            }
        }
    };
    chat.session().record(&prompt, &answer, &mut recorder)?;
    Ok(weights)
}

/// The sentence with the pronoun.
fn item(number: usize) -> Item {
    let (.., pronoun) = THINGS[number];
    Item {
        conversation: conversation(number),
        request: Request {
            source: "We will sell it tomorrow.".to_owned(),
            similar: Vec::new(),
        },
        begun: BEGUN,
        whole: format!("{BEGUN} {pronoun} morgen verkaufen."),
    }
}

/// A sentence without a pronoun behind the same ones.
fn control(number: usize) -> Item {
    Item {
        conversation: conversation(number),
        request: Request {
            source: "We will sleep well tomorrow.".to_owned(),
            similar: Vec::new(),
        },
        begun: BEGUN,
        whole: format!("{BEGUN} morgen gut schlafen."),
    }
}

/// Four sentences, one of which names a thing.
fn conversation(number: usize) -> Conversation {
    let languages = Languages {
        source: "English",
        target: "German",
    };
    let (thing, with_article, _) = THINGS[number];
    let mut conversation = Conversation::new(languages, Vec::new(), false);
    for sentence in 0..BEFORE {
        let (source, translation) = if sentence == number % BEFORE {
            (
                format!("I found a {thing} in the cellar."),
                format!("Ich habe im Keller {with_article} gefunden."),
            )
        } else {
            let (source, translation) = OTHERS[(number + sentence) % OTHERS.len()];
            (source.to_owned(), translation.to_owned())
        };
        conversation.push(Turn {
            request: Request {
                source,
                similar: Vec::new(),
            },
            translation,
            sentence,
            section: 0,
            tokens: 0,
        });
    }
    conversation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiny() -> Arc<LanguageModel> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../llm/tests/data/tiny.gguf");
        Arc::new(LanguageModel::open(file).expect("a model"))
    }

    #[test]
    fn the_antecedent_stands_at_each_place_with_each_gender_alike() {
        let mut seen = std::collections::BTreeMap::new();
        for (number, (thing, _, pronoun)) in THINGS.iter().enumerate() {
            let Item {
                conversation,
                request,
                begun,
                whole,
            } = item(number);
            let places = conversation.turns().iter();
            let place = places.position_named(thing);
            assert!(!request.source.contains(thing));
            assert!(whole.starts_with(&format!("{begun} {pronoun} ")));
            *seen.entry((place, *pronoun)).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), BEFORE * 3);
        assert!(seen.values().all(|count| *count == 1));
    }

    /// The only sentence with a word.
    trait Named<'t>: Iterator<Item = &'t Turn> + Sized {
        fn position_named(self, thing: &str) -> usize {
            let named = self.filter(|turn| turn.request.source.contains(thing));
            let named: Vec<usize> = named.map(|turn| turn.sentence).collect();
            assert_eq!(named.len(), 1, "{thing}");
            named[0]
        }
    }

    impl<'t, I: Iterator<Item = &'t Turn>> Named<'t> for I {}

    #[test]
    fn every_head_has_a_score_and_the_sure_ones_are_named() {
        let scores = probe(&tiny()).expect("scores");
        assert_eq!(scores.len(), 2, "a layer of two heads");
        for it in &scores {
            assert!(
                it.score.abs() <= 3.0 && (0.0..=1.0).contains(&it.found),
                "{it:?}"
            );
        }
        assert!(scores[0].score >= scores[1].score);
        let made = |head, score, found| HeadScore {
            layer: 0,
            head,
            score,
            found,
        };
        let scores = [
            made(3, 0.4, 1.0),
            made(1, 0.2, 0.3),
            made(0, 0.1, 0.8),
            made(2, -0.1, 1.0),
        ];
        assert_eq!(HeadScore::surest(&scores), [(0, 3), (0, 0)]);
    }

    #[test]
    fn scores_are_kept_with_an_installed_model_and_with_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, model) = (folder.path(), tiny());
        let scores = probe(&model).expect("scores");
        keep_scores(path, &scores);
        assert_eq!(kept_scores(path, &model), None, "it is not installed");
        std::fs::write(path.join(DESCRIPTION), "").expect("written");
        keep_scores(path, &scores);
        assert_eq!(kept_scores(path, &model), Some(scores.clone()));
        let text = std::fs::read_to_string(path.join(FILE)).expect("kept");
        std::fs::write(path.join(FILE), text.replace("\"heads\":2", "\"heads\":3"))
            .expect("written");
        assert_eq!(kept_scores(path, &model), None, "those of another model");
    }
}
