//! Quality checks over the open document: what they found, which of them are made, and repairs.

mod commands;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::jobs::{CheckRequest, JobId};
use canopy_qa::checks::{CheckKind, Finding, Severity};
use canopy_qa::terms::TermIndex;

/// A command of the list of findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckCommand {
    /// Shows the list, or hides it.
    ToggleList,
    /// Switches a check on or off for this document.
    Toggle(CheckKind),
    /// Selects the sentence of a finding.
    GoTo(usize),
    /// Goes to the next sentence without a translation.
    GoToUntranslated,
    /// The next sentence with a finding.
    GoToNext,
    /// Takes over what a check proposes.
    Repair(Finding),
    /// The first proposal for the selected sentence.
    RepairSelected,
    /// All proposals of one check.
    RepairAll(CheckKind),
    /// Shows a finding no more, in this document.
    Ignore(Finding),
    /// Shows those again that are ignored.
    ShowIgnored,
    /// Asks for a folder of dictionaries.
    ChooseDictionaries,
    /// Spells by the dictionaries of a folder first, or by those of the system alone.
    UseDictionaries(Option<PathBuf>),
}

/// The findings of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingGroup {
    /// The check that has found them.
    pub check: CheckKind,
    /// By their places in the list of all, in the order of the sentences.
    pub findings: Vec<usize>,
}

/// Findings of the checks and the state of their list.
#[derive(Debug, Default)]
pub struct Checking {
    /// In the order of the sentences; of what the document was when it was looked at last.
    pub findings: Vec<Finding>,
    /// Findings, check by check.
    pub groups: Vec<FindingGroup>,
    /// How many are ignored.
    pub ignored: usize,
    /// How many sentences have no translation; they are no findings one by one.
    pub untranslated: usize,
    /// For its lane; the window sends and empties it.
    pub requests: Vec<CheckRequest>,
    /// With the revisions of the sentences that are being looked at.
    running: Option<(JobId, Vec<u32>)>,
    /// The request that was sent last.
    input: Option<CheckInput>,
    /// The termbase at that time.
    terms: Option<Arc<TermIndex>>,
    /// Revisions of the sentences that the findings are about: a repair of an older text would undo an edit.
    revisions: Vec<u32>,
}

/// Everything that findings depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CheckInput {
    content: String,
    revision: u64,
    kinds: Vec<CheckKind>,
    /// Source and target.
    languages: Option<(String, String)>,
}

impl Checking {
    /// How many findings are as bad as this.
    pub fn count(&self, severity: Severity) -> usize {
        let findings = self.findings.iter();
        findings.filter(|it| it.severity == severity).count()
    }

    /// Sorts the findings by their checks.
    fn group(&mut self) {
        let mut groups: BTreeMap<CheckKind, Vec<usize>> = BTreeMap::new();
        for (place, finding) in self.findings.iter().enumerate() {
            groups.entry(finding.check).or_default().push(place);
        }
        let groups = groups.into_iter();
        let group = |(check, findings)| FindingGroup { check, findings };
        self.groups = groups.map(group).collect();
    }

    /// Whether the document has changed since, so that it is being looked at again.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }
}
