use super::*;
use AlignmentEdit::{AlignAgain, Join, MoveDown, MoveUp, PullUp, PushDown, SetState, Split};

const SOURCE: &str =
    "Open the file menu. Choose 17 pages.\n\nClose every window of the program.\n\nPrint it all.\n";
const TARGET: &str = "Öffnen Sie das Menü Datei. Wählen Sie 17 Seiten.\n\nSchließen Sie alle Fenster.\n\nAlles drucken.\n";

fn document(text: &str) -> Arc<Document> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.txt");
    std::fs::write(&path, text).expect("written");
    Arc::new(Document::open(&path, None).expect("plain text"))
}

fn table(source: &str, target: &str) -> AlignmentTable {
    AlignmentTable::align(document(source), document(target))
}

fn sizes(table: &AlignmentTable) -> Vec<(usize, usize)> {
    let rows = table.rows().iter();
    rows.map(|row| (row.source.len(), row.target.len()))
        .collect()
}

/// Every sentence is in one row, in order.
fn assert_whole(table: &AlignmentTable) {
    let documents = [Column::Source, Column::Target].map(|column| table.document(column).clone());
    let [source, target] = documents;
    let rows = table.rows().to_vec();
    assert!(
        rows.iter()
            .all(|row| !row.source.is_empty() || !row.target.is_empty())
    );
    assert!(AlignmentTable::with_rows(source, target, rows).is_some());
}

#[test]
fn every_sentence_stands_in_a_row() {
    let table = table(SOURCE, TARGET);
    assert_eq!(sizes(&table), [(1, 1); 4]);
    let pairs: Vec<AlignedPair> = table.pairs().collect();
    assert_eq!(pairs[1].source, "Choose 17 pages.");
    assert_eq!(pairs[1].target, "Wählen Sie 17 Seiten.");
    assert_eq!(table.counts().pairs, 4);
}

#[test]
fn edits_can_be_taken_back_and_done_again() {
    let mut table = table(SOURCE, TARGET);
    let before = table.rows().to_vec();
    assert_eq!(table.edit(0, Join), Some(0));
    assert_eq!(sizes(&table), [(2, 2), (1, 1), (1, 1)]);
    assert_eq!(table.rows()[0].state, RowState::Right);
    assert_eq!(table.edit(0, MoveDown(Column::Target)), Some(0));
    assert_eq!(sizes(&table), [(2, 1), (1, 2), (1, 1)]);
    let after = table.rows().to_vec();
    assert_eq!((table.undo(), table.undo()), (Some(0), Some(0)));
    assert_eq!(table.rows(), before);
    assert!(!table.can_undo());
    table.redo();
    table.redo();
    assert_eq!(table.rows(), after);
    table.undo();
    table.edit(0, Split);
    assert!(!table.can_redo());
    assert_eq!(sizes(&table), [(1, 1); 4]);
}

#[test]
fn a_column_is_pushed_down_to_the_next_gap_or_right_row() {
    let mut table = table(SOURCE, TARGET);
    assert_eq!(table.edit(1, PushDown(Column::Target)), Some(1));
    assert_eq!(sizes(&table), [(1, 1), (1, 0), (1, 1), (1, 1), (0, 1)]);
    assert_eq!(table.edit(0, PushDown(Column::Target)), Some(0));
    assert_eq!(sizes(&table), [(1, 0), (1, 1), (1, 1), (1, 1), (0, 1)]);
    assert_eq!(table.edit(0, PullUp(Column::Target)), Some(0));
    assert_eq!(sizes(&table), [(1, 1); 4]);
    table.edit(2, SetState(RowState::Right));
    table.edit(0, PushDown(Column::Source));
    assert_eq!(sizes(&table), [(0, 1), (1, 1), (1, 0), (1, 1), (1, 1)]);
    assert_eq!(table.rows()[3].state, RowState::Right);
    assert_whole(&table);
}

#[test]
fn what_lies_between_right_rows_is_aligned_again() {
    let longer = format!("{SOURCE}\nThis stands here alone, and 4711 with it.\n");
    let mut table = table(&longer, TARGET);
    let aligned = table.rows().to_vec();
    table.edit(1, PushDown(Column::Target));
    table.edit(0, Join);
    assert_ne!(table.rows(), aligned);
    table.undo();
    assert_eq!(table.edit(0, AlignAgain), Some(0));
    assert_eq!(sizes(&table), [(1, 1), (1, 1), (1, 1), (1, 1), (1, 0)]);
    assert_eq!(table.edit(0, AlignAgain), None);
    assert_eq!(table.next_open(0), Some(4));
    table.edit(4, SetState(RowState::LeftOut));
    assert_eq!(table.next_open(0), None);
    assert_eq!(table.counts().left_out, 1);
}

#[test]
fn rows_of_other_documents_are_refused() {
    let rows = table(SOURCE, TARGET).rows().to_vec();
    let other = document("One sentence.\n");
    assert!(AlignmentTable::with_rows(document(SOURCE), other, rows.clone()).is_none());
    let mut holes = rows;
    holes.remove(1);
    assert!(AlignmentTable::with_rows(document(SOURCE), document(TARGET), holes).is_none());
}

/// Whatever is done to it, no sentence is lost, doubled or out of order, and all of it can be taken back.
#[test]
fn random_edits_keep_every_sentence_in_its_order() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below.max(1) as u64).expect("small")
    };
    for _ in 0..40 {
        let mut table = table(&SOURCE.repeat(2), TARGET);
        let first = table.rows().to_vec();
        for _ in 0..60 {
            let column = [Column::Source, Column::Target][random(2)];
            let state = [RowState::Right, RowState::LeftOut, RowState::Likely][random(3)];
            let edits = [
                Join,
                Split,
                MoveUp(column),
                MoveDown(column),
                PushDown(column),
                PullUp(column),
                AlignAgain,
                SetState(state),
            ];
            let row = random(table.rows().len());
            let looked_at = table.edit(row, edits[random(edits.len())]);
            assert!(looked_at.is_none_or(|row| row < table.rows().len()));
            assert_whole(&table);
        }
        while table.undo().is_some() {}
        assert_eq!(table.rows(), first);
    }
}
