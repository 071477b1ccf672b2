//! Models in a row, each of which translates what the one before it wrote.

use super::Translator;
use crate::error::{BaseError, Error, Result};
use crate::inference::device::DeviceChoice;
use crate::inference::model_choice::Leg;
use canopy_corpus::is_same_language;

impl Translator {
    /// Opens models in a row.
    ///
    /// # Errors
    /// As [`Self::open_between`] and [`Self::followed_by`]; [`BaseError::NoModel`] without any.
    pub fn open_legs(legs: &[Leg], device: DeviceChoice) -> Result<Self> {
        let mut opened: Option<Self> = None;
        for leg in legs {
            let (source, target) = (leg.source.as_deref(), leg.target.as_deref());
            let next = Self::open_between(&leg.folder, device, source, target)?;
            opened = Some(match opened {
                Some(first) => first.followed_by(next)?,
                None => next,
            });
        }
        opened.ok_or(Error::Base(BaseError::NoModel))
    }

    /// A translator whose translations `second` translates further.
    ///
    /// # Errors
    /// [`Error::Languages`] if `second` does not translate from the language that this one translates to.
    pub fn followed_by(mut self, second: Self) -> Result<Self> {
        let (own, other) = (&self.info, &second.info);
        if !is_same_language(&own.target_language, &other.source_language) {
            return Err(Error::Languages {
                requested: format!("{} to {}", own.target_language, other.target_language),
                has: format!("{} to {}", other.source_language, other.target_language),
            });
        }
        tracing::info!(
            first = own.name,
            second = other.name,
            "translates through a third language"
        );
        self.info.name = format!("{}, then {}", own.name, other.name);
        self.info
            .target_language
            .clone_from(&second.info.target_language);
        self.info.num_parameters += second.info.num_parameters;
        self.second = Some(Box::new(second));
        Ok(self)
    }

    /// The model that translates its translations further.
    pub fn second(&self) -> Option<&Self> {
        self.second.as_deref()
    }

    /// The first model alone: what the memory knows are whole ways, not halves of one.
    pub(in crate::inference) fn first_leg(&self) -> Self {
        Self {
            second: None,
            resources: self.resources.emptied(),
            ..self.clone()
        }
    }

    /// The second model, with the terms of the whole way.
    pub(in crate::inference) fn last_leg(&self, second: &Self) -> Self {
        Self {
            resources: second.resources.with_terms_of(&self.resources),
            ..second.clone()
        }
    }
}
