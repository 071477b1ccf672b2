//! Documents are judged without names.

use canopy::judgement::{Criterion, Judgement, Vote};

use super::*;

#[test]
fn documents_are_judged_without_names_and_every_vote_is_kept() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    harness.get_by_label("Judge blindly…").click();
    harness.run();
    assert!(
        harness.query_by_label("context").is_some(),
        "only in the form"
    );
    for _ in 0..3 {
        let state = &harness.state().state;
        let open = state.evaluate.judgement.as_ref().expect("a judgement");
        let document = &open.judgement.documents[open.current];
        let left = document.sides()[0][0].contains("Datei");
        let better = if left { "Left" } else { "Right" };
        for place in 0..2 {
            // The column has the same name, and comes last.
            let vote = harness.get_all_by_label(better).nth(place);
            vote.expect("a vote").click();
            harness.run();
        }
    }
    let writes = harness.state_mut().state.shared.file_requests.drain(..);
    let kept = writes.filter(|request| matches!(request, FileRequest::Write { path, .. } if path.starts_with(home.path().join("data/judgements"))));
    assert_eq!(kept.count(), 1 + 6, "at the beginning and after every vote");
    harness.get_by_label("Reveal").click();
    harness.run();
    let tally =
        "adequacy: plain 0, context 3, ties 0 · two-sided sign test, ties split: p = 0.2500";
    harness.get_by_label(tally);

    let state = &mut harness.state_mut().state;
    let Some(FileRequest::Write { job, bytes, .. }) = state.shared.file_requests.pop() else {
        panic!("it is recorded that names were revealed");
    };
    let error = Error::NoModel.into();
    state.receive(Event::Failed { job, error });
    let notice = state.shared.notices.last().expect("a notice");
    assert_eq!(notice.title, "Your work could not be saved");
    let [kept, votes] = ["kept.json", "votes.csv"].map(|name| home.path().join(name));
    std::fs::write(&kept, bytes).expect("a file");
    for command in [
        EvaluateCommand::CloseJudgement,
        EvaluateCommand::OpenJudgement(kept),
        EvaluateCommand::Vote(Criterion::Adequacy, Vote::Tie),
        EvaluateCommand::ExportVotes(votes.clone()),
    ] {
        state.apply(Command::Evaluate(command));
    }
    let open = state.evaluate.judgement.as_ref().expect("a judgement");
    assert!(open.revealed);
    assert_eq!(open.judgement.tally(Criterion::Adequacy).second, 3);
    let Some(FileRequest::Export { job, path, bytes }) = state.shared.file_requests.pop() else {
        panic!("they are exported");
    };
    assert_eq!(path, votes);
    let error = Error::NoModel.into();
    state.receive(Event::Failed { job, error });
    let notice = state.shared.notices.last().expect("a notice");
    assert_eq!(notice.title, "The votes could not be saved");
    let votes = String::from_utf8(bytes).expect("a table");
    assert_eq!(votes.matches("\"context\"").count(), 6, "{votes}");
}

#[test]
fn votes_do_not_reveal_the_systems_while_the_judgement_is_blind() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    harness.get_by_label("Judge blindly…").click();
    harness.run();
    let state = &mut harness.state_mut().state;
    let [table, kept] = ["votes.csv", "votes.json"].map(|name| home.path().join(name));
    for path in [&table, &kept] {
        let export = EvaluateCommand::ExportVotes(path.clone());
        state.apply(Command::Evaluate(export));
    }
    let exported = state
        .shared
        .file_requests
        .drain(..)
        .filter_map(|request| match request {
            FileRequest::Export { path, .. } => Some(path),
            _ => None,
        });
    assert_eq!(exported.collect::<Vec<_>>(), [kept]);
}

#[test]
fn a_judgement_without_documents_can_be_closed() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("empty.json");
    let systems = ["plain", "context"].map(str::to_owned);
    let judgement = Judgement::new(systems, Vec::new(), 1);
    judgement.save(&path, false).expect("a file");
    let mut window = page(home.path());
    let command = EvaluateCommand::OpenJudgement(path);
    window.state.apply(Command::Evaluate(command));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Close").click();
    harness.run();
    assert!(harness.state().state.evaluate.judgement.is_none());
}
