//! Where the weights of a model are: in burn's layers, packed for a search, or still in their file.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::Device;

use super::config::ModelConfig;
use super::packed::{GpuTransformer, PackedTransformer};
use super::packed_on_demand::PackedOnDemand;
use super::system::{Draw, Model, Network};
use super::unread::UnreadWeights;
use canopy_base::error::Result;
use canopy_kernels::packed::Quantization;

impl Model {
    /// Whether models with this configuration search with packed weights alone.
    pub fn is_packed_whole(config: &ModelConfig, device: &Device) -> bool {
        PackedTransformer::packs_whole(config, device)
    }

    /// The same model, whose parameters are where `unread` reads them until something computes with them.
    #[must_use]
    pub fn with_unread(self, unread: Arc<dyn UnreadWeights>) -> Self {
        Self {
            unread: Some(unread),
            ..self
        }
    }

    /// The same model, which searches with packed weights from now on if it can, see [`PackedTransformer::check`], or with
    /// those that are brought to its GPU, see [`GpuTransformer::gpu`]. That happens when the first search asks
    /// for them.
    #[must_use]
    pub fn packed_as(self, quantization: Quantization) -> Self {
        let is_packed = match &self.network {
            Network::Transformer(network) => {
                PackedTransformer::check(network).is_ok() || GpuTransformer::gpu(network).is_some()
            }
            Network::RnnSearch(_) => false,
        };
        Self {
            packed: is_packed.then(|| PackedOnDemand::new(quantization)),
            packed_stage_one: is_packed.then(|| PackedOnDemand::new(quantization)),
            ..self
        }
    }

    /// The same without packed weights: those who change the others must not leave old ones behind.
    #[must_use]
    pub fn unpacked(self) -> Self {
        Self {
            packed: None,
            packed_stage_one: None,
            ..self
        }
    }

    /// How the weights with which it searches are packed; none where burn's layers search.
    pub fn packing(&self) -> Option<Quantization> {
        self.packed.as_ref().map(|packed| packed.quantization)
    }

    /// The packed weights with which it searches.
    pub fn packed(&self) -> Option<&Arc<PackedTransformer>> {
        let packed = self.packed.as_ref()?;
        let Network::Transformer(network) = &self.network else {
            return None;
        };
        packed.weights(network, self.context, self.unread.as_deref())
    }

    /// The packed weights of the model with which training began, where it searches what others read.
    pub fn packed_stage_one(&self) -> Option<&Arc<PackedTransformer>> {
        let (packed, stage_one) = (self.packed_stage_one.as_ref()?, self.stage_one.as_ref()?);
        packed.weights(stage_one, None, self.unread.as_deref())
    }

    /// The weights on its GPU with which it searches.
    pub fn on_gpu(&self) -> Option<&Arc<GpuTransformer>> {
        let packed = self.packed.as_ref()?;
        let Network::Transformer(network) = &self.network else {
            return None;
        };
        packed.on_gpu(network, self.context, self.unread.as_deref())
    }

    /// Those of the model with which training began, where it searches what others read.
    pub fn on_gpu_stage_one(&self) -> Option<&Arc<GpuTransformer>> {
        let (packed, stage_one) = (self.packed_stage_one.as_ref()?, self.stage_one.as_ref()?);
        packed.on_gpu(stage_one, None, self.unread.as_deref())
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
            self.packed();
            self.on_gpu();
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
