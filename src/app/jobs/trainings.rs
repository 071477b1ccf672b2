//! Trainings of the window: a queue whose reports are events.

use super::Event;
use crate::training::RunEvent;
use canopy_train::TrainingReport;
pub use canopy_train::{TrainingJob, TrainingRequest};

/// The window's end of the queue of trainings.
pub type Trainings = canopy_train::Trainings<Event>;

impl From<TrainingReport> for Event {
    fn from(report: TrainingReport) -> Self {
        match report {
            TrainingReport::Event { job, event } => RunEvent::Progressed { job, event }.into(),
            TrainingReport::Finished { job } => Self::Finished { job },
            TrainingReport::Cancelled { job } => Self::Cancelled { job },
            TrainingReport::Failed { job, error } => Self::Failed {
                job,
                error: error.into(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::jobs::JobId;
    use crate::jobs::worker::tests as translation;
    use canopy_train::error::Result;
    use canopy_train::{
        Control, DeviceLock, EndReason, Order, Phase, TrainingConfig, TrainingEvent,
    };
    use canopy_translate::inference::DeviceChoice;

    /// Takes its turns on the device until it is ordered to stop.
    #[expect(clippy::unnecessary_wraps, reason = "has the shape of a training")]
    fn endless(
        _job: &TrainingJob,
        control: &Control,
        observe: &mut dyn FnMut(&TrainingEvent),
    ) -> Result<EndReason> {
        observe(&TrainingEvent::Phase {
            phase: Phase::Train,
        });
        while control.order() < Order::Stop {
            let _turn = control.device_lock().take();
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(EndReason::Stopped)
    }

    #[test]
    fn a_translation_goes_on_while_a_run_goes_on() {
        let (device_lock, (sender, events)) = (DeviceLock::default(), channel());
        let trainings = Trainings::spawn_with(endless, device_lock.clone(), sender, || ());
        let trainings = trainings.expect("a thread");
        let job = JobId(1);
        trainings.send(TrainingRequest::Start(Box::new(TrainingJob {
            job,
            config: TrainingConfig::default(),
            run: "endless".into(),
            resume: false,
            device: DeviceChoice::Cpu,
        })));
        assert!(matches!(events.recv(), Ok(Event::Training { .. })));
        let (worker, translations) = translation::start_sharing(device_lock);
        translation::translate_all(&worker, &translations);
        let order = Order::Stop;
        trainings.send(TrainingRequest::Order { job, order });
        assert!(matches!(events.recv(), Ok(Event::Finished { .. })));
    }
}
