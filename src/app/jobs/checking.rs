//! Checks of translations, so that the window never waits for a long document.

use std::path::PathBuf;
use std::sync::Arc;

use super::pool::{Answerer, EventSender, Lane, Pool};
use super::{Event, JobId};
use crate::DocumentEvent;
use canopy_base::error::caught;
use canopy_qa::checks::{CheckKind, Checks, Pair, Resources, Spelling};
use canopy_qa::terms::{TermUsage, Termbase};

/// The sentences of a document with their translations.
#[derive(Debug)]
pub struct CheckRequest {
    /// Number of the job.
    pub job: JobId,
    /// Sources with their translations.
    pub pairs: Vec<Pair>,
    /// The checks to make.
    pub checks: Checks,
    /// The terms that translations are checked for.
    pub terms: Option<Arc<Termbase>>,
    /// A person's own folder of dictionaries.
    pub dictionaries: Option<PathBuf>,
}

/// The lane of [`CheckRequest`]s.
pub type CheckLane = Lane<CheckRequest>;

impl CheckLane {
    /// Opens the lane in `pool`.
    pub fn new(pool: &Pool) -> Self {
        pool.lane(Checker {
            events: pool.events().clone(),
            dictionary: None,
        })
    }
}

/// A language and a person's own folder of dictionaries.
type DictionaryPlace = (String, Option<PathBuf>);

struct Checker {
    events: EventSender,
    /// The dictionary that was opened last, for its language and a person's own folder; none if it cannot be read.
    dictionary: Option<(DictionaryPlace, Option<Spelling>)>,
}

impl Answerer for Checker {
    type Request = CheckRequest;

    fn answer(&mut self, request: CheckRequest) {
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
            && self
                .dictionary
                .as_ref()
                .is_none_or(|(known, _)| *known != wanted)
        {
            let opened = Spelling::installed_or_in(&wanted.0, wanted.1.as_deref());
            if let Err(error) = &opened {
                self.events.send(DocumentEvent::NotSpelled {
                    job,
                    reason: error.to_string(),
                });
            }
            self.dictionary = Some((wanted, opened.ok()));
        }
        let spelling = self.dictionary.as_ref().and_then(|(_, it)| it.as_ref());
        let found = caught(|| {
            let terms = terms.map(TermUsage::new);
            let resources = Resources {
                terms: terms.as_ref(),
                spelling: spelling.filter(|_| spells),
            };
            Ok(checks.run_with(&pairs, resources))
        });
        self.events.send(match found {
            Ok(findings) => Event::Document(DocumentEvent::Checked { job, findings }),
            Err(error) => Event::Failed { job, error },
        });
    }
}
