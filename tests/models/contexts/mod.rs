//! Models of every kind that read beyond the sentence: sizes, independence of documents, search, gradients, second stage.

mod configurations;
mod documents;
mod places;
mod read_only;
mod second_stage;
mod systems;

use crate::support::tiny;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor};
use canopy::kernels::DropoutSource;
use canopy::model::{Batch, Model};
use canopy::text::vocabulary::Vocabulary;
use canopy::training::{Example, ExampleSet};

fn silent() -> DropoutSource {
    DropoutSource::none()
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("32-bit floats")
}

fn assert_near(found: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let worst = apart.fold(0.0, f32::max);
    assert!(worst <= tolerance, "{what}: {worst} apart");
}

/// A sentence pair of `len` words, which follow from `seed`.
fn pair(words: usize, seed: usize) -> (Vec<u32>, Vec<u32>) {
    let word = |place: usize, salt: usize| {
        let number = (place * 31 + seed * 57 + salt) * 2_654_435_761 % 65_537;
        u32::try_from(4 + number % (tiny::VOCAB - 4)).expect("small")
    };
    let side = |salt| (0..words).map(|place| word(place, salt)).collect();
    (side(1), side(2))
}

/// A document of sentences of these lengths in words; every third one begins a paragraph.
fn document(lengths: &[usize], seed: usize) -> Vec<Example> {
    let sentences = lengths.iter().enumerate();
    sentences
        .map(|(number, &words)| {
            let (source, target) = pair(words, 100 * seed + number);
            Example {
                source,
                target,
                place: (number % 3, number / 3),
                headings: [0; 3],
                counts: true,
            }
        })
        .collect()
}

fn batch(documents: &[Vec<Example>]) -> Batch {
    let mut set = ExampleSet::default();
    for document in documents {
        let start = set.examples.len();
        set.examples.extend_from_slice(document);
        set.documents.push(start..set.examples.len());
    }
    set.batch(&set.documents)
}

/// Three documents: an ordinary one, one sentence alone, and one with sentences of no, of one and of most words.
fn ordinary() -> Vec<Vec<Example>> {
    const MOST: usize = tiny::MAX_TOKENS - 1;
    vec![
        document(&[3, 5, 2, 4, 3], 1),
        document(&[4], 2),
        document(&[0, 1, MOST, 2], 3),
    ]
}

/// Scores before softmax, sentence by sentence of `batch.target`.
fn scores(model: &Model, batch: &Batch) -> Vec<Vec<f32>> {
    let scores = numbers(model.scores(batch, &silent()));
    let rows = batch.target.sentences.iter();
    rows.map(|rows| scores[rows.start * tiny::VOCAB..rows.end * tiny::VOCAB].to_vec())
        .collect()
}

/// Log-probabilities as [`scores`] has them.
fn log_probs(model: &Model, batch: &Batch) -> Vec<Vec<f32>> {
    let mut scores = scores(model, batch);
    for row in scores
        .iter_mut()
        .flat_map(|rows| rows.chunks_mut(tiny::VOCAB))
    {
        let normaliser = row.iter().map(|score| score.exp()).sum::<f32>().ln();
        for score in row.iter_mut() {
            *score -= normaliser;
        }
    }
    scores
}

/// Parameters and their gradients by name: none, zeros alone, or something.
#[derive(Default)]
struct Found {
    path: Vec<String>,
    /// Not in the graph of the loss.
    missing: Vec<String>,
    zero: Vec<String>,
    not_finite: Vec<String>,
}

struct Look<'a> {
    gradients: &'a Gradients,
    found: Found,
}

impl ModuleVisitor for Look<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.found.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.found.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let name = self.found.path.join(".");
        match param.val().grad(self.gradients).map(numbers) {
            None => self.found.missing.push(name),
            Some(gradient) if !gradient.iter().all(|x| x.is_finite()) => {
                self.found.not_finite.push(name);
            }
            Some(gradient) if gradient.iter().all(|&x| x == 0.0) => self.found.zero.push(name),
            Some(_) => {}
        }
    }
}

fn look(model: &Model, gradients: &Gradients) -> Found {
    let mut look = Look {
        gradients,
        found: Found::default(),
    };
    model.visit(&mut look);
    look.found
}

/// Begins a target sentence.
const BOS: u32 = Vocabulary::BOS;
