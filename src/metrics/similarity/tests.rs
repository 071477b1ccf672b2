use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::{Embeddings, SimilarityMatrix};
use super::*;

const RANGES: [Range; 3] = [Range::Each, Range::All, Range::Hybrid(2)];

/// Sentences of small whole numbers, so that many are equal and all sums exact.
fn sentences(lengths: &[usize], dimensions: usize, largest: i16) -> Sentences {
    let count = lengths.iter().sum::<usize>() * dimensions;
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let values = (0..count).map(|_| f32::from(rng.random_range(-largest..=largest)));
    let embeddings = Embeddings::new(values.collect(), dimensions).expect("finite");
    Sentences::new(embeddings, lengths.iter().copied())
}

fn selection(measure: Measure, range: Range, count: usize) -> Selection {
    Selection {
        measure,
        range,
        count: NonZeroUsize::new(count).expect("more than none"),
    }
}

fn rows(found: &[Neighbour]) -> Vec<usize> {
    found.iter().map(|neighbour| neighbour.row).collect()
}

fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[test]
fn a_range_is_read_as_it_is_written() {
    for range in RANGES {
        assert_eq!(range.to_string().parse(), Ok(range));
    }
    for wrong in ["", "hybrid", "hybrid x", "hybrid -1", "All"] {
        assert!(wrong.parse::<Range>().is_err(), "{wrong}");
    }
}

#[test]
fn the_nearest_are_those_of_sorting_all() {
    let sentences = sentences(&[700, 1, 40, 2], 3, 4);
    let embeddings = sentences.embeddings();
    for range in RANGES {
        let found = selection(Measure::Euclidean, range, 5).run(&sentences);
        for anchor in 0..sentences.len() {
            let document = sentences.document_of(anchor);
            let everywhere = match range {
                Range::Each => false,
                Range::All => true,
                Range::Hybrid(first) => anchor - document.start < first,
            };
            let mut candidates: Vec<usize> = (0..sentences.len())
                .filter(|&row| row != anchor && (everywhere || document.contains(&row)))
                .collect();
            // The sort is stable: of the equal the earlier stays first.
            candidates.sort_by_key(|&row| {
                let distance = squared_distance(embeddings.row(anchor), embeddings.row(row));
                let inside = document.contains(&row);
                let away = if inside {
                    row.abs_diff(anchor)
                } else {
                    usize::MAX
                };
                (distance.to_bits(), away)
            });
            candidates.truncate(5);
            assert_eq!(
                rows(found.get(anchor)),
                candidates,
                "{range:?}, sentence {anchor}"
            );
        }
    }
}

#[test]
fn a_measure_is_what_its_formula_says() {
    let embeddings = Embeddings::new(vec![1.0, 2.0, 2.0, 4.0, 0.0, -3.0], 3).expect("finite");
    let want = [
        (Measure::Cosine, -2.0 / 15.0),
        (Measure::Euclidean, 38.0_f32.sqrt()),
        (Measure::Manhattan, 10.0),
        (Measure::Snr, 38.0 / 9.0),
        // A - B = (-3, 2, 5): Σ (x - 4/3)² = 98/3; A: Σ (x - 5/3)² = 2/3.
        (Measure::SnrVariance, 49.0),
    ];
    for (measure, want) in want {
        let got = SimilarityMatrix::new(&embeddings, measure).tile(0..1, 1..2)[0];
        assert!((got - want).abs() < 1e-5, "{measure:?}: {got}, not {want}");
    }
}

#[test]
fn of_two_identical_sentences_the_nearer_one_is_chosen() {
    for measure in Measure::ALL {
        // Sentence 4 is nearest to 3 and 6, of the same text.
        let text = |number: u8| match number {
            0 | 3 | 6 => [0.3, 0.1, 0.7],
            4 => [0.31, 0.1, 0.7],
            _ => [-0.5, 0.9, -0.2],
        };
        let values = (0..8).flat_map(text).collect();
        let document = Sentences::one_document(Embeddings::new(values, 3).expect("finite"));
        let found = selection(measure, Range::Each, 3).run(&document);
        assert_eq!(rows(found.get(4)), [3, 6, 0], "{measure:?}");
        assert_eq!(rows(found.get(3)), [0, 6, 4], "{measure:?}");
    }
}

#[test]
fn of_identical_sentences_that_of_the_same_document_is_chosen() {
    let values = vec![1.0, 1.0, 2.0, 3.0, 1.0];
    let sentences = Sentences::new(Embeddings::new(values, 1).expect("finite"), [1, 4]);
    let found = selection(Measure::Euclidean, Range::All, 2).run(&sentences);
    assert_eq!(rows(found.get(1)), [4, 0]);
}

#[test]
fn a_sentence_alone_in_its_document_has_no_neighbour() {
    let sentences = sentences(&[1, 2], 4, 9);
    let found = selection(Measure::Cosine, Range::Each, 3).run(&sentences);
    assert!(found.get(0).is_empty());
    assert_eq!(rows(found.get(1)), [2]);
    let none = Sentences::one_document(Embeddings::new(Vec::new(), 4).expect("empty"));
    let nothing = selection(Measure::Cosine, Range::All, 1).run(&none);
    assert_eq!(nothing.iter().count(), 0);
}

#[test]
fn a_vector_of_zeros_is_like_no_other() {
    let values = vec![0.0, 0.0, 1.0, 2.0];
    let document = Sentences::one_document(Embeddings::new(values, 2).expect("finite"));
    for (measure, want) in [
        (Measure::Cosine, 0.0),
        (Measure::Snr, f32::INFINITY),
        (Measure::SnrVariance, f32::INFINITY),
    ] {
        let found = selection(measure, Range::Each, 1).run(&document);
        let value = found.get(0)[0].value;
        assert_eq!(value.to_bits(), f32::to_bits(want), "{measure:?}: {value}");
    }
}

#[test]
fn threads_and_pieces_do_not_change_a_bit() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let values = (0..1500 * 17).map(|_| rng.random_range(-1.0..1.0_f32));
    let embeddings = Embeddings::new(values.collect(), 17).expect("finite");
    let sentences = Sentences::new(embeddings, [1000, 500]);
    for measure in Measure::ALL {
        let selection = selection(measure, Range::All, 2);
        let whole = selection.run(&sentences);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let alone = pool
            .expect("a thread")
            .install(|| selection.run(&sentences));
        assert_eq!(whole, alone);
        let piece = selection.run_for(&sentences, 700..1100, |_| ControlFlow::Continue(()));
        let piece = piece.expect("nothing stops it");
        for row in 700..1100 {
            assert_eq!(whole.get(row), piece.get(row));
        }
    }
}

#[test]
fn progress_counts_every_sentence_and_can_stop() {
    let sentences = sentences(&[600, 600, 3], 2, 9);
    let selection = selection(Measure::Manhattan, Range::Hybrid(5), 1);
    let most = AtomicUsize::new(0);
    let all = selection.run_for(&sentences, 0..1203, |done| {
        most.fetch_max(done, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    assert!(all.is_some());
    assert_eq!(most.into_inner(), 1203);
    let stopped = selection.run_for(&sentences, 0..1203, |_| ControlFlow::Break(()));
    assert!(stopped.is_none());
}
