//! Legends of figures.

use canopy::charts::{Theme, picture_svg};
use canopy::explain::{ContextView, Explanation, Heads, Order, Query, WeightMap};
use canopy::trace::{MapKind, Side, Trace, TracedWindow};

use super::small::trace;
use super::{source, word};

#[test]
fn sentences_for_which_there_is_no_room_are_reported() {
    let query = Query::sentence(Side::Source, 0);
    let context = ContextView::new(&source(), &query, 3).expect("sentences");
    for (count, is_cut) in [(20, false), (150, true)] {
        let mut context = context.clone();
        context.sentences = vec![context.sentences[0].clone(); count];
        let view = Explanation::Context(context);
        let svg = picture_svg(&view, &Theme::LIGHT, (700, view.height(700)));
        let svg = svg.expect("a figure");
        assert_eq!(
            svg.contains("for which there is no room"),
            is_cut,
            "{count}"
        );
    }
}

#[test]
fn maps_of_weight_and_of_mass_are_not_called_weight() {
    let map =
        |query: &Query| WeightMap::sentences(&source(), query, Order::Document).expect("a map");
    let [one, mean] = [word(1, 0), Query::sentence(Side::Source, 0)].map(|query| map(&query));
    for (maps, both) in [
        (vec![one.clone(), one.clone()], false),
        (vec![one, mean], true),
    ] {
        let svg = picture_svg(&Explanation::Maps(maps), &Theme::LIGHT, (900, 400));
        let svg = svg.expect("a figure");
        assert_eq!(svg.contains("attention weight, or mass"), both);
    }
}

#[test]
fn what_stood_in_another_window_is_no_zero() {
    let query = Query {
        heads: Heads::One(0),
        ..Query::sentence(Side::Source, 1)
    };
    let view = |trace: Trace| {
        let map = WeightMap::sentences(&trace.into(), &query, Order::Document);
        map.expect("a map")
    };
    let mut read_in_windows = trace(false);
    let window = |first, own, end| TracedWindow { first, own, end };
    read_in_windows.overview.windows = vec![window(0, 0, 1), window(1, 1, 3)];
    for map in &mut read_in_windows.maps {
        map.info.windowed = map.info.kind == MapKind::Context;
    }
    let [whole, windows] = [trace(false), read_in_windows].map(view);
    assert_eq!((whole.zeros.visible, whole.zeros.zero), (3, 3));
    assert_eq!((windows.zeros.visible, windows.zeros.zero), (2, 2));
    for (map, masks) in [(whole, false), (windows, true)] {
        assert_eq!(map.masks, masks);
        assert_eq!(map.query.contains("read in 2 windows"), masks);
        let view = Explanation::Maps(vec![map]);
        let svg = picture_svg(&view, &Theme::LIGHT, (900, 400)).expect("a figure");
        assert_eq!(svg.contains("could not be seen"), masks);
    }
}
