//! The quality checks that are made of a document, and the findings that a person does not want to see.

use std::collections::HashSet;

use crate::Project;
use crate::project::{IgnoredFinding, source_hash};
use canopy_document::document::Document;
use canopy_qa::checks::{CheckKind, Checks, Finding};

/// The quality checks of a document.
#[derive(Debug)]
pub struct ChosenChecks {
    kinds: Vec<CheckKind>,
    /// Findings that a person does not want to see.
    ignored: HashSet<IgnoredFinding>,
}

impl Default for ChosenChecks {
    fn default() -> Self {
        Self {
            kinds: Checks::default().kinds,
            ignored: HashSet::new(),
        }
    }
}

impl ChosenChecks {
    /// As an earlier session kept them; a check that a newer program made is not known here.
    pub(super) fn from_project(project: &Project) -> Self {
        let known = |names: &Vec<String>| -> Vec<CheckKind> {
            let kinds = names.iter().filter_map(|name| name.parse().ok());
            kinds.collect()
        };
        let kinds = project.checks.as_ref().map(known);
        Self {
            kinds: kinds.unwrap_or_else(|| Checks::default().kinds),
            ignored: project.ignored.iter().cloned().collect(),
        }
    }

    /// The quality checks that are made.
    pub fn kinds(&self) -> &[CheckKind] {
        &self.kinds
    }

    /// Their names for the project file, if others than the usual ones are made.
    pub(super) fn names(&self) -> Option<Vec<String>> {
        let is_usual = self.kinds == Checks::default().kinds;
        (!is_usual).then(|| self.kinds.iter().map(ToString::to_string).collect())
    }

    /// Switches a quality check on or off.
    pub fn toggle(&mut self, kind: CheckKind) {
        if self.kinds.contains(&kind) {
            self.kinds.retain(|other| *other != kind);
        } else {
            self.kinds.push(kind);
            self.kinds.sort_unstable();
        }
    }

    /// Whether a person does not want to see a finding of a document.
    pub fn is_ignored(&self, document: &Document, finding: &Finding) -> bool {
        !self.ignored.is_empty()
            && ignored_as(document, finding).is_some_and(|it| self.ignored.contains(&it))
    }

    /// Notes that a person does not want to see a finding of a document.
    pub fn ignore(&mut self, document: &Document, finding: &Finding) {
        self.ignored.extend(ignored_as(document, finding));
    }

    /// Shows all findings again.
    pub fn forget_ignored(&mut self) {
        self.ignored.clear();
    }

    /// The findings that are not shown, in an order of their own, so that the file of the work stays the same where nothing
    /// has changed.
    pub(super) fn ignored(&self) -> Vec<IgnoredFinding> {
        let mut ignored: Vec<IgnoredFinding> = self.ignored.iter().cloned().collect();
        ignored.sort();
        ignored
    }
}

fn ignored_as(document: &Document, finding: &Finding) -> Option<IgnoredFinding> {
    let sentence = document.sentences.get(finding.segment)?;
    Some(IgnoredFinding {
        source: source_hash(&sentence.text),
        check: finding.check.to_string(),
        message: finding.message.clone(),
    })
}
