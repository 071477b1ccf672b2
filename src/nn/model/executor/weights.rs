//! The weights with which a model searches: how they are kept, and for which device they were made.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use burn::module::Module;
use burn::tensor::Device;

use crate::error::Result;
use crate::model::config::ModelConfig;
use crate::model::context_config::Context;
use crate::model::packed::{GpuTransformer, PackedTransformer};
use crate::model::system::{Draw, Model, Network};
use crate::model::transformer::Transformer;
use crate::model::unread::UnreadWeights;
use canopy_kernels::packed::Quantization;

/// How the weights of searches are to be kept, and these weights once they are asked for.
#[derive(Debug, Clone)]
pub(in crate::model) struct SearchWeights {
    quantization: Quantization,
    /// Shared by clones.
    loaded: Arc<OnceLock<Loaded>>,
}

/// Weights where they are searched with.
#[derive(Debug, Clone)]
pub(super) enum Loaded {
    /// Weights of burn's layers.
    Burn,
    Cpu(Arc<PackedTransformer>),
    Gpu(Arc<GpuTransformer>),
}

impl SearchWeights {
    pub(in crate::model) fn new(quantization: Quantization) -> Self {
        Self {
            quantization,
            loaded: Arc::default(),
        }
    }

    /// The weights of `network`, which are made now if they never were.
    fn get_or_load(
        &self,
        network: &Transformer,
        context: Option<Context>,
        unread: Option<&dyn UnreadWeights>,
    ) -> &Loaded {
        self.loaded.get_or_init(|| {
            let (quantization, begun) = (self.quantization, Instant::now());
            let log = |device: &str| {
                let (numbers, took) = (quantization, begun.elapsed());
                tracing::info!(?numbers, ?took, "packed the weights for {device}");
            };
            if let Ok(weights) = PackedTransformer::new(network, context, quantization, unread) {
                log("the CPU");
                return Loaded::Cpu(Arc::new(weights));
            }
            match GpuTransformer::new(network, context, quantization, unread) {
                Some(weights) => {
                    log("the graphics card");
                    Loaded::Gpu(Arc::new(weights))
                }
                None => Loaded::Burn,
            }
        })
    }
}

impl Model {
    /// Whether models with this configuration search with weights of their own alone.
    pub fn is_packed_whole(config: &ModelConfig, device: &Device) -> bool {
        PackedTransformer::packs_whole(config, device)
    }

    /// This model, whose parameters stay where `unread` reads them until something computes with them.
    #[must_use]
    pub fn with_unread(self, unread: Arc<dyn UnreadWeights>) -> Self {
        Self {
            unread: Some(unread),
            ..self
        }
    }

    /// This model, which searches with packed weights if it can, see [`PackedTransformer::check`], or with those that
    /// are brought to its GPU, see [`GpuTransformer::gpu`]. That happens when the first search asks for them.
    #[must_use]
    pub fn packed_as(self, quantization: Quantization) -> Self {
        let is_packed = match &self.network {
            Network::Transformer(network) => {
                PackedTransformer::check(network).is_ok() || GpuTransformer::gpu(network).is_some()
            }
            Network::RnnSearch(_) => false,
        };
        Self {
            search_weights: is_packed.then(|| SearchWeights::new(quantization)),
            stage_one_weights: is_packed.then(|| SearchWeights::new(quantization)),
            ..self
        }
    }

    /// This model without packed weights, which a change of its parameters would leave stale.
    #[must_use]
    pub fn unpacked(self) -> Self {
        Self {
            search_weights: None,
            stage_one_weights: None,
            ..self
        }
    }

    /// How the weights with which it searches are packed; none where burn's layers search.
    pub fn packing(&self) -> Option<Quantization> {
        Some(self.search_weights.as_ref()?.quantization)
    }

    pub(super) fn search_weights(&self) -> &Loaded {
        match (&self.search_weights, &self.network) {
            (Some(weights), Network::Transformer(network)) => {
                weights.get_or_load(network, self.context, self.unread.as_deref())
            }
            _ => &Loaded::Burn,
        }
    }

    /// The weights of the sentence-level model that training began with.
    pub(super) fn stage_one_weights(&self) -> &Loaded {
        match (&self.stage_one_weights, &self.stage_one) {
            (Some(weights), Some(stage_one)) => {
                weights.get_or_load(stage_one, None, self.unread.as_deref())
            }
            _ => &Loaded::Burn,
        }
    }

    /// Reads the weights of a search, its re-ranker's too.
    ///
    /// # Errors
    /// If they cannot be read any more.
    pub fn read_packed(&self) -> Result<()> {
        if let Some(reranker) = &self.reranker {
            reranker.model.read_packed()?;
        }
        if self.unread.is_some() {
            self.search_weights();
        }
        self.check_read()
    }

    /// Reads the weights of burn's layers.
    ///
    /// # Errors
    /// If they cannot be read any more.
    pub fn read_layers(&self) -> Result<()> {
        if self.unread.is_some() {
            self.visit(&mut Draw);
        }
        self.check_read()
    }

    /// # Errors
    /// If weights could not be read when something was to compute with them: all numbers of such a parameter are NaN.
    pub fn check_read(&self) -> Result<()> {
        self.unread.as_ref().map_or(Ok(()), |unread| unread.check())
    }
}
