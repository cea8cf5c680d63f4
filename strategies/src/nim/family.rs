//! The family of Nim.

use std::fmt::Write;

use ruse_games::nim::{Nim, NimView, Take};
use ruse_picture::Picture;

use super::{
    KnownMoves, NimReference, Solution, ValueFunction, all_left, best_response_wins, exact_wins,
    heap_sizes, picture,
};
use crate::{BestResponse, Capabilities, Family, FamilyInfo, Prepared, Reference};

/// Returns the strategy if its moves are known. The moves of the redrawn baseline are not independent, because a value
/// that decides one move may decide another.
fn known_moves(strategy: &Prepared<NimFamily>) -> Option<&dyn KnownMoves> {
    match strategy {
        Prepared::Own(values) => Some(values),
        Prepared::Reference(reference) => Some(reference),
        _ => None,
    }
}

/// The family `nim`.
#[derive(Debug, Clone, PartialEq)]
pub struct NimFamily {
    pub(super) game: Nim,
}

impl NimFamily {
    /// Creates `nim`, which has heaps of 1, 3, 5 and 7, and 383 parameters.
    pub fn standard() -> NimFamily {
        NimFamily { game: Nim::standard() }
    }
}

impl Family for NimFamily {
    type Game = Nim;
    type Strategy = ValueFunction;
    type Reference = NimReference;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "take matches from heaps; the last one loses",
            common_play: Some("optimal"),
            // Ten times more games would not improve a champion: all games between two deterministic strategies are the
            // same, so most changes to one of the 383 values make no difference.
            default_budget: 10_000_000,
            ..FamilyInfo::new("nim", "how good it is to leave each position to the opponent")
        }
    }

    fn game(&self) -> &Nim {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| NimFamily { game })
            .board("optimal")
            .numbered()
            .listed_and_open()
    }

    fn references(&self) -> Vec<Reference<NimReference>> {
        vec![
            Reference::named("random", NimReference::Random)
                .meaning("makes any move, each with the same probability"),
            Reference::named("optimal", NimReference::Optimal(Solution::of(&self.game)))
                .meaning("makes a winning move if there is one, any move otherwise"),
        ]
    }

    fn words(&self, strategy: &ValueFunction) -> String {
        let game = &self.game;
        let solution = Solution::of(game);
        let start = game.num_positions() - 1;
        let finds_win = |position: usize| {
            strategy.left(game, position).iter().all(|&(left, _)| solution.is_lost(left))
        };

        let opening = strategy.best_move(&game.heaps(), start as u32);
        let size = game.heaps()[usize::from(opening.heap)];
        let verdict = match () {
            () if solution.is_lost(start) => "no opening wins against perfect play",
            () if finds_win(start) => "which wins against perfect play",
            () => "which loses against perfect play",
        };
        let mut words = format!(
            "opens {} by taking {} from the heap of {size} ({verdict})",
            heap_sizes(game, game.heaps()),
            opening.matches
        );
        let openings = all_left(game, start).into_iter();
        let losing: Vec<usize> =
            openings.filter(|&left| left > 0 && !solution.is_lost(left)).collect();
        if !losing.is_empty() {
            let found = losing.iter().filter(|&&left| finds_win(left)).count();
            let _ = write!(
                words,
                "; as second player answers {found} of the {} openings that can be beaten with a winning \
                 move",
                losing.len()
            );
        }

        let mut num_won = 0;
        let mut num_found = 0;
        // For each reachable lost position, `true` if the strategy finds a win in all positions that lead to it.
        let mut known = vec![None; game.num_positions()];
        for position in (1..=start).filter(|&position| !solution.is_lost(position)) {
            let found = finds_win(position);
            num_won += 1;
            num_found += usize::from(found);
            for left in all_left(game, position).into_iter().filter(|&left| solution.is_lost(left))
            {
                known[left] = Some(known[left].unwrap_or(true) && found);
            }
        }
        let good = known.iter().flatten().count();
        let num_known = known.iter().flatten().filter(|&&known| known).count();
        let _ = write!(
            words,
            "; finds a winning move in {num_found} of the {num_won} positions that have one, and knows \
             {num_known} of the {good} positions that are good to leave (from wherever it could leave one, \
             it wins)"
        );
        let score = |opponent: &NimReference| exact_wins(game, strategy, opponent).mean();
        let random = score(&NimReference::Random);
        let optimal = score(&NimReference::Optimal(solution.clone()));
        let _ = write!(
            words,
            "; scores {random:.4} against random moves and {optimal:.4} against perfect play (both exact)"
        );
        words
    }

    fn picture(&self, strategy: &ValueFunction) -> Option<Picture> {
        Some(picture::picture(&self.game, strategy))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        Some(exact_wins(&self.game, known_moves(a)?, known_moves(b)?).mean())
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let scores = best_response_wins(&self.game, known_moves(strategy)?);
        Some(BestResponse { scores, words: None })
    }

    fn perfect_values(&self, view: &NimView<'_>, actions: &[Take]) -> Option<Vec<f64>> {
        let solution = Solution::of(&self.game);
        let weights = self.game.weights();
        let left =
            |take: &Take| view.position - u32::from(take.matches) * weights[usize::from(take.heap)];
        let value = |take| f64::from(u8::from(solution.is_lost(left(take) as usize)));
        Some(actions.iter().map(value).collect())
    }
}
