//! RNNSearch: cell, encoder, attention.

use canopy::model::{AdditiveAttention, BidirectionalEncoder};

use super::Case;

pub fn gru_cell(case: &Case) {
    let (x, h) = (case.input::<2>("x"), case.input::<2>("h"));
    let mut cell = case.gru("");
    for (name, reset_after, update_keeps) in [
        ("next_state_update_keeps", false, true),
        ("next_state_reset_after", true, false),
        ("next_state_reset_after_update_keeps", true, true),
        ("next_state", false, false),
    ] {
        (cell.reset_after, cell.update_keeps) = (reset_after, update_keeps);
        let next = cell.forward(x.clone(), h.clone());
        case.output(name, next.clone());
        if name == "next_state" {
            case.differentiate(name, next);
        }
    }
}

pub fn bidirectional_gru_encoder(case: &Case) {
    let encoder = BidirectionalEncoder {
        forward: case.gru("forward."),
        backward: case.gru("backward."),
    };
    let annotations = encoder.encode(case.rows("words"), &case.sentences("mask"));
    case.output("annotations", annotations.clone());
    case.differentiate("annotations", annotations);
}

pub fn bahdanau_attention(case: &Case) {
    let attention = AdditiveAttention {
        state: case.linear("w_a"),
        annotation: case.linear("u_a"),
        score: case.weight("v_a"),
    };
    let annotations = case.rows("annotations");
    let projected = attention.project(annotations.clone());
    let alignment = attention.forward(
        case.input::<2>("state"),
        annotations,
        projected,
        &case.sentences("mask"),
    );
    case.output("scores", alignment.scores);
    case.output("weights", alignment.weights);
    case.output("context", alignment.context.clone());
    case.differentiate("context", alignment.context);
}
