//! The games that `benches/families.rs` times. A test plays the same games and checks their outcomes.

use ruse::arena::{Duel, PairResult, Source, StopSignal};
use ruse::family::AnyFamily;
use ruse::rng::StreamKey;
use ruse::score::Tally;
use ruse::speed::gaussian_duels;

/// Pairs of games of one family between strategies with fixed standard Gaussian parameters.
pub(crate) struct Workload {
    duels: Vec<Duel>,
    /// The results of one duel, one element for each pair.
    results: Vec<PairResult>,
}

impl Workload {
    pub(crate) fn new(family: &dyn AnyFamily) -> Workload {
        // Families with slow games play fewer games, so that all families take about the same time.
        let (num_duels, num_pairs) = match family.name() {
            "rts-naive-mcts" => (1, 1),
            "battleship" | "four-in-a-row" => (8, 1),
            "cheat" | "cheat-special" | "flip" | "rts-program" | "rts-script" => (8, 4),
            _ => (8, 40),
        };
        let mut duels = gaussian_duels(family);
        duels.truncate(num_duels);
        Workload { duels, results: vec![PairResult::default(); num_pairs] }
    }

    pub(crate) fn num_games(&self) -> u64 {
        2 * (self.duels.len() * self.results.len()) as u64
    }

    /// Plays all games once, and returns the numbers of games won, drawn and lost by the first players.
    pub(crate) fn play(&mut self) -> [u64; 3] {
        let mut tally = Tally::default();
        for (index, duel) in (0..).zip(&self.duels) {
            duel.play(StreamKey::root(index), 0, &mut self.results, &StopSignal::default())
                .expect("not stopped");
            self.results.iter().for_each(|&result| tally.add(result));
        }
        [tally.wins(), tally.draws(), tally.losses()]
    }
}

/// Returns the reviewed outcomes of the workload of a family, from `benches/outcomes/families/FAMILY.txt`: the numbers
/// of games won, drawn and lost by the first players.
pub(crate) fn expected_outcomes(family: &str) -> Option<[u64; 3]> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/outcomes/families");
    let text = std::fs::read_to_string(format!("{path}/{family}.txt")).ok()?;
    let counts: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
    counts.ok()?.try_into().ok()
}
