//! Weights that are packed when the first search asks for them.

use std::sync::{Arc, OnceLock};

use super::context_config::Context;
use super::packed::{GpuTransformer, PackedTransformer};
use super::transformer::Transformer;
use super::unread::UnreadWeights;
use canopy_kernels::packed::Quantization;

/// How the weights of a model are to be packed, and the packed ones once they are asked for.
#[derive(Debug, Clone)]
pub(super) struct PackedOnDemand {
    pub(super) quantization: Quantization,
    /// Shared by clones; none inside where they turn out to be on another device.
    weights: Arc<OnceLock<Option<Arc<PackedTransformer>>>>,
    /// The same of weights on a GPU.
    on_gpu: Arc<OnceLock<Option<Arc<GpuTransformer>>>>,
}

impl PackedOnDemand {
    pub(super) fn new(quantization: Quantization) -> Self {
        Self {
            quantization,
            weights: Arc::default(),
            on_gpu: Arc::default(),
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
            let packed = PackedTransformer::new(network, context, self.quantization, unread);
            packed.ok().map(Arc::new)
        });
        packed.as_ref()
    }

    /// The weights of `network` on its GPU, which are brought there now if they never were.
    pub(super) fn on_gpu(
        &self,
        network: &Transformer,
        context: Option<Context>,
        unread: Option<&dyn UnreadWeights>,
    ) -> Option<&Arc<GpuTransformer>> {
        let on_gpu = self.on_gpu.get_or_init(|| {
            GpuTransformer::new(network, context, self.quantization, unread).map(Arc::new)
        });
        on_gpu.as_ref()
    }
}
