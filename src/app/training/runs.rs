//! The runs of the page: those that are shown, those that wait, and their charts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::commands::name_of;
use crate::jobs::{JobId, RunRequest, RunSnapshot, TrainingJob, TrainingRequest};
use crate::notices::NoticeKind;
use crate::settings::Device;
use crate::shared::Shared;
use canopy_chart::charts::{Chart, XAxis};
use canopy_train::{Curves, Order, RunState, TrainingConfig};

/// A run that waits for its turn, or has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    /// Number of the job.
    pub job: JobId,
    /// Folder of the run.
    pub folder: PathBuf,
}

/// Charts of the same key are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartKey {
    runs: Vec<(PathBuf, u64)>,
    x: XAxis,
    smoothing: f64,
}

/// Runs, their queue, and which of them are looked at.
#[derive(Debug)]
pub struct Runs {
    /// By name.
    pub list: Vec<RunSnapshot>,
    /// Runs of this window, the one under way first.
    pub queue: Vec<Queued>,
    /// Folder of the run that is looked at.
    pub selected: Option<PathBuf>,
    /// Drawn over the selected run.
    pub compared: BTreeSet<PathBuf>,
    /// The run whose deletion awaits confirmation.
    pub trashing: Option<PathBuf>,
    /// Where deleted runs were and are, the last one last.
    pub trashed: Vec<(PathBuf, PathBuf)>,
    /// Whether the table of runs is shown instead of the curves.
    pub shows_table: bool,
    /// The axis of the curves.
    pub x: XAxis,
    /// Weight of the past in the thick curves, in `[0, 1)`.
    pub smoothing: f64,
    /// For the queue of trainings; the window sends and empties it.
    pub requests: Vec<TrainingRequest>,
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            queue: Vec::new(),
            selected: None,
            compared: BTreeSet::new(),
            trashing: None,
            trashed: Vec::new(),
            shows_table: false,
            x: XAxis::Steps,
            smoothing: 0.9,
            requests: Vec::new(),
        }
    }
}

impl Runs {
    /// The run in this folder.
    pub fn get(&self, folder: &Path) -> Option<&RunSnapshot> {
        self.list.iter().find(|run| run.folder == folder)
    }

    /// The run that is looked at.
    pub fn selected(&self) -> Option<&RunSnapshot> {
        self.get(self.selected.as_ref()?)
    }

    /// Runs of this window that have not begun, in their order.
    pub fn waiting(&self) -> impl Iterator<Item = &Queued> {
        self.queue.iter().skip(1)
    }

    /// Whether a run of this window computes or waits.
    pub fn is_busy(&self) -> bool {
        !self.queue.is_empty()
    }

    /// A run and those compared with it.
    fn shown<'a>(&'a self, run: &'a RunSnapshot) -> Vec<&'a RunSnapshot> {
        let compared = self
            .list
            .iter()
            .filter(|other| other.folder != run.folder && self.compared.contains(&other.folder));
        std::iter::once(run).chain(compared).collect()
    }

    /// The key of a run's charts: they are drawn again when it changes.
    pub fn chart_key(&self, run: &RunSnapshot) -> ChartKey {
        let shown = self.shown(run).into_iter();
        ChartKey {
            runs: shown
                .map(|run| (run.folder.clone(), run.revision))
                .collect(),
            x: self.x,
            smoothing: self.smoothing,
        }
    }

    /// The charts of a run, and of those compared with it.
    pub fn chart(&self, run: &RunSnapshot) -> Chart {
        let shown = self.shown(run);
        let names: Vec<String> = shown.iter().map(|run| run.name()).collect();
        let guards: Vec<_> = shown.iter().map(|run| run.curves()).collect();
        let curves: Vec<(&str, &Curves)> = names
            .iter()
            .map(String::as_str)
            .zip(guards.iter().map(|curves| &**curves))
            .collect();
        canopy_train::chart(&curves, self.x, self.smoothing)
    }

    /// Puts a run behind those that wait, and shows it.
    pub(super) fn enqueue(
        &mut self,
        shared: &mut Shared,
        folder: PathBuf,
        config: TrainingConfig,
        resume: bool,
        device: Device,
    ) -> JobId {
        let job = shared.next_job();
        self.selected = Some(folder.clone());
        self.shows_table = false;
        self.queue.push(Queued {
            job,
            folder: folder.clone(),
        });
        let follow = RunRequest::Follow(folder.clone());
        shared.run_requests.push(follow);
        self.requests
            .push(TrainingRequest::Start(Box::new(TrainingJob {
                job,
                config,
                run: folder,
                resume,
                device: device.into(),
            })));
        job
    }

    /// The job of a run of this window that computes or waits.
    fn queued(&self, folder: &Path) -> Option<JobId> {
        let mut queue = self.queue.iter();
        let found = queue.find(|queued| queued.folder == folder);
        found.map(|queued| queued.job)
    }

    /// Whether this window trains a run in this folder, or will.
    pub(super) fn is_queued(&self, folder: &Path) -> bool {
        self.queued(folder).is_some()
    }

    /// Waiting runs first, so that none of them begins.
    pub(super) fn order_all(&mut self, order: Order) {
        let jobs = self.queue.iter().rev().map(|queued| queued.job);
        let orders = jobs.map(|job| TrainingRequest::Order { job, order });
        self.requests.extend(orders);
    }

    pub(super) fn order(&mut self, shared: &mut Shared, folder: PathBuf, order: Order) {
        if let Some(job) = self.queued(&folder) {
            let request = TrainingRequest::Order { job, order };
            self.requests.push(request);
        } else {
            // Another program's.
            let job = shared.next_job();
            shared
                .run_requests
                .push(RunRequest::Order { job, folder, order });
        }
    }

    pub(super) fn rename(&self, shared: &mut Shared, folder: PathBuf, name: String) {
        if self.is_queued(&folder) {
            let title = format!("{} keeps its name", name_of(&folder));
            let detail = "It is being trained or queued; rename it afterwards.";
            shared.notify(NoticeKind::Hint, title, detail);
            return;
        }
        let job = shared.next_job();
        shared
            .run_requests
            .push(RunRequest::Rename { job, folder, name });
    }

    /// Keeps the run that is shown selected under its new name.
    pub(crate) fn renamed(&mut self, folder: &Path, to: PathBuf) {
        if self.compared.remove(folder) {
            self.compared.insert(to.clone());
        }
        if self.selected.as_deref() == Some(folder) {
            self.selected = Some(to);
        }
    }

    /// A run that waits only leaves the queue.
    pub(super) fn ask_trash(&mut self, shared: &mut Shared, folder: PathBuf) {
        if self.queued(&folder).is_some() {
            self.order(shared, folder, Order::Abandon);
        } else {
            self.trashing = Some(folder);
        }
    }

    pub(super) fn save_chart(&self, shared: &mut Shared, path: PathBuf) {
        let Some(run) = self.selected() else {
            return;
        };
        let chart = self.chart(run);
        let job = shared.next_job();
        shared.run_requests.push(RunRequest::SaveChart {
            job,
            chart: Box::new(chart),
            path,
        });
    }

    /// Takes over the runs that were found.
    pub(crate) fn seen(&mut self, runs: Vec<RunSnapshot>) {
        self.list = runs;
        let gone = |folder: &PathBuf| !self.list.iter().any(|run| run.folder == *folder);
        let waits = |folder: &PathBuf| self.queue.iter().any(|queued| queued.folder == *folder);
        if self
            .selected
            .as_ref()
            .is_none_or(|folder| gone(folder) && !waits(folder))
        {
            let running = self.list.iter().find(|run| run.state == RunState::Running);
            let first = running.or(self.list.first());
            self.selected = first.map(|run| run.folder.clone());
        }
    }

    /// Takes a run of this window out of the queue; its name, if the job was one.
    pub(super) fn leave_queue(&mut self, job: JobId) -> Option<String> {
        let queue = &mut self.queue;
        let at = queue.iter().position(|queued| queued.job == job)?;
        Some(name_of(&queue.remove(at).folder))
    }

    /// A name that no other run has.
    pub(super) fn free_name(&self, shared: &Shared, name: &str) -> String {
        let runs = shared.runs_folder();
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let is_free = |name: &String| {
            let folder = runs.join(name);
            !folder.exists() && !self.is_queued(&folder)
        };
        names.find(is_free).expect("there is no end of numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renamed_run_stays_selected_and_compared() {
        let [before, after] = ["runs/one", "runs/two"].map(PathBuf::from);
        let mut runs = Runs {
            selected: Some(before.clone()),
            compared: [before.clone()].into(),
            ..Runs::default()
        };
        runs.renamed(&before, after.clone());
        assert_eq!(runs.selected.as_ref(), Some(&after));
        assert_eq!(runs.compared, [after.clone()].into());
        runs.renamed(&before, before.clone());
        assert_eq!(runs.selected, Some(after), "another one was renamed");
    }

    #[test]
    fn a_run_of_another_program_gets_its_order_by_its_folder() {
        let (mut runs, mut shared) = (Runs::default(), Shared::default());
        runs.queue.push(Queued {
            job: JobId(7),
            folder: "runs/own".into(),
        });
        runs.order(&mut shared, "runs/own".into(), Order::Pause);
        let own = TrainingRequest::Order {
            job: JobId(7),
            order: Order::Pause,
        };
        assert_eq!(runs.requests, [own]);
        runs.order(&mut shared, "runs/other".into(), Order::Pause);
        assert_eq!(runs.requests.len(), 1);
        assert!(matches!(
            shared.run_requests[..],
            [RunRequest::Order {
                order: Order::Pause,
                ..
            }]
        ));
        assert_eq!(runs.leave_queue(JobId(7)).as_deref(), Some("own"));
        assert!(!runs.is_busy());
    }
}
