//! Test documents with the context of another document, as a control: a gain that stays does not come from the context.

use canopy_corpus::{DocumentUnits, Segment};
use canopy_nn::model::{Context, ContextReach, MemoryUse, ModelConfig};

/// Sentences of another document before a sentence at most, and after it.
const MOST: usize = 64;

/// The part that a control takes from another document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchanged {
    /// The model reads its own sentence alone.
    Nothing,
    /// Source sentences alone are read.
    Sources,
    /// Translations alone are read, or remembered.
    Translations,
    /// Both are read.
    Both,
}

impl Exchanged {
    /// The parts of others' sentences that a model reads; `keeps_form` where their form of address is requested.
    pub fn from_config(config: &ModelConfig, keeps_form: bool) -> Self {
        let remembers = config.memory_use == Some(MemoryUse::KnnMt);
        let translations = config.translations_before() > 0
            || remembers
            || keeps_form
            || config.context.is_some_and(Context::is_bilingual);
        let context = config.context;
        let sources =
            context.is_some_and(|context| context.side().has_encoder() || !context.is_bilingual());
        match (sources, translations) {
            (true, true) => Self::Both,
            (true, false) => Self::Sources,
            (false, true) => Self::Translations,
            (false, false) => Self::Nothing,
        }
    }

    /// As a line says it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Nothing => "nothing: the model reads each sentence alone",
            Self::Sources => "the other source sentences",
            Self::Translations => "the translations of other sentences",
            Self::Both => "the other source sentences and their translations",
        }
    }
}

/// For each segment a document of its own, of which all else is another document's: as many sentences before and after as the
/// segment has in its own, [`MOST`] on a side, and no more than `context` reads. Others are those of the documents that are as
/// many farther on as make half of the test set, from their beginning, with their human translations.
pub(super) fn exchanged(
    documents: &[DocumentUnits],
    segments: &[Segment],
    (context, exchanged): (Context, Exchanged),
) -> (Vec<DocumentUnits>, Vec<Segment>) {
    let half = documents.len().div_ceil(2);
    let (before, behind) = match context.reach() {
        ContextReach::Previous(count) => (count.min(MOST), 0),
        ContextReach::Before => (MOST, 0),
        ContextReach::Document => (MOST, MOST),
    };
    let alone = segments.iter().enumerate().map(|(number, segment)| {
        let document = &documents[segment.document];
        let others = documents.iter().cycle().skip(segment.document + half);
        let others = others.take(documents.len());
        let others = others.filter(|other| !std::ptr::eq(*other, document));
        let others = others.flat_map(|other| (0..other.sources.len()).map(move |it| (other, it)));
        let others: Vec<(&DocumentUnits, usize)> = others.take(document.sources.len()).collect();
        let own = segment.units.iter();
        let own: Vec<usize> = own.filter_map(|it| document.number_of(it.place)).collect();
        let first = own.first().copied().unwrap_or_default();
        let last = own.last().copied().unwrap_or_default();
        let read = if others.is_empty() {
            first..last + 1
        } else {
            first.saturating_sub(before)..(last + 1 + behind).min(document.sources.len())
        };
        let mut made = DocumentUnits::default();
        for unit in read {
            let (from, at) = if own.contains(&unit) {
                (document, unit)
            } else {
                others[unit % others.len()]
            };
            made.sources
                .push((document.sources[unit].0, from.sources[at].1.clone()));
            made.shown.push(from.shown[at].clone());
            let headings = document.headings.get(unit).copied();
            made.headings.push(headings.unwrap_or_default());
            made.notes.push(from.notes.get(at).cloned().flatten());
            made.points
                .push(from.points.get(at).cloned().unwrap_or_default());
            made.references.push(from.references[at].clone());
            if exchanged != Exchanged::Sources {
                made.known.push(from.references[at].clone());
            }
        }
        let segment = Segment {
            document: number,
            ..segment.clone()
        };
        (made, segment)
    });
    alone.unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_corpus::SegmentUnit;
    use canopy_nn::model::Side;

    fn document(name: &str, sentences: usize) -> DocumentUnits {
        let texts = |kind: &str| -> Vec<String> {
            let texts = (0..sentences).map(|it| format!("{name} {kind} {it}"));
            texts.collect()
        };
        let shown: Vec<String> = texts("source");
        DocumentUnits {
            sources: shown
                .iter()
                .cloned()
                .enumerate()
                .map(|(at, text)| ((at, 0), text))
                .collect(),
            shown,
            references: texts("target"),
            ..DocumentUnits::default()
        }
    }

    #[test]
    fn a_sentence_stands_among_those_of_another_document_with_their_translations() {
        let documents = [document("a", 4), document("b", 3), document("c", 5)];
        let segment = Segment {
            source: "a source 2".into(),
            reference: "a target 2".into(),
            units: vec![SegmentUnit {
                source: "a source 2".into(),
                reference: "a target 2".into(),
                place: (2, 0),
                identical: false,
                points: Vec::new(),
            }],
            document: 0,
            paragraph: 0,
            unseen: true,
            repeated: false,
        };
        let context = Context::Han {
            previous: 1,
            side: Side::Both,
        };
        let (made, segments) = exchanged(&documents, &[segment], (context, Exchanged::Both));
        assert_eq!(segments[0].document, 0);
        assert_eq!(made[0].shown, ["c source 1", "a source 2"]);
        assert_eq!(made[0].known, ["c target 1", "a target 2"]);
        let places: Vec<(usize, usize)> = made[0].sources.iter().map(|it| it.0).collect();
        assert_eq!(places, [(1, 0), (2, 0)]);
    }
}
