//! The tensors of `MarianMTModel`, `M2M100ForConditionalGeneration` and `MBartForConditionalGeneration` by their names here.

use super::OFFSET;
use crate::error::Result;
use crate::interchange::floats::Floats;
use crate::interchange::placing::{ForeignTensors, Map, Placing, encoder_layer, input_layers};
use crate::interchange::tensors::Tensors;
use canopy_nn::model::{ModelConfig, NormPosition, Positions, Sublayer};

/// Puts all tensors down, and says in `config` which tables are one.
pub(super) fn read(tensors: &mut Tensors, config: &mut ModelConfig) -> Result<ForeignTensors> {
    let mut reading = Reading {
        tensors,
        placing: Placing::default(),
        d: config.d_model,
        d_ff: config.d_ff,
    };
    reading.tables(config)?;
    reading.input_layers(config)?;
    for layer in 0..config.encoder.count(Sublayer::SelfAttention) {
        reading.encoder_layer(layer)?;
    }
    for layer in 0..config.num_decoder_layers {
        reading.decoder_layer(layer)?;
    }
    if config.norm == NormPosition::Pre {
        for side in ["encoder", "decoder"] {
            reading.norm(
                &format!("{side}.final_norm"),
                &format!("model.{side}.layer_norm"),
            )?;
        }
    }
    Ok(reading.placing.finish())
}

struct Reading<'a> {
    tensors: &'a mut Tensors,
    placing: Placing,
    d: usize,
    d_ff: usize,
}

impl Reading<'_> {
    /// Source words, target words and logits; tables that are missing, or equal to another one, are tied to it.
    fn tables(&mut self, config: &mut ModelConfig) -> Result<()> {
        let (source, target) = (config.vocab_size, config.target_vocab_size());
        let shared = self.table("model.shared.weight", source)?;
        let encoder = self.table("model.encoder.embed_tokens.weight", source)?;
        let decoder = self.table("model.decoder.embed_tokens.weight", target)?;
        let output = self.table("lm_head.weight", target)?;
        let Some(words) = encoder.or_else(|| shared.clone()) else {
            let reason = "tensor model.shared.weight is missing".to_owned();
            return Err(self.tensors.refuse(reason));
        };
        let target_words = decoder.or(shared).unwrap_or_else(|| words.clone());
        let output = output.unwrap_or_else(|| target_words.clone());
        let tied_words = words.equals(&target_words)?;
        let tied_output = output.equals(&target_words)?;
        config.tied_embeddings = tied_words && tied_output;
        config.variant.tied_words = tied_words && !tied_output;
        config.variant.tied_output = tied_output && !tied_words;
        let d = self.d;
        if config.has_target_table() {
            let name = "target_embedding.words";
            self.placing.matrix(name, [target, d], target_words);
        }
        if config.has_output_table() {
            self.placing.matrix("logits", [target, d], output);
        }
        self.placing.matrix("embedding.words", [source, d], words);
        if self.tensors.contains("final_logits_bias") {
            let bias = self
                .tensors
                .take_unread("final_logits_bias", &[1, target])?;
            self.placing.vector("output_bias", bias);
        } else {
            config.variant.output_bias = false;
        }
        Ok(())
    }

    fn table(&mut self, name: &str, rows: usize) -> Result<Option<Floats>> {
        if !self.tensors.contains(name) {
            return Ok(None);
        }
        self.tensors.take_unread(name, &[rows, self.d]).map(Some)
    }

    /// Learned places, of which the first rows are never read, and norms before the first layers.
    fn input_layers(&mut self, config: &ModelConfig) -> Result<()> {
        for (side, ours) in ["encoder", "decoder"].into_iter().zip(input_layers(config)) {
            if let Positions::Learned { size } = config.positions {
                let theirs = format!("model.{side}.embed_positions.weight");
                let shape = [size + OFFSET, self.d];
                let table = self.tensors.take_unread(&theirs, &shape)?;
                let table = table.part(OFFSET * self.d..table.len());
                self.placing
                    .matrix(&format!("{ours}.positions"), [size, self.d], table);
            }
            if config.variant.embedding_norm {
                let theirs = format!("model.{side}.layernorm_embedding");
                self.norm(&format!("{ours}.norm"), &theirs)?;
            }
        }
        Ok(())
    }

    fn encoder_layer(&mut self, number: usize) -> Result<()> {
        let theirs = format!("model.encoder.layers.{number}");
        let [first, second] = encoder_layer(number);
        self.attention(
            &format!("{first}.attention"),
            &format!("{theirs}.self_attn"),
        )?;
        self.norm(
            &format!("{first}.norm"),
            &format!("{theirs}.self_attn_layer_norm"),
        )?;
        self.feed_forward(&format!("{second}.feed_forward"), &theirs)?;
        self.norm(
            &format!("{second}.norm"),
            &format!("{theirs}.final_layer_norm"),
        )
    }

    fn decoder_layer(&mut self, number: usize) -> Result<()> {
        let theirs = format!("model.decoder.layers.{number}");
        let ours = format!("decoder.layers.{number}");
        for (part, name, norm) in [
            ("self_attention", "self_attn", "norm_self"),
            ("cross_attention", "encoder_attn", "norm_cross"),
        ] {
            self.attention(&format!("{ours}.{part}"), &format!("{theirs}.{name}"))?;
            self.norm(
                &format!("{ours}.{norm}"),
                &format!("{theirs}.{name}_layer_norm"),
            )?;
        }
        self.feed_forward(&format!("{ours}.feed_forward"), &theirs)?;
        self.norm(
            &format!("{ours}.norm_ff"),
            &format!("{theirs}.final_layer_norm"),
        )
    }

    fn attention(&mut self, ours: &str, theirs: &str) -> Result<()> {
        for (part, name) in [
            ("query", "q_proj"),
            ("key", "k_proj"),
            ("value", "v_proj"),
            ("output", "out_proj"),
        ] {
            let sizes = (self.d, self.d);
            self.map(
                &format!("{ours}.{part}"),
                &format!("{theirs}.{name}"),
                sizes,
            )?;
        }
        Ok(())
    }

    fn feed_forward(&mut self, ours: &str, theirs: &str) -> Result<()> {
        let (d, d_ff) = (self.d, self.d_ff);
        self.map(
            &format!("{ours}.inner"),
            &format!("{theirs}.fc1"),
            (d, d_ff),
        )?;
        self.map(
            &format!("{ours}.outer"),
            &format!("{theirs}.fc2"),
            (d_ff, d),
        )
    }

    fn map(&mut self, ours: &str, theirs: &str, (from, to): (usize, usize)) -> Result<()> {
        let weight = self
            .tensors
            .take_unread(&format!("{theirs}.weight"), &[to, from])?;
        let bias = self.tensors.take_unread(&format!("{theirs}.bias"), &[to])?;
        self.placing
            .map(ours, Map::turned((from, to), weight, Some(bias)));
        Ok(())
    }

    fn norm(&mut self, ours: &str, theirs: &str) -> Result<()> {
        let gamma = self
            .tensors
            .take_unread(&format!("{theirs}.weight"), &[self.d])?;
        let beta = self
            .tensors
            .take_unread(&format!("{theirs}.bias"), &[self.d])?;
        self.placing.norm(ours, (gamma, beta));
        Ok(())
    }
}
