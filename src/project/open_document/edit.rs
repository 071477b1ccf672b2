//! The editor's sentence, and the project file.

use std::path::PathBuf;

use super::{Editor, MovedWork, OpenDocument};
use crate::markup;
use crate::project::source_hash;
use crate::project_merge::theirs_as_version;
use crate::segment_history::{absorb, append, now};
use crate::target::{Target, saved_targets, text_of, texts_of};
use crate::{MergedWork, Origin, Project, SavedTarget, State};
use canopy_corpus::is_same_language;
use canopy_document::document::ReadingOptions;

impl OpenDocument {
    /// Notes what is known of the document under another path, if any of it fits.
    pub fn found_moved_work(&mut self, project: Project) {
        let project = match &self.target_language {
            Some(language) => project.in_language(language),
            None => project,
        };
        let fits = |targets: &[SavedTarget]| {
            let work = Project::new(PathBuf::new(), String::new(), targets.to_vec());
            work.matched(&self.document).iter().flatten().count()
        };
        let others = project.other_languages.iter().map(|it| fits(&it.targets));
        let fitting = others.fold(fits(&project.targets), usize::max);
        self.moved_work = (fitting > 0).then_some(MovedWork { project, fitting });
    }

    /// Merges another person's changes in the work file, in one step that can be undone; returns how many
    /// sentences that are, and how many have changed on both sides. Those stay, and theirs are in the history.
    pub fn take_merged(&mut self, merged: &MergedWork) -> (usize, usize) {
        let language = merged.project.target_language.as_deref();
        let here = self.target_language.as_deref();
        if here
            .zip(language)
            .is_some_and(|(here, theirs)| !is_same_language(here, theirs))
        {
            // Saved before another language came to the front: the file has it all.
            let language = language.unwrap_or_default();
            let project = merged.project.clone().in_language(here.unwrap_or(language));
            self.others.merge(&project.other_languages, here);
            return (0, 0);
        }
        self.others.merge(&merged.project.other_languages, here);
        let (mut targets, mut conflicts) = (Vec::new(), 0);
        let taken = merged.taken.iter().map(|(before, it)| (Some(before), it));
        let conflicting = merged.conflicts.iter().map(|it| (None, it));
        for (before, theirs) in taken.chain(conflicting) {
            let sentence = self.document.sentences.get(theirs.index);
            if sentence.is_none_or(|it| source_hash(&it.text) != theirs.source) {
                self.unmatched.push(theirs.clone());
                continue;
            }
            let history = &mut self.targets.histories[theirs.index];
            absorb(history, &theirs.history);
            let here = &self.targets.list[theirs.index];
            let is_as_saved = before.is_some_and(|before| match before {
                Some(text) => here.text == *text,
                None => here.state == State::Untranslated,
            });
            if is_as_saved {
                targets.push((theirs.index, Target::from(theirs)));
            } else {
                append(history, theirs_as_version(theirs));
                append(history, here.version(here.origin(), Some(now())));
                conflicts += 1;
            }
        }
        (
            self.change_all_from(targets, Some(Origin::Merged)),
            conflicts,
        )
    }

    /// Takes over what was done under another path, in one step that can be undone; what a person has done here stays.
    pub fn take_over(&mut self) {
        let Some(MovedWork { project, .. }) = self.moved_work.take() else {
            return;
        };
        // A model has set the language of this document since, or it is not set yet.
        let project = match &self.target_language {
            Some(language) => project.in_language(language),
            None => project,
        };
        if self.target_language.is_none() {
            self.target_language.clone_from(&project.target_language);
        }
        self.others.add_missing(&project.other_languages);
        let matched = project.matched(&self.document);
        self.unmatched.extend(project.unmatched(&matched));
        for (history, saved) in self.targets.histories.iter_mut().zip(&matched) {
            absorb(
                history,
                saved.map_or(&[][..], |saved| saved.history.as_slice()),
            );
        }
        let better = |(sentence, saved): (usize, Option<&SavedTarget>)| {
            let saved = saved?;
            let here = &self.targets[sentence];
            let is_open = here.state.is_replaceable()
                || *here == Target::from_sentence(&self.document.sentences[sentence]);
            let is_better =
                here.state == State::Untranslated || is_open && !saved.state.is_replaceable();
            is_better.then(|| (sentence, Target::from(saved)))
        };
        let changes = matched.into_iter().enumerate().filter_map(better).collect();
        self.change_all(changes);
    }

    /// The target that the editor's text gives, or its problems; `None` if nothing was written.
    pub fn edited(&self) -> Option<Result<Target, Vec<markup::Problem>>> {
        let editor = self.editor.as_ref()?;
        let source = &self.document.sentences[editor.sentence].text;
        editor.edited(source, &self.targets[editor.sentence])
    }

    /// The sentence in the editor as it would be kept now, broken markup repaired.
    fn written(&self) -> Option<(usize, Target)> {
        let editor = self.editor.as_ref()?;
        let source = &self.document.sentences[editor.sentence].text;
        let target = editor.repaired(source, &self.targets[editor.sentence])?;
        Some((editor.sentence, target))
    }

    /// Closes the editor; what was written there is in the history of its sentence. `false` if it was closed already.
    pub fn discard_edit(&mut self) -> bool {
        let written = self.written();
        if self.editor.take().is_none() {
            return false;
        }
        if let Some((sentence, target)) = written.filter(|(_, target)| !target.text.is_empty()) {
            self.targets.keep_discarded(sentence, &target);
        }
        true
    }

    /// The content of the project file, with the text in the editor.
    pub fn project(&self) -> Project {
        let written = self.written();
        let target = |index: usize| match &written {
            Some((sentence, target)) if *sentence == index => target,
            _ => &self.targets[index],
        };
        let (document, histories) = (&self.document, &self.targets.histories);
        let targets = saved_targets(document, histories, &self.unmatched, target);
        let project = Project::new(self.path.clone(), self.content.clone(), targets);
        let [declared, _] = self.declared_languages();
        let source = self.source_language.as_deref();
        Project {
            source_language: source.filter(|it| Some(*it) != declared).map(str::to_owned),
            target_language: self.target_language.clone(),
            model: text_of(self.model.as_ref()),
            other_languages: self.others.work(),
            checks: self.checks.names(),
            ignored: self.checks.ignored(),
            terms: texts_of(&self.terms),
            reading: (self.document.reading != ReadingOptions::default())
                .then(|| self.document.reading.clone()),
            ..project
        }
    }
}

impl Editor {
    /// The target that the text gives, or its problems; `None` if nothing was written. `here` is the target before.
    fn edited(&self, source: &str, here: &Target) -> Option<Result<Target, Vec<markup::Problem>>> {
        let is_same = self.text == self.begun_with || self.text == markup::to_editable(&here.text);
        (!is_same).then(|| target_of(&self.text, source, here))
    }

    /// The target that the text gives, broken markup repaired.
    fn repaired(&self, source: &str, here: &Target) -> Option<Target> {
        let repaired = |_| target_of(&markup::repaired(&self.text, source), source, here);
        self.edited(source, here)?.or_else(repaired).ok()
    }
}

fn target_of(edit: &str, source: &str, here: &Target) -> Result<Target, Vec<markup::Problem>> {
    if edit.trim().is_empty() {
        return Ok(Target::default());
    }
    Ok(Target {
        text: markup::from_editable(edit, source)?,
        state: State::Edited,
        flags: vec![],
        model: here.model.clone(),
        confidence: None,
    })
}
