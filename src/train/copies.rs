//! Pairs from which a system that reads translations learns to read them: after a part of their own translation.
//!
//! Words that depend on the previous translation are rare, and a model that is fine-tuned learns the few cases by heart. That
//! it may copy from there it learns where it must.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use canopy_corpus::{ParallelDocument, ParallelParagraph, Unit, UnitStatus};
use canopy_document::document::{ParagraphKind, Section};
use canopy_document::placeholder::stripped;

/// Words that a translation has at least.
const LEAST_WORDS: usize = 3;

/// For each pair of a document that counts, a document of two: the `share` of the words of its translation, which does not
/// count, then the pair.
pub(super) fn copies(
    document: &ParallelDocument,
    share: f32,
    rng: &mut ChaCha8Rng,
) -> Vec<ParallelDocument> {
    let units = document.paragraphs.iter().flat_map(|it| &it.units);
    let counted = units.filter(|unit| unit.status == UnitStatus::New);
    let copies = counted.enumerate().filter_map(|(number, unit)| {
        let shown = stripped(&unit.target);
        let words: Vec<&str> = shown.split_whitespace().collect();
        if words.len() < LEAST_WORDS {
            return None;
        }
        let kept = words.into_iter();
        let kept: Vec<&str> = kept.filter(|_| rng.random_bool(f64::from(share))).collect();
        let before = Unit {
            target: kept.join(" "),
            status: UnitStatus::Repeated,
            ..unit.clone()
        };
        (!kept.is_empty()).then(|| ParallelDocument {
            id: format!("{}~{number}", document.id),
            sections: vec![Section {
                parent: None,
                level: 0,
                heading: None,
            }],
            paragraphs: vec![paragraph(before), paragraph(unit.clone())],
        })
    });
    copies.collect()
}

fn paragraph(unit: Unit) -> ParallelParagraph {
    ParallelParagraph {
        section: 0,
        kind: ParagraphKind::Text,
        id: None,
        note: None,
        units: vec![unit],
    }
}
