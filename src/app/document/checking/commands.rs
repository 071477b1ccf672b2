//! Commands and events of the quality checks.

use std::sync::Arc;

use super::{CheckCommand, CheckInput, Checking};
use crate::ask::DialogRequest;
use crate::document::editing::Editing;
use crate::document::terms::Terms;
use crate::jobs::{CheckRequest, JobId, State};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_project::Target;
use canopy_qa::checks::{CheckKind, Checks, Finding, Severity};
use canopy_translate::inference::Flag;

impl Checking {
    pub(crate) fn execute(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        command: CheckCommand,
    ) {
        use CheckCommand as C;
        match command {
            C::ToggleList => shared.set(|settings| settings.shows_checks = !settings.shows_checks),
            C::Toggle(kind) => {
                editing.with_document(|document| document.checks.toggle(kind));
                editing.touch(shared);
            }
            C::GoTo(sentence) => editing.go_to_sentence(shared, sentence),
            C::GoToUntranslated => editing.go_to_untranslated(shared),
            C::GoToNext => self.go_to_next(shared, editing),
            C::Repair(finding) => {
                self.repair(shared, editing, &[finding]);
            }
            C::RepairSelected => self.repair_selected(shared, editing),
            C::RepairAll(kind) => {
                let findings = self.findings.iter();
                let of_kind: Vec<Finding> =
                    findings.filter(|it| it.check == kind).cloned().collect();
                self.repair(shared, editing, &of_kind);
            }
            C::Ignore(finding) => self.ignore(shared, editing, &finding),
            C::ChooseDictionaries => shared.asks.push(DialogRequest::Dictionaries),
            C::UseDictionaries(folder) => {
                shared.set(|settings| settings.dictionaries = folder);
                self.input = None;
            }
            C::ShowIgnored => {
                editing.with_document(|document| document.checks.forget_ignored());
                // They are looked for again.
                self.input = None;
                editing.touch(shared);
            }
        }
    }

    fn ignore(&mut self, shared: &Shared, editing: &mut Editing, finding: &Finding) {
        editing.with_document(|document| document.checks.ignore(&document.document, finding));
        let before = self.findings.len();
        self.findings.retain(|it| it != finding);
        self.ignored += before - self.findings.len();
        self.group();
        editing.touch(shared);
    }

    fn go_to_next(&mut self, shared: &mut Shared, editing: &mut Editing) {
        if !shared.settings.shows_checks {
            return shared.set(|settings| settings.shows_checks = true);
        }
        let selected = editing.selected();
        let segments = || self.findings.iter().map(|it| it.segment);
        let behind = segments().find(|&it| selected.is_none_or(|selected| it > selected));
        match behind.or_else(|| segments().next()) {
            Some(sentence) => editing.go_to_sentence(shared, sentence),
            None => shared.notify(NoticeKind::Done, "The checks have found nothing", ""),
        }
    }

    fn repair_selected(&mut self, shared: &mut Shared, editing: &mut Editing) {
        if !shared.settings.shows_checks {
            return shared.set(|settings| settings.shows_checks = true);
        }
        let selected = editing.selected();
        let mut findings = self.findings.iter();
        let first = findings.find(|it| Some(it.segment) == selected && it.repaired.is_some());
        let Some(finding) = first.cloned() else {
            shared.notify(NoticeKind::Hint, "No suggested fix for this sentence", "");
            return;
        };
        self.repair(shared, editing, &[finding]);
    }

    /// Takes proposals over, in one step that can be undone; of a sentence the first one.
    fn repair(&mut self, shared: &Shared, editing: &mut Editing, findings: &[Finding]) {
        editing.commit_edit(shared);
        let revisions = &self.revisions;
        let Some(document) = &mut editing.open else {
            return;
        };
        let mut changes: Vec<(usize, Target)> = Vec::new();
        for Finding {
            segment, repaired, ..
        } in findings
        {
            let is_same = revisions.get(*segment) == Some(&document.targets.revision(*segment));
            let is_first = changes.last().is_none_or(|(last, _)| last != segment);
            if let (Some(text), true, true) = (repaired, is_same, is_first) {
                let after = Target {
                    text: text.clone(),
                    state: State::Edited,
                    flags: vec![],
                    confidence: None,
                    ..document.target(*segment).clone()
                };
                changes.push((*segment, after));
            }
        }
        if document.change_all(changes) > 0 {
            editing.touch(shared);
        }
    }

    /// Has the document looked at again when it, or what is looked for, has changed.
    pub(crate) fn follow(
        &mut self,
        shared: &mut Shared,
        editing: &Editing,
        terms: &Terms,
        models: &Models,
    ) {
        let content = editing.open.as_ref().map(OpenDocument::content);
        let input = self.input.as_ref();
        if input.is_some_and(|input| Some(input.content.as_str()) != content) {
            // Its sentences are gone, and so are the findings about them.
            *self = Self::default();
        }
        if !shared.settings.shows_checks || self.running.is_some() {
            return;
        }
        let Some(document) = &editing.open else {
            return;
        };
        let input = CheckInput {
            content: document.content().to_owned(),
            revision: document.targets.total_revision(),
            kinds: document.checks.kinds().to_vec(),
            languages: editing.pair(models).codes(),
        };
        let has_same_terms = match (&self.terms, &terms.index) {
            (Some(known), Some(index)) => Arc::ptr_eq(known, index),
            (known, index) => known.is_none() && index.is_none(),
        };
        if self.input.as_ref() == Some(&input) && has_same_terms {
            return;
        }
        let pairs = document.pairs();
        let revisions = 0..document.num_sentences();
        let revisions = revisions
            .map(|index| document.targets.revision(index))
            .collect();
        let (source, target) = input.languages.clone().unzip();
        let checks = Checks {
            kinds: input.kinds.clone(),
            source_language: source,
            target_language: target,
        };
        let job = shared.next_job();
        self.running = Some((job, revisions));
        self.input = Some(input);
        self.terms.clone_from(&terms.index);
        self.requests.push(CheckRequest {
            job,
            pairs,
            checks,
            terms: terms.termbase(),
            dictionaries: shared.settings.dictionaries.clone(),
        });
    }

    pub(crate) fn checked(&mut self, editing: &Editing, job: JobId, findings: Vec<Finding>) {
        let running = &mut self.running;
        if let Some((_, revisions)) = running.take_if(|(running, _)| *running == job) {
            let is_missing = |it: &Finding| it.check == CheckKind::Untranslated;
            let (missing, mut findings): (Vec<_>, Vec<_>) =
                findings.into_iter().partition(is_missing);
            self.untranslated = missing.len();
            if let Some(open) = &editing.open {
                add_flags(open, &revisions, &mut findings);
            }
            let all = findings.len();
            if let Some(open) = &editing.open {
                findings.retain(|finding| !open.checks.is_ignored(&open.document, finding));
            }
            self.ignored = all - findings.len();
            self.findings = findings;
            self.revisions = revisions;
            self.group();
        }
    }

    /// Takes a failure in, if it is that of the checks.
    pub(crate) fn failed(&mut self, job: JobId) -> bool {
        let running = &mut self.running;
        running.take_if(|(running, _)| *running == job).is_some()
    }
}

/// Adds what the model noted of its own drafts, unless a check has found the same.
fn add_flags(open: &OpenDocument, revisions: &[u32], findings: &mut Vec<Finding>) {
    let kinds = open.checks.kinds();
    let mut noted = Vec::new();
    let seen = revisions.iter().enumerate().take(open.num_sentences());
    for (sentence, _) in seen.filter(|(it, revision)| open.targets.revision(*it) == **revision) {
        let flags = open.target(sentence).flags.iter();
        for flag in flags.filter(|flag| flag.warns()) {
            let check = check_of(*flag);
            let of_sentence = findings.partition_point(|it| it.segment < sentence);
            let mut known = findings[of_sentence..].iter();
            let is_known = known
                .by_ref()
                .take_while(|it| it.segment == sentence)
                .any(|it| it.check == check);
            if !is_known && (kinds.contains(&check) || check == CheckKind::Untranslated) {
                noted.push(Finding {
                    check,
                    severity: Severity::Warning,
                    segment: sentence,
                    message: flag.to_string(),
                    repaired: None,
                });
            }
        }
    }
    findings.extend(noted);
    findings.sort_by_key(|finding| finding.segment);
}

/// The check that looks for what a model notes of its draft.
fn check_of(flag: Flag) -> CheckKind {
    match flag {
        Flag::Markup => CheckKind::Tags,
        Flag::Numbers => CheckKind::Numbers,
        Flag::Signs => CheckKind::Signs,
        Flag::OtherLanguage => CheckKind::Identical,
        Flag::Terms => CheckKind::Terms,
        Flag::Repetition => CheckKind::RepeatedWord,
        Flag::LengthRatio | Flag::Split | Flag::CutOff => CheckKind::Length,
        Flag::Unwritten | Flag::Empty | Flag::Memory => CheckKind::Untranslated,
    }
}
