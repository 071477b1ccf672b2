//! The X-Transformer, its rows of Tables 1, 2 and 4, and the Transformer that it is compared with: Liu & Chen 2022.

use crate::model::preset::{BASE, PAPER, Preset, X_TRANSFORMER};

/// The paper's X-Transformer.
pub(super) const X_BASE: Preset = Preset {
    name: "x-transformer",
    size: PAPER,
    ..BASE
};

pub(super) const PRESETS: &[Preset] = &[
    BASE,
    Preset {
        name: "transformer-6-small",
        paper: X_TRANSFORMER,
        equations: "Tables 1 and 4, baseline",
        description: "Six layers on either side: what the X-Transformer is measured against",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        ..BASE
    },
    Preset {
        name: "transformer-6-4-small",
        paper: X_TRANSFORMER,
        equations: "Table 1, 6/4",
        description: "Six layers in the encoder, four in the decoder",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 4,
        ..BASE
    },
    Preset {
        name: "transformer-8-6-small",
        paper: X_TRANSFORMER,
        equations: "Table 1, 8/6",
        description: "Eight layers in the encoder, six in the decoder",
        encoder: "sf-sf-sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        ..BASE
    },
    Preset {
        name: "transformer-8-4-small",
        paper: X_TRANSFORMER,
        equations: "Table 1, 8/4",
        description: "Eight layers in the encoder, four in the decoder",
        encoder: "sf-sf-sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 4,
        ..BASE
    },
    Preset {
        name: "x-transformer-sf-sf-sf-sf-sf-sf-small",
        equations: "Table 2, sf-sf-sf-sf-sf-sf",
        description: "The layout of the classic encoder with a shallow decoder",
        encoder: "sf-sf-sf-sf-sf-sf",
        ..BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf-s-sf-small",
        equations: "Table 2, s-sf-s-sf-s-sf",
        description: "Nine sublayers: a feed-forward layer after every second self-attention",
        encoder: "s-sf-s-sf-s-sf",
        ..BASE
    },
    Preset {
        name: "x-transformer-s-sf-sf-sf-small",
        equations: "Table 2, s-sf-sf-sf",
        description: "Four self-attentions, the first one without a feed-forward layer",
        encoder: "s-sf-sf-sf",
        ..BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf-small",
        equations: "Table 2, s-sf-s-sf",
        description: "Four self-attentions and two feed-forward layers",
        encoder: "s-sf-s-sf",
        ..BASE
    },
    Preset {
        name: "transformer",
        paper: X_TRANSFORMER,
        equations: "Tables 1 and 4, baseline; Vaswani et al. 2017",
        description: "The classic Transformer in its original size",
        encoder: "sf-sf-sf-sf-sf-sf",
        num_decoder_layers: 6,
        ..X_BASE
    },
    X_BASE,
    Preset {
        name: "x-transformer-sf-sf-sf-sf-sf-sf",
        equations: "Table 2, sf-sf-sf-sf-sf-sf",
        description: "The layout of the classic encoder with a shallow decoder",
        encoder: "sf-sf-sf-sf-sf-sf",
        ..X_BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf-s-sf",
        equations: "Table 2, s-sf-s-sf-s-sf",
        description: "Nine sublayers: a feed-forward layer after every second self-attention",
        encoder: "s-sf-s-sf-s-sf",
        ..X_BASE
    },
    Preset {
        name: "x-transformer-s-sf-sf-sf",
        equations: "Table 2, s-sf-sf-sf",
        description: "Four self-attentions, the first one without a feed-forward layer",
        encoder: "s-sf-sf-sf",
        ..X_BASE
    },
    Preset {
        name: "x-transformer-s-sf-s-sf",
        equations: "Table 2, s-sf-s-sf",
        description: "Four self-attentions and two feed-forward layers",
        encoder: "s-sf-s-sf",
        ..X_BASE
    },
];
