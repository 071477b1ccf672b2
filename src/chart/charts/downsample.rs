//! Long series, thinned to what a screen can show.

use super::chart::Span;

/// A series as it is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Downsampled {
    /// Lines without gaps, in the order of x.
    pub lines: Vec<Vec<(f64, f64)>>,
    /// Where values are missing: at most one x a column.
    pub missing: Vec<f64>,
}

/// Keeps the first, the smallest, the largest and the last point of each of `columns` equal parts of `x`, so that the
/// drawing looks like that of all points. A point outside each end of `x` stays, for lines that leave it.
///
/// `points` ascend in x; a `y` that is not `valid` breaks the line.
pub(super) fn downsampled(
    points: &[(f64, f64)],
    x: Span,
    columns: usize,
    valid: impl Fn(f64) -> bool,
) -> Downsampled {
    let per_unit = columns.max(1) as f64 / (x.1 - x.0);
    let column_of = |at: f64| ((at - x.0) * per_unit).floor() as i64;

    let mut downsampled = Downsampled::default();
    let mut line: Vec<(f64, f64)> = Vec::new();
    let mut column = Column::default();
    let mut last_missing = None;
    for &(at, y) in with_neighbours(points, x) {
        let number = column_of(at);
        if !at.is_finite() || !valid(y) {
            column.flush(&mut line);
            downsampled.end(&mut line);
            if last_missing != Some(number) && (x.0..=x.1).contains(&at) {
                downsampled.missing.push(at);
                last_missing = Some(number);
            }
            continue;
        }
        if column.number != number {
            column.flush(&mut line);
            column.number = number;
        }
        column.take((at, y));
    }
    column.flush(&mut line);
    downsampled.end(&mut line);
    downsampled
}

/// The points within `x`; if they are too few for a line, with their neighbours.
pub(super) fn visible(points: &[(f64, f64)], x: Span) -> &[(f64, f64)] {
    let around = with_neighbours(points, x);
    let from = around.partition_point(|point| point.0 < x.0);
    let to = around.partition_point(|point| point.0 <= x.1);
    match around.get(from..to) {
        Some(within) if within.len() > 1 => within,
        _ => around,
    }
}

fn with_neighbours(points: &[(f64, f64)], x: Span) -> &[(f64, f64)] {
    let from = points
        .partition_point(|point| point.0 < x.0)
        .saturating_sub(1);
    let to = (points.partition_point(|point| point.0 <= x.1) + 1).min(points.len());
    points.get(from..to).unwrap_or_default()
}

impl Downsampled {
    fn end(&mut self, line: &mut Vec<(f64, f64)>) {
        if !line.is_empty() {
            self.lines.push(std::mem::take(line));
        }
    }
}

/// The points of one column that stay, each with its place in their order.
#[derive(Debug, Default)]
struct Column {
    number: i64,
    count: usize,
    /// First, smallest, largest, last.
    kept: [(usize, (f64, f64)); 4],
}

impl Column {
    fn take(&mut self, point: (f64, f64)) {
        let here = (self.count, point);
        if self.count == 0 {
            self.kept = [here; 4];
        }
        let [_, smallest, largest, last] = &mut self.kept;
        if point.1 < smallest.1.1 {
            *smallest = here;
        }
        if point.1 > largest.1.1 {
            *largest = here;
        }
        *last = here;
        self.count += 1;
    }

    fn flush(&mut self, line: &mut Vec<(f64, f64)>) {
        if self.count > 0 {
            self.kept.sort_unstable_by_key(|kept| kept.0);
            let mut before = None;
            for (place, point) in self.kept {
                if before != Some(place) {
                    line.push(point);
                }
                before = Some(place);
            }
        }
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise without a generator: the fraction of a product.
    fn noisy(count: u32) -> Vec<(f64, f64)> {
        let value = |n: u32| (f64::from(n) * 0.618_033_988_7).fract() + f64::from(n % 7_919) * 1e-5;
        (0..count).map(|n| (f64::from(n), value(n))).collect()
    }

    /// Smallest and largest value of each column.
    fn extremes(points: &[(f64, f64)], x: Span, columns: u32) -> Vec<(f64, f64)> {
        let mut extremes = vec![(f64::MAX, f64::MIN); columns as usize];
        for &(at, y) in points {
            let column = ((at - x.0) * (f64::from(columns) / (x.1 - x.0))).floor();
            if column >= 0.0 && column < f64::from(columns) {
                let extreme = &mut extremes[column as usize];
                *extreme = (extreme.0.min(y), extreme.1.max(y));
            }
        }
        extremes
    }

    #[test]
    fn a_million_points_keep_the_extremes_of_every_column() {
        let points = noisy(1_000_000);
        for x in [(0.0, 1_000_000.0), (1_234.0, 456_789.0)] {
            let downsampled = downsampled(&points, x, 700, f64::is_finite);
            assert_eq!(downsampled.lines.len(), 1);
            let line = &downsampled.lines[0];
            assert!(line.len() <= 4 * 700 + 2, "{}", line.len());
            assert!(line.is_sorted_by(|a, b| a.0 < b.0));
            assert_eq!(extremes(line, x, 700), extremes(&points, x, 700));
        }
    }

    #[test]
    fn few_points_stay_as_they_are() {
        let points = noisy(50);
        let downsampled = downsampled(&points, (0.0, 49.0), 700, f64::is_finite);
        assert_eq!(downsampled.lines, [points]);
    }

    #[test]
    fn missing_values_break_the_line_and_are_counted_once_a_column() {
        let mut points = noisy(1_000);
        points[400..420]
            .iter_mut()
            .for_each(|point| point.1 = f64::NAN);
        points[900].1 = f64::INFINITY;
        let downsampled = downsampled(&points, (0.0, 1_000.0), 100, f64::is_finite);
        assert_eq!(downsampled.lines.len(), 3);
        assert_eq!(downsampled.missing, [400.0, 410.0, 900.0]);
    }

    #[test]
    fn lines_go_on_to_the_points_beyond_the_view() {
        let points = [(0.0, 1.0), (10.0, 2.0), (20.0, 3.0), (30.0, 4.0)];
        let downsampled = downsampled(&points, (12.0, 18.0), 10, f64::is_finite);
        assert_eq!(downsampled.lines, [vec![(10.0, 2.0), (20.0, 3.0)]]);
    }

    #[test]
    fn nothing_to_show_is_nothing() {
        assert_eq!(
            downsampled(&[], (0.0, 1.0), 10, f64::is_finite),
            Downsampled::default()
        );
    }
}
