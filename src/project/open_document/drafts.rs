//! Drafts: translations of a model, how sure it is of them, and updates.

use super::OpenDocument;
use crate::State;
use crate::history::Change;
use crate::target::Target;
use canopy_translate::inference::Translation;

impl OpenDocument {
    /// Stores a translation of this model, unless a person has worked on the sentence.
    pub fn receive(&mut self, sentence: usize, translation: Translation, model: &str) -> bool {
        let Some(target) = self.targets.list.get(sentence) else {
            return false;
        };
        if !target.state.is_replaceable() {
            return false;
        }
        let confidence = translation.confidence().map(percent);
        let Translation {
            text,
            flags,
            num_tokens,
            ..
        } = translation;
        // What a memory has, or what holds no word, no model has written.
        let model = (num_tokens > 0).then(|| model.to_owned());
        let draft = Target {
            text,
            state: State::Draft,
            flags,
            model,
            confidence,
        };
        self.replace(sentence, draft, None);
        true
    }

    /// Stores a translation of this model in place of a draft, as part of an update.
    pub fn update(&mut self, sentence: usize, translation: Translation, model: &str) -> bool {
        let Some(before) = self.targets.list.get(sentence).cloned() else {
            return false;
        };
        self.targets.set_changed(sentence, false);
        if before.text == translation.text || !self.receive(sentence, translation, model) {
            return false;
        }
        self.updated.push(Change {
            sentence,
            before,
            after: self.targets[sentence].clone(),
        });
        self.targets.set_changed(sentence, true);
        true
    }

    /// Makes one undo step of what an update, and no later edit, has changed; returns the number of sentences.
    pub fn finish_update(&mut self) -> usize {
        let mut changes = std::mem::take(&mut self.updated);
        changes.retain(|change| self.targets[change.sentence] == change.after);
        let count = changes.len();
        self.history.record(changes);
        count
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "of a share"
)]
pub(super) fn percent(share: f32) -> u8 {
    (share * 100.0).round() as u8
}
