//! Weights that are packed when the first search asks for them.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::context_config::Context;
use super::packed::{CardTransformer, PackedTransformer};
use super::transformer::Transformer;
use super::unread::UnreadWeights;
use canopy_kernels::packed::Quantization;

/// How the weights of a model are to be packed, and the packed ones once they are asked for.
#[derive(Debug, Clone)]
pub(super) struct PackedOnDemand {
    pub(super) quantization: Quantization,
    /// Shared by clones; none inside where they turn out to be on another device.
    weights: Arc<OnceLock<Option<Arc<PackedTransformer>>>>,
    /// The same of weights on a graphics card.
    on_card: Arc<OnceLock<Option<Arc<CardTransformer>>>>,
}

impl PackedOnDemand {
    pub(super) fn new(quantization: Quantization) -> Self {
        Self {
            quantization,
            weights: Arc::default(),
            on_card: Arc::default(),
        }
    }

    /// Writes to the log that weights were packed, and how long that took.
    fn log(&self, begun: Instant, is_packed: bool, device: &str) {
        if is_packed {
            let (numbers, took) = (self.quantization, begun.elapsed());
            tracing::info!(?numbers, ?took, "packed the weights for {device}");
        }
    }

    /// The packed weights of `network`, which are packed now if they never were.
    pub(super) fn weights(
        &self,
        network: &Transformer,
        context: Option<Context>,
        unread: Option<&dyn UnreadWeights>,
    ) -> Option<&Arc<PackedTransformer>> {
        let packed = self.weights.get_or_init(|| {
            let begun = Instant::now();
            let packed = PackedTransformer::new(network, context, self.quantization, unread);
            let packed = packed.ok().map(Arc::new);
            self.log(begun, packed.is_some(), "the CPU");
            packed
        });
        packed.as_ref()
    }

    /// The weights of `network` on its graphics card, which are brought there now if they never were.
    pub(super) fn on_card(
        &self,
        network: &Transformer,
        context: Option<Context>,
        unread: Option<&dyn UnreadWeights>,
    ) -> Option<&Arc<CardTransformer>> {
        let on_card = self.on_card.get_or_init(|| {
            let begun = Instant::now();
            let on_card = CardTransformer::new(network, context, self.quantization, unread);
            self.log(begun, on_card.is_some(), "the graphics card");
            on_card.map(Arc::new)
        });
        on_card.as_ref()
    }
}
