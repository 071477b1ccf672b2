//! Training with matrix products of 16 bits.
//!
//! Micikevicius et al., "Mixed Precision Training", ICLR 2018: weights stay in 32 bits (§3.1), and the loss is multiplied by
//! a factor that keeps small gradients from becoming 0 (§3.2).

use burn::tensor::{Device, FloatDType};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::config::TrainingConfig;
use crate::error::{BaseError, Error, Result};

/// The numbers of a training's matrix products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
#[value(rename_all = "lower")]
pub enum ProductPrecision {
    /// IEEE 754 single precision, 32 bits.
    #[default]
    Float32,
    /// IEEE 754 half precision, up to 65,504, with loss scaling.
    Float16,
    /// The range of 32 bits, three digits fewer.
    BFloat16,
}

impl ProductPrecision {
    const ALL: [Self; 3] = [Self::Float32, Self::Float16, Self::BFloat16];

    /// Returns the name as the settings have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Float16 => "float16",
            Self::BFloat16 => "bfloat16",
        }
    }

    /// The type of products instead of 32 bits.
    pub(super) fn numbers(self) -> Option<FloatDType> {
        match self {
            Self::Float32 => None,
            Self::Float16 => Some(FloatDType::F16),
            Self::BFloat16 => Some(FloatDType::BF16),
        }
    }

    /// Whether a device computes with such numbers.
    fn is_on(self, device: &Device) -> bool {
        self.numbers()
            .is_none_or(|numbers| device.supports_dtype(numbers))
    }
}

/// `moments` in the settings of older runs: Adam's moments have 32 bits with either value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
pub enum MomentPrecision {
    /// Floats of 32 bits.
    #[default]
    #[serde(rename = "float32")]
    #[value(name = "float32")]
    Float32,
    /// Integers of 8 bits.
    #[serde(rename = "8bit")]
    #[value(name = "8bit")]
    Bits8,
}

impl MomentPrecision {
    /// The warning for a run whose settings name moments of 8 bits.
    pub(super) fn warning(self) -> Option<String> {
        (self == Self::Bits8).then(|| {
            "moments of 8 bits (moments = \"8bit\") are not supported; Adam keeps them in 32 bits"
                .to_owned()
        })
    }
}

impl TrainingConfig {
    /// Refuses numbers that the device does not have.
    pub(super) fn check_precision(&self, device: &Device) -> Result<()> {
        if self.precision.is_on(device) {
            return Ok(());
        }
        let others = ProductPrecision::ALL.into_iter();
        let others = others.filter(|other| other.is_on(device));
        let others: Vec<&str> = others.map(ProductPrecision::name).collect();
        Err(Error::Base(BaseError::Config {
            field: "precision",
            found: self.precision.name().to_owned(),
            allowed: format!("{}, of which this device has numbers", others.join(", ")),
        }))
    }
}

/// The factor on the loss: the largest power of two with which no gradient has overflowed lately.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LossScale {
    factor: f32,
    /// Updates since it changed.
    updates: u32,
}

impl Default for LossScale {
    fn default() -> Self {
        Self {
            factor: 65_536.0,
            updates: 0,
        }
    }
}

impl LossScale {
    const LARGEST: f32 = 16_777_216.0;

    /// Updates without an overflow after which a larger one is tried.
    const PATIENCE: u32 = 2_000;

    /// For products of these numbers.
    pub(super) fn factor(self, numbers: Option<FloatDType>) -> f32 {
        match numbers {
            Some(FloatDType::F16) => self.factor,
            _ => 1.0,
        }
    }

    /// After a gradient that is not finite: whether a smaller factor may help.
    pub(super) fn shrink(&mut self) -> bool {
        let was_least = self.factor <= 1.0;
        self.factor = (self.factor / 2.0).max(1.0);
        self.updates = 0;
        !was_least
    }

    /// After an update.
    pub(super) fn updated(&mut self) {
        self.updates += 1;
        if self.updates == Self::PATIENCE {
            self.factor = (self.factor * 2.0).min(Self::LARGEST);
            self.updates = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_halves_at_an_overflow_and_grows_after_long_peace() {
        let mut scale = LossScale::default();
        let half = Some(FloatDType::F16);
        assert!(scale.shrink());
        assert!((scale.factor(half) - 32_768.0).abs() < f32::EPSILON);
        for _ in 0..LossScale::PATIENCE {
            scale.updated();
        }
        assert!((scale.factor(half) - 65_536.0).abs() < f32::EPSILON);
        let mut halvings = 0;
        while scale.shrink() {
            halvings += 1;
        }
        assert_eq!(halvings, 16, "to 1, and no further");
        assert!((scale.factor(half) - 1.0).abs() < f32::EPSILON);
        for numbers in [None, Some(FloatDType::BF16)] {
            let scale = LossScale::default();
            assert!((scale.factor(numbers) - 1.0).abs() < f32::EPSILON);
        }
    }

    #[test]
    fn settings_that_name_moments_of_8_bits_are_read_with_a_warning() {
        let old: TrainingConfig = toml::from_str("moments = \"8bit\"").expect("settings");
        let warning = old.moments.warning().expect("a warning");
        assert!(warning.contains("32 bits"), "{warning}");
        let saved = toml::to_string(&old).expect("settings");
        assert!(!saved.contains("moments"), "{saved}");
        assert_eq!(TrainingConfig::default().moments.warning(), None);
    }
}
