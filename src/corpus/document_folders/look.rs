//! A look at two folders of documents before they are imported.

use std::ops::ControlFlow;

use super::FolderImport;
use super::pairs::pairs;
use crate::alignment::Aligner;
use crate::error::Result;
use crate::survey::SurveyBuilder;
use crate::unit::UnitStatus;

impl FolderImport {
    /// Shows `look` what an import would align: all documents, or `most` of them taken evenly. `progress` gets the share
    /// that is read, and may end it.
    ///
    /// # Errors
    /// If a folder cannot be read, or no document exists in both languages.
    pub(crate) fn look(
        &self,
        most: usize,
        look: &mut SurveyBuilder,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let found = pairs(self.side(true), self.side(false))?;
        if found.paired.is_empty() {
            return Err(self.no_pairs());
        }
        look.unpaired_documents(found.unpaired_sources.len() + found.unpaired_targets.len());
        for pair in &found.paired {
            look.document(self.split(&pair.0));
        }
        let step = found.paired.len().div_ceil(most);
        let sample: Vec<_> = found.paired.iter().step_by(step).collect();
        if step > 1 {
            look.sampled(sample.len());
        }
        let aligner = Aligner {
            length_ratio: self.length_ratio(&found),
        };
        for (done, pair) in sample.iter().enumerate() {
            let share = done as f64 / sample.len() as f64;
            if progress(share).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            // The import reports which could not be read.
            let Ok((source, target)) = self.read(pair) else {
                continue;
            };
            let found = aligner.align(pair.0.clone(), &source, &target);
            let (unpaired_source, unpaired_target) = found.unpaired();
            look.lonely(unpaired_source + unpaired_target);
            let paragraphs = found.document.paragraphs.iter();
            for unit in paragraphs.flat_map(|paragraph| &paragraph.units) {
                let is_sure = unit.status != UnitStatus::Doubtful;
                look.pair(unit.visible_source(), unit.visible_target(), is_sure);
            }
        }
        Ok(progress(1.0))
    }
}
