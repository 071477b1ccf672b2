//! The weights with which a model searches: how they are kept, and for which device they were made.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use burn::module::Module;

use crate::error::Result;
use crate::model::context_config::Context;
use crate::model::network::Network;
use crate::model::packed::{GpuTransformer, PackedTransformer};
use crate::model::system::{InitParams, Model};
use crate::model::transformer::Transformer;
use crate::model::unread::UnreadWeights;
use canopy_kernels::packed::Quantization;

/// How the weights of searches are to be kept, and these weights once they are needed.
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

    /// Weights that are kept in the same way and made once they are needed.
    pub(in crate::model) fn anew(&self) -> Self {
        Self::new(self.quantization)
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

impl Transformer {
    /// The weights with which it searches, which are made now if they never were; it reads this context, and what burn's
    /// layers have not read is read from `unread`.
    pub(super) fn loaded(
        &self,
        context: Option<Context>,
        unread: Option<&dyn UnreadWeights>,
    ) -> &Loaded {
        match &self.search_weights {
            Some(weights) => weights.get_or_load(self, context, unread),
            None => &Loaded::Burn,
        }
    }
}

impl Model {
    /// This model, whose parameters stay where `unread` reads them until something computes with them.
    #[must_use]
    pub fn with_unread(self, unread: Arc<dyn UnreadWeights>) -> Self {
        Self {
            unread: Some(unread),
            ..self
        }
    }

    /// This model, which searches with packed weights if it can, see [`PackedTransformer::check`], or with those that
    /// are brought to its GPU, see [`GpuTransformer::gpu`]. The first search does so.
    #[must_use]
    pub fn packed_as(mut self, quantization: Quantization) -> Self {
        let Network::Transformer(network) = &mut self.network else {
            return self;
        };
        let is_packed =
            PackedTransformer::check(network).is_ok() || GpuTransformer::gpu(network).is_some();
        for network in [Some(network), self.stage_one.as_mut()]
            .into_iter()
            .flatten()
        {
            network.search_weights = is_packed.then(|| SearchWeights::new(quantization));
        }
        self
    }

    /// This model without packed weights, which a change of its parameters would leave stale.
    #[must_use]
    pub fn unpacked(mut self) -> Self {
        if let Network::Transformer(network) = &mut self.network {
            network.search_weights = None;
        }
        if let Some(stage_one) = &mut self.stage_one {
            stage_one.search_weights = None;
        }
        self
    }

    /// How the weights with which it searches are packed; none where burn's layers search.
    pub fn packing(&self) -> Option<Quantization> {
        match &self.network {
            Network::Transformer(network) => Some(network.search_weights.as_ref()?.quantization),
            Network::RnnSearch(_) => None,
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
        if let (Some(unread), Network::Transformer(network)) = (&self.unread, &self.network) {
            network.loaded(self.context, Some(&**unread));
        }
        self.check_read()
    }

    /// Reads the weights of burn's layers.
    ///
    /// # Errors
    /// If they cannot be read any more.
    pub fn read_layers(&self) -> Result<()> {
        if self.unread.is_some() {
            self.visit(&mut InitParams);
        }
        self.check_read()
    }

    /// # Errors
    /// If weights could not be read when something was to compute with them: all numbers of such a parameter are NaN.
    pub fn check_read(&self) -> Result<()> {
        self.unread.as_ref().map_or(Ok(()), |unread| unread.check())
    }
}
