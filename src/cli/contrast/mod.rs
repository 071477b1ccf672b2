//! `canopy contrast …`

mod make;
mod report;
mod score;

use clap::Subcommand;

use crate::error::Result;

#[derive(Debug, Subcommand)]
pub(super) enum ContrastCommand {
    /// Make a contrastive set of the documents of a corpus, by rules
    ///
    /// German er, sie, es for `it`, sein and ihr for `its` (English to German), and terms that a page translates one
    /// way though the corpus knows another. The set contains its documents; see below what it can and cannot claim.
    #[command(after_help = canopy_evaluate::contrastive::RULES)]
    Make(make::MakeArguments),
    /// Measure how often a model prefers the right translations of a contrastive set
    ///
    /// Reads sets that `contrast make` wrote, ContraPro and sets in its form (documents in documents/*/ next to it), the
    /// sets of Bawden et al. 2018 and of Voita et al. 2019, and SCAT of Yin et al. 2021 (its highlighted.test.en, with the
    /// other three files next to it).
    #[command(
        after_help = "Examples:\n  canopy contrast score --set sets/manual.json --model models/manual models/other -o \
        accuracy.svg\n\n\
        A candidate's score is the sum of the log-probabilities of its tokens and of the end of the \
        sentence, not divided by their number, as ContraPro's authors have it. An item is right if every wrong \
        translation scores lower; equal scores count as wrong. Cells with fewer than 30 items show counts and no \
        accuracy. Intervals are Wilson's, 95 %."
    )]
    Score(score::ScoreArguments),
}

pub(super) fn run(command: ContrastCommand) -> Result<()> {
    match command {
        ContrastCommand::Make(arguments) => make::run(&arguments),
        ContrastCommand::Score(arguments) => score::run(&arguments),
    }
}
