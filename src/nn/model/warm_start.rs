//! A document-level model that begins where a sentence-level one ended.
//!
//! The second stage of Maruf et al. 2019, §4.2, and of every system here: what the new layers add is near zero at first,
//! so that no step is spent on repairing what the sentence-level model knew.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::config::{Architecture, ModelConfig};
use super::context_attention::ContextSublayer;
use super::context_config::Context;
use super::embedding::Embedding;
use super::encoder::Encoder;
use super::network::Network;
use super::norm::Norm;
use super::preset::{BASE, Preset};
use super::system::Model;
use super::transformer::Transformer;
use crate::error::{BaseError, Error, Result};

impl ModelConfig {
    /// This configuration, fine-tuned from the trained model `base`.
    ///
    /// # Errors
    /// [`BaseError::Config`] if both read documents, in different ways, or if they are built differently.
    pub fn warm_started_from(&self, base: &Self) -> Result<Self> {
        let refuse = |field, found: String, allowed: String| {
            Err(Error::Base(BaseError::Config {
                field,
                found,
                allowed,
            }))
        };
        if self.architecture != base.architecture {
            let name = |architecture| match architecture {
                Architecture::Transformer => "transformer, as the model to begin with is",
                Architecture::RnnSearch => "rnn_search, as the model to begin with is",
            };
            let found = format!("{:?}", self.architecture);
            return refuse("architecture", found, name(base.architecture).to_owned());
        }
        // The encoder of all systems stands for that of the base; one that only a preset for sentences has was requested.
        let is_requested =
            self.encoder.to_string() != BASE.encoder && *self == self.sentence_level();
        if self.encoder != base.encoder && base.tokens.are_own() && is_requested {
            let allowed = format!("{} like the model to begin with", base.encoder);
            return refuse("encoder", self.encoder.to_string(), allowed);
        }
        if base.context.is_some() && base.context != self.set_like(base).context {
            let allowed =
                "the context of the model to begin with, or begin with one without".into();
            return refuse("context", format!("{:?}", self.context), allowed);
        }
        if base.context.is_some() {
            return Ok(base.clone());
        }
        let config = Self {
            context: self.context,
            memory: self.memory,
            warm_gate: self.context.is_some(),
            bert: self.bert.clone(),
            memory_use: self.memory_use,
            previous_translations: self.previous_translations,
            reads_formality: self.reads_formality,
            ..base.clone()
        };
        config.validate()?;
        Ok(config)
    }

    /// The first preset that continues training a model of this configuration; none for one that reads sentences alone, which
    /// every preset continues with.
    pub fn preset_to_go_on(&self) -> Option<&'static Preset> {
        self.context?;
        Preset::all().find(|preset| {
            let own = preset.config(self.vocab_size);
            own.context.is_some() && own.warm_started_from(self).is_ok()
        })
    }

    /// This with what may be set for a run, such as the number of chosen sentences, as `base` has it.
    fn set_like(&self, base: &Self) -> Self {
        let mut own = self.clone();
        if let (Some(context), Some(base)) = (&mut own.context, base.context)
            && let Some(set) = context.mechanism().set_like(base)
        {
            *context = set;
        }
        own
    }
}

impl Model {
    /// A model of `config` with the weights of `base`, whose configuration it was made
    /// [warm-started](ModelConfig::warm_started_from) from; what is new follows from `seed`.
    ///
    /// # Errors
    /// If `config` cannot be built.
    pub fn warm_start(
        base: Self,
        config: &ModelConfig,
        seed: u64,
        device: &Device,
    ) -> Result<Self> {
        if base.reads_documents() == config.context.is_some() {
            return Ok(base);
        }
        let mut model = Self::seeded(config, seed, device)?;
        if let (Network::Transformer(network), Network::Transformer(base)) =
            (&mut model.network, base.network)
        {
            if model.stage_one.is_some() {
                let bilingual = config.context.is_some_and(Context::is_bilingual);
                model.stage_one = Some(base.clone().into_stage_one(bilingual));
            }
            network.load_base(base);
        }
        Ok(model)
    }

    /// This model, of which only what reads beyond the sentence is trained: the second of the two steps of Zhang et al., "Improving
    /// the Transformer Translation Model with Document-Level Context", EMNLP 2018, §3.3.
    #[must_use]
    pub fn with_sentences_frozen(mut self) -> Self {
        if let Network::Transformer(network) = &mut self.network {
            network.freeze_sentences();
        }
        self
    }
}

/// Keeps a module's parameters as they are.
fn freeze<M: Module>(module: &mut M) {
    *module = module.clone().no_grad();
}

impl Transformer {
    /// The parameters that [`Self::load_base`] takes.
    fn freeze_sentences(&mut self) {
        freeze(&mut self.embedding);
        freeze(&mut self.target_embedding);
        freeze(&mut self.target_input);
        freeze(&mut self.logits);
        freeze(&mut self.output_bias);
        freeze(&mut self.encoder.sublayers);
        freeze(&mut self.encoder.final_norm);
        freeze(&mut self.decoder.final_norm);
        for layer in &mut self.decoder.layers {
            let (context, fusion) = (layer.context.take(), layer.fusion.take());
            freeze(layer);
            (layer.context, layer.fusion) = (context, fusion);
        }
    }

    fn load_base(&mut self, base: Self) {
        self.embedding = base.embedding;
        self.target_embedding = base.target_embedding;
        self.target_input = base.target_input;
        self.logits = base.logits;
        self.output_bias = base.output_bias;
        self.encoder.sublayers = base.encoder.sublayers;
        self.encoder.final_norm = base.encoder.final_norm;
        self.encoder.silence_contexts();
        self.encoder.silence_fusions(&self.embedding);
        if let Some(flat) = &mut self.flat {
            flat.zero_init();
        }
        let last = self.encoder.final_norm.as_ref();
        let last = last.or_else(|| self.encoder.sublayers.last().map(|sublayer| &sublayer.norm));
        if let (Some(gated), Some(last)) = (&mut self.encoder.gated, last) {
            gated.init_near_identity(neutral(last));
        }
        self.decoder.final_norm = base.decoder.final_norm;
        for (layer, mut taken) in self.decoder.layers.iter_mut().zip(base.decoder.layers) {
            taken.context = layer.context.take();
            taken.fusion = layer.fusion.take();
            if let Some(fusion) = &mut taken.fusion {
                let before = taken.norm_self.clone();
                fusion.zero_init(&mut taken.norm_cross, &before);
            }
            if let Some(context) = &mut taken.context {
                let before = if context.before_source {
                    &taken.norm_self
                } else {
                    &taken.norm_cross
                };
                zero_init(context, before);
            }
            *layer = taken;
        }
        let last = self.decoder.final_norm.as_ref();
        let last = last.or_else(|| self.decoder.layers.last().map(|layer| &layer.norm_ff));
        if let (Some(gated), Some(last)) = (&mut self.decoder.gated, last) {
            gated.init_near_identity(neutral(last));
        }
    }
}

impl Encoder {
    fn silence_fusions(&mut self, embedding: &Embedding) {
        if self.fusions.is_empty() {
            return;
        }
        let mut before = like_embedded(embedding);
        let mut fusions = self.fusions.iter_mut();
        for sublayer in &mut self.sublayers {
            let own = sublayer.norm.clone();
            if sublayer.attention.is_some()
                && let Some(fusion) = fusions.next()
            {
                fusion.zero_init(&mut sublayer.norm, &before);
            }
            before = own;
        }
    }

    fn silence_contexts(&mut self) {
        let attentions = self
            .sublayers
            .iter()
            .filter(|sublayer| sublayer.attention.is_some());
        for (context, sublayer) in self.contexts.iter_mut().zip(attentions) {
            zero_init(context, &sublayer.norm);
        }
    }
}

/// Makes a sublayer pass on what the norm `before` it gives: its attention adds nothing, and its own norm changes little.
fn zero_init(context: &mut ContextSublayer, before: &Norm) {
    if context.gate.is_none() {
        let output = context.attention.output_mut();
        // A new parameter: one that is mapped to zeros no longer learns.
        output.weight = Param::from_tensor(output.weight.val().zeros_like());
    }
    if let Some(norm) = &mut context.norm {
        *norm = neutral(before);
    }
}

/// A norm whose rows vary about as much as embedded tokens: no norm comes before the first layer.
fn like_embedded(embedding: &Embedding) -> Norm {
    /// Sines and cosines of places vary so much about their mean.
    const PLACES: f64 = 0.5;
    let words = embedding.words.val().detach();
    let [_, d_model] = words.dims();
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    let variance = words.square().mean() * d_model as f64 + PLACES;
    let norm = Norm::new(d_model, &variance.device());
    let gamma = (norm.gamma.val() * variance.sqrt()).detach();
    Norm {
        gamma: Param::from_tensor(gamma),
        ..norm
    }
}

/// A norm that gives about what it gets from `before`, whose rows have mean `mean(β)` and variance
/// `mean(γ²) + var(β)` on average.
pub(super) fn neutral(before: &Norm) -> Norm {
    let (gamma, beta) = (before.gamma.val().detach(), before.beta.val().detach());
    let mean = beta.clone().mean();
    let deviation = (gamma.square().mean() + (beta.clone() - mean.clone()).square().mean()).sqrt();
    let everywhere = |value: Tensor<1>| Param::from_tensor(value.expand(beta.dims()).detach());
    Norm {
        gamma: everywhere(deviation),
        beta: everywhere(mean),
        epsilon: before.epsilon,
    }
}
