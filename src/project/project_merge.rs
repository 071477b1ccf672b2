//! Work on a document that was changed meanwhile: by `git pull`, a synchronised folder, another machine.
//!
//! Changes of theirs alone are taken; where both have changed, ours stays and theirs is in the history.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::other_languages::LanguageWork;
use super::project::{Project, SavedTarget};
use super::segment_history::{Origin, Version, absorb, append, now};

/// The merge of two versions of the work on a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedWork {
    /// The merged work.
    pub project: Project,
    /// Changes taken, with the text that they replaced.
    pub taken: Vec<(Option<String>, SavedTarget)>,
    /// Theirs, where both have changed a sentence.
    pub conflicts: Vec<SavedTarget>,
}

/// A file as it was last read or written.
#[derive(Debug)]
pub(super) struct Seen {
    path: PathBuf,
    stamp: Option<Stamp>,
    work: Project,
}

type Stamp = (SystemTime, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

impl Seen {
    /// Remembers the state of a file and the work that it holds.
    pub(crate) fn new(path: PathBuf, work: &Project) -> Self {
        Self {
            stamp: stamp(&path),
            path,
            work: work.clone(),
        }
    }

    /// Our work merged with later changes of the file by others; `None` if there are none, or it cannot be read.
    pub(crate) fn merged(&self, ours: &Project) -> Option<MergedWork> {
        let now = stamp(&self.path)?;
        if self.stamp == Some(now) {
            return None;
        }
        let theirs = Project::read(&self.path).ok().flatten()?;
        let theirs = theirs.in_language_of(ours);
        let base = self.work.clone().in_language_of(ours);
        let mut merged = merge(&base, ours, &theirs);
        merged.project.other_languages = merged_others(&base, ours, &theirs);
        let is_new = !merged.taken.is_empty()
            || !merged.conflicts.is_empty()
            || merged.project.other_languages != ours.other_languages;
        is_new.then_some(merged)
    }
}

type Key<'p> = (usize, &'p str);

fn by_place(project: &Project) -> HashMap<Key<'_>, &SavedTarget> {
    let targets = project.targets.iter();
    let keyed = targets.map(|target| ((target.index, target.source.as_str()), target));
    keyed.collect()
}

fn is_same(one: Option<&SavedTarget>, other: Option<&SavedTarget>) -> bool {
    let shown = |target: &SavedTarget| (target.text.clone(), target.state);
    one.map(shown) == other.map(shown)
}

/// The work in the languages that are not in front, each merged like that.
fn merged_others(base: &Project, ours: &Project, theirs: &Project) -> Vec<LanguageWork> {
    let languages = ours.languages_with(theirs).into_iter();
    let merged = languages.map(|language| {
        let of = |project: &Project| {
            let other = project.other(&language).cloned().unwrap_or_default();
            let work = Project::new(PathBuf::new(), String::new(), other.targets);
            (work, other.terms, other.model)
        };
        let [
            (base, ..),
            (own, own_terms, own_model),
            (other, terms, model),
        ] = [base, ours, theirs].map(of);
        LanguageWork {
            language: language.clone(),
            targets: merge(&base, &own, &other).project.targets,
            terms: if own_terms.is_empty() {
                terms
            } else {
                own_terms
            },
            model: own_model.or(model),
        }
    });
    merged.filter(|other| !other.targets.is_empty()).collect()
}

fn merge(base: &Project, ours: &Project, theirs: &Project) -> MergedWork {
    let (before, here) = (by_place(base), by_place(ours));
    let mut merged = MergedWork {
        project: ours.clone(),
        taken: Vec::new(),
        conflicts: Vec::new(),
    };
    let mut places: HashMap<Key, usize> = HashMap::new();
    for (place, target) in ours.targets.iter().enumerate() {
        places.insert((target.index, target.source.as_str()), place);
    }
    for target in &theirs.targets {
        let key = (target.index, target.source.as_str());
        let (base, own) = (before.get(&key).copied(), here.get(&key).copied());
        let is_theirs = !is_same(base, Some(target)) && !is_same(own, Some(target));
        let Some(&place) = places.get(&key) else {
            // Here it has no translation; it had none before, or it was removed.
            if base.is_none() {
                merged.project.targets.push(target.clone());
                merged.taken.push((None, target.clone()));
            }
            continue;
        };
        let ours = &mut merged.project.targets[place];
        absorb(&mut ours.history, &target.history);
        if !is_theirs {
            continue;
        }
        if is_same(base, own) {
            let history = std::mem::take(&mut ours.history);
            let text = std::mem::replace(ours, target.clone()).text;
            ours.history = history;
            merged.taken.push((Some(text), ours.clone()));
        } else {
            append(&mut ours.history, theirs_as_version(target));
            merged.conflicts.push(target.clone());
        }
    }
    let place = |target: &SavedTarget| target.index;
    merged.project.targets.sort_by_key(place);
    merged
}

/// Another person's translation that was not taken, for the history.
pub fn theirs_as_version(target: &SavedTarget) -> Version {
    Version {
        origin: Origin::Merged,
        text: target.text.clone(),
        model: target.model.clone(),
        time: Some(now()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State;

    fn work(texts: &[(usize, &str)]) -> Project {
        let target = |&(index, text): &(usize, &str)| {
            SavedTarget::by_hand(index, format!("source {index}"), text, State::Edited)
        };
        Project::new(
            "a.html".into(),
            String::new(),
            texts.iter().map(target).collect(),
        )
    }

    fn texts(project: &Project) -> Vec<(usize, &str)> {
        let targets = project.targets.iter();
        targets.map(|it| (it.index, it.text.as_str())).collect()
    }

    #[test]
    fn what_one_side_has_changed_is_taken_and_of_both_ours_stays() {
        let base = work(&[(0, "a"), (1, "b"), (2, "c"), (4, "e")]);
        let ours = work(&[(0, "a2"), (1, "b"), (2, "c2"), (4, "same")]);
        let theirs = work(&[(0, "a"), (1, "b3"), (2, "c3"), (3, "d3"), (4, "same")]);
        let merged = merge(&base, &ours, &theirs);
        let expected = [(0, "a2"), (1, "b3"), (2, "c2"), (3, "d3"), (4, "same")];
        assert_eq!(texts(&merged.project), expected);
        let taken = merged
            .taken
            .iter()
            .map(|(before, it)| (before.as_deref(), it.index));
        let taken: Vec<_> = taken.collect();
        assert_eq!(taken, [(Some("b"), 1), (None, 3)]);
        assert_eq!(merged.conflicts.len(), 1);
        let history = &merged.project.targets[2].history;
        assert_eq!(history.last().map(|it| it.text.as_str()), Some("c3"));
    }

    #[test]
    fn a_translation_taken_away_here_does_not_come_back_and_one_that_they_lack_stays() {
        let base = work(&[(0, "a"), (1, "b")]);
        let merged = merge(&base, &work(&[(1, "b")]), &work(&[(0, "a")]));
        assert_eq!(texts(&merged.project), [(1, "b")]);
        assert!(merged.taken.is_empty());
    }

    #[test]
    fn a_file_that_nobody_has_changed_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("work.json");
        let (mine, theirs) = (work(&[(0, "a")]), work(&[(0, "longer")]));
        std::fs::write(&path, mine.to_bytes(&path).expect("bytes")).expect("written");
        let seen = Seen::new(path.clone(), &mine);
        assert_eq!(seen.merged(&mine), None);
        std::fs::write(&path, theirs.to_bytes(&path).expect("bytes")).expect("written");
        let merged = seen.merged(&mine).expect("changed");
        assert_eq!(texts(&merged.project), [(0, "longer")]);
        std::fs::write(&path, "<<<<<<< HEAD").expect("written");
        assert_eq!(seen.merged(&mine), None);
    }
}
