//! Context chosen by similarity.

use std::ops::ControlFlow;

use canopy::similarity::{ContextKind, Embeddings, Measure, Range, Sentences, SimilarityMatrix};

use super::Case;

pub fn similarity_selection(case: &Case) {
    let tensor = case.constant::<2>("embeddings");
    let [n, dimensions] = tensor.dims();
    let values = tensor.into_data().iter::<f32>().collect();
    let embeddings = Embeddings::new(values, dimensions).expect("finite numbers");
    let talk = case.sizes("talk");
    let talks = talk.chunk_by(|left, right| left == right);
    let sentences = Sentences::new(embeddings, talks.map(<[usize]>::len));
    for measure in Measure::ALL {
        let name = measure.name().replace('-', "_");
        let matrix = SimilarityMatrix::new(sentences.embeddings(), measure).tile(0..n, 0..n);
        case.output_numbers(&name, matrix.into_iter().map(f64::from).collect());
        for (range_name, range) in [
            ("all", Range::All),
            ("talk", Range::Each),
            ("hybrid", Range::Hybrid(case.size("hybrid_n"))),
        ] {
            let chosen = ContextKind::Similarity { measure, range }
                .choose(&sentences, 0..n, |_| ControlFlow::Continue(()))
                .expect("nothing stops it");
            let chosen = chosen.into_iter().map(number_of);
            case.output_numbers(&format!("selected_{name}_{range_name}"), chosen.collect());
        }
    }
}

/// The number of a sentence as in the files; -1 stands for none.
#[expect(clippy::cast_precision_loss, reason = "a few sentences")]
fn number_of(sentence: Option<usize>) -> f64 {
    sentence.map_or(-1.0, |sentence| sentence as f64)
}
