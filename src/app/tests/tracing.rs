//! A trace that would be large is not made unasked.

use super::*;
use crate::command::Page;
use crate::{DocumentCommand, WindowCommand};

/// A document of `num` sections of two sentences, all of them translated.
fn with_sections(sections: usize, rows_a_token: usize) -> AppState {
    let mut state = with_page();
    let section = "<h2>Part</h2><p>Click here. Then wait there.</p>";
    let text = section.repeat(sections);
    open(&mut state, parsed(&text), None);
    if let ModelState::Open { info, .. } = &mut state.models.in_use.current {
        info.trace_cost = TraceCost { rows_a_token };
    }
    state.apply(DocumentCommand::Translate(Scope::Document));
    work(&mut state);
    state.shared.requests.clear();
    state
}

/// The requested part, `0..0` for the whole document, if a trace was requested.
fn traced(state: &mut AppState) -> Option<std::ops::Range<usize>> {
    match state.shared.requests.pop()? {
        Request::Trace { part, .. } => Some(part.unwrap_or_default()),
        _ => None,
    }
}

#[test]
fn a_small_document_is_traced_as_the_page_opens_and_a_large_one_is_not() {
    let mut small = with_sections(3, 24);
    small.apply(WindowCommand::ShowPage(Page::Explore));
    assert_eq!(traced(&mut small), Some(0..0));
    let mut large = with_sections(300, 400);
    large.apply(WindowCommand::ShowPage(Page::Explore));
    assert_eq!(traced(&mut large), None);
    large.apply(Command::Explore(ExploreCommand::Trace(None)));
    assert_eq!(
        traced(&mut large),
        Some(0..0),
        "whole, since it was requested"
    );
}

#[test]
fn the_section_of_a_sentence_is_traced_where_the_document_is_large() {
    let mut state = with_sections(300, 400);
    state.apply(WindowCommand::ShowPage(Page::Explore));
    state.apply(Command::Explore(ExploreCommand::TraceSection(301)));
    assert_eq!(traced(&mut state), Some(300..303));
    let mut huge = with_sections(300, 90_000);
    huge.apply(Command::Explore(ExploreCommand::TraceSection(301)));
    assert_eq!(traced(&mut huge), Some(301..302), "one sentence at least");
}
