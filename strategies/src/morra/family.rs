//! The family of Morra.

use std::fmt::Write;

use ruse_games::BySeat;
use ruse_games::morra::{Announcement, Morra, MorraView, NUM_ANNOUNCEMENTS};
use ruse_picture::Picture;

use super::{
    MixedStrategy, NUM_FINGERS, Probabilities, best_response, expected_payoff, marginals, picture,
};
use crate::{
    BestResponse, Capabilities, Family, FamilyInfo, Prepared, Reference, SelfPlay, breadth_by_slots,
};

/// Returns how often a strategy makes each announcement. The redrawn baseline plays like the uniform strategy: Gaussian
/// parameters treat all 66 announcements alike, and each drawn vector announces once.
fn known_probabilities(strategy: &Prepared<MorraFamily>) -> Option<Probabilities> {
    Some(match strategy {
        Prepared::Own(strategy) | Prepared::Reference(strategy) => *strategy.probabilities(),
        Prepared::Searching(_) | Prepared::RedrawnGuest(_) => return None,
        Prepared::Redrawn(_) => [1.0 / NUM_ANNOUNCEMENTS as f64; NUM_ANNOUNCEMENTS],
        Prepared::Mixture(members) => {
            let mut mean = [0.0; NUM_ANNOUNCEMENTS];
            for (weight, member) in members.members() {
                for (sum, probability) in mean.iter_mut().zip(known_probabilities(member)?) {
                    *sum += weight * probability;
                }
            }
            mean
        }
    })
}

/// The family `morra`.
#[derive(Debug, Clone, PartialEq)]
pub struct MorraFamily {
    game: Morra,
}

impl MorraFamily {
    /// Creates `morra`, which has 66 parameters.
    pub fn standard() -> MorraFamily {
        MorraFamily { game: Morra::standard() }
    }
}

impl Family for MorraFamily {
    type Game = Morra;
    type Strategy = MixedStrategy;
    type Reference = MixedStrategy;

    fn info(&self) -> FamilyInfo<'_> {
        FamilyInfo {
            about: "show fingers, and guess how many both show",
            common_play: Some("uniform"),
            // After this many games, a chain of champions has converged to single announcements, each beating the
            // previous one; more games only make the chain longer.
            default_budget: 30_000_000,
            ..FamilyInfo::new("morra", "how often to show which fingers and to guess which sum")
        }
    }

    fn game(&self) -> &Morra {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        let capabilities = Capabilities::of(self).adjustable(|_, game| MorraFamily { game });
        let mut capabilities = capabilities.board("optimal").numbered().listed();
        capabilities.game.breadth = Some(breadth_by_slots);
        capabilities.self_play = Some(SelfPlay::new());
        capabilities
    }

    fn random_player(&self) -> Option<MixedStrategy> {
        self.references().into_iter().next().map(|uniform| uniform.strategy)
    }

    fn references(&self) -> Vec<Reference<MixedStrategy>> {
        vec![
            Reference::named("uniform", MixedStrategy::uniform())
                .meaning("makes any announcement, each with the same probability")
                .with_parameters(vec![0.0; NUM_ANNOUNCEMENTS]),
            // The optimal strategy gives most announcements probability 0, so some of its parameters would be infinite.
            Reference::named("optimal", MixedStrategy::optimal()).meaning(
                "throws one die for its fingers and one for those it expects, 6 being none",
            ),
        ]
    }

    fn words(&self, strategy: &MixedStrategy) -> String {
        /// The number of announcements that people can keep in mind.
        const NUM_NAMED: usize = 5;
        /// The probability below which an announcement is not mentioned, because people would not notice it.
        const SELDOM: f64 = 0.005;
        let probabilities = strategy.probabilities();
        let mut order: Vec<usize> = (0..NUM_ANNOUNCEMENTS).collect();
        order.sort_by(|&i, &j| probabilities[j].total_cmp(&probabilities[i]));
        let mut words = String::from("most often shows ");
        for (i, &index) in order[..NUM_NAMED].iter().enumerate() {
            if i > 0 && probabilities[index] < SELDOM {
                break;
            }
            let Announcement { fingers, guess } = Announcement::of_index(index);
            let separator = if i == 0 { "" } else { ", " };
            let calls = if i == 0 { " and calls " } else { "/" };
            let probability = probabilities[index];
            let _ = write!(words, "{separator}{fingers}{calls}{guess} ({probability:.2})");
        }
        let (shown, believed) = marginals(probabilities);
        let list = |probabilities: [f64; NUM_FINGERS]| {
            probabilities.map(|probability| format!("{probability:.2}")).join(" ")
        };
        let pointless = (1.0 - believed.iter().sum::<f64>()).max(0.0);
        let (answer, payoff) = best_response(probabilities);
        let uniform = expected_payoff(probabilities, MixedStrategy::uniform().probabilities());
        let _ = write!(
            words,
            "; in all shows 0 to 5 fingers with probabilities {}, expects 0 to 5 of the opponent with {}, and \
             calls sums that cannot come out with {pointless:.2}; scores {:.4} against uniform announcements; \
             its best opponent always shows {} and calls {}, and scores {:.4} (exact)",
            list(shown),
            list(believed),
            (1.0 + uniform) / 2.0,
            answer.fingers,
            answer.guess,
            (1.0 + payoff) / 2.0
        );
        words
    }

    fn picture(&self, strategy: &MixedStrategy) -> Option<Picture> {
        Some(picture::picture(strategy))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        let payoff = expected_payoff(&known_probabilities(a)?, &known_probabilities(b)?);
        Some((1.0 + payoff) / 2.0)
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let (Announcement { fingers, guess }, payoff) =
            best_response(&known_probabilities(strategy)?);
        let score = (1.0 + payoff) / 2.0;
        Some(BestResponse {
            scores: BySeat { first: score, second: score },
            words: Some(format!("always shows {fingers} and calls {guess}")),
        })
    }

    fn perfect_values(&self, _: &MorraView, actions: &[Announcement]) -> Option<Vec<f64>> {
        // The opponent cannot distinguish optimal strategies: the fingers shown and the fingers expected are uniform.
        let optimal = MixedStrategy::optimal();
        let value = |announcement: &Announcement| {
            let is_made = |index| Announcement::of_index(index) == *announcement;
            let pure = std::array::from_fn(|index| f64::from(u8::from(is_made(index))));
            (1.0 + expected_payoff(&pure, optimal.probabilities())) / 2.0
        };
        Some(actions.iter().map(value).collect())
    }
}
