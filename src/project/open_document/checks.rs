//! The quality checks that are made of a document, and the findings that a person does not want to see.

use super::OpenDocument;
use crate::project::{IgnoredFinding, source_hash};
use canopy_qa::checks::{CheckKind, Finding};

impl OpenDocument {
    /// The quality checks that are made.
    pub fn checks(&self) -> &[CheckKind] {
        &self.checks
    }

    /// Switches a quality check on or off.
    pub fn toggle_check(&mut self, kind: CheckKind) {
        if self.checks.contains(&kind) {
            self.checks.retain(|other| *other != kind);
        } else {
            self.checks.push(kind);
            self.checks.sort_unstable();
        }
    }

    /// Whether a person does not want to see a finding.
    pub fn is_ignored(&self, finding: &Finding) -> bool {
        !self.ignored.is_empty()
            && self
                .ignored_as(finding)
                .is_some_and(|it| self.ignored.contains(&it))
    }

    /// Notes that a person does not want to see a finding.
    pub fn ignore(&mut self, finding: &Finding) {
        let ignored = self.ignored_as(finding);
        self.ignored.extend(ignored);
    }

    /// Shows all findings again.
    pub fn forget_ignored(&mut self) {
        self.ignored.clear();
    }

    fn ignored_as(&self, finding: &Finding) -> Option<IgnoredFinding> {
        let sentence = self.document.sentences.get(finding.segment)?;
        Some(IgnoredFinding {
            source: source_hash(&sentence.text),
            check: finding.check.to_string(),
            message: finding.message.clone(),
        })
    }
}

/// The checks of these names; one that a newer program made is not known here.
pub(super) fn known_checks(names: &[String]) -> Vec<CheckKind> {
    names.iter().filter_map(|name| name.parse().ok()).collect()
}
