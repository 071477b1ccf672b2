//! A look at a translation memory before it is imported.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use super::reader::TmxReader;
use super::{Wanted, document_of, variant};
use crate::error::Result;
use crate::split::Split;
use crate::survey::SurveyBuilder;

/// Units between two calls of a progress.
const STEP: usize = 200;

/// The languages of a file in the order in which they appear, with how many units have each; `None` if `progress`, which
/// gets the share that is read, ended it.
///
/// # Errors
/// If the file cannot be read, is no TMX, or is damaged.
pub(crate) fn languages(
    file: &Path,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Option<Vec<(String, usize)>>> {
    let mut reader = TmxReader::open(file)?;
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut units = 0;
    while let Some(unit) = reader.next()? {
        for variant in unit.variants {
            match found
                .iter_mut()
                .find(|(known, _)| *known == variant.language)
            {
                Some((_, count)) => *count += 1,
                None => found.push((variant.language, 1)),
            }
        }
        units += 1;
        if units % STEP == 0 && progress(share(reader.progress())).is_break() {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// Shows `look` all units; `progress` gets the share that is read, and may end it.
///
/// # Errors
/// As for an import.
pub(crate) fn look(
    file: &Path,
    languages: &(String, String),
    look: &mut SurveyBuilder,
    progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let wanted = Wanted {
        file,
        source_language: &languages.0,
        target_language: &languages.1,
    };
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut documents = HashSet::new();
    let (mut unclaimed, mut units) = (0, 0);
    let read = wanted.read(|unit, pair, at| {
        if let Some(matched) = pair {
            let (document, _) = document_of(unit, &mut unclaimed, &stem);
            if !documents.contains(&document) {
                look.document(Split::for_document(&document));
                documents.insert(document);
            }
            let unit = matched.unit;
            look.pair(unit.visible_source(), unit.visible_target(), true);
        } else {
            // Units of other languages are no loss.
            let has = |language: &str| variant(&unit.variants, language).is_some();
            look.lonely(usize::from(has(&languages.0) || has(&languages.1)));
        }
        units += 1;
        if units % STEP == 0 {
            progress(share(at))
        } else {
            ControlFlow::Continue(())
        }
    })?;
    Ok(match read {
        Some(_) => ControlFlow::Continue(()),
        None => ControlFlow::Break(()),
    })
}

fn share((done, all): (u64, u64)) -> f64 {
    done as f64 / all.max(1) as f64
}
