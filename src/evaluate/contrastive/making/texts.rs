//! Texts of a corpus as the rules read them.

use std::collections::HashSet;

use crate::error::Result;
use canopy_contrast::{SetDocument, SetSentence};
use canopy_corpus::{Corpus, ParallelDocument, Split, Unit, UnitStatus};

/// All texts of a corpus that rules learn from.
pub(super) struct Texts {
    /// Pairs that are new and surely aligned.
    pub pairs: Vec<(String, String)>,
    /// Pairs of the training documents, if another split is requested.
    trained: HashSet<(String, String)>,
}

/// The sentences of a document.
pub(super) struct Sentences<'d> {
    pub pairs: Vec<(&'d str, &'d str)>,
    /// Whether an item may be made of it.
    pub is_new: Vec<bool>,
}

impl Texts {
    pub(super) fn read(corpus: &Corpus, requested: Split) -> Result<Self> {
        let (mut pairs, mut trained) = (Vec::new(), HashSet::new());
        for split in Split::ALL {
            for document in corpus.documents(split)? {
                for unit in units(&document?) {
                    let pair = || (unit.source.clone(), unit.target.clone());
                    if unit.status == UnitStatus::New {
                        pairs.push(pair());
                    }
                    if split == Split::Train && requested != Split::Train {
                        trained.insert(pair());
                    }
                }
            }
        }
        Ok(Self { pairs, trained })
    }

    pub(super) fn sentences<'d>(&self, document: &'d ParallelDocument) -> Sentences<'d> {
        let is_new = |unit: &Unit| {
            let pair = (unit.source.clone(), unit.target.clone());
            unit.status == UnitStatus::New && !self.trained.contains(&pair)
        };
        Sentences {
            pairs: units(document)
                .map(|unit| (unit.source.as_str(), unit.target.as_str()))
                .collect(),
            is_new: units(document).map(is_new).collect(),
        }
    }
}

pub(super) fn units(document: &ParallelDocument) -> impl Iterator<Item = &Unit> {
    document
        .paragraphs
        .iter()
        .flat_map(|paragraph| &paragraph.units)
}

/// A document as a set holds it.
pub(super) fn whole(document: &ParallelDocument) -> SetDocument {
    let paragraphs = document.paragraphs.iter().enumerate();
    let sentences = paragraphs.flat_map(|(paragraph, content)| {
        let units = content.units.iter().enumerate();
        units.map(move |(index, unit)| SetSentence {
            source: unit.source.clone(),
            reference: Some(unit.target.clone()),
            place: (index, paragraph),
        })
    });
    SetDocument {
        id: document.id.clone(),
        sentences: sentences.collect(),
    }
}
