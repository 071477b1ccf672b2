//! Preparation of all texts before they are compared.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::error::Result;
use canopy_base::lines::read_lines;
use canopy_metrics::tokenize::{MosesLanguage, Truecaser, tokenize_moses};

#[derive(Debug, Args)]
pub(super) struct PreparationOptions {
    /// Split all texts into words as Moses does, before anything else: for the tokenised scores (tok-BLEU) of older
    /// papers
    #[arg(
        long,
        value_enum,
        value_name = "LANGUAGE",
        conflicts_with = "tokenize",
        help_heading = "Tokenised scores"
    )]
    moses: Option<Language>,
    /// Truecase all texts, as Moses does, with a truecaser trained on this file
    #[arg(
        long,
        value_name = "FILE",
        requires = "moses",
        help_heading = "Tokenised scores"
    )]
    truecase: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    En,
    De,
}

/// The preparation of the options, with the case learnt.
#[derive(Debug)]
pub(super) struct Preparation {
    language: Option<Language>,
    truecaser: Option<Truecaser>,
}

impl PreparationOptions {
    pub(super) fn tokenizes(&self) -> bool {
        self.moses.is_some()
    }

    /// Reads the text to learn case from.
    pub(super) fn read(&self) -> Result<Preparation> {
        let mut preparation = Preparation {
            language: self.moses,
            truecaser: None,
        };
        if let Some(path) = &self.truecase {
            let lines = read_lines(path)?.into_iter();
            let sentences: Vec<_> = lines.filter_map(|line| preparation.words(&line)).collect();
            preparation.truecaser = Some(Truecaser::learn(sentences.iter().map(Vec::as_slice)));
        }
        Ok(preparation)
    }
}

impl Preparation {
    fn words(&self, line: &str) -> Option<Vec<String>> {
        let language = match self.language? {
            Language::En => MosesLanguage::English,
            Language::De => MosesLanguage::German,
        };
        Some(tokenize_moses(line, language))
    }

    pub(super) fn apply(&self, line: String) -> String {
        let Some(words) = self.words(&line) else {
            return line;
        };
        match &self.truecaser {
            Some(truecaser) => truecaser.apply(&words).join(" "),
            None => words.join(" "),
        }
    }

    /// For signatures; `None` if nothing is done.
    pub(super) fn name(&self) -> Option<String> {
        let language = match self.language? {
            Language::En => "en",
            Language::De => "de",
        };
        let case = if self.truecaser.is_some() {
            "+truecase"
        } else {
            ""
        };
        Some(format!("moses-{language}{case}"))
    }
}
