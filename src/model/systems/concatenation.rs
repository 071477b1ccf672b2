//! The previous sentences and the sentence in one sequence: Tiedemann & Scherrer 2017.

use crate::model::context_config::{Context, ContextReach, Placement};
use crate::model::mechanism::Mechanism;
use crate::model::preset::{BASE, Preset};

pub(super) const PRESETS: &[Preset] = &[Preset {
    name: "concatenation-small",
    paper: "Tiedemann & Scherrer 2017, Neural Machine Translation with Extended Context",
    equations: "§3",
    description: "The encoder reads the previous sentence together with each one, with a break token between them",
    context: Some(Context::Concatenation { previous: 1 }),
    ..BASE
}];

pub(super) struct Concatenation {
    pub previous: usize,
}

impl Mechanism for Concatenation {
    fn reach(&self) -> ContextReach {
        ContextReach::Previous(self.previous)
    }

    fn placement(&self) -> Option<Placement> {
        None
    }

    fn concatenated(&self) -> usize {
        self.previous
    }

    fn in_self_attention(&self) -> usize {
        self.previous
    }
}
