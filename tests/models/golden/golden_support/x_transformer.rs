//! Encoder layouts, parameter counts, learning rate and loss.

use burn::module::Module;
use burn::tensor::{Int, Tensor, TensorData};
use canopy::kernels::{self, DropoutSource};
use canopy::model::{
    Architecture, Encoder, Layout, MemorySource, ModelConfig, NormPosition, Positions,
    SpecialTokens, Sublayer, Variant,
};
use canopy::training::noam_rate;

use super::Case;
use super::case::numbers;

pub fn x_transformer_encoder(case: &Case) {
    let config = case.model_config(case.text("layout"));
    let mut encoder = Encoder::new(&config, case.device());
    for (number, (sublayer, kind)) in encoder
        .sublayers
        .iter_mut()
        .zip(config.encoder.sublayers())
        .enumerate()
    {
        let prefix = format!("sublayer_{number}.");
        match kind {
            Sublayer::SelfAttention => sublayer.attention = Some(case.attention(&prefix, false)),
            Sublayer::FeedForward => sublayer.feed_forward = Some(case.feed_forward(&prefix)),
        }
        sublayer.norm = case.norm(&format!("{prefix}norm."));
    }
    let (words, batch, none) = (
        case.rows("words"),
        case.batch("mask"),
        DropoutSource::none(),
    );
    let mut x = words.clone();
    for (number, sublayer) in encoder.sublayers.iter().enumerate() {
        x = sublayer.forward(x, &batch.own_segments(), &none);
        case.output_rows(
            &format!("after_sublayer_{number}"),
            x.clone(),
            &batch.sentences,
        );
    }
    let output = encoder.forward(words, &batch, None, &none).states;
    case.output_rows("output", output.clone(), &batch.sentences);
    case.differentiate("output", output);
}

pub fn x_transformer_layouts(case: &Case) {
    let layouts: Vec<Layout> = case
        .text("layouts")
        .split(',')
        .map(|layout| layout.parse().expect("a layout"))
        .collect();
    for (number, layout) in layouts.iter().enumerate() {
        let codes = layout
            .sublayers()
            .map(|kind| usize::from(kind == Sublayer::FeedForward));
        case.output_sizes(&format!("sublayers_{number}"), codes);
        case.output_sizes(&format!("group_sizes_{number}"), layout.group_sizes());
    }
    for layout in case.text("invalid_layouts").split(',') {
        assert!(
            layout.parse::<Layout>().is_err(),
            "layout {layout:?} is accepted"
        );
    }
    count_parameters(
        case,
        &layouts,
        "",
        [case.size("d_model"), case.size("d_ff")],
    );
    let small = [case.size("small_d_model"), case.size("small_d_ff")];
    count_parameters(case, &layouts, "_small", small);
    for layout in &layouts {
        let config = config(layout, small);
        let built = Encoder::new(&config, case.device()).num_params();
        assert_eq!(built, config.encoder_parameters(), "parameters of {layout}");
    }
    learning_rates(case, "noam_rate", case.size("d_model"), case.size("warmup"));
    learning_rates(
        case,
        "noam_rate_small",
        case.size("small_d_model"),
        case.size("small_warmup"),
    );
}

fn config(layout: &Layout, [d_model, d_ff]: [usize; 2]) -> ModelConfig {
    ModelConfig {
        vocab_size: 8,
        d_model,
        d_ff,
        num_heads: 1,
        encoder: layout.clone(),
        num_decoder_layers: 1,
        dropout: 0.0,
        positions: Positions::Sinusoidal,
        norm: NormPosition::Post,
        tied_embeddings: true,
        max_tokens: 16,
        architecture: Architecture::Transformer,
        context: None,
        memory: MemorySource::Live,
        warm_gate: false,
        memory_use: None,
        previous_translations: 0,
        reads_formality: false,
        variant: Variant::default(),
        tokens: SpecialTokens::default(),
        bert: None,
    }
}

/// Our attention has no bias; the counts with one are four vectors more for each attention.
fn count_parameters(case: &Case, layouts: &[Layout], suffix: &str, sizes: [usize; 2]) {
    let encoder = |layout: &str| config(&layout.parse().expect("a layout"), sizes);
    for (bias, ending) in [(0, ""), (4 * sizes[0], "_attention_bias")] {
        let output = |name: &str, counts: Vec<usize>| {
            case.output_sizes(&format!("{name}{suffix}{ending}"), counts);
        };
        let of_encoder = |config: &ModelConfig| {
            config.encoder_parameters() + config.encoder.count(Sublayer::SelfAttention) * bias
        };
        let decoder_layer = encoder("s").decoder_layer_parameters() + 2 * bias;
        output(
            "sublayer_parameters",
            ["s", "f"].map(|kind| of_encoder(&encoder(kind))).to_vec(),
        );
        output(
            "encoder_parameters",
            layouts
                .iter()
                .map(|layout| of_encoder(&config(layout, sizes)))
                .collect(),
        );
        output("decoder_layer_parameters", vec![decoder_layer]);
        let whole = |layout: &str, layers: &str| {
            of_encoder(&encoder(layout)) + case.size(layers) * decoder_layer
        };
        let transformer = whole("sf-sf-sf-sf-sf-sf", "transformer_decoder_layers");
        output("transformer_parameters", vec![transformer]);
        output(
            "x_transformer_parameters",
            vec![whole("s-sf-sf", "x_transformer_decoder_layers")],
        );
    }
}

fn learning_rates(case: &Case, name: &str, d_model: usize, warmup_steps: usize) {
    let rates = case
        .sizes("steps")
        .into_iter()
        .map(|step| noam_rate(step, d_model, warmup_steps, 1.0));
    let rates: Vec<f64> = rates.collect();
    // The tolerance of the files is coarser than a rate.
    for (got, want) in rates.iter().zip(case.expected(name)) {
        assert!(
            (got / want - 1.0).abs() < 1e-9,
            "{name} is {got} instead of {want}"
        );
    }
    case.output_numbers(name, rates);
}

pub fn label_smoothed_cross_entropy(case: &Case) {
    let (targets, pad) = (case.sizes("targets"), case.size("pad_id"));
    let words: Vec<usize> = (0..targets.len())
        .filter(|&row| targets[row] != pad)
        .collect();
    let logits = select(case.rows("logits"), &words);
    let labels: Vec<u32> = words
        .iter()
        .map(|&row| u32::try_from(targets[row]).expect("an id"))
        .collect();
    #[expect(clippy::cast_possible_truncation, reason = "a share")]
    let smoothing = case.number("smoothing") as f32;
    let loss =
        |smoothing| kernels::label_smoothed_cross_entropy(logits.clone(), &labels, smoothing);
    let value = |loss: Tensor<1>| numbers(loss)[0];

    let mut token_loss = vec![0.0; targets.len()];
    for (place, &row) in words.iter().enumerate() {
        let logits = logits.clone().narrow(0, place, 1);
        token_loss[row] = value(kernels::label_smoothed_cross_entropy(
            logits,
            &labels[place..=place],
            smoothing,
        ));
    }
    case.output_sizes("tokens", [words.len()]);
    case.output_numbers("loss_sum", vec![token_loss.iter().sum()]);
    case.output_numbers("token_loss", token_loss);

    // Both other conventions are sums of losses of ours.
    let ([_, vocab], epsilon) = (logits.dims(), f64::from(smoothing));
    #[expect(clippy::cast_precision_loss, reason = "a small vocabulary")]
    let vocab = vocab as f64;
    let of_pad = vec![u32::try_from(pad).expect("an id"); labels.len()];
    let of_pad = value(kernels::label_smoothed_cross_entropy(
        logits.clone(),
        &of_pad,
        0.0,
    ));
    let (of_target, of_all) = (value(loss(0.0)), value(loss(1.0)) * vocab);
    let spread = |weight: f64, others: f64| (1.0 - epsilon) * of_target + weight * others;
    case.output_numbers(
        "loss_not_target",
        vec![spread(epsilon / (vocab - 1.0), of_all - of_target)],
    );
    case.output_numbers(
        "loss_not_target_or_pad",
        vec![spread(epsilon / (vocab - 2.0), of_all - of_target - of_pad)],
    );

    let loss = loss(smoothing);
    case.output("loss", loss.clone());
    case.differentiate("loss", loss);
}

fn select(x: Tensor<2>, rows: &[usize]) -> Tensor<2> {
    let ids: Vec<i32> = rows
        .iter()
        .map(|&row| i32::try_from(row).expect("a row"))
        .collect();
    let ids = Tensor::<1, Int>::from_data(TensorData::new(ids, [rows.len()]), &x.device());
    x.select(0, ids)
}
