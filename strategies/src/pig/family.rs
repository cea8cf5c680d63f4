//! The family of Pig.

use ruse_games::pig::{Pig, PigAction, PigView};
use ruse_picture::Picture;

use super::{
    HoldAt, PigPlayer, PigReference, SharedSolution, USUAL_SUM, best_response_wins, exact_wins,
    picture,
};
use crate::{BestResponse, Capabilities, Family, FamilyInfo, Prepared, Reference};

/// Returns the strategy if its probabilities are known, as they are not for the redrawn baseline.
fn known(strategy: &Prepared<PigFamily>) -> Option<PigPlayer> {
    match strategy {
        Prepared::Own(hold_at) => Some(PigPlayer::Named(PigReference::HoldAt(*hold_at))),
        Prepared::Reference(player) => Some(player.clone()),
        _ => None,
    }
}

/// The family `pig`.
#[derive(Debug, Clone)]
pub struct PigFamily {
    game: Pig,
    solution: SharedSolution,
}

impl PigFamily {
    /// Creates the family `pig`: games to 100 points, with one parameter.
    pub fn standard() -> PigFamily {
        Self::of(Pig::standard())
    }

    fn of(game: Pig) -> PigFamily {
        PigFamily { solution: SharedSolution::of(game.clone()), game }
    }

    /// Returns optimal play, computed on first use.
    pub fn solution(&self) -> SharedSolution {
        self.solution.clone()
    }
}

impl Family for PigFamily {
    type Game = Pig;
    type Strategy = HoldAt;
    type Reference = PigPlayer;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "roll a die for points, or hold before a 1",
            common_play: Some("hold-20"),
            // Holding at 25 is better than holding at 20, but by hardly more than the precision of a race. A race
            // between the two stays undecided, and more games do not help.
            default_budget: 10_000_000,
            ..FamilyInfo::new("pig", "the sum of a turn at which to hold")
        }
    }

    fn game(&self) -> &Pig {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        let with_game = |family: &Self, game| match game == family.game {
            true => family.clone(),
            false => Self::of(game),
        };
        Capabilities::of(self).adjustable(with_game).board("optimal").numbered().listed()
    }

    fn references(&self) -> Vec<Reference<PigPlayer>> {
        let hold = |name, meaning, sum| {
            let strategy = PigPlayer::Named(PigReference::HoldAt(HoldAt::new(sum)));
            Reference::new(name, meaning, strategy)
                .with_parameters(vec![f64::from(sum) - USUAL_SUM])
        };
        let meaning = "holds at 20 points in a turn, when a roll gains as much as it loses";
        vec![
            hold("hold-20", meaning, 20),
            hold("hold-25", "holds at 25 points in a turn", 25),
            Reference::named("optimal", PigPlayer::Named(PigReference::Optimal(self.solution())))
                .meaning("cannot be beaten on average (Neller & Presser 2004)"),
        ]
    }

    fn random_player(&self) -> Option<PigPlayer> {
        Some(PigPlayer::Random)
    }

    fn words(&self, strategy: &HoldAt) -> String {
        let goal = self.game.goal();
        let score = |opponent: &PigReference| exact_wins(&self.game, strategy, opponent).mean();
        let decision = match strategy.sum() {
            0..=2 => "holds after every roll that is not a 1".to_string(),
            sum if sum >= goal => format!("never holds, rolling until it has {goal} points or a 1"),
            sum => format!(
                "holds when the turn has brought {sum} points or more, and rolls on below, unless it has \
                 reached {goal}"
            ),
        };
        format!(
            "{decision}; wins {:.4} of its games against holding at 20, {:.4} against holding at 25 and {:.4} \
             against perfect play (all exact)",
            score(&PigReference::HoldAt(HoldAt::new(20))),
            score(&PigReference::HoldAt(HoldAt::new(25))),
            score(&PigReference::Optimal(self.solution()))
        )
    }

    fn picture(&self, strategy: &HoldAt) -> Option<Picture> {
        Some(picture::picture(&self.game, &self.solution, strategy))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        Some(exact_wins(&self.game, &known(a)?, &known(b)?).mean())
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let scores = best_response_wins(&self.game, &known(strategy)?);
        Some(BestResponse { scores, words: None })
    }

    fn perfect_values(&self, view: &PigView, actions: &[PigAction]) -> Option<Vec<f64>> {
        let solution = self.solution();
        let (rolling, holding) = solution.get().wins_by_rolling_and_holding(*view);
        let value = |action: &PigAction| match action {
            PigAction::Roll => rolling,
            PigAction::Hold => holding,
        };
        Some(actions.iter().map(value).collect())
    }
}
