//! How a document under construction finds its sentences.

use std::collections::HashMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::document::{Cuts, ReadingOptions, SegmentEdit};
use super::inline::{Piece, PieceEdit, Run};
use super::segment::Segmentation;
use super::srx::{Rules, SrxFile};
use crate::error::{Error, Result};

/// Rules, a person's decisions, and a change of these that is being made.
#[derive(Debug, Default)]
pub(super) struct Segmenter {
    srx: Option<SrxFile>,
    /// With the language that they are for.
    rules: Option<(String, Rules)>,
    /// Number of paragraphs so far of each text that was split by hand.
    seen: HashMap<String, usize>,
    edit: Option<SegmentEdit>,
}

/// Where a paragraph comes from.
#[derive(Debug)]
pub(super) struct ParagraphSource<'d> {
    /// The name of the document.
    pub document: &'d str,
    /// The declared language.
    pub language: Option<&'d str>,
    pub is_title: bool,
}

impl Segmenter {
    /// With the file that the options name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn new(options: &ReadingOptions, edit: Option<SegmentEdit>) -> Result<Self> {
        Ok(Self {
            srx: options.srx.as_deref().map(SrxFile::open).transpose()?,
            edit,
            ..Self::default()
        })
    }

    /// Whether the change was made, or there was none.
    pub(crate) fn is_done(&self) -> bool {
        self.edit.is_none()
    }

    /// The sentences of a paragraph whose first one has the number `first` in the document; a change of them is noted in
    /// `options`.
    ///
    /// # Errors
    /// If the rules cannot be used.
    pub(crate) fn pieces(
        &mut self,
        run: &Run,
        paragraph: &ParagraphSource<'_>,
        first: usize,
        options: &mut ReadingOptions,
    ) -> Result<Vec<Piece>> {
        if options.cuts.is_empty() && self.edit.is_none() {
            return run.sentences(self.usual(paragraph, options)?);
        }
        let name = name_of(&run.ink());
        let same_before = self.seen.entry(name.clone()).or_default();
        let same_before = std::mem::replace(same_before, *same_before + 1);
        let is_it = |cuts: &Cuts| cuts.paragraph == name && cuts.same_before == same_before;
        let edit = self.edit;
        let cut = options.cuts.iter().find(|cuts| is_it(cuts)).cloned();
        let how = match &cut {
            Some(cuts) => Segmentation::Places(&cuts.places),
            None => self.usual(paragraph, options)?,
        };
        let pieces = run.sentences(how)?;
        let sentences = first..first + pieces.len();
        let Some(edit) = edit.filter(|edit| sentences.contains(&edit.sentence())) else {
            return Ok(pieces);
        };
        let piece = edit.sentence() - first;
        let edit = match edit {
            SegmentEdit::Split { chars, .. } => PieceEdit::Split { piece, chars },
            SegmentEdit::Join { .. } => PieceEdit::Join { piece },
        };
        let Some(places) = run.edited_places(how, edit)? else {
            return Ok(pieces);
        };
        self.edit = None;
        let pieces = run.sentences(Segmentation::Places(&places))?;
        options.cuts.retain(|cuts| !is_it(cuts));
        options.cuts.push(Cuts {
            paragraph: name,
            same_before,
            places,
        });
        Ok(pieces)
    }

    /// As the file of rules says, or as we do it.
    fn usual<'s>(
        &'s mut self,
        &ParagraphSource {
            document,
            language,
            is_title,
        }: &ParagraphSource<'s>,
        options: &ReadingOptions,
    ) -> Result<Segmentation<'s>> {
        let Some(srx) = &self.srx else {
            return Ok(if is_title {
                Segmentation::Title(language)
            } else {
                Segmentation::Usual(language)
            });
        };
        let language = options.language.as_deref().or(language);
        let language = language.ok_or_else(|| Error::SrxOfWhich {
            name: document.to_owned(),
            path: srx.path.clone(),
        })?;
        let rules = match self.rules.take() {
            Some((known, rules)) if known == language => rules,
            _ => srx.rules(language)?,
        };
        let (_, rules) = self.rules.insert((language.to_owned(), rules));
        Ok(Segmentation::Rules(rules))
    }
}

/// Names a text.
fn name_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).fold(String::new(), |mut name, byte| {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
        name
    })
}
