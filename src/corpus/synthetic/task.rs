//! Documents of the task, as words without spelling.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How many genders there are, each as probable as the others.
pub const GENDERS: u32 = 3;
/// How many characters there are in all documents together.
pub const ENTITIES: u32 = 6;
/// Titles of the same gender.
pub const TITLES: u32 = 6;
/// Most characters in a document.
const CAST: usize = 6;
/// How many previous sentences a windowed system reads.
pub const NEAR: usize = 3;

/// The side on which the deciding sentence reveals the gender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// By a title in the source, which the target leaves out.
    Source,
    /// By a title in the target: the source has none. It cannot be inferred from there, so this translation is read as one
    /// that is confirmed, and does not count in the loss.
    Target,
    /// Here in the source, there in the target.
    Either,
}

impl Evidence {
    fn is_in_source(self, rng: &mut ChaCha8Rng) -> bool {
        match self {
            Self::Source => true,
            Self::Target => false,
            Self::Either => rng.random(),
        }
    }
}

/// Where the deciding sentence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Among the [`NEAR`] sentences before the mention.
    Near,
    /// Before those: all that is nearer introduces others.
    Far,
    /// Anywhere before the mention.
    Before,
    /// Anywhere before or after it.
    Anywhere,
}

/// The documents that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// The evidence that decides the gender of a noun.
    pub evidence: Evidence,
    /// The order of the sentences.
    pub order: Order,
    /// Characters in a document. Where the deciding sentence is near, the maximum that are introduced in a row, and with
    /// more than [`NEAR`] there is a second scene with others.
    pub cast: usize,
    /// Mentions of each, in [`Order::Before`] and [`Order::Anywhere`].
    pub mentions: usize,
    /// Words around names and nouns that say nothing, each with one translation.
    pub fillers: u32,
}

/// Which pairs of character and title occur. Every character has titles of all genders in either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    /// Pairs that training documents have.
    Training,
    /// Words that never occur in training.
    HeldOut,
}

impl Pairs {
    /// A title for a character: its number among all of them.
    fn title(self, entity: u32, gender: u32, rng: &mut ChaCha8Rng) -> u32 {
        let title = match self {
            Self::Training => (entity + rng.random_range(1..TITLES)) % TITLES,
            Self::HeldOut => entity % TITLES,
        };
        gender * TITLES + title
    }
}

/// A word by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    /// The titles of the first gender, then those of the next.
    Title(u32),
    /// A character, where it is introduced.
    Name(u32),
    /// A character, where the source mentions it.
    Noun(u32),
    /// Translation of a noun.
    Form {
        /// Number of the character.
        entity: u32,
        /// Gender that the form has, from 0.
        gender: u32,
    },
    /// A word that says nothing, by its number.
    Filler(u32),
}

/// A sentence with its translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntheticSentence {
    /// The source's words.
    pub source: Vec<Word>,
    /// The translation's words.
    pub target: Vec<Word>,
    /// Whether its translation follows from the document.
    pub counts: bool,
    /// The sentence of its document that decides its noun; none of an introduction.
    pub decider: Option<usize>,
}

/// The documents that follow from `seed` and `number`.
pub fn draw(
    task: Task,
    pairs: Pairs,
    documents: usize,
    seed: u64,
    number: u64,
) -> Vec<Vec<SyntheticSentence>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    (0..documents)
        .map(|_| document(task, pairs, &mut rng))
        .collect()
}

fn document(task: Task, pairs: Pairs, rng: &mut ChaCha8Rng) -> Vec<SyntheticSentence> {
    let mut entities: Vec<u32> = (0..ENTITIES).collect();
    entities.shuffle(rng);
    let genders: Vec<u32> = (0..CAST).map(|_| rng.random_range(0..GENDERS)).collect();
    let plan = plan(task, rng);
    let sentence = |part: &Part| match *part {
        Part::Introduction(who) => {
            let title = pairs.title(entities[who], genders[who], rng);
            let in_source = task.evidence.is_in_source(rng);
            introduction(task, in_source, entities[who], title, rng)
        }
        Part::Mention(who) => {
            let introduced = |part: &Part| *part == Part::Introduction(who);
            let decider = plan.iter().position(introduced);
            SyntheticSentence {
                decider,
                ..mention(task, entities[who], genders[who], rng)
            }
        }
    };
    plan.iter().map(sentence).collect()
}

/// A sentence about a character of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Introduction(usize),
    Mention(usize),
}

/// The sentences of a document.
fn plan(task: Task, rng: &mut ChaCha8Rng) -> Vec<Part> {
    use Part::{Introduction, Mention};
    match task.order {
        Order::Near => {
            let mut scene = |first: usize| {
                let mentions = rng.random_range(1..NEAR).min(task.cast);
                let introduced = task.cast.min(NEAR + 1 - mentions);
                let mut cast: Vec<usize> = (first..first + introduced).collect();
                let mut scene: Vec<Part> = cast.iter().map(|&who| Introduction(who)).collect();
                cast.shuffle(rng);
                scene.extend(cast[..mentions].iter().map(|&who| Mention(who)));
                scene
            };
            let scenes = if task.cast > NEAR { 2 } else { 1 };
            (0..scenes)
                .flat_map(|number| scene(number * NEAR))
                .collect()
        }
        Order::Far => {
            let mut early: Vec<usize> = (0..NEAR).collect();
            early.shuffle(rng);
            let mentions = early[..2].iter().map(|&who| Mention(who));
            (0..2 * NEAR).map(Introduction).chain(mentions).collect()
        }
        Order::Before | Order::Anywhere => {
            let parts = |who| {
                let mentions = std::iter::repeat_n(Mention(who), task.mentions);
                std::iter::once(Introduction(who)).chain(mentions)
            };
            let mut plan: Vec<Part> = (0..task.cast).flat_map(parts).collect();
            plan.shuffle(rng);
            if task.order == Order::Before {
                introduce_first(&mut plan, task.cast);
            }
            plan
        }
    }
}

/// Exchanges an introduction with an earlier mention of the same character.
fn introduce_first(plan: &mut [Part], cast: usize) {
    for who in 0..cast {
        let place = |part| plan.iter().position(|&other| other == part);
        let places = [place(Part::Introduction(who)), place(Part::Mention(who))];
        if let [Some(introduction), Some(mention)] = places
            && mention < introduction
        {
            plan.swap(introduction, mention);
        }
    }
}

fn introduction(
    task: Task,
    in_source: bool,
    entity: u32,
    title: u32,
    rng: &mut ChaCha8Rng,
) -> SyntheticSentence {
    let first = filler(task, rng);
    let (mut source, mut target) = (vec![first], vec![first]);
    let side = if in_source { &mut source } else { &mut target };
    side.push(Word::Title(title));
    let last = [Word::Name(entity), filler(task, rng)];
    source.extend(last);
    target.extend(last);
    SyntheticSentence {
        source,
        target,
        counts: in_source,
        decider: None,
    }
}

fn mention(task: Task, entity: u32, gender: u32, rng: &mut ChaCha8Rng) -> SyntheticSentence {
    let [first, last] = [filler(task, rng), filler(task, rng)];
    SyntheticSentence {
        source: vec![first, Word::Noun(entity), last],
        target: vec![first, Word::Form { entity, gender }, last],
        counts: true,
        decider: None,
    }
}

fn filler(task: Task, rng: &mut ChaCha8Rng) -> Word {
    Word::Filler(rng.random_range(0..task.fillers))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: Task = Task {
        evidence: Evidence::Source,
        order: Order::Anywhere,
        cast: 4,
        mentions: 2,
        fillers: 6,
    };

    fn gender(sentence: &SyntheticSentence) -> Option<u32> {
        sentence.source.iter().find_map(|word| match word {
            Word::Title(title) => Some(title / TITLES),
            _ => None,
        })
    }

    #[test]
    fn the_deciding_sentence_reveals_the_gender_of_each_noun() {
        for pairs in [Pairs::Training, Pairs::HeldOut] {
            let documents = draw(TASK, pairs, 50, 1, 2);
            assert_eq!(documents, draw(TASK, pairs, 50, 1, 2), "the same again");
            let mut mentions = 0;
            for document in &documents {
                assert_eq!(document.len(), 12);
                for sentence in document {
                    let Some(decider) = sentence.decider else {
                        continue;
                    };
                    mentions += 1;
                    let [
                        _,
                        Word::Form {
                            entity,
                            gender: form,
                        },
                        _,
                    ] = sentence.target[..]
                    else {
                        panic!("{sentence:?}");
                    };
                    assert_eq!(gender(&document[decider]), Some(form));
                    assert!(document[decider].source.contains(&Word::Name(entity)));
                    assert_eq!(gender(sentence), None, "it does not tell itself");
                }
            }
            assert_eq!(mentions, 400);
        }
    }

    #[test]
    fn titles_of_held_out_pairs_never_stand_with_their_name_in_training() {
        let pairs = |pairs| {
            let sentences = draw(TASK, pairs, 300, 3, 4).concat();
            let pair = |sentence: SyntheticSentence| match sentence.source[..] {
                [_, Word::Title(title), Word::Name(name), _] => Some((title, name)),
                _ => None,
            };
            let pairs = sentences.into_iter().filter_map(pair);
            pairs.collect::<std::collections::HashSet<_>>()
        };
        let (trained, held_out) = (pairs(Pairs::Training), pairs(Pairs::HeldOut));
        assert!(trained.is_disjoint(&held_out));
        assert_eq!(trained.len(), (GENDERS * ENTITIES * (TITLES - 1)) as usize);
        assert_eq!(held_out.len(), (GENDERS * ENTITIES) as usize);
    }
}
