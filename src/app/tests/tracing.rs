//! A trace that would be large is not made unasked.

use super::*;
use crate::app::command::Page;

/// Has as many sections of two sentences as are asked for, all of them translated.
fn with_sections(sections: usize, rows_a_token: usize) -> AppState {
    let mut state = with_page();
    let text: String = (0..sections)
        .map(|number| format!("<h2>Part {number}</h2><p>Click here. Then wait there.</p>"))
        .collect();
    open(&mut state, parsed(&text), None);
    if let ModelState::Open { info, .. } = &mut state.model {
        info.trace_cost = TraceCost { rows_a_token };
    }
    state.apply(Command::Translate(Scope::Document));
    work(&mut state);
    state.requests.clear();
    state
}

fn traced(state: &mut AppState) -> Option<Option<std::ops::Range<usize>>> {
    match state.requests.pop()? {
        Request::Trace { part, .. } => Some(part),
        _ => None,
    }
}

#[test]
fn a_small_document_is_traced_as_the_page_opens_and_a_large_one_is_not() {
    let mut small = with_sections(3, 24);
    small.apply(Command::ShowPage(Page::Explore));
    assert_eq!(traced(&mut small), Some(None));
    let mut large = with_sections(300, 400);
    large.apply(Command::ShowPage(Page::Explore));
    assert_eq!(traced(&mut large), None);
    large.apply(Command::Explore(ExploreCommand::Trace(None)));
    assert_eq!(
        traced(&mut large),
        Some(None),
        "whole, since it was asked for"
    );
}

#[test]
fn the_section_of_a_sentence_is_traced_where_the_document_is_large() {
    let mut state = with_sections(300, 400);
    state.apply(Command::ShowPage(Page::Explore));
    state.apply(Command::Explore(ExploreCommand::TraceSection(301)));
    assert_eq!(traced(&mut state), Some(Some(300..303)));
    let mut huge = with_sections(300, 40_000);
    huge.apply(Command::Explore(ExploreCommand::TraceSection(301)));
    assert_eq!(
        traced(&mut huge),
        Some(Some(301..302)),
        "one sentence at least"
    );
}
