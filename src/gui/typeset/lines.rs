//! Which clusters are on which line.

use std::ops::Range;

use super::clusters::Cluster;

/// The lines of a paragraph, each as wide as it may be. White space at an end does not count.
pub(super) fn lines(clusters: &[Cluster], width: f32) -> Vec<Range<usize>> {
    let mut lines = vec![];
    let (mut start, mut used) = (0, 0.0);
    let mut candidate = None;
    let mut at = 0;
    while at < clusters.len() {
        let cluster = &clusters[at];
        if !cluster.is_space && used + cluster.width > width && at > start {
            // A word that no line can hold is torn.
            let end = candidate.unwrap_or(at);
            lines.push(start..end);
            used = clusters[end..at].iter().map(|it| it.width).sum();
            (start, candidate) = (end, None);
            continue;
        }
        used += cluster.width;
        at += 1;
        if cluster.breaks {
            candidate = Some(at);
        }
    }
    lines.push(start..clusters.len());
    lines
}

/// The clusters of a line that leave room for `reserved`.
pub(super) fn shortened(clusters: &[Cluster], width: f32, reserved: f32) -> usize {
    let mut used = reserved;
    for (count, cluster) in clusters.iter().enumerate() {
        used += cluster.width;
        if used > width {
            return count;
        }
    }
    clusters.len()
}
