//! Commands and events of the quality checks.

use std::sync::Arc;

use super::{CheckCommand, CheckInput, Checking};
use crate::ask::Ask;
use crate::document::DocumentPage;
use crate::jobs::{CheckRequest, JobId, State};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::open_document::OpenDocument;
use crate::shared::Shared;
use canopy_project::Target;
use canopy_qa::checks::{CheckKind, Checks, Finding, Severity};
use canopy_translate::inference::Flag;

impl DocumentPage {
    pub(crate) fn apply_check(&mut self, shared: &mut Shared, command: CheckCommand) {
        use CheckCommand as C;
        match command {
            C::ToggleList => shared.set(|settings| settings.shows_checks = !settings.shows_checks),
            C::Toggle(kind) => {
                self.with_document(|document| document.toggle_check(kind));
                self.touch(shared);
            }
            C::GoTo(sentence) => self.go_to_sentence(shared, sentence),
            C::GoToUntranslated => self.go_to_untranslated(shared),
            C::GoToNext => self.go_to_next_finding(shared),
            C::Repair(finding) => {
                self.repair(shared, &[finding]);
            }
            C::RepairSelected => self.repair_selected(shared),
            C::RepairAll(kind) => {
                let findings = self.checking.findings.iter();
                let of_kind: Vec<Finding> =
                    findings.filter(|it| it.check == kind).cloned().collect();
                self.repair(shared, &of_kind);
            }
            C::Ignore(finding) => self.ignore_finding(shared, &finding),
            C::ChooseDictionaries => shared.asks.push(Ask::Dictionaries),
            C::UseDictionaries(folder) => {
                shared.set(|settings| settings.dictionaries = folder);
                self.checking.input = None;
            }
            C::ShowIgnored => {
                self.with_document(OpenDocument::forget_ignored);
                // They are looked for again.
                self.checking.input = None;
                self.touch(shared);
            }
        }
    }

    fn ignore_finding(&mut self, shared: &Shared, finding: &Finding) {
        self.with_document(|document| document.ignore(finding));
        let before = self.checking.findings.len();
        self.checking.findings.retain(|it| it != finding);
        self.checking.ignored += before - self.checking.findings.len();
        self.checking.group();
        self.touch(shared);
    }

    fn go_to_next_finding(&mut self, shared: &mut Shared) {
        if !shared.settings.shows_checks {
            return shared.set(|settings| settings.shows_checks = true);
        }
        let selected = self.selected();
        let segments = || self.checking.findings.iter().map(|it| it.segment);
        let behind = segments().find(|&it| selected.is_none_or(|selected| it > selected));
        match behind.or_else(|| segments().next()) {
            Some(sentence) => self.go_to_sentence(shared, sentence),
            None => shared.notify(NoticeKind::Done, "The checks have found nothing", ""),
        }
    }

    /// Selects a sentence and brings it into view.
    pub(crate) fn go_to_sentence(&mut self, shared: &Shared, sentence: usize) {
        self.select(shared, sentence);
        if self.selected() == Some(sentence) {
            self.with_document(|document| document.scroll_to.set(sentence));
        }
    }

    /// Goes to the next sentence without a translation, from the selected one on.
    fn go_to_untranslated(&mut self, shared: &Shared) {
        let Some(open) = &self.open else {
            return;
        };
        let is_open = |&it: &usize| open.target(it).state == State::Untranslated;
        let behind = open.selected.map_or(0, |selected| selected + 1);
        let mut sentences = (behind..open.num_sentences()).chain(0..behind);
        if let Some(sentence) = sentences.find(is_open) {
            self.go_to_sentence(shared, sentence);
        }
    }

    fn repair_selected(&mut self, shared: &mut Shared) {
        if !shared.settings.shows_checks {
            return shared.set(|settings| settings.shows_checks = true);
        }
        let selected = self.selected();
        let mut findings = self.checking.findings.iter();
        let first = findings.find(|it| Some(it.segment) == selected && it.repaired.is_some());
        let Some(finding) = first.cloned() else {
            shared.notify(NoticeKind::Hint, "No suggested fix for this sentence", "");
            return;
        };
        self.repair(shared, &[finding]);
    }

    /// Takes proposals over, in one step that can be undone; of a sentence the first one.
    fn repair(&mut self, shared: &Shared, findings: &[Finding]) {
        self.keep_edit_for_good(shared);
        let revisions = &self.checking.revisions;
        let Some(document) = &mut self.open else {
            return;
        };
        let mut changes: Vec<(usize, Target)> = Vec::new();
        for Finding {
            segment, repaired, ..
        } in findings
        {
            let is_same = revisions.get(*segment) == Some(&document.revision(*segment));
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
            self.touch(shared);
        }
    }

    /// Has the document looked at again when it, or what is looked for, has changed.
    pub(crate) fn follow_checks(&mut self, shared: &mut Shared, models: &Models) {
        let content = self.open.as_ref().map(OpenDocument::content);
        let input = self.checking.input.as_ref();
        if input.is_some_and(|input| Some(input.content.as_str()) != content) {
            // Its sentences are gone, and so are the findings about them.
            self.checking = Checking::default();
        }
        if !shared.settings.shows_checks || self.checking.running.is_some() {
            return;
        }
        let Some(document) = &self.open else {
            return;
        };
        let input = CheckInput {
            content: document.content().to_owned(),
            revision: document.total_revision(),
            kinds: document.checks().to_vec(),
            languages: self.languages(models),
        };
        let has_same_terms = match (&self.checking.terms, &self.terms.index) {
            (Some(known), Some(index)) => Arc::ptr_eq(known, index),
            (known, index) => known.is_none() && index.is_none(),
        };
        if self.checking.input.as_ref() == Some(&input) && has_same_terms {
            return;
        }
        let pairs = document.pairs();
        let revisions = 0..document.num_sentences();
        let revisions = revisions.map(|index| document.revision(index)).collect();
        let (source, target) = input.languages.clone().unzip();
        let checks = Checks {
            kinds: input.kinds.clone(),
            source_language: source,
            target_language: target,
        };
        let (job, terms) = (shared.next_job(), self.termbase());
        let checking = &mut self.checking;
        checking.running = Some((job, revisions));
        checking.input = Some(input);
        checking.terms.clone_from(&self.terms.index);
        checking.requests.push(CheckRequest {
            job,
            pairs,
            checks,
            terms,
            dictionaries: shared.settings.dictionaries.clone(),
        });
    }

    pub(crate) fn checked(&mut self, job: JobId, findings: Vec<Finding>) {
        let running = &mut self.checking.running;
        if let Some((_, revisions)) = running.take_if(|(running, _)| *running == job) {
            let is_missing = |it: &Finding| it.check == CheckKind::Untranslated;
            let (missing, mut findings): (Vec<_>, Vec<_>) =
                findings.into_iter().partition(is_missing);
            self.checking.untranslated = missing.len();
            if let Some(open) = &self.open {
                add_flags(open, &revisions, &mut findings);
            }
            let all = findings.len();
            if let Some(open) = &self.open {
                findings.retain(|finding| !open.is_ignored(finding));
            }
            self.checking.ignored = all - findings.len();
            self.checking.findings = findings;
            self.checking.revisions = revisions;
            self.checking.group();
        }
    }

    /// Takes a failure in, if it is that of the checks.
    pub(crate) fn checks_failed(&mut self, job: JobId) -> bool {
        let running = &mut self.checking.running;
        running.take_if(|(running, _)| *running == job).is_some()
    }
}

/// Adds what the model noted of its own drafts, unless a check has found the same.
fn add_flags(open: &OpenDocument, revisions: &[u32], findings: &mut Vec<Finding>) {
    let kinds = open.checks();
    let mut noted = Vec::new();
    let seen = revisions.iter().enumerate().take(open.num_sentences());
    for (sentence, _) in seen.filter(|(it, revision)| open.revision(*it) == **revision) {
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
