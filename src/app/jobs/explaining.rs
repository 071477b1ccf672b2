//! Traces: a question about a large document must not hold up the window.

use std::path::PathBuf;
use std::sync::Arc;

use super::pool::{Answerer, EventSender, Lane, Pool};
use super::{Event, JobId};
use crate::ExploreEvent;
use crate::error::Result;
use canopy_base::error::caught;
use canopy_chart::charts::Theme;
use canopy_explain::trace::{self, Side, TraceSource};
use canopy_explain::{
    DocumentMap, Explanation, Heads, Margin, Query, Question, ViewKind, sentence_weights,
};

/// Work on a trace.
#[derive(Debug)]
pub enum ExplainRequest {
    /// Reads a trace from its file.
    Open {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
    },
    /// Only the last of several waiting requests is answered.
    Answer {
        /// Number of the job.
        job: JobId,
        /// The trace.
        source: Arc<TraceSource>,
        /// Another model's trace, whose maps are shown alongside.
        compared: Option<Arc<TraceSource>>,
        /// The question.
        question: Question,
    },
    /// Only the last of several waiting requests is answered.
    Margin {
        /// Number of the job.
        job: JobId,
        /// The trace.
        source: Arc<TraceSource>,
        /// The spot whose context the margin shows.
        query: Query,
    },
    /// A figure or its numbers, according to the file extension; overwrites, since the dialog has asked.
    SaveFigure {
        /// Number of the job.
        job: JobId,
        /// The answer that is drawn.
        answer: Arc<Answer>,
        /// Colours of the figure.
        theme: Theme,
        /// The file.
        path: PathBuf,
    },
    /// Writes a trace to a file.
    SaveTrace {
        /// Number of the job.
        job: JobId,
        /// The trace.
        source: Arc<TraceSource>,
        /// The file.
        path: PathBuf,
    },
}

/// The answer to a question about a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// The view that answers it.
    pub explanation: Explanation,
    /// Share of the attention that each sentence has, ascending by number; empty if the view is not about the document.
    pub weights: Vec<(u32, f32)>,
}

impl Answer {
    /// Whether its weights are what `view` is about: attention, or similarity.
    pub fn is_of(&self, view: ViewKind) -> bool {
        let compares = |view| view == ViewKind::Similarity;
        compares(self.question.view) == compares(view)
    }
}

/// Width of saved figures, in pixels.
const FIGURE_WIDTH: u32 = 1_200;

/// The lane of [`ExplainRequest`]s.
pub type ExplainLane = Lane<ExplainRequest>;

impl ExplainLane {
    /// Opens the lane in `pool`.
    pub fn new(pool: &Pool) -> Self {
        pool.lane(Explainer {
            events: pool.events().clone(),
            known: None,
        })
    }
}

struct Explainer {
    events: EventSender,
    known: Option<KnownMap>,
}

impl Answerer for Explainer {
    type Request = ExplainRequest;

    fn answer(&mut self, request: ExplainRequest) {
        self.events.send(done_or_failed(request, &mut self.known));
    }

    fn supersedes(later: &ExplainRequest, earlier: &ExplainRequest) -> bool {
        later.is_answer() && earlier.is_answer() || later.is_margin() && earlier.is_margin()
    }
}

/// The map of a whole document takes a while, and words of it have the same.
struct KnownMap {
    source: Arc<TraceSource>,
    side: Side,
    layer: Option<usize>,
    heads: Heads,
    map: Arc<DocumentMap>,
}

impl KnownMap {
    /// The answer of [`Question::answer`].
    fn answer(
        known: &mut Option<Self>,
        source: &Arc<TraceSource>,
        question: &Question,
    ) -> Result<Explanation> {
        let Query {
            side, layer, heads, ..
        } = question.query;
        if let Some(known) = known
            && Arc::ptr_eq(&known.source, source)
            && (known.side, known.layer, known.heads) == (side, layer, heads)
        {
            return Ok(Explanation::Document(known.map.clone()));
        }
        let answer = question.answer(source)?;
        if let Explanation::Document(map) = &answer {
            *known = Some(Self {
                source: source.clone(),
                side,
                layer,
                heads,
                map: map.clone(),
            });
        }
        Ok(answer)
    }
}

fn done_or_failed(request: ExplainRequest, known: &mut Option<KnownMap>) -> Event {
    let job = request.job();
    let (is_answer, is_margin) = (request.is_answer(), request.is_margin());
    match caught(|| request.done(known)) {
        Ok(event) => event,
        Err(error) if is_answer => Event::Explore(ExploreEvent::Answered {
            job,
            answer: Err(error),
        }),
        Err(_) if is_margin => Event::Explore(ExploreEvent::MarginFound { job, margin: None }),
        Err(error) => Event::Failed { job, error },
    }
}

impl ExplainRequest {
    fn is_answer(&self) -> bool {
        matches!(self, Self::Answer { .. })
    }

    fn is_margin(&self) -> bool {
        matches!(self, Self::Margin { .. })
    }

    fn job(&self) -> JobId {
        match self {
            Self::Open { job, .. }
            | Self::Answer { job, .. }
            | Self::Margin { job, .. }
            | Self::SaveFigure { job, .. }
            | Self::SaveTrace { job, .. } => *job,
        }
    }

    fn done(self, known: &mut Option<KnownMap>) -> Result<Event> {
        Ok(match self {
            Self::Open { job, path } => Event::Explore(ExploreEvent::TraceOpened {
                job,
                source: Arc::new(trace::open(&path)?),
                path,
            }),
            Self::Answer {
                job,
                source,
                compared,
                question,
            } => {
                let explanation = match (question.view, &compared) {
                    (ViewKind::Document, _) => KnownMap::answer(known, &source, &question)?,
                    (view, Some(other)) if view.has_room_for_two() => {
                        let questions =
                            [(&*source, question), (&**other, question.for_other(other))];
                        Question::compare(&questions)?
                    }
                    _ => question.answer(&source)?,
                };
                // Views of one sentence have no share of the document.
                let weights = sentence_weights(&source, &question.query).unwrap_or_default();
                let answer = Arc::new(Answer {
                    question,
                    explanation,
                    weights,
                });
                Event::Explore(ExploreEvent::Answered {
                    job,
                    answer: Ok(answer),
                })
            }
            Self::Margin { job, source, query } => Event::Explore(ExploreEvent::MarginFound {
                job,
                margin: Some(Box::new(Margin::new(&source, &query)?)),
            }),
            Self::SaveFigure {
                job,
                answer,
                theme,
                path,
            } => {
                let explanation = &answer.explanation;
                let size = (FIGURE_WIDTH, explanation.height(FIGURE_WIDTH));
                explanation.write(&theme, &path, size, true)?;
                Event::Explore(ExploreEvent::Saved { job, path })
            }
            Self::SaveTrace { job, source, path } => {
                trace::save(&*source.trace()?, &path, true)?;
                Event::Explore(ExploreEvent::Saved { job, path })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_explain::Order;
    use canopy_explain::trace::{Overview, Trace};

    fn answer(job: u64, source: &Arc<TraceSource>) -> ExplainRequest {
        ExplainRequest::Answer {
            job: JobId(job),
            source: source.clone(),
            compared: None,
            question: Question {
                view: ViewKind::Tree,
                query: Query::sentence(Side::Source, 0),
                each_head: false,
                order: Order::Document,
                limit: 6,
            },
        }
    }

    #[test]
    fn of_questions_that_wait_the_last_one_is_answered() {
        let empty = Trace {
            overview: Overview::default(),
            maps: Vec::new(),
        };
        let source = Arc::new(TraceSource::from(empty));
        let [first, second] = [1, 2].map(|job| answer(job, &source));
        let save = ExplainRequest::SaveTrace {
            job: JobId(3),
            source,
            path: "page.trace".into(),
        };
        assert!(Explainer::supersedes(&second, &first));
        assert!(!Explainer::supersedes(&save, &first));
        assert!(!Explainer::supersedes(&second, &save));
    }

    #[test]
    fn a_file_that_is_no_trace_is_a_failure_with_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("page.trace");
        std::fs::write(&path, "no trace").expect("a file");
        let request = ExplainRequest::Open {
            job: JobId(1),
            path: path.clone(),
        };
        let Event::Failed { error, .. } = done_or_failed(request, &mut None) else {
            panic!("it opened");
        };
        assert!(error.to_string().contains("page.trace"), "{error}");
    }
}
