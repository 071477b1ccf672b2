//! Requirements of a context on the model around it.

use super::config::{ModelConfig, NormPosition};
use super::context_config::{Context, MemorySource, Placement};
use super::layout::Sublayer;
use crate::error::{Error, Result};

/// More previous sentences than this are no context but a document.
pub(super) const LARGEST_CONTEXT: usize = 64;

impl Context {
    pub(super) fn validate(&self, config: &ModelConfig) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            })
        };
        match *self {
            Self::Conditional { top_t: 0, .. } | Self::HierarchicalConditional { top_t: 0, .. } => {
                return refuse("context.top_t", &0, "at least 1");
            }
            Self::Concatenation { previous }
            | Self::Han { previous, .. }
            | Self::FlatTransformer { previous, .. }
            | Self::Zhang { previous }
                if !(1..=LARGEST_CONTEXT).contains(&previous) =>
            {
                return refuse(
                    "context.previous",
                    &previous,
                    &format!("1 to {LARGEST_CONTEXT}"),
                );
            }
            Self::Zhang { .. } | Self::Bert { .. } if config.norm == NormPosition::Pre => {
                return refuse("norm", &"pre", "post with this context");
            }
            Self::Bert { .. } if config.bert.is_none() => {
                return refuse(
                    "bert",
                    &"missing",
                    "an imported BERT: canopy train --bert DIR",
                );
            }
            Self::FlatTransformer { top, .. }
                if top >= config.encoder.count(Sublayer::SelfAttention) =>
            {
                let allowed = "less than there are self-attentions in the encoder";
                return refuse("context.top", &top, allowed);
            }
            _ => {}
        }
        let in_layers = match self {
            Self::HierarchicalEncoding { placement, .. }
            | Self::Conditional { placement, .. }
            | Self::HierarchicalConditional { placement, .. } => *placement != Placement::Gate,
            Self::Zhang { .. } | Self::Bert { .. } => true,
            _ => false,
        };
        if config.bert.is_some() && !matches!(self, Self::Bert { .. }) {
            return refuse("bert", &"set", "none with this context");
        }
        if in_layers && config.encoder.count(Sublayer::SelfAttention) == 0 {
            let allowed = "a layout with self-attention, beside which the context can stand";
            return refuse("encoder", &config.encoder, allowed);
        }
        if config.memory == MemorySource::StageOne && !self.is_gated() {
            let allowed = "live, unless the context stands after the last layer";
            return refuse("memory", &"stage_one", allowed);
        }
        Ok(())
    }
}
