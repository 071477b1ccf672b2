//! The numbers of views as comma-separated values (RFC 4180); everything counts from 1 as people do.

use std::fmt::Write;

use super::context::ContextView;
use super::difference::ContextDifference;
use super::document_map::DocumentMap;
use super::gates::GateView;
use super::leave_one_out::LeaveOneOut;
use super::map::WeightMap;
use super::memory::MemoryView;
use super::similarity::SimilarityView;
use super::tree::TreeView;
use super::zeros::ZerosView;
use canopy_document::csv::field;

/// A line for each cell that is not zero, then the weight elsewhere and the rest of each row.
pub(super) fn maps_csv(maps: &[WeightMap]) -> String {
    let mut text =
        "map,row,row_label,column_sentence,column_word,column_label,weight\r\n".to_owned();
    for (number, map) in maps.iter().enumerate() {
        let number = number + 1;
        for (index, row) in map.rows.iter().enumerate() {
            let begin = format!("{number},{},{}", index + 1, field(&row.label));
            for &(column, weight) in &map.cells[index] {
                let unit = &map.columns[column as usize];
                let (sentence, label) = (unit.sentence + 1, field(&unit.label));
                let group = map
                    .groups
                    .iter()
                    .find(|group| group.columns.contains(&(column as usize)));
                let first = group.map_or(0, |group| group.columns.start);
                let word = unit.word.map(|_| (column as usize - first + 1).to_string());
                let word = word.unwrap_or_default();
                // Writing to a string does not fail.
                let _ = write!(text, "{begin},{sentence},{word},{label},{weight}\r\n");
            }
            for (name, weight) in [
                ("elsewhere", map.other_columns[index]),
                ("rest", map.rest[index]),
            ] {
                let _ = write!(text, "{begin},,,{name},{weight}\r\n");
            }
        }
    }
    text
}

/// A line a word of the translation.
pub(super) fn difference_csv(difference: &ContextDifference) -> String {
    let mut text = "word,label,ln_p_document,ln_p_alone,ln_p_shuffled,gain\r\n".to_owned();
    for (number, word) in difference.words.iter().enumerate() {
        let (number, label) = (number + 1, field(&word.label));
        let (document, alone, shuffled) = (word.in_document, word.alone, word.shuffled);
        let gain = word.gain();
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "{number},{label},{document},{alone},{shuffled},{gain}\r\n"
        );
    }
    text
}

/// A line a sentence that was taken away or edited, in the order of the document.
pub(super) fn leave_one_out_csv(view: &LeaveOneOut) -> String {
    let mut text = "sentence,change,percent,nats,attention,text,edited\r\n".to_owned();
    for change in &view.changes {
        let kind = if change.edit.is_some() {
            "edited"
        } else {
            "left out"
        };
        let attention = change
            .attention
            .map_or(String::new(), |mass| mass.to_string());
        let (number, nats) = (change.sentence + 1, view.change(change));
        let percent = 100.0 * nats.exp_m1();
        let (own, edited) = (
            field(&change.text),
            field(change.edited_text().unwrap_or("")),
        );
        let _ = write!(
            text,
            "{number},{kind},{percent},{nats},{attention},{own},{edited}\r\n"
        );
    }
    text
}

/// A line a place in a pair that spoke for a word; a word for which none did has a line without a pair.
pub(super) fn memory_csv(view: &MemoryView) -> String {
    let mut text =
        "word,label,p_alone,p_with_memory,memory,weight,source,translation,place\r\n".to_owned();
    for (number, word) in view.words.iter().enumerate() {
        let (number, label) = (number + 1, field(&word.label));
        let (alone, mixed, weight) = (word.alone, word.mixed, word.weight);
        let own = format!("{number},{label},{alone},{mixed},{weight}");
        for place in &word.agreeing {
            let pair = &view.pairs[place.pair];
            let (source, translation) = (field(&pair.source), field(&pair.translation()));
            let (weight, at) = (place.weight, place.word + 1);
            let _ = write!(text, "{own},{weight},{source},{translation},{at}\r\n");
        }
        if word.agreeing.is_empty() {
            let _ = write!(text, "{own},0,,,\r\n");
        }
    }
    text
}

/// A line a cell that is not zero, then the rest of each row.
pub(super) fn document_csv(map: &DocumentMap) -> String {
    let mut text = "row_sentence,column_sentence,weight\r\n".to_owned();
    for row in 0..map.rows() {
        for (column, weight) in map.row(row) {
            let _ = write!(text, "{},{},{weight}\r\n", row + 1, column + 1);
        }
        let _ = write!(text, "{},rest,{}\r\n", row + 1, map.rest()[row]);
    }
    text
}

/// A line a node.
pub(super) fn tree_csv(tree: &TreeView) -> String {
    let mut text =
        "level,first_sentence,last_sentence,relevance,cumulative,mass,state,chosen,name,frequency,most_frequent\r\n"
            .to_owned();
    let number = |number: Option<f32>| number.map_or(String::new(), |number| number.to_string());
    for node in &tree.nodes {
        let (first, last) = (node.span.0 + 1, node.span.1 + 1);
        let (relevance, cumulative) = (number(node.relevance), number(node.cumulative));
        let state = match node.state {
            super::NodeState::Kept => "kept",
            super::NodeState::Cut => "cut",
            super::NodeState::Unseen => "unseen",
        };
        let (level, mass, chosen) = (node.level, node.mass, node.chosen);
        let (name, frequency) = (field(&node.name), number(node.frequency));
        let most_frequent = node.most_frequent;
        let _ = write!(
            text,
            "{level},{first},{last},{relevance},{cumulative},{mass},{state},{chosen},{name},{frequency},{most_frequent}\r\n"
        );
    }
    text
}

/// A line a word.
pub(super) fn gate_csv(gate: &GateView) -> String {
    let mut text = "word,label,mean,min,max\r\n".to_owned();
    for (index, word) in gate.words.iter().enumerate() {
        let (label, place) = (field(&word.label), index + 1);
        let _ = write!(
            text,
            "{place},{label},{},{},{}\r\n",
            word.mean, word.min, word.max
        );
    }
    text
}

/// A line a word of the sentences, most weight first.
pub(super) fn context_csv(context: &ContextView) -> String {
    let mut text = "sentence,sentence_weight,word,label,weight\r\n".to_owned();
    for sentence in &context.sentences {
        let begin = format!("{},{}", sentence.sentence + 1, sentence.weight);
        for (index, word) in sentence.words.iter().enumerate() {
            let weight = word
                .weight
                .map_or(String::new(), |weight| weight.to_string());
            let (place, label) = (index + 1, field(&word.text));
            let _ = write!(text, "{begin},{place},{label},{weight}\r\n");
        }
    }
    let _ = write!(
        text,
        ",{},,others,\r\n,{},,rest,\r\n",
        context.others.1, context.rest
    );
    text
}

/// A line a sentence.
pub(super) fn zeros_csv(zeros: &ZerosView) -> String {
    let mut text =
        "sentence,words,document_sentences,zero_share_of_sentences,zero_share_of_words\r\n"
            .to_owned();
    let share = |share: Option<f64>| share.map_or(String::new(), |share| share.to_string());
    for point in &zeros.points {
        let (of_sentences, of_words) = (share(point.of_sentences), share(point.of_words));
        let (sentence, words, all) = (point.sentence + 1, point.words, point.sentences);
        let _ = write!(
            text,
            "{sentence},{words},{all},{of_sentences},{of_words}\r\n"
        );
    }
    text
}

/// A line a cell; what stands for several sentences is named by the first of them.
pub(super) fn similarity_csv(view: &SimilarityView) -> String {
    let mut text = "sentence,other,value,picked\r\n".to_owned();
    for (row, cells) in view.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let [sentence, other] = [row, column].map(|place| place * view.block + 1);
            let picked = view
                .picks
                .get(row)
                .is_some_and(|&pick| pick == Some(column));
            let cell = cell.map_or(String::new(), |cell| cell.to_string());
            let _ = write!(text, "{sentence},{other},{cell},{picked}\r\n");
        }
    }
    text
}
