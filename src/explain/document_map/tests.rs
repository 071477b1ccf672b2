use super::*;
use crate::Scale;
use canopy_chart::charts::Theme;

/// The weights of each bin, over all of the map.
fn frame(map: &DocumentMap, view: &MapView, size: (u32, u32)) -> MapFrame {
    MapFrame::new(map, view, size, None)
}

#[test]
fn every_cell_has_a_bin_and_every_bin_a_pixel() {
    for (seen, cells, pixels) in [
        ((0.0, 10.0), 10, 400),
        ((0.0, 10.0), 10, 10),
        ((2.3, 7.9), 10, 93),
        ((0.0, 1000.0), 1000, 77),
        ((12.5, 911.25), 1000, 640),
        ((0.0, 16_384.0), 16_384, 721),
        ((0.0, 1.0), 1, 1),
    ] {
        let bins = Bins::new(seen, cells, pixels);
        assert_eq!(bins.of_pixel.len(), pixels as usize);
        assert_eq!(bins.of_cell.len(), bins.cells.len());
        assert!(bins.of_cell.is_sorted() && bins.of_cell.iter().all(|&bin| bin < bins.count));
        assert!(bins.count <= pixels, "{seen:?}");
        // Only a cell that hardly looks in over the edge may be without a pixel.
        for bin in 1..bins.count.saturating_sub(1) {
            assert!(bins.of_pixel.contains(&bin), "{bin} of {seen:?}");
            assert!(bins.of_cell.contains(&bin), "{bin} of {seen:?}");
        }
    }
    let separated = Bins::new((0.0, 4.0), 4, 40);
    let lines = separated.of_pixel.iter();
    assert_eq!(lines.filter(|&&bin| bin == Bins::LINE).count(), 3);
}

#[test]
fn a_pixel_shows_the_greatest_of_its_cells_and_hides_none() {
    let map = DocumentMap::generated(700, 8, 3);
    let frame = frame(&map, &MapView::all(&map), (90, 41));
    let (bins, rests) = frame.greatest(&map);
    let mut expected = vec![0.0_f32; bins.len()];
    for row in 0..map.rows() {
        for (column, weight) in map.row(row) {
            let bin = frame.rows.of_cell[row] * 90 + frame.columns.of_cell[column as usize];
            expected[bin as usize] = expected[bin as usize].max(weight);
        }
    }
    assert_eq!(bins, expected);
    assert!(bins.contains(&map.largest()));
    let most = |weights: &[f32]| weights.iter().copied().fold(0.0, f32::max);
    assert!(most(&rests).to_bits() == most(map.rest()).to_bits());
}

#[test]
fn zeros_are_as_blank_as_the_page_and_rests_are_hatched() {
    let mut map = DocumentMap::empty(4);
    map.push_row([(1, 0.001)], 0.0);
    map.push_row([(3, 0.5)], 0.5);
    map.push_row([], 0.0);
    let ink = MapColours::new(
        &Scale::new(0.0, map.largest(), &Theme::LIGHT),
        &Theme::LIGHT,
    );
    let strip = Strip { gap: 2, width: 10 };
    let frame = MapFrame::new(&map, &MapView::all(&map), (4, 3), Some(strip));
    let picture = frame.picture(&map, &ink);
    let (pixels, _) = picture.as_chunks::<4>();
    let page = [255, 255, 255, 255];
    for (y, line) in pixels.chunks(16).enumerate() {
        for (x, pixel) in line[..4].iter().enumerate() {
            assert_eq!(*pixel == page, map.weight(y, x) == 0.0, "{x} {y}");
        }
        let drawn = line[6..].iter().filter(|&&pixel| pixel != page).count();
        assert_eq!(drawn, [0, 5, 0][y], "half of the strip for a rest of 0.5");
        assert!(line[4..6].iter().all(|&pixel| pixel == page));
    }
}

#[test]
fn the_pointer_finds_cells() {
    let mut map = DocumentMap::empty(1000);
    for row in 0..1000 {
        let weight = if row == 500 { 0.75 } else { 0.5 };
        map.push_row((row == 500 || row == 501).then_some((300, weight)), 0.0);
    }
    let small = frame(&map, &MapView::all(&map), (100, 100));
    let found = MapCell {
        row: 500,
        column: 300,
        weight: 0.75,
    };
    // The greater of the two in this pixel, and for pixels around it.
    assert_eq!(small.cell_at(&map, (30, 50), 3), Some(found));
    assert_eq!(small.cell_at(&map, (33, 47), 3), Some(found));
    let blank = small.cell_at(&map, (60, 50), 3).expect("a blank cell");
    assert_eq!((blank.row, blank.column), (500, 600));
    assert!(blank.weight == 0.0);
    assert_eq!(small.cell_at(&map, (100, 0), 3), None);
    // Large cells are found where they are only.
    let mut view = MapView::all(&map);
    view.zoom((500.0, 300.0), (0.01, 0.01), &map);
    let large = frame(&map, &view, (100, 100));
    assert_eq!(large.rows.cells, 495..505);
    let at = |x, y| large.cell_at(&map, (x, y), 3).map(|cell| cell.weight);
    assert_eq!(at(35, 55), Some(0.75));
    assert_eq!(at(35, 65), Some(0.5));
    assert_eq!(at(45, 55), Some(0.0));
    assert_eq!(at(30, 55), None, "between two cells");
}

#[test]
fn zooming_keeps_what_is_under_the_pointer_and_never_leaves_the_map() {
    let map = DocumentMap::generated(500, 2, 0);
    let mut view = MapView::all(&map);
    view.zoom((125.0, 250.0), (0.5, 0.1), &map);
    assert_eq!(view.rows, (62.5, 312.5));
    assert_eq!(view.columns, (225.0, 275.0));
    view.pan(-1e9, 1e9, &map);
    assert_eq!((view.rows, view.columns), ((0.0, 250.0), (450.0, 500.0)));
    view.zoom((100.0, 475.0), (1e-9, 1e-9), &map);
    assert_eq!(view.spans(), (4.0, 4.0));
    view.zoom((100.0, 475.0), (1e9, 1e9), &map);
    assert_eq!(view, MapView::all(&map));
}

#[test]
fn a_map_without_rows_has_a_picture() {
    let map = DocumentMap::empty(0);
    let frame = frame(&map, &MapView::all(&map), (7, 5));
    let ink = MapColours::new(&Scale::new(0.0, 0.0, &Theme::DARK), &Theme::DARK);
    assert_eq!(frame.picture(&map, &ink).len(), 7 * 5 * 4);
    assert_eq!(frame.cell_at(&map, (3, 3), 2), None);
}
