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

/// Presets that concatenate translations, which are after the sentence in the ids of the encoder.
pub(super) const OF_TRANSLATIONS: &[Preset] = &[Preset {
    name: "previous-translations-small",
    paper: "Agrawal et al. 2018, Contextual Handling in NMT: Look Behind, Ahead and on Both Sides",
    equations: "previous target sentences in the source; here three, behind the sentence",
    description: "The encoder reads, behind each sentence, the translations of the three before it: a choice once made or \
                  confirmed is kept",
    previous_translations: 3,
    ..BASE
}];

/// One choice of those translations, in place of them.
pub(super) const OF_A_FORM: &[Preset] = &[Preset {
    name: "address-form-small",
    paper: "Sennrich, Haddow & Birch 2016, Controlling Politeness in Neural Machine Translation via Side Constraints",
    equations: "§3: learnt from each sentence's own form; while translating, the form that the document used last",
    description: "English to German: the encoder reads, behind a sentence with \"you\", whether the translations before it \
                  said du, ihr or Ihr",
    reads_formality: true,
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
