//! `canopy check`

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::options::{SplitName, wrong_usage};
use super::terminal::print;
use crate::checks::{CheckKind, Checks, Finding, Pair, Severity};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::text::document::{Document, Sentence};
use crate::text::placeholder;

/// Exit codes where something was found, by the worst of it.
const WARNINGS: i32 = 3;
const ERRORS: i32 = 4;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy check agency.xlf\n  canopy check --to de page.html page.de.html --json\n  \
    canopy check corpora/help --split test --without capital\n\n\
    Exit codes: 0 nothing found, 3 warnings, 4 errors; 1 and 2 as everywhere."
)]
pub(super) struct CheckArguments {
    /// A file that holds source and translation (XLIFF and the like), a corpus folder, or a document before its translation
    #[arg(value_name = "FILE|CORPUS")]
    source: PathBuf,
    /// The translated document, of the same structure
    translation: Option<PathBuf>,
    /// Language of the translations, such as de; a corpus says its own
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    /// Documents of a corpus
    #[arg(long, value_enum, default_value = "test")]
    split: SplitName,
    /// Checks to make besides the usual ones: identical, inconsistent
    #[arg(long, value_name = "CHECK,…", value_delimiter = ',')]
    with: Vec<CheckKind>,
    /// Checks to leave out: untranslated, tags, variables, numbers, too-long, length, end-mark, brackets, spaces, capital,
    /// repeated-word
    #[arg(long, value_name = "CHECK,…", value_delimiter = ',')]
    without: Vec<CheckKind>,
    /// Print findings as JSON
    #[arg(long)]
    json: bool,
}

/// Pairs, and what the whole is called in messages.
struct Checked {
    pairs: Vec<Pair>,
    target_language: Option<String>,
}

pub(super) fn run(arguments: &CheckArguments) -> Result<()> {
    let checked = arguments.pairs()?;
    let mut checks = Checks {
        target_language: arguments.to.clone().or(checked.target_language),
        ..Checks::default()
    };
    checks.kinds.extend(&arguments.with);
    checks
        .kinds
        .retain(|kind| !arguments.without.contains(kind));
    checks.kinds.sort_unstable();
    checks.kinds.dedup();
    let findings = checks.run(&checked.pairs);
    if arguments.json {
        print(&in_json(&checked.pairs, &findings))?;
    } else {
        print(&in_words(&arguments.source, &checked.pairs, &findings))?;
    }
    match findings.iter().map(|finding| finding.severity).max() {
        None => Ok(()),
        Some(Severity::Warning) => std::process::exit(WARNINGS),
        Some(Severity::Error) => std::process::exit(ERRORS),
    }
}

impl CheckArguments {
    fn pairs(&self) -> Result<Checked> {
        if Corpus::is_one(&self.source) {
            return self.of_corpus();
        }
        let source = Document::open(&self.source, None)?;
        let pairs = match &self.translation {
            Some(path) => of_documents(&source, &Document::open(path, None)?),
            None if source.format.is_bilingual() => of_bilingual(&source),
            None => wrong_usage(
                "check",
                "this file has no translations of its own: name the translated document behind it",
            ),
        };
        Ok(Checked {
            pairs,
            target_language: None,
        })
    }

    fn of_corpus(&self) -> Result<Checked> {
        let corpus = Corpus::open(&self.source)?;
        let mut pairs = Vec::new();
        for document in corpus.documents(self.split.into())? {
            let paragraphs = document?.paragraphs.into_iter();
            let units = paragraphs.flat_map(|paragraph| paragraph.units);
            pairs.extend(units.map(|unit| Pair::new(unit.source, unit.target)));
        }
        Ok(Checked {
            pairs,
            target_language: Some(corpus.info().target_language.clone()),
        })
    }
}

/// Sentences with the translations that the file has.
fn of_bilingual(document: &Document) -> Vec<Pair> {
    let pairs = document.sentences.iter().map(|sentence| {
        let paragraph = &document.paragraphs[sentence.paragraph];
        Pair {
            source: sentence.text.clone(),
            target: sentence.known.clone().unwrap_or_default(),
            // The limit is the paragraph's.
            max_chars: paragraph
                .max_chars
                .filter(|_| paragraph.sentences.len() == 1),
        }
    });
    pairs.collect()
}

/// Paragraphs as a reader sees them: tags of two documents have no common numbers.
fn of_documents(source: &Document, target: &Document) -> Vec<Pair> {
    let (sources, targets) = (source.paragraphs.len(), target.paragraphs.len());
    if sources != targets {
        wrong_usage(
            "check",
            format!("one document has {sources} paragraphs, its translation {targets}"),
        );
    }
    let text = |document: &Document, paragraph: usize| {
        let sentences = document.paragraphs[paragraph].sentences.clone();
        let texts = document.sentences[sentences].iter();
        let texts: Vec<String> = texts.map(Sentence::plain_text).collect();
        texts.join(" ")
    };
    let pairs = (0..sources).map(|number| Pair::new(text(source, number), text(target, number)));
    pairs.collect()
}

fn in_words(path: &Path, pairs: &[Pair], findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding {
        check,
        severity,
        segment,
        message,
        ..
    } in findings
    {
        let severity = match severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let Pair { source, target, .. } = &pairs[*segment];
        let [source, target] = [source, target].map(|text| placeholder::stripped(text));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{}: segment {}: {severity}: {message} [{check}]\n    {source}\n    {target}\n",
            path.display(),
            segment + 1,
        );
    }
    let count = |severity| findings.iter().filter(|it| it.severity == severity).count();
    let _ = writeln!(
        text,
        "{} segments, {} errors, {} warnings",
        pairs.len(),
        count(Severity::Error),
        count(Severity::Warning)
    );
    text
}

fn in_json(pairs: &[Pair], findings: &[Finding]) -> String {
    let findings = findings.iter().map(|finding| {
        let Pair { source, target, .. } = &pairs[finding.segment];
        json!({
            "segment": finding.segment + 1,
            "check": finding.check,
            "severity": finding.severity,
            "message": finding.message,
            "repaired": finding.repaired,
            "source": source,
            "target": target,
        })
    });
    let findings: Vec<_> = findings.collect();
    format!(
        "{:#}\n",
        json!({"segments": pairs.len(), "findings": findings})
    )
}
