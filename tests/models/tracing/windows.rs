//! A document too long to be read at once is traced as it was read: in windows, alone or among all other sentences.

use canopy::model::{Context, MergeKind, ModelConfig, Placement, TraversalRule};
use canopy::text::document::{Document, Format};
use canopy::trace::{MapKind, save};

use crate::tracing::{tiny, translator};

/// More than 16,384 tokens.
fn long_document() -> Document {
    let sentences = "Open the file.\n\nClose the window.\n\nSave the table.\n\nPrint it.\n\n";
    let text = sentences.repeat(550);
    Document::from_bytes("page.txt", Format::Text, text.into_bytes()).expect("a document")
}

#[test]
fn sentences_of_other_windows_are_traced_where_they_were_read() {
    let document = long_document();
    let untranslated = vec![None; document.sentences.len()];
    let tree = Context::HierarchicalConditional {
        top_t: 2,
        merge: MergeKind::Source2Token,
        rule: TraversalRule::ByNode,
        placement: Placement::Gate,
    };
    let conditional = |placement| Context::Conditional {
        top_t: 2,
        placement,
    };
    for (context, is_among_others) in [
        (tree, true),
        (conditional(Placement::Gate), true),
        (conditional(Placement::Sublayer), false),
    ] {
        let config = ModelConfig {
            context: Some(context),
            ..tiny::config()
        };
        let trace = translator(config).trace(&document, &untranslated);
        let trace = trace.expect("traces");
        let [.., before, last] = trace.overview.windows.as_slice() else {
            panic!("it is read in windows: {:?}", trace.overview.windows);
        };
        assert_eq!((last.own, last.end), (before.end, document.sentences.len()));
        assert!(before.own < last.first && last.first < last.own);
        for tree in &trace.overview.trees {
            assert_eq!(tree.leaves.len(), document.sentences.len());
        }
        assert_eq!(
            trace.overview.trees.len(),
            usize::from(matches!(context, Context::HierarchicalConditional { .. }))
        );
        let first_row = trace
            .overview
            .words(canopy::trace::Side::Source)
            .rows(last.own)
            .start;
        let maps = trace.maps.iter();
        for map in maps.filter(|map| map.info.kind == MapKind::Context) {
            assert_eq!(map.info.windowed, !is_among_others);
            let read = map.rows[first_row..].iter().flat_map(|row| &row.sentences);
            let first = read.map(|read| read.sentence as usize).min();
            let first = first.expect("others are read");
            assert_eq!(first < last.first, is_among_others, "{context:?}: {first}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        save(&trace, folder.path().join("a.trace"), false).expect("it is a whole trace");
    }
}
