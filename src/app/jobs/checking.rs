//! The thread that checks translations, so that the window never waits for a long document.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use super::{Event, JobId, RequestThread};
use crate::error::Result;
use canopy_base::error::caught;
use canopy_qa::checks::{CheckKind, Checks, Pair, Resources, Spelling};
use canopy_qa::terms::{TermUsage, Termbase};

/// Work for the thread: the sentences of a document with their translations.
#[derive(Debug)]
pub struct CheckRequest {
    pub job: JobId,
    pub pairs: Vec<Pair>,
    pub checks: Checks,
    pub terms: Option<Arc<Termbase>>,
    /// A person's own folder of dictionaries.
    pub dictionaries: Option<PathBuf>,
}

/// The thread of [`CheckRequest`]s.
pub type CheckThread = RequestThread<CheckRequest>;

impl CheckThread {
    /// Starts the thread; `wake` is called after every event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(events: Sender<Event>, wake: impl Fn() + Send + 'static) -> Result<Self> {
        Self::start("canopy-checks", events, wake, check_all)
    }
}

fn check_all(inbox: &Receiver<CheckRequest>, emit: &dyn Fn(Event)) {
    type Of = (String, Option<PathBuf>);
    let mut dictionary: Option<(Of, Option<Spelling>)> = None;
    while let Ok(request) = inbox.recv() {
        let CheckRequest {
            job,
            pairs,
            checks,
            terms,
            dictionaries,
        } = request;
        let spells = checks.kinds.contains(&CheckKind::Spelling);
        let wanted = checks.target_language.clone().filter(|_| spells);
        if let Some(wanted) = wanted.map(|language| (language, dictionaries))
            && dictionary
                .as_ref()
                .is_none_or(|(known, _)| *known != wanted)
        {
            let opened = Spelling::installed_or_in(&wanted.0, wanted.1.as_deref());
            if let Err(error) = &opened {
                emit(Event::NotSpelled {
                    job,
                    reason: error.to_string(),
                });
            }
            dictionary = Some((wanted, opened.ok()));
        }
        let spelling = dictionary.as_ref().and_then(|(_, it)| it.as_ref());
        let found = caught(|| {
            let terms = terms.map(TermUsage::new);
            let resources = Resources {
                terms: terms.as_ref(),
                spelling: spelling.filter(|_| spells),
            };
            Ok(checks.run_with(&pairs, resources))
        });
        emit(match found {
            Ok(findings) => Event::Checked { job, findings },
            Err(error) => Event::Failed { job, error },
        });
    }
}
