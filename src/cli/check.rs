//! `canopy check`

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use super::options::{SrxArgument, held_out, wrong_usage};
use super::terminal::print;
use super::terms::LanguageArguments;
use crate::error::Result;
use canopy_base::file::canonical_path;
use canopy_corpus::{Corpus, Split};
use canopy_document::csv;
use canopy_document::document::{Document, Format, Sentence};
use canopy_document::placeholder;
use canopy_project::OpenDocument;
use canopy_project::ProjectFolder;
use canopy_qa::checks::{CheckKind, Checks, Finding, Pair, Resources, Severity, Spelling};
use canopy_qa::terms::TermUsage;

/// Exit codes where something was found, by the worst of it.
const WARNINGS: i32 = 3;
const ERRORS: i32 = 4;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy check agency.xlf\n  canopy check --to de page.html page.de.html --json\n  \
    canopy check corpora/help --split test --without capital\n\n\
    Exit codes: 0 nothing found, 3 warnings, 4 errors; 1 and 2 as for all commands."
)]
pub(super) struct CheckArguments {
    /// A file that holds source and translation (XLIFF and the like, a table with both), a corpus folder, a project or a
    /// document of one, or a document before its translation
    #[arg(value_name = "FILE|CORPUS|PROJECT")]
    source: PathBuf,
    /// The translated document, of the same structure
    translation: Option<PathBuf>,
    /// Language of the translations, such as de; default for a corpus: its own
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    /// Documents of a corpus
    #[arg(long, default_value = "test", value_parser = held_out())]
    split: Split,
    /// Termbase that translations are checked against: TBX, a table or a glossary of OmegaT; for documents also give --from
    #[arg(long, value_name = "FILE")]
    terms: Option<PathBuf>,
    /// Language of the sources, for --terms, --srx and the marks of thousands and decimals
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    #[command(flatten)]
    srx: SrxArgument,
    /// Hunspell dictionary (.dic); enables the spelling check. Default: the system's dictionary
    #[arg(long, value_name = "FILE.dic")]
    dictionary: Option<PathBuf>,
    /// Checks to make in addition to the default ones: identical, spelling, inconsistent
    #[arg(long, value_name = "CHECK,…", value_delimiter = ',')]
    with: Vec<CheckKind>,
    /// Checks to leave out: untranslated, tags, variables, numbers, signs, units, dates, too-long, length, end-mark,
    /// brackets, quotes, spaces, capital, repeated-word, terms
    #[arg(long, value_name = "CHECK,…", value_delimiter = ',')]
    without: Vec<CheckKind>,
    /// Print findings as JSON
    #[arg(long)]
    json: bool,
}

/// Pairs, and what is known of them.
#[derive(Default)]
struct Checked {
    pairs: Vec<Pair>,
    source_language: Option<String>,
    target_language: Option<String>,
    /// The checks and the termbase of a project.
    kinds: Option<Vec<CheckKind>>,
    terms: Vec<PathBuf>,
}

pub(super) fn run(arguments: &CheckArguments) -> Result<()> {
    let worst = if ProjectFolder::is_one(&arguments.source) {
        arguments.check_project()?
    } else {
        let checked = arguments.pairs()?;
        let findings = arguments.findings(&checked)?;
        if arguments.json {
            let report = in_json(&checked.pairs, &findings);
            print(&format!("{report:#}\n"))?;
        } else {
            let path = arguments.source.display().to_string();
            print(&in_words(&path, &checked.pairs, &findings))?;
        }
        worst(&findings)
    };
    match worst {
        None => Ok(()),
        Some(Severity::Warning) => std::process::exit(WARNINGS),
        Some(Severity::Error) => std::process::exit(ERRORS),
    }
}

fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max()
}

impl CheckArguments {
    /// For all documents of a project.
    pub(super) fn for_project(
        folder: PathBuf,
        with: Vec<CheckKind>,
        without: Vec<CheckKind>,
        json: bool,
    ) -> Self {
        Self {
            source: folder,
            translation: None,
            to: None,
            split: Split::Test,
            srx: SrxArgument::default(),
            terms: None,
            from: None,
            dictionary: None,
            with,
            without,
            json,
        }
    }

    /// Checks every document of a project; returns the worst of what was found.
    fn check_project(&self) -> Result<Option<Severity>> {
        let project = ProjectFolder::open(&self.source)?;
        let (mut all, mut reports) = (None, Vec::new());
        for (relative, path) in project.documents() {
            let checked = check_project_document(&project, relative, &path)?;
            let findings = self.findings(&checked)?;
            all = all.max(worst(&findings));
            if self.json {
                let mut report = in_json(&checked.pairs, &findings);
                report["document"] = json!(relative);
                reports.push(report);
            } else {
                print(&in_words(relative, &checked.pairs, &findings))?;
            }
        }
        if self.json {
            print(&format!("{:#}\n", json!({ "documents": reports })))?;
        }
        Ok(all)
    }

    fn findings(&self, checked: &Checked) -> Result<Vec<Finding>> {
        let mut checks = Checks {
            source_language: self.from.clone().or(checked.source_language.clone()),
            target_language: self.to.clone().or(checked.target_language.clone()),
            ..Checks::default()
        };
        if let Some(kinds) = &checked.kinds {
            checks.kinds.clone_from(kinds);
        }
        checks.kinds.extend(&self.with);
        if self.dictionary.is_some() {
            checks.kinds.push(CheckKind::Spelling);
        }
        checks.kinds.retain(|kind| !self.without.contains(kind));
        checks.kinds.sort_unstable();
        checks.kinds.dedup();
        let terms = self.term_usage(checked)?;
        let spells = checks.kinds.contains(&CheckKind::Spelling);
        let spelling = match (&self.dictionary, &checks.target_language) {
            _ if !spells => None,
            (Some(path), _) => Some(Spelling::open(path)?),
            (None, Some(language)) => Some(Spelling::installed(language)?),
            (None, None) => wrong_usage("check", "give --to: spelling needs a language"),
        };
        let resources = Resources {
            terms: terms.as_ref(),
            spelling: spelling.as_ref(),
        };
        Ok(checks.run_with(&checked.pairs, resources))
    }

    fn pairs(&self) -> Result<Checked> {
        if Corpus::is_one(&self.source) {
            return self.check_corpus();
        }
        if self.translation.is_none()
            && let Some(project) = ProjectFolder::containing(&self.source)?
        {
            let path = canonical_path(&self.source);
            let relative = project.relative(&path).unwrap_or_default();
            return check_project_document(&project, &relative, &path);
        }
        let (from, to) = (self.from.as_deref(), self.to.as_deref());
        let source = self.srx.open(&self.source, from)?;
        let pairs = match &self.translation {
            Some(path) => paragraph_pairs(&source, &self.srx.open(path, to)?),
            None if source.format.is_bilingual() => bilingual_pairs(source),
            None if matches!(source.format, Format::Csv | Format::Tsv) => {
                table_pairs(&self.source)?
            }
            None => wrong_usage(
                "check",
                "this file has no translations: name the translated document after it",
            ),
        };
        Ok(Checked {
            pairs,
            ..Checked::default()
        })
    }

    /// The termbase of `--terms`, between the languages of the checked file.
    fn term_usage(&self, checked: &Checked) -> Result<Option<TermUsage>> {
        let paths = match &self.terms {
            Some(path) => std::slice::from_ref(path),
            None => checked.terms.as_slice(),
        };
        let Some((first, rest)) = paths.split_first() else {
            return Ok(None);
        };
        let languages = LanguageArguments {
            from: self.from.clone().or(checked.source_language.clone()),
            to: self.to.clone().or(checked.target_language.clone()),
        };
        let mut base = languages.read("check", first)?;
        for path in rest {
            base.terms.extend(languages.read("check", path)?.terms);
        }
        Ok(Some(TermUsage::new(Arc::new(base))))
    }

    fn check_corpus(&self) -> Result<Checked> {
        let corpus = Corpus::open(&self.source)?;
        let mut pairs = Vec::new();
        for document in corpus.documents(self.split)? {
            let paragraphs = document?.paragraphs.into_iter();
            let units = paragraphs.flat_map(|paragraph| paragraph.units);
            pairs.extend(units.map(|unit| Pair::new(unit.source, unit.target)));
        }
        Ok(Checked {
            pairs,
            source_language: Some(corpus.info().source_language.clone()),
            target_language: Some(corpus.info().target_language.clone()),
            ..Checked::default()
        })
    }
}

/// A document of a project with the work on it.
fn check_project_document(project: &ProjectFolder, relative: &str, path: &Path) -> Result<Checked> {
    let work = project.work(relative)?;
    let reading = work.as_ref().and_then(|work| work.reading.clone());
    let document = Document::open_with(path, None, &reading.unwrap_or_default())?;
    let open = OpenDocument::new(path.to_owned(), Arc::new(document), work.as_ref());
    Ok(Checked {
        pairs: open.pairs(),
        source_language: Some(project.head.source_language.clone()),
        target_language: Some(project.head.target_language.clone()),
        kinds: project.checks(),
        terms: project.terms(),
    })
}

/// Sentences with the translations that the file has.
fn bilingual_pairs(document: Document) -> Vec<Pair> {
    OpenDocument::new(PathBuf::new(), Arc::new(document), None).pairs()
}

/// The lines of a table with a source and a target.
fn table_pairs(path: &Path) -> Result<Vec<Pair>> {
    let rows = csv::pairs(path)?;
    if rows.is_empty() {
        wrong_usage(
            "check",
            "this table has no columns called source and target, and not just two: name the translated one behind it",
        );
    }
    let pairs = rows.into_iter();
    Ok(pairs
        .map(|[source, target]| Pair::new(source, target))
        .collect())
}

/// Paragraphs as a reader sees them: tags of two documents have no common numbers.
pub(super) fn paragraph_pairs(source: &Document, target: &Document) -> Vec<Pair> {
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

fn in_words(path: &str, pairs: &[Pair], findings: &[Finding]) -> String {
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
            path,
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

fn in_json(pairs: &[Pair], findings: &[Finding]) -> Value {
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
    json!({"segments": pairs.len(), "findings": findings})
}
