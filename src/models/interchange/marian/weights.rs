//! Marian's tensors by their names here. Its matrices multiply from the right, as ours do.

use super::options::Options;
use crate::error::Result;
use crate::interchange::floats::Floats;
use crate::interchange::placing::{ForeignTensors, Map, Placing, encoder_layer, input_layers};
use crate::interchange::tensors::Tensors;
use canopy_nn::model::{DecoderCell, ModelConfig, NormPosition, Positions};

pub(super) fn read(
    tensors: &mut Tensors,
    config: &ModelConfig,
    options: &Options,
) -> Result<ForeignTensors> {
    let mut reading = Reading {
        tensors,
        placing: Placing::default(),
        config,
        before: if config.norm == NormPosition::Pre {
            "_pre"
        } else {
            ""
        },
    };
    reading.tables(options)?;
    reading.input_layers()?;
    for number in 0..options.encoder_layers {
        let theirs = format!("encoder_l{}", number + 1);
        let [first, second] = encoder_layer(number);
        reading.attention(&format!("{first}.attention"), &format!("{theirs}_self"))?;
        reading.norm(&format!("{first}.norm"), &format!("{theirs}_self_Wo"))?;
        reading.feed_forward(&format!("{second}.feed_forward"), &theirs)?;
        reading.norm(&format!("{second}.norm"), &format!("{theirs}_ffn_ffn"))?;
    }
    for number in 0..options.decoder_layers {
        reading.decoder_layer(number)?;
    }
    if config.norm == NormPosition::Pre {
        reading.before = "";
        for side in ["encoder", "decoder"] {
            reading.norm(&format!("{side}.final_norm"), &format!("{side}_top"))?;
        }
    }
    if let Some((left, _)) = reading.tensors.iter().next() {
        let reason = format!("tensor {left} belongs to an architecture that is not known here");
        return Err(reading.tensors.refuse(reason));
    }
    Ok(reading.placing.finish())
}

struct Reading<'a> {
    tensors: &'a mut Tensors,
    placing: Placing,
    config: &'a ModelConfig,
    /// Follows the names of layers' norms before what they belong to.
    before: &'static str,
}

impl Reading<'_> {
    fn tables(&mut self, options: &Options) -> Result<()> {
        let d = self.config.d_model;
        let (source, target) = (self.config.vocab_size, self.config.target_vocab_size());
        let words = self
            .tensors
            .take_unread(&options.words("encoder"), &[source, d])?;
        self.placing.matrix("embedding.words", [source, d], words);
        if self.config.has_target_table() {
            let name = "target_embedding.words";
            let words = self
                .tensors
                .take_unread(&options.words("decoder"), &[target, d])?;
            self.placing.matrix(name, [target, d], words);
        }
        if self.config.has_output_table() {
            let turned = "decoder_ff_logit_out_Wt";
            let logits = if self.tensors.contains(turned) {
                self.tensors.take_unread(turned, &[target, d])?
            } else {
                let logits = self
                    .tensors
                    .take_unread("decoder_ff_logit_out_W", &[d, target])?;
                logits.turned(d)
            };
            self.placing.matrix("logits", [target, d], logits);
        }
        if self.config.variant.output_bias {
            let bias = self.row("decoder_ff_logit_out_b", target)?;
            self.placing.vector("output_bias", bias);
        }
        Ok(())
    }

    fn input_layers(&mut self) -> Result<()> {
        let d = self.config.d_model;
        let names = input_layers(self.config);
        if let Positions::Learned { size } = self.config.positions {
            // Both sides have one table there.
            let table = self.tensors.take_unread("Wpos", &[size, d])?;
            for ours in names {
                let name = format!("{ours}.positions");
                self.placing.matrix(&name, [size, d], table.clone());
            }
        }
        if self.config.variant.embedding_norm {
            let before = std::mem::replace(&mut self.before, "_pre");
            for (side, ours) in ["encoder", "decoder"].into_iter().zip(names) {
                self.norm(&format!("{ours}.norm"), &format!("{side}_emb"))?;
            }
            self.before = before;
        }
        Ok(())
    }

    fn decoder_layer(&mut self, number: usize) -> Result<()> {
        let theirs = format!("decoder_l{}", number + 1);
        let ours = format!("decoder.layers.{number}");
        match self.config.variant.decoder_cell {
            DecoderCell::SelfAttention => {
                self.attention(&format!("{ours}.self_attention"), &format!("{theirs}_self"))?;
                self.norm(&format!("{ours}.norm_self"), &format!("{theirs}_self_Wo"))?;
            }
            DecoderCell::Ssru => self.recurrent(&ours, &format!("{theirs}_rnn"))?,
        }
        let context = format!("{theirs}_context");
        self.attention(&format!("{ours}.cross_attention"), &context)?;
        self.norm(&format!("{ours}.norm_cross"), &format!("{context}_Wo"))?;
        self.feed_forward(&format!("{ours}.feed_forward"), &theirs)?;
        self.norm(&format!("{ours}.norm_ff"), &format!("{theirs}_ffn_ffn"))
    }

    fn recurrent(&mut self, ours: &str, theirs: &str) -> Result<()> {
        let d = self.config.d_model;
        let (from, to) = (d, d);
        for (part, name, bias) in [("input", "W", None), ("forget", "Wf", Some("bf"))] {
            let weight = self
                .tensors
                .take_unread(&format!("{theirs}_{name}"), &[d, d])?;
            let bias = bias.map(|bias| self.row(&format!("{theirs}_{bias}"), d));
            let map = Map {
                from,
                to,
                weight,
                bias: bias.transpose()?,
            };
            self.placing.map(&format!("{ours}.ssru.{part}"), map);
        }
        // The norm before it has another name than that after it.
        let norm = if self.before.is_empty() {
            format!("{theirs}_ffn")
        } else {
            theirs.to_owned()
        };
        self.norm(&format!("{ours}.norm_self"), &norm)
    }

    fn attention(&mut self, ours: &str, theirs: &str) -> Result<()> {
        let d = self.config.d_model;
        for (part, letter) in [
            ("query", "q"),
            ("key", "k"),
            ("value", "v"),
            ("output", "o"),
        ] {
            self.map(&format!("{ours}.{part}"), theirs, letter, (d, d))?;
        }
        Ok(())
    }

    fn feed_forward(&mut self, ours: &str, theirs: &str) -> Result<()> {
        let (d, d_ff) = (self.config.d_model, self.config.d_ff);
        let theirs = format!("{theirs}_ffn");
        self.map(&format!("{ours}.inner"), &theirs, "1", (d, d_ff))?;
        self.map(&format!("{ours}.outer"), &theirs, "2", (d_ff, d))
    }

    fn map(
        &mut self,
        ours: &str,
        theirs: &str,
        end: &str,
        (from, to): (usize, usize),
    ) -> Result<()> {
        let weight = self
            .tensors
            .take_unread(&format!("{theirs}_W{end}"), &[from, to])?;
        let bias = Some(self.row(&format!("{theirs}_b{end}"), to)?);
        let map = Map {
            from,
            to,
            weight,
            bias,
        };
        self.placing.map(ours, map);
        Ok(())
    }

    fn norm(&mut self, ours: &str, theirs: &str) -> Result<()> {
        let (d, before) = (self.config.d_model, self.before);
        let gamma = self.row(&format!("{theirs}_ln_scale{before}"), d)?;
        let beta = self.row(&format!("{theirs}_ln_bias{before}"), d)?;
        self.placing.norm(ours, (gamma, beta));
        Ok(())
    }

    /// Vectors are matrices of one row there.
    fn row(&mut self, name: &str, size: usize) -> Result<Floats> {
        self.tensors.take_unread(name, &[1, size])
    }
}
