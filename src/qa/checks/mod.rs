//! Quality checks over translated segments: texts in, findings out.
//!
//! Each check looks at one pair of texts, but for [`CheckKind::Inconsistent`], which compares them all. No check knows a
//! model or a file. Adding one is a variant of [`CheckKind`], its line in [`CheckKind::ALL`] and a function.

mod consistency;
mod length;
mod letters;
mod number_forms;
mod numbers;
mod placeholders;
mod punctuation;
mod quotes;
mod signs;
mod spelling;
#[cfg(test)]
mod tests;
mod units;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

pub use number_forms::localised;
pub use numbers::are_same_numbers;
pub use quotes::usual_marks;
pub use signs::are_same_signs;
pub use spelling::Spelling;

use crate::terms::TermUsage;
use canopy_document::placeholder;

/// A segment and its translation; either may hold [placeholders](canopy_document::placeholder) of markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The source segment.
    pub source: String,
    /// The translation.
    pub target: String,
    /// How many characters the target may have.
    pub max_chars: Option<usize>,
}

impl Pair {
    /// A pair without a limit on its length.
    pub fn new(source: impl Into<String>, target: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            target: target.into(),
            max_chars: None,
        }
    }
}

/// The kind of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// No translation.
    Untranslated,
    /// The source again, of several words.
    Identical,
    /// Tags of the source that are missing, doubled or misnested.
    Tags,
    /// Variables such as `%s`, `{name}` or `${HOME}`, and addresses.
    Variables,
    /// Digits that one side has and the other has not, and thousands and decimals that the target reads as another number.
    Numbers,
    /// Signs such as `≥`, `₹` and `§` that one side has and the other has not.
    Signs,
    /// Units of measurement after numbers.
    Units,
    /// Dates in digits that the target reads as none.
    Dates,
    /// Longer than allowed.
    TooLong,
    /// Far shorter or longer than usual.
    Length,
    /// Another mark at the end.
    EndMark,
    /// Brackets or quotes that are not closed.
    Brackets,
    /// Quotation marks that the target's language does not use, or straight ones that are not in pairs.
    Quotes,
    /// Two spaces, or a space where the target's customs have none.
    Spaces,
    /// A small letter at the beginning instead of a capital one, or the reverse.
    Capital,
    /// A word twice in a row.
    RepeatedWord,
    /// Terms that are called otherwise than in the termbase.
    Terms,
    /// Words that no dictionary has.
    Spelling,
    /// One source with several translations, or one translation of several sources.
    Inconsistent,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// May be right.
    Warning,
    /// Breaks a program, a layout or a meaning.
    Error,
}

impl CheckKind {
    /// All checks, in the order of the window.
    pub const ALL: &'static [Self] = &[
        Self::Untranslated,
        Self::Identical,
        Self::Tags,
        Self::Variables,
        Self::Numbers,
        Self::Signs,
        Self::Units,
        Self::Dates,
        Self::TooLong,
        Self::Length,
        Self::EndMark,
        Self::Brackets,
        Self::Quotes,
        Self::Spaces,
        Self::Capital,
        Self::RepeatedWord,
        Self::Terms,
        Self::Spelling,
        Self::Inconsistent,
    ];

    /// The name on the command line and in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Untranslated => "untranslated",
            Self::Identical => "identical",
            Self::Tags => "tags",
            Self::Variables => "variables",
            Self::Numbers => "numbers",
            Self::Signs => "signs",
            Self::Units => "units",
            Self::Dates => "dates",
            Self::TooLong => "too-long",
            Self::Length => "length",
            Self::EndMark => "end-mark",
            Self::Brackets => "brackets",
            Self::Quotes => "quotes",
            Self::Spaces => "spaces",
            Self::Capital => "capital",
            Self::RepeatedWord => "repeated-word",
            Self::Terms => "terms",
            Self::Spelling => "spelling",
            Self::Inconsistent => "inconsistent",
        }
    }

    /// The severity of its findings.
    pub fn severity(self) -> Severity {
        match self {
            Self::Untranslated | Self::Tags | Self::Variables | Self::Numbers | Self::TooLong => {
                Severity::Error
            }
            _ => Severity::Warning,
        }
    }

    /// Whether the check is on by default: it is off where right translations have many findings.
    pub fn is_default(self) -> bool {
        !matches!(self, Self::Identical | Self::Spelling | Self::Inconsistent)
    }
}

impl fmt::Display for CheckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CheckKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let kind = Self::ALL.iter().find(|kind| kind.name() == name).copied();
        kind.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|kind| kind.name()).collect();
            format!("no such check; there are {}", names.join(", "))
        })
    }
}

/// A place where a translation may be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The check that found it.
    pub check: CheckKind,
    /// How grave it is.
    pub severity: Severity,
    /// Number of the segment, counted from 0.
    pub segment: usize,
    /// The problem in words.
    pub message: String,
    /// The target without the problem, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repaired: Option<String>,
}

/// Which checks are made, for which language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checks {
    /// The checks to run.
    pub kinds: Vec<CheckKind>,
    /// Code such as `en`; `None` if it is not known.
    pub source_language: Option<String>,
    /// Code such as `de`; `None` if it is not known.
    pub target_language: Option<String>,
}

impl Default for Checks {
    fn default() -> Self {
        let kinds = CheckKind::ALL.iter().copied();
        Self {
            kinds: kinds.filter(|kind| kind.is_default()).collect(),
            source_language: None,
            target_language: None,
        }
    }
}

/// Resources that some checks look words up in; without them they find nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Resources<'r> {
    /// For [`CheckKind::Terms`].
    pub terms: Option<&'r TermUsage>,
    /// For [`CheckKind::Spelling`].
    pub spelling: Option<&'r Spelling>,
}

/// The problem of a pair, and the target without it if that is known.
type Problem = (String, Option<String>);

impl Checks {
    /// Returns the findings in all pairs, in the order of the pairs and then of the checks.
    pub fn run(&self, pairs: &[Pair]) -> Vec<Finding> {
        self.run_with(pairs, Resources::default())
    }

    /// [`Self::run`] with resources that some checks look words up in.
    pub fn run_with(&self, pairs: &[Pair], resources: Resources<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (segment, pair) in pairs.iter().enumerate() {
            for &check in &self.kinds {
                let problem = self.problem(check, pair, resources);
                findings.extend(problem.map(|problem| finding(check, segment, problem)));
            }
        }
        if self.kinds.contains(&CheckKind::Inconsistent) {
            let found = consistency::inconsistent(pairs).into_iter();
            let found = found.map(|(segment, message)| {
                finding(CheckKind::Inconsistent, segment, (message, None))
            });
            findings.extend(found);
            findings.sort_by_key(|finding| (finding.segment, finding.check));
        }
        findings
    }

    /// The problem that one check finds in one pair.
    fn problem(&self, check: CheckKind, pair: &Pair, resources: Resources<'_>) -> Option<Problem> {
        let Pair { source, target, .. } = pair;
        let is_empty = target.trim().is_empty();
        if check == CheckKind::Untranslated {
            let is_missing = is_empty && !source.trim().is_empty();
            return is_missing.then(|| ("not translated".to_owned(), None));
        }
        if is_empty {
            return None;
        }
        let language = self.target_language.as_deref().map(primary);
        match check {
            CheckKind::Identical => length::identical(source, target),
            CheckKind::Tags => placeholders::tags(source, target),
            CheckKind::Variables => placeholders::variables(source, target),
            CheckKind::Numbers => {
                let languages = [&self.source_language, &self.target_language];
                let languages = languages.map(|code| code.as_deref().unwrap_or_default());
                numbers::differ(source, target)
                    .or_else(|| numbers::misread(source, target, languages))
            }
            CheckKind::Signs => signs::differ(source, target),
            CheckKind::Units => units::units(source, target),
            CheckKind::Dates => units::dates(source, target, language),
            CheckKind::TooLong => length::too_long(target, pair.max_chars),
            CheckKind::Length => length::unusual(source, target),
            CheckKind::EndMark => punctuation::end_mark(source, target),
            CheckKind::Brackets => punctuation::brackets(source, target),
            CheckKind::Quotes => quotes::quotes(source, target, language),
            CheckKind::Spaces => punctuation::spaces(source, target, language),
            CheckKind::Capital => letters::capital(source, target, language),
            CheckKind::RepeatedWord => letters::repeated_word(source, target, language),
            CheckKind::Terms => terms(resources.terms?, source, target),
            CheckKind::Spelling => resources.spelling?.problem(source, target),
            CheckKind::Untranslated | CheckKind::Inconsistent => None,
        }
    }
}

/// The terms of the source that the target calls otherwise.
fn terms(usage: &TermUsage, source: &str, target: &str) -> Option<Problem> {
    let target = placeholder::stripped(target);
    let used = usage.used(source, &target).into_iter();
    let missing = used.filter(|(_, is_used)| !is_used).map(|(found, _)| {
        let written = placeholder::stripped(&source[found.range.clone()]);
        let targets = usage.index().terms(&found).filter_map(|term| term.target());
        let targets: Vec<&str> = targets.collect();
        let forbidden = usage.forbidden(&found.terms).find(|it| target.contains(it));
        match (targets.as_slice(), forbidden) {
            ([], Some(forbidden)) => format!("forbidden term: {written} → {forbidden}"),
            _ => format!("term not used: {written} → {}", targets.join(" or ")),
        }
    });
    let missing: Vec<String> = missing.collect();
    (!missing.is_empty()).then(|| (missing.join("; "), None))
}

fn finding(check: CheckKind, segment: usize, (message, repaired): Problem) -> Finding {
    Finding {
        check,
        severity: check.severity(),
        segment,
        message,
        repaired,
    }
}

/// `de` of `de-AT`.
fn primary(code: &str) -> &str {
    code.split(['-', '_']).next().unwrap_or_default()
}
