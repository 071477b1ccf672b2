//! Changes that events make.

use super::command::Command;
use super::document::checking::CheckCommand;
use super::document::progress::Preparation;
use super::document::saving;
use super::ended::show_project_error;
use super::explorer::Present;
use super::models::ModelState;
use super::notices::NoticeKind;
use super::state::AppState;
use crate::jobs::Event;
use canopy_corpus::synthetic::TARGET_LANGUAGE;
use canopy_project::Written;

impl AppState {
    /// Receives an event; what belongs to an older job is dropped.
    pub fn receive(&mut self, event: Event) {
        self.dispatch(event);
        self.explorer
            .follow_margin(&mut self.shared, &self.document);
        self.document.follow(&mut self.shared, &self.models);
    }

    #[expect(clippy::too_many_lines, reason = "a table: an arm for each event")]
    fn dispatch(&mut self, event: Event) {
        match event {
            Event::ModelOpened {
                job,
                info,
                device_name,
                memory,
            } => {
                let folder = info.folder.clone();
                let is_made_up = info.target_language == TARGET_LANGUAGE;
                let open = ModelState::Open {
                    info,
                    device_name,
                    memory,
                };
                if !self.models.in_use.is_opening(job) {
                    // The worker keeps it until the model requested later is open.
                    self.models.in_use.previous = Some(open);
                    return;
                }
                // The next session begins with a language that exists.
                if !is_made_up {
                    self.shared.settings.remember_model(&folder);
                    self.shared.save_settings();
                }
                self.models.in_use.current = open;
                self.model_in_use();
                // The document may have chosen another one, for which the translation waits.
                if let ModelState::Open { .. } = self.models.in_use.current
                    && let Some(scope) = self.document.translations.waiting_scope.take()
                {
                    self.start_translation(scope);
                }
            }
            Event::MemoryOpened { job, pairs } => {
                if self.models.in_use.is_opening(job) {
                    self.with_models(|models, work| models.memory_opened(work, pairs));
                }
            }
            Event::MemoryLeftOut { job, error } => {
                if self.models.is_reading_memory(job) {
                    self.shared
                        .show_error("A translation memory could not be read", &error);
                }
            }
            Event::Drafted { job, done, num } => {
                let preparing = (Preparation::Drafting, done, num);
                self.document.prepared(&self.shared, job, preparing);
            }
            Event::Adapting { job, done, num } => {
                if !self.explorer.taking_in(job, done, num) {
                    let preparing = (Preparation::Adapting, done, num);
                    self.document.prepared(&self.shared, job, preparing);
                }
            }
            Event::OthersFound { job, translations } => {
                self.document.alternatives.others_found(job, translations);
            }
            Event::TokensComputed { job, tokens } => {
                self.document.alternatives.computed(job, tokens);
            }
            Event::Traced { job, source } => self.explorer.traced(
                &mut self.shared,
                Present::new(&self.document, &self.models, &self.projects),
                job,
                source,
            ),
            Event::TraceOpened { job, path, source } => self.explorer.trace_opened(
                &mut self.shared,
                Present::new(&self.document, &self.models, &self.projects),
                job,
                path,
                source,
            ),
            Event::Answered { job, answer } => self.explorer.answered(job, answer),
            Event::Explained { job, explanation } => {
                self.explorer.explained(&mut self.shared, job, explanation);
            }
            Event::Suggested { job, suggestion } => {
                self.document.suggestions.suggested(
                    &mut self.shared,
                    &self.document.editing,
                    &self.models,
                    job,
                    suggestion,
                );
            }
            Event::Ranked {
                job,
                mean_log_probs,
            } => self.document.suggestions.was_ranked(job, mean_log_probs),
            Event::Comparing { job, done, num } => {
                self.explorer.similarity.progressed(job, done, num);
            }
            Event::Compared { job, view } => self.explorer.compared(job, view),
            Event::Margin { job, margin } => self.explorer.margin_found(job, margin),
            Event::Evaluating { job, progress } => {
                self.evaluate.evaluating(&self.shared, job, progress);
            }
            Event::Evaluated {
                job,
                evaluation,
                expected,
            } => self.evaluate.evaluated(
                &mut self.shared,
                &mut self.training,
                job,
                evaluation,
                expected,
            ),
            Event::Contrasted { job, result } => {
                self.evaluate.contrasted(&mut self.shared, job, result);
            }
            Event::EvaluationSaved { job, path } => {
                self.evaluate.evaluation_saved(&mut self.shared, job, &path);
            }
            Event::ExplanationSaved { job, path } => {
                self.explorer
                    .explanation_saved(&mut self.shared, job, &path);
            }
            Event::SentenceTranslated {
                job,
                index,
                translation,
            } => self
                .document
                .translated(&self.shared, job, index, translation),
            Event::CpuTookOver {
                device_name, error, ..
            } => self
                .models
                .in_use
                .cpu_took_over(&mut self.shared, device_name, &error),
            Event::RunsSeen { runs, corpora } => {
                self.training.corpora.add(corpora);
                self.training.runs.seen(runs);
            }
            Event::Probed { job, estimate } => {
                if let Some(form) = &mut self.training.form {
                    form.probed(job, estimate);
                }
            }
            Event::Renamed { folder, to } => self.training.runs.renamed(&folder, to),
            Event::Trashed { folder, to } => self.training.runs.trashed.push((folder, to)),
            Event::Exported { to, promote } => {
                self.with_models(|models, work| models.exported(work, to, promote));
            }
            // The run folder says the same to the charts.
            Event::Training { job, event } => {
                self.training
                    .sample_progressed(&mut self.shared, &mut self.evaluate, job, &event);
            }
            Event::Surveyed { job, survey } => {
                if let Some(form) = &mut self.training.corpus_form {
                    form.surveyed(job, survey);
                }
            }
            Event::Checked { job, findings } => {
                self.document
                    .checking
                    .checked(&self.document.editing, job, findings);
            }
            Event::NotSpelled { reason, .. } => {
                self.shared
                    .notify(NoticeKind::Hint, "Spelling is not checked", reason);
                let choose = Command::from(CheckCommand::ChooseDictionaries);
                self.shared.with_button("Choose a folder…", choose);
            }
            Event::MemoryRead { job, memory } => {
                self.with_models(|models, work| models.memory_read(work, job, memory));
            }
            Event::ModelsListed { models } => self.models_listed(models),
            Event::ModelInspected { job, path, model } => {
                self.models.installing.inspected(
                    &mut self.shared,
                    &mut self.models.library,
                    job,
                    &path,
                    model,
                );
            }
            Event::ModelCopied { job, done, total } => {
                self.models.installing.copied(job, done, total);
            }
            Event::ModelAdded { job, model } => {
                self.with_models(|models, work| models.model_added(work, job, &model));
            }
            Event::ModelStated { folder, .. } => {
                self.with_models(|models, work| models.model_stated(work, &folder));
            }
            Event::ModelRemoved { folder, .. } => {
                self.with_models(|models, work| models.model_removed(work, &folder));
            }
            Event::CataloguesRead { job, look, arrived } => {
                self.models.getting.read(job, *look, arrived);
            }
            Event::ModelDownloading { job, progress } => {
                self.models.getting.progress(job, progress);
            }
            Event::ModelDownloaded { job, model } => {
                self.with_models(|models, work| models.model_downloaded(work, job, &model));
            }
            Event::DownloadCancelled { job, arrived } => {
                self.models.getting.cancelled(job, arrived);
            }
            Event::Finished { job } => {
                if !self
                    .training
                    .run_ended(&mut self.shared, &mut self.evaluate, job)
                    && !self.document.alternatives.finished(job)
                {
                    self.finished(job, false);
                }
            }
            Event::CorpusRead { job, share } => {
                if let Some(form) = &mut self.training.corpus_form {
                    form.progressed(job, share);
                }
            }
            Event::CorpusMade { job, folder, pairs } => {
                self.training
                    .corpus_made(&mut self.shared, &self.models, job, folder, pairs);
            }
            Event::Cancelled { job } => {
                if !self.evaluate.evaluation_ended(&mut self.training, job)
                    && !self
                        .training
                        .cancelled(&mut self.shared, &mut self.evaluate, job)
                    && !self.models.installing.cancelled(job)
                {
                    self.finished(job, true);
                }
            }
            Event::DocumentOpened {
                job,
                path,
                document,
                project,
                project_error,
            } => {
                if self.document.opening.as_ref().is_some_and(|it| it.0 == job) {
                    self.document_opened(path, document, project.as_ref());
                    if let Some(error) = project_error {
                        show_project_error(&mut self.shared, &error);
                    }
                } else {
                    self.document.overtaken(&mut self.shared, path);
                }
            }
            Event::MovedWork { path, project } => {
                let document = self.document.editing.open.as_mut();
                if let Some(document) = document.filter(|open| open.path == path) {
                    document.found_moved_work(project);
                }
            }
            Event::ExchangeRead { job, file } => {
                self.document.merges.was_read(
                    &mut self.shared,
                    &mut self.document.editing,
                    job,
                    file,
                );
            }
            Event::InProject { path, folder } => {
                self.projects
                    .found_in_project(&mut self.shared, &self.document, &path, folder);
            }
            Event::ProjectSeen { job, status } => self.project_seen(job, status),
            Event::WorkMerged { path, merged } => {
                self.document
                    .editing
                    .work_merged(&mut self.shared, &path, &merged);
            }
            Event::Aligned { job, alignment } => {
                self.aligning.aligned(&mut self.shared, job, alignment);
            }
            Event::ProjectExported { job, files } => {
                self.projects.project_exported(&mut self.shared, job, files);
            }
            Event::TermsRead { job, index } => {
                self.document.terms.was_read(&mut self.shared, job, index);
            }
            Event::Recut { job, document } => {
                self.document.recut_done(&mut self.shared, job, document);
            }
            Event::Flushed { job } => self.shared.flushed(job),
            Event::TranslationSaved {
                job,
                path,
                digest,
                language,
            } => {
                if self.document.saving.ended(job) {
                    let written = Written {
                        path,
                        digest,
                        language,
                    };
                    self.document
                        .translation_saved(&mut self.shared, &self.models, written);
                }
            }
            Event::TranslationChanged { job, path } => {
                if self.document.saving.ended(job) {
                    let detail = format!("{}\nChoose a name for this one.", path.display());
                    let title = "Another program has changed the translated file";
                    self.shared.notify(NoticeKind::Hint, title, detail);
                    saving::ask_where(&mut self.shared, &mut self.document.editing, &self.models);
                }
            }
            Event::ServerModels { job, models } => {
                self.document.suggestions.server_tested(job, models);
            }
            Event::CorpusSeen { folder, facts } => {
                self.training
                    .corpus_seen(&self.shared, &self.models, folder.clone(), facts);
                self.evaluate
                    .corpus_known(&self.models, &self.training, &folder);
            }
            Event::EncoderImported { job, folder } => self.explorer.encoder_imported(
                &mut self.shared,
                Present::new(&self.document, &self.models, &self.projects),
                job,
                folder,
            ),
            Event::PathsMissing { paths } => self.forget_missing(&paths),
            Event::DocumentSaved { path, .. } => {
                self.shared
                    .notify(NoticeKind::Done, "Saved", path.display().to_string());
            }
            Event::Failed { job, error } => self.failed(job, &error),
        }
    }
}
