//! Options of commands that use terms.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::TypedValueParser;

use crate::error::Result;
use crate::options::{named, wrong_usage};
use crate::terminal::warn;
use canopy_corpus::memory::TranslationMemory;
use canopy_qa::terms::Termbase;
use canopy_translate::inference::{TermMode, TermUse, Translator};

#[derive(Debug, Clone, Args)]
pub(crate) struct TermArguments {
    /// Termbase for the translations: TBX (.tbx), a table (.csv, .tsv) or a glossary of OmegaT (.txt, .utf8). The forms
    /// that a term has in --memory count as the term. If the model considers a translation with its terms much less
    /// probable, the sentence is translated without them and flagged `terms`
    #[arg(long, value_name = "FILE")]
    pub terms: Option<PathBuf>,
    /// Use of terms: soft prefers translations with them, hard requires them
    #[arg(long, default_value = "soft", requires = "terms", value_parser = term_modes())]
    pub term_mode: TermMode,
}

/// Values of `--term-mode`.
pub(crate) fn term_modes() -> impl TypedValueParser<Value = TermMode> {
    named(&[("soft", TermMode::Soft), ("hard", TermMode::Hard)])
}

impl TermArguments {
    /// Makes a translator, which knows its memory already, use the terms.
    pub(crate) fn apply(&self, translator: &mut Translator) -> Result<()> {
        let Some(path) = &self.terms else {
            return Ok(());
        };
        if translator.second().is_some() {
            warn("terms are not used where two models are chained");
            return Ok(());
        }
        let info = translator.info();
        let languages = [&*info.source_language, &*info.target_language];
        let terms = self.read(path, languages, translator.memory().map(AsRef::as_ref))?;
        translator.resources_mut().use_terms(terms);
        Ok(())
    }

    /// The terms between two languages, with the forms that they have in a memory; none if no termbase is named.
    pub(crate) fn between(
        &self,
        languages: [&str; 2],
        memory: Option<&TranslationMemory>,
    ) -> Result<Option<TermUse>> {
        let path = self.terms.as_ref();
        path.map(|path| self.read(path, languages, memory))
            .transpose()
    }

    fn read(
        &self,
        path: &Path,
        [source, target]: [&str; 2],
        memory: Option<&TranslationMemory>,
    ) -> Result<TermUse> {
        let base = Termbase::read(path, source, target)?;
        let terms = TermUse::new(Arc::new(base), self.term_mode);
        Ok(match memory {
            Some(memory) => terms.with_forms_of(memory.pairs().map(|(_, target)| target)),
            None => terms,
        })
    }
}

/// Between which languages a termbase is.
#[derive(Debug, Clone, Args)]
pub(crate) struct LanguageArguments {
    /// Language of the terms, such as en; default for a bilingual TBX file: its first language
    #[arg(long, value_name = "CODE")]
    pub from: Option<String>,
    /// Language of their translations, likewise
    #[arg(long, value_name = "CODE")]
    pub to: Option<String>,
}

impl LanguageArguments {
    /// Reads a termbase; ends the program where its languages are not given.
    pub(crate) fn read(&self, command: &str, path: &Path) -> Result<Termbase> {
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            return Ok(Termbase::read(path, from, to)?);
        }
        let known = Termbase::languages(path)?;
        let other = |language: &String| {
            let mut others = known.iter().filter(|other| *other != language);
            others.next().filter(|_| known.len() == 2).cloned()
        };
        let (from, to) = match (&self.from, &self.to) {
            (Some(from), None) => (Some(from.clone()), other(from)),
            (None, Some(to)) => (other(to), Some(to.clone())),
            _ => (
                known.first().cloned(),
                known.get(1).cloned().filter(|_| known.len() == 2),
            ),
        };
        let (Some(from), Some(to)) = (from, to) else {
            let problem = if known.is_empty() {
                "give --from and --to: the file does not name its languages".to_owned()
            } else {
                format!("give --from and --to: the file has {}", known.join(", "))
            };
            wrong_usage(command, problem)
        };
        Ok(Termbase::read(path, &from, &to)?)
    }
}
