//! Documents of the task, as ids.

use std::ops::Range;

use canopy::corpus::synthetic::{ENTITIES, GENDERS, TITLES, Word, draw};
pub use canopy::corpus::synthetic::{Evidence, NEAR, Order, Pairs, Task};
use canopy::training::{Example, ExampleSet};

/// Words that say nothing.
pub const FILLERS: u32 = 6;
/// Share of right answers without any knowledge.
pub const CHANCE: f64 = 1.0 / GENDERS as f64;

/// Ids of one kind of words, after those of another.
const fn after(words: &Range<u32>, count: u32) -> Range<u32> {
    words.end..words.end + count
}

/// The ids before these are special.
const NAMES: Range<u32> = 4..4 + ENTITIES;
const NOUNS: Range<u32> = after(&NAMES, ENTITIES);
const TITLE_WORDS: Range<u32> = after(&NOUNS, GENDERS * TITLES);
const FILLER_WORDS: Range<u32> = after(&TITLE_WORDS, FILLERS);
const TARGET_NAMES: Range<u32> = after(&FILLER_WORDS, ENTITIES);
const TARGET_TITLES: Range<u32> = after(&TARGET_NAMES, GENDERS * TITLES);
/// Target nouns: one form for each gender.
const FORMS: Range<u32> = after(&TARGET_TITLES, ENTITIES * GENDERS);
const TARGET_FILLERS: Range<u32> = after(&FORMS, FILLERS);
pub const VOCAB: usize = TARGET_FILLERS.end as usize;

/// Ids of a sentence, by where the words of each kind begin.
fn ids(words: &[Word], [titles, names, fillers]: [&Range<u32>; 3]) -> Vec<u32> {
    let id = |word: &Word| match *word {
        Word::Title(title) => titles.start + title,
        Word::Name(entity) => names.start + entity,
        Word::Noun(entity) => NOUNS.start + entity,
        Word::Form { entity, gender } => FORMS.start + entity * GENDERS + gender,
        Word::Filler(number) => fillers.start + number,
    };
    words.iter().map(id).collect()
}

/// A word whose translation only its deciding sentence determines.
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
    /// The documents that follow from `seed` and `number`.
    pub fn draw(task: Task, pairs: Pairs, documents: usize, seed: u64, number: u64) -> Self {
        let mut texts = Self::default();
        for document in draw(task, pairs, documents, seed, number) {
            let first = texts.set.examples.len();
            for (place, sentence) in document.into_iter().enumerate() {
                let source = ids(&sentence.source, [&TITLE_WORDS, &NAMES, &FILLER_WORDS]);
                let target = ids(
                    &sentence.target,
                    [&TARGET_TITLES, &TARGET_NAMES, &TARGET_FILLERS],
                );
                texts
                    .mentions
                    .extend(sentence.decider.map(|decider| Mention {
                        sentence: first + place,
                        decider: first + decider,
                        form: target[Mention::PLACE],
                    }));
                texts.set.examples.push(Example {
                    source,
                    target,
                    place: (place, 0),
                    headings: [0; 3],
                    counts: sentence.counts,
                });
            }
            texts.set.documents.push(first..texts.set.examples.len());
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
}
