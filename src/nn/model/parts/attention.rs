//! An attention to a document as a part of a model.

use super::cost::Cost;
use super::{Part, PartGroup};

/// An attention to the document, without what joins it to a layer.
pub(in crate::model) struct AttentionPart {
    pub name: &'static str,
    pub parameters: usize,
    pub reads: String,
    pub source: &'static str,
    pub cost: Cost,
}

impl AttentionPart {
    pub(crate) fn part(&self, name: String, parameters: usize) -> Part {
        Part {
            name,
            group: PartGroup::Context,
            parameters,
            reads: self.reads.clone(),
            source: self.source,
            cost: self.cost,
        }
    }
}
