//! Decoding as other programs do it, against what a model gives from step to step.

use canopy::kernels::DropoutSource;
use canopy::model::{Batch, BatchSetup, Model, PackedBatch, SpecialTokens};

use super::cases::Case;

/// A translation.
#[derive(Debug, Clone)]
pub struct Found {
    /// Without the end.
    pub ids: Vec<u32>,
    pub log_prob: f32,
    pub word_scores: Vec<f32>,
    /// Whether it was ended for its length.
    pub cut_off: bool,
}

impl Found {
    /// The log-probability divided by the number of tokens that the program counts.
    #[expect(clippy::cast_precision_loss, reason = "sentences are short")]
    pub fn score(&self, rule: Rule) -> f32 {
        let end = match rule {
            Rule::HuggingFace => 1,
            _ => usize::from(!self.cut_off),
        };
        self.log_prob / (self.ids.len() + end) as f32
    }
}

pub use canopy::model::SearchRule as Rule;

/// Scores before softmax of what follows each of `target`, which begins with the start.
pub fn forced_logits(model: &Model, source: &[u32], target: &[u32]) -> Vec<Vec<f32>> {
    let batch = Batch {
        source: PackedBatch::new([source]),
        target: PackedBatch::new([target]),
        translated: vec![0],
        labels: target.to_vec(),
        references: PackedBatch::new([target]),
    };
    let scores = model.scores(&batch, &DropoutSource::none());
    let [_, vocab] = scores.dims();
    let numbers = scores.into_data().try_into_vec::<f32>().expect("floats");
    numbers.chunks(vocab).map(<[f32]>::to_vec).collect()
}

pub fn greedy(case: &Case, source: &[u32], most: usize, rule: Rule) -> Found {
    beam(case, source, (1, most), rule).swap_remove(0)
}

/// The hypotheses that a program's beam finds, of at most `most` tokens, the best first.
pub fn beam(case: &Case, source: &[u32], (size, most): (usize, usize), rule: Rule) -> Vec<Found> {
    let model = &case.model;
    let SpecialTokens { start, end, .. } = model.network.tokens();
    // Burn's layers, whichever weights the model searches with.
    let model = model.clone().unpacked();
    let executor = model.executor();
    let mut decoder = executor.start(&PackedBatch::new([source]), BatchSetup::default());
    let mut beam = vec![Found {
        ids: Vec::new(),
        log_prob: 0.0,
        word_scores: Vec::new(),
        cut_off: false,
    }];
    let mut done: Vec<Found> = Vec::new();
    loop {
        let last = beam
            .iter()
            .map(|found| found.ids.last().copied().unwrap_or(start));
        let rows = decoder.step(&last.collect::<Vec<_>>());
        let candidates = candidates(&beam, &rows);
        let places = match rule {
            Rule::Marian => size - done.len(),
            _ => size,
        };
        let (mut next, mut parents) = (Vec::new(), Vec::new());
        for (place, &(log_prob, parent, id)) in candidates.iter().enumerate() {
            if next.len() == size || rule == Rule::Marian && place == places {
                break;
            }
            let mut longer = beam[parent].clone();
            longer.word_scores.push(log_prob - longer.log_prob);
            longer.log_prob = log_prob;
            if id == end {
                if place < places {
                    done.push(longer);
                }
                continue;
            }
            longer.ids.push(id);
            next.push(longer);
            parents.push(parent);
        }
        done.sort_by(|a, b| b.score(rule).total_cmp(&a.score(rule)));
        beam = next;
        if rule == Rule::HuggingFace {
            done.truncate(size);
        }
        // Hugging Face hopes that the best one may end as well as it is now.
        let hopes = rule == Rule::HuggingFace
            && beam.first().is_some_and(|best| {
                let hoped = Found {
                    cut_off: true,
                    ..best.clone()
                }
                .score(Rule::Canopy);
                done.last().is_some_and(|worst| hoped > worst.score(rule))
            });
        // CTranslate2 keeps what its last step cuts off, however many have ended.
        let is_last =
            rule == Rule::CTranslate2 && beam.first().is_some_and(|best| best.ids.len() >= most);
        if beam.is_empty() || done.len() >= size && !hopes && !is_last {
            break;
        }
        // The last of the tokens that Hugging Face counts is the end.
        if beam[0].ids.len() + usize::from(rule == Rule::HuggingFace) >= most {
            done.extend(beam.into_iter().map(|found| Found {
                cut_off: true,
                ..found
            }));
            break;
        }
        decoder.select(&parents);
    }
    done.sort_by(|a, b| b.score(rule).total_cmp(&a.score(rule)));
    done
}

/// Every word after every hypothesis, the most probable first.
fn candidates(beam: &[Found], rows: &[f32]) -> Vec<(f32, usize, u32)> {
    let vocab = rows.len() / beam.len();
    let rows = rows.chunks(vocab).enumerate();
    let candidates = rows.flat_map(|(parent, row)| {
        let before = beam[parent].log_prob;
        (0..)
            .zip(row)
            .map(move |(id, &log_prob)| (before + log_prob, parent, id))
    });
    let mut candidates: Vec<_> = candidates.collect();
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
    candidates
}
