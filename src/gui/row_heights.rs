//! Heights of all sentence rows, with the top of each in logarithmic time: a Fenwick tree.

/// Heights in points, estimated until a row has been laid out.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowHeights {
    heights: Vec<f32>,
    /// `f64`: sums over 16,000 rows must stay exact to a fraction of a pixel.
    tree: Vec<f64>,
}

impl RowHeights {
    pub(crate) fn new(heights: Vec<f32>) -> Self {
        let mut tree = vec![0.0; heights.len() + 1];
        for (index, &height) in heights.iter().enumerate() {
            let node = index + 1;
            tree[node] += f64::from(height);
            let parent = node + (node & node.wrapping_neg());
            if parent < tree.len() {
                tree[parent] += tree[node];
            }
        }
        Self { heights, tree }
    }

    pub(crate) fn len(&self) -> usize {
        self.heights.len()
    }

    pub(crate) fn height(&self, row: usize) -> f32 {
        self.heights[row]
    }

    pub(crate) fn set(&mut self, row: usize, height: f32) {
        let difference = f64::from(height) - f64::from(self.heights[row]);
        if difference == 0.0 {
            return;
        }
        self.heights[row] = height;
        let mut node = row + 1;
        while node < self.tree.len() {
            self.tree[node] += difference;
            node += node & node.wrapping_neg();
        }
    }

    /// Where a row begins; the end of everything for `row == len()`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "points on a screen are f32"
    )]
    pub(crate) fn top(&self, row: usize) -> f32 {
        let (mut node, mut sum) = (row, 0.0);
        while node > 0 {
            sum += self.tree[node];
            node &= node - 1;
        }
        sum as f32
    }

    pub(crate) fn total(&self) -> f32 {
        self.top(self.len())
    }

    /// The row that covers `y`, the first or last one if none does.
    pub(crate) fn row_at(&self, y: f32) -> usize {
        let (mut row, mut rest) = (0, f64::from(y));
        let mut step = self.tree.len().next_power_of_two() / 2;
        while step > 0 {
            if row + step < self.tree.len() && self.tree[row + step] <= rest {
                row += step;
                rest -= self.tree[row];
            }
            step /= 2;
        }
        row.min(self.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_and_rows_agree_with_plain_sums() {
        let mut plain = (0..100u8)
            .map(|row| f32::from(row % 7 * 10 + 5))
            .collect::<Vec<_>>();
        let mut rows = RowHeights::new(plain.clone());
        for (row, height) in [(3, 90.0), (99, 1.0), (0, 42.0)] {
            rows.set(row, height);
            plain[row] = height;
        }
        let mut top = 0.0;
        for (row, height) in plain.iter().enumerate() {
            assert!((rows.top(row) - top).abs() < 1e-3);
            assert_eq!(rows.row_at(top + 0.5), row);
            top += height;
        }
        assert!((rows.total() - top).abs() < 1e-3);
        assert_eq!(rows.row_at(top + 50.0), 99);
        assert_eq!(rows.row_at(-5.0), 0);
    }

    #[test]
    fn no_rows_have_no_height() {
        assert!(RowHeights::new(vec![]).total().abs() < f32::EPSILON);
    }
}
