//! The models that the worker has open: those that were used last.

use super::job::Way;
use crate::error::Result;
use canopy_kernels::packed::Quantization;
use canopy_translate::inference::{DeviceChoice, Route, Translator};

/// Open models, the one used last at the end.
#[derive(Debug)]
pub(super) struct Models {
    open: Vec<(Way, Translator)>,
    device: DeviceChoice,
    quantization: Option<Quantization>,
    most: usize,
}

impl Models {
    pub fn new(device: DeviceChoice, quantization: Option<Quantization>, most: usize) -> Self {
        Self {
            open: Vec::new(),
            device,
            quantization,
            most: most.max(1),
        }
    }

    /// The translator for a way, opened if it is not open.
    ///
    /// # Errors
    /// If its model cannot be opened.
    pub fn translator(&mut self, way: &Way) -> Result<&mut Translator> {
        if let Some(place) = self.open.iter().position(|(own, _)| own == way) {
            let used = self.open.remove(place);
            self.open.push(used);
        } else {
            let mut translator = open(way, self.device)?;
            if let Some(quantization) = self.quantization {
                translator.quantize(quantization);
            }
            if self.open.len() >= self.most {
                self.open.remove(0);
            }
            self.open.push((way.clone(), translator));
        }
        let last = self.open.len() - 1;
        Ok(&mut self.open[last].1)
    }
}

fn open(way: &Way, device: DeviceChoice) -> Result<Translator> {
    let source = Some(way.source.as_str());
    match &way.route {
        Route::Direct { folder, target } => Ok(Translator::open_between(
            folder,
            device,
            source,
            Some(target),
        )?),
        Route::Pivot {
            folders: [first, second],
            pivot,
            target,
        } => {
            let first = Translator::open_between(first, device, source, Some(pivot))?;
            Ok(first.followed_by(Translator::open_between(
                second,
                device,
                Some(pivot),
                Some(target),
            )?)?)
        }
    }
}
