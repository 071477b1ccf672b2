//! Requirements of a context on the model around it.

use super::config::{ModelConfig, NormPosition};
use super::context_config::{Context, ContextReach, LARGEST_CONTEXT, MemorySource};
use super::layout::Sublayer;
use crate::error::{BaseError, Error, Result};

impl Context {
    pub(super) fn validate(&self, config: &ModelConfig) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::Base(BaseError::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            }))
        };
        let mechanism = self.mechanism();
        if config.top_t() == Some(0) {
            return refuse("context.top_t", &0, "at least 1");
        }
        if let ContextReach::Previous(previous) = mechanism.reach()
            && !(1..=LARGEST_CONTEXT).contains(&previous)
        {
            let allowed = format!("1 to {LARGEST_CONTEXT}");
            return refuse("context.previous", &previous, &allowed);
        }
        if mechanism.needs_post_norm() && config.norm == NormPosition::Pre {
            return refuse("norm", &"pre", "post with this context");
        }
        mechanism.validate(config)?;
        if config.bert.is_some() && self.bert().is_none() {
            return refuse("bert", &"set", "none with this context");
        }
        let is_in_layers = mechanism.placement().is_some() && !self.is_gated();
        if is_in_layers && config.encoder.count(Sublayer::SelfAttention) == 0 {
            let allowed = "a layout with self-attention, to which the context can be added";
            return refuse("encoder", &config.encoder, allowed);
        }
        if config.memory == MemorySource::StageOne && !self.is_gated() {
            let allowed = "live, unless the context is after the last layer";
            return refuse("memory", &"stage_one", allowed);
        }
        Ok(())
    }
}
