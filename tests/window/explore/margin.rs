//! The shading next to the document.

use super::*;
use canopy::app::{EditCommand, GoCommand, WindowCommand};

#[test]
fn the_margin_of_the_document_shows_where_the_context_of_the_selected_sentence_is() {
    let mut explored = Explored::page();
    let count = |explored: &Explored, text: &str| {
        let nodes = explored.harness.query_all_by_label_contains(text);
        nodes.count()
    };
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::ShowInDocument(0)));
    explored.answer();
    // Word 1 with head 1, as in the tree: it kept sentence 1 alone, to which 1.75 leads.
    assert_eq!(count(&explored, "1.00 attention weight"), 2, "row, outline");
    assert_eq!(count(&explored, "Cumulative relevance 1.75"), 1);
    let state = &mut explored.harness.state_mut().state;
    state.apply(GoCommand::Select(1));
    explored.answer();
    // All of its words, which look at nothing.
    assert_eq!(count(&explored, "attention"), 0);
    let state = &mut explored.harness.state_mut().state;
    state.apply(Command::Explore(ExploreCommand::Heads(Heads::Mean)));
    state.apply(Command::Explore(ExploreCommand::SelectWholeSentence));
    state.apply(GoCommand::Select(0));
    explored.answer();
    // (A: 1 and 2, b: 2, 3 and 3) × two heads.
    assert_eq!(count(&explored, "0.25 attention mass"), 1);
    assert_eq!(count(&explored, "0.38 attention mass"), 2);
    let state = &mut explored.harness.state_mut().state;
    state.apply(EditCommand::Start(1));
    state.apply(EditCommand::Write("Zeh".to_owned()));
    state.apply(EditCommand::Keep);
    state.apply(GoCommand::Select(0));
    explored.answer();
    assert_eq!(count(&explored, "Traced before the last changes"), 4);
}

#[test]
fn without_a_trace_of_this_document_its_margin_is_empty() {
    let mut window = Window::with_document("<p>A b</p><p>C</p><p>D e</p>").translated();
    window.state.apply(GoCommand::Select(0));
    assert!(window.state.explorer.requests.is_empty());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.trace");
    canopy::trace::save(&small::trace(false), &path, false).expect("a file");
    window
        .state
        .apply(Command::Explore(ExploreCommand::OpenTrace(path)));
    let mut explored = Explored::new(window);
    explored.answer();
    let state = &mut explored.harness.state_mut().state;
    state.apply(WindowCommand::ShowPage(Page::Document));
    state.apply(GoCommand::Select(0));
    explored.answer();
    assert!(explored.harness.state().state.explorer.margin().is_none());
}
