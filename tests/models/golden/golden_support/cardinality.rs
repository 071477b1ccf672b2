//! Encoder and decoder layers that read BERT through cardinality residuals.

use std::ops::Range;

use burn::tensor::Tensor;
use canopy::kernels::DropoutSource;
use canopy::model::{
    AttentionRecorder, BertFusion, Decoder, Documents, EncoderOutput, Memory, Norm,
};

use super::Case;

/// Inputs of both layers: the query states and the result of the own attention.
struct Branches<'a> {
    case: &'a Case<'a>,
    states: Tensor<2>,
    own: Tensor<2>,
    bert: Tensor<2>,
    norm_own: Norm,
    sentences: &'a [Range<usize>],
}

fn fusion(case: &Case) -> BertFusion {
    BertFusion {
        attention: case.attention("bert_attention.", false),
        norm: Some(case.norm("norm_bert.")),
        shares_norm: false,
        gate: None,
    }
}

fn bert_states(case: &Case) -> Memory {
    let documents = Documents {
        sentences: case.sentences("bert_mask"),
        documents: case.batch("bert_mask").documents,
    };
    Memory::from_states(case.rows("bert_states"), documents)
}

impl Branches<'_> {
    fn record(self, fusion: &BertFusion) {
        let Self {
            case,
            states: h,
            own,
            bert,
            norm_own,
            sentences,
        } = self;
        let none = DropoutSource::none();
        let output = |name: &str, tensor: Tensor<2>| case.output_rows(name, tensor, sentences);
        let norm_bert = fusion.norm.as_ref().expect("cardinality residuals");
        output("attention_own", own.clone());
        output("attention_bert", bert.clone());
        output("branch_own", norm_own.add(h.clone(), own.clone(), None));
        output("branch_bert", norm_bert.add(h.clone(), bert.clone(), None));
        let fused = fusion.join(&norm_own, h.clone(), own.clone(), bert.clone(), &none);
        output("fused", fused.clone());
        output("fused_no_outer", fused - h.clone());
        // Equation 17 or 18 alone: the mean of both residual branches, and the state once more.
        let printed = (own.clone() + bert.clone()) / 2.0 + h.clone() * 2.0;
        output("fused_printed", printed);
        let shared = BertFusion {
            norm: None,
            shares_norm: true,
            ..fusion.clone()
        };
        output(
            "fused_shared_norm",
            shared.join(&norm_own, h, own, bert, &none),
        );
    }
}

pub fn cardinality_encoder_layer(case: &Case) {
    let (batch, none, fusion) = (case.batch("mask"), DropoutSource::none(), fusion(case));
    let mut encoder = canopy::model::Encoder::new(&case.model_config("sf"), case.device());
    let attention = case.attention("self_attention.", false);
    encoder.sublayers[0].attention = Some(attention.clone());
    encoder.sublayers[0].norm = case.norm("norm_own.");
    encoder.sublayers[1].feed_forward = Some(case.feed_forward("feed_forward."));
    encoder.sublayers[1].norm = case.norm("norm_ff.");
    encoder.fusions = vec![fusion.clone()];
    let (states, bert) = (case.rows("states"), bert_states(case));
    let query_spans = batch.layout().query_spans();
    Branches {
        case,
        own: attention.forward(states.clone(), states.clone(), &batch.own_segments(), None),
        bert: fusion
            .prepare(&bert)
            .attend(states.clone(), &query_spans, None),
        states: states.clone(),
        norm_own: encoder.sublayers[0].norm.clone(),
        sentences: &batch.sentences,
    }
    .record(&fusion);
    let read = (Some(bert), None);
    let outputs =
        encoder.forward_recorded(states, &batch, read, &none, &mut AttentionRecorder::off());
    case.output_rows("layer_output", outputs.states.clone(), &batch.sentences);
    case.differentiate("layer_output", outputs.states);
}

pub fn cardinality_decoder_layer(case: &Case) {
    let (batch, source) = (case.batch("mask"), case.batch("source_mask"));
    let (none, fusion) = (DropoutSource::none(), fusion(case));
    let mut decoder = Decoder::new(&case.model_config("sf"), case.device());
    let layer = &mut decoder.layers[0];
    layer.self_attention = Some(case.attention("self_attention.", true));
    layer.norm_self = case.norm("norm_self.");
    layer.cross_attention = case.attention("cross_attention.", false);
    layer.norm_cross = case.norm("norm_own.");
    layer.feed_forward = case.feed_forward("feed_forward.");
    layer.norm_ff = case.norm("norm_ff.");
    layer.fusion = Some(fusion.clone());
    let layer = decoder.layers[0].clone();
    let (targets, bert) = (case.rows("targets"), bert_states(case));
    let encoded = EncoderOutput {
        states: case.rows("encoder_states"),
        documents: source.layout(),
        numbers: (0..source.sentences.len()).collect(),
        sentences: source.sentences,
        positions: source.positions,
        bert: Some(bert.clone()),
        previous: None,
        stage_one: None,
    };
    let attended = layer.self_attention.as_ref().expect("it has one").forward(
        targets.clone(),
        targets.clone(),
        &batch.own_segments(),
        None,
    );
    let states = layer.norm_self.add(targets.clone(), attended, None);
    case.output_rows("after_self", states.clone(), &batch.sentences);
    let cross = batch.segments_over(&encoded.sentences);
    let query_spans = batch.layout().query_spans();
    Branches {
        case,
        own: layer
            .cross_attention
            .forward(states.clone(), encoded.states.clone(), &cross, None),
        bert: fusion
            .prepare(&bert)
            .attend(states.clone(), &query_spans, None),
        states,
        norm_own: layer.norm_cross.clone(),
        sentences: &batch.sentences,
    }
    .record(&fusion);
    let output = decoder.forward(targets, &batch, &encoded, &none);
    case.output_rows("layer_output", output.states.clone(), &batch.sentences);
    case.differentiate("layer_output", output.states);
}
