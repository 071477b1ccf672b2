//! Documents of the task, as ids.

use std::ops::Range;

use canopy::training::{Example, ExampleSet};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const GENDERS: u32 = 3;
const ENTITIES: u32 = 6;
/// Words that tell the same gender.
const TITLES: u32 = 6;
const FILLERS: u32 = 6;
/// Most entities in a document.
const CAST: usize = 6;
/// How many previous sentences a windowed system reads.
pub const NEAR: usize = 3;

/// Ids of one kind of words, after those of another.
const fn after(words: &Range<u32>, count: u32) -> Range<u32> {
    words.end..words.end + count
}

/// The ids before these are special.
const NAMES: Range<u32> = 4..4 + ENTITIES;
const NOUNS: Range<u32> = after(&NAMES, ENTITIES);
/// The titles of the first gender, then those of the next.
const TITLE_WORDS: Range<u32> = after(&NOUNS, GENDERS * TITLES);
const FILLER_WORDS: Range<u32> = after(&TITLE_WORDS, FILLERS);
const TARGET_NAMES: Range<u32> = after(&FILLER_WORDS, ENTITIES);
const TARGET_TITLES: Range<u32> = after(&TARGET_NAMES, GENDERS * TITLES);
/// What the nouns become: one form for each gender.
const FORMS: Range<u32> = after(&TARGET_TITLES, ENTITIES * GENDERS);
const TARGET_FILLERS: Range<u32> = after(&FORMS, FILLERS);
pub const VOCAB: usize = TARGET_FILLERS.end as usize;

/// Where the deciding sentence tells the gender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// By a title in the source, which the target leaves out.
    Source,
    /// By a title in the target: the source has none. Nobody can tell it from there, so this translation is read as one
    /// that somebody confirmed, and does not count in the loss.
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

/// Where the deciding sentence stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Among the [`NEAR`] sentences before the mention.
    Near,
    /// Before those: all that stands nearer introduces others.
    Far,
    /// Anywhere before the mention.
    Before,
    /// Anywhere before or after it.
    Anywhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    pub evidence: Evidence,
    pub order: Order,
    /// Entities in a document. Where the deciding sentence is near, at most so many are introduced in a row, and with more
    /// than [`NEAR`] there is a second scene with others.
    pub cast: usize,
}

/// Which pairs of entity and title occur. Every entity has titles of all genders in either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairs {
    Training,
    /// Those that never occur in training.
    HeldOut,
}

impl Pairs {
    /// A title for an entity: its number among all of them.
    fn title(self, entity: u32, gender: u32, rng: &mut ChaCha8Rng) -> u32 {
        let title = match self {
            Self::Training => (entity + rng.random_range(1..TITLES)) % TITLES,
            Self::HeldOut => entity % TITLES,
        };
        gender * TITLES + title
    }
}

/// A word that its deciding sentence alone tells how to translate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// Its own sentence and the deciding one, by their numbers in the batch.
    pub sentence: usize,
    pub decider: usize,
    /// The right translation.
    pub form: u32,
}

impl Mention {
    /// Place of the noun in the source sentence, and of the row of the target sentence that its form follows.
    pub const PLACE: usize = 1;
}

/// Documents with their mentions.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    pub set: ExampleSet,
    pub mentions: Vec<Mention>,
}

impl Texts {
    /// What follows from `seed` and `number`.
    pub fn draw(task: Task, pairs: Pairs, documents: usize, seed: u64, number: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let mut texts = Self::default();
        for _ in 0..documents {
            texts.push_document(task, pairs, &mut rng);
        }
        texts
    }

    /// The same sentences, each in a document of its own.
    pub fn apart(&self) -> Self {
        let mut apart = self.clone();
        let sentences = 0..self.set.examples.len();
        apart.set.documents = sentences.map(|number| number..number + 1).collect();
        apart
    }

    fn push_document(&mut self, task: Task, pairs: Pairs, rng: &mut ChaCha8Rng) {
        let mut entities: Vec<u32> = (0..ENTITIES).collect();
        entities.shuffle(rng);
        let genders: Vec<u32> = (0..CAST).map(|_| rng.random_range(0..GENDERS)).collect();
        let first = self.set.examples.len();
        let plan = plan(task, rng);
        for (place, part) in plan.iter().enumerate() {
            let (source, target, counts) = match *part {
                Part::Introduction(who) => {
                    let title = pairs.title(entities[who], genders[who], rng);
                    let in_source = task.evidence.is_in_source(rng);
                    let (source, target) = introduction(in_source, entities[who], title, rng);
                    (source, target, in_source)
                }
                Part::Mention(who) => {
                    let introduced = |part: &Part| *part == Part::Introduction(who);
                    let decider = plan.iter().position(introduced).expect("it is introduced");
                    let form = FORMS.start + entities[who] * GENDERS + genders[who];
                    self.mentions.push(Mention {
                        sentence: first + place,
                        decider: first + decider,
                        form,
                    });
                    let (source, target) = mention(entities[who], form, rng);
                    (source, target, true)
                }
            };
            self.set.examples.push(Example {
                source,
                target,
                place: (place, 0),
                counts,
            });
        }
        self.set.documents.push(first..self.set.examples.len());
    }
}

/// A sentence about an entity of the document.
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
            let mut plan: Vec<Part> = (0..task.cast)
                .flat_map(|who| [Introduction(who), Mention(who)])
                .collect();
            plan.shuffle(rng);
            if task.order == Order::Before {
                for who in 0..task.cast {
                    let place = |part| plan.iter().position(|&other| other == part);
                    let places = [place(Introduction(who)), place(Mention(who))];
                    if let [Some(introduction), Some(mention)] = places
                        && mention < introduction
                    {
                        plan.swap(introduction, mention);
                    }
                }
            }
            plan
        }
    }
}

fn introduction(
    in_source: bool,
    entity: u32,
    title: u32,
    rng: &mut ChaCha8Rng,
) -> (Vec<u32>, Vec<u32>) {
    let (mut source, mut target) = filler(rng);
    if in_source {
        source.push(TITLE_WORDS.start + title);
    } else {
        target.push(TARGET_TITLES.start + title);
    }
    source.push(NAMES.start + entity);
    target.push(TARGET_NAMES.start + entity);
    add_filler(&mut source, &mut target, rng);
    (source, target)
}

fn mention(entity: u32, form: u32, rng: &mut ChaCha8Rng) -> (Vec<u32>, Vec<u32>) {
    let (mut source, mut target) = filler(rng);
    source.push(NOUNS.start + entity);
    target.push(form);
    add_filler(&mut source, &mut target, rng);
    (source, target)
}

fn filler(rng: &mut ChaCha8Rng) -> (Vec<u32>, Vec<u32>) {
    let (mut source, mut target) = (Vec::new(), Vec::new());
    add_filler(&mut source, &mut target, rng);
    (source, target)
}

fn add_filler(source: &mut Vec<u32>, target: &mut Vec<u32>, rng: &mut ChaCha8Rng) {
    let word = rng.random_range(0..FILLERS);
    source.push(FILLER_WORDS.start + word);
    target.push(TARGET_FILLERS.start + word);
}
