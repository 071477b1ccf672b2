//! Pictograms that a vocabulary has not learned: the model reads a point in place of each, and writes it.

use std::borrow::Cow;

use crate::text::pictograms::pictograms;
use crate::text::placeholder::{MAX_PLACEHOLDERS, Placeholder, open, point};

/// The points that stand for pictograms, with what they show.
pub(super) type Pictograms = Vec<(char, String)>;

/// A text whose pictograms are points, as far as they are not known and there are free numbers: from the highest down.
pub(super) fn hidden(text: &str, is_known: impl Fn(&str) -> bool) -> (Cow<'_, str>, Pictograms) {
    let is_free = |&number: &usize| !text.contains([open(number), point(number)]);
    let free = (0..MAX_PLACEHOLDERS).rev().filter(is_free);
    let runs = pictograms(text).into_iter();
    let runs: Vec<_> = runs
        .filter(|run| !is_known(&text[run.clone()]))
        .zip(free)
        .collect();
    if runs.is_empty() {
        return (Cow::Borrowed(text), Vec::new());
    }
    let (mut read, mut shown, mut end) = (String::new(), Vec::new(), 0);
    for (run, number) in runs {
        read += &text[end..run.start];
        read.push(point(number));
        shown.push((point(number), text[run.clone()].to_owned()));
        end = run.end;
    }
    read += &text[end..];
    (Cow::Owned(read), shown)
}

/// What the points of a text show, those that stand for pictograms among them.
pub(super) fn shown_points(points: &[String], pictograms: &Pictograms) -> Vec<String> {
    let mut all = points.to_vec();
    for (character, shown) in pictograms {
        if let Some(Placeholder::Point(number)) = Placeholder::of(*character) {
            all.resize(all.len().max(number + 1), String::new());
            all[number].clone_from(shown);
        }
    }
    all
}

/// A translation that shows them.
pub(super) fn restored(text: String, pictograms: &Pictograms) -> String {
    pictograms
        .iter()
        .fold(text, |text, (point, shown)| text.replace(*point, shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictograms_become_points_and_come_back() {
        let text = format!(
            "✅ Open {}file{} 🔎, {}.",
            open(0),
            crate::text::placeholder::CLOSE,
            point(15)
        );
        let (read, shown) = hidden(&text, |run| run == "✅");
        assert_eq!(read, text.replace('🔎', &point(14).to_string()));
        assert_eq!(shown, [(point(14), "🔎".to_owned())]);
        assert_eq!(restored(read.into_owned(), &shown), text);
        let many = "🔎 ".repeat(20);
        let (read, shown) = hidden(&many, |_| false);
        assert_eq!((shown.len(), read.matches('🔎').count()), (16, 4));
        assert_eq!(restored(read.into_owned(), &shown), many);
    }
}
