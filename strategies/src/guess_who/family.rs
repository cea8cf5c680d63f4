//! The families of Guess Who.

use std::fmt::Write;

use ruse_games::guess_who::{GuessWho, GuessWhoView};
use ruse_picture::Picture;

use super::exact::{KnownQuestions, best_response_scores, exact_score};
use super::{
    Asking, BEST, GuessWhoPlayer, GuessWhoReference, OL, ONL, optimal_question, picture, worth,
};
use crate::{BestResponse, Capabilities, Family, FamilyInfo, Prepared, Reference};

/// The families of Guess Who.
#[derive(Debug, Clone, PartialEq)]
pub struct GuessWhoFamily<const STOCHASTIC: bool> {
    game: GuessWho,
}

impl GuessWhoFamily<false> {
    /// Creates `guess-who-deterministic`, which has four parameters.
    pub fn deterministic() -> Self {
        GuessWhoFamily { game: GuessWho::standard() }
    }
}

impl GuessWhoFamily<true> {
    /// Creates `guess-who`, which has five parameters, one of them for randomness.
    pub fn stochastic() -> Self {
        GuessWhoFamily { game: GuessWho::standard() }
    }
}

impl<const STOCHASTIC: bool> Family for GuessWhoFamily<STOCHASTIC> {
    type Game = GuessWho;
    type Strategy = Asking<STOCHASTIC>;
    type Reference = GuessWhoPlayer;

    fn info(&self) -> FamilyInfo<'_> {
        let (name, about, summary) = if STOCHASTIC {
            (
                "guess-who",
                "find a hidden character by yes-or-no questions",
                "about how many characters to ask, by the gap to the opponent, with randomness",
            )
        } else {
            (
                "guess-who-deterministic",
                "the same game; a strategy that draws no lots",
                "about how many characters to ask, by the gap to the opponent",
            )
        };
        FamilyInfo {
            game: "guess-who",
            about,
            common_play: Some("dichotomy"),
            // The two non-linear terms trade off against each other for a long time: 20 million games reach .65 against
            // dichotomy and .55 against OL, and later gains are small.
            default_budget: 20_000_000,
            ..FamilyInfo::new(name, summary)
        }
    }

    fn game(&self) -> &GuessWho {
        &self.game
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities::of(self)
            .adjustable(|_, game| GuessWhoFamily { game })
            .portable(|_| true)
            .board("optimal")
            .numbered()
            .listed()
    }

    fn references(&self) -> Vec<Reference<GuessWhoPlayer>> {
        let tuned = |name, meaning, strategy, [alpha, rest @ ..]: [f64; 4]| {
            let beta = STOCHASTIC.then_some(0.0);
            let parameters = [alpha].into_iter().chain(beta).chain(rest).collect();
            let strategy = GuessWhoPlayer::Named(GuessWhoReference::Asking(strategy));
            Reference::new(name, meaning, strategy).with_parameters(parameters)
        };
        vec![
            Reference::named("dichotomy", GuessWhoPlayer::Named(GuessWhoReference::Dichotomy))
                .meaning("asks about half of its characters, whatever the opponent has"),
            tuned(
                "ol",
                "asks about half of what the player who is ahead has left",
                Asking::optimal_linear(),
                OL,
            ),
            tuned(
                "onl",
                "the paper's non-linear strategy, tuned against ol",
                Asking::optimal_nonlinear(),
                ONL,
            ),
            tuned("best", "the paper's last strategy, tuned against onl", Asking::best(), BEST),
            Reference::named("optimal", GuessWhoPlayer::Named(GuessWhoReference::Optimal))
                .meaning("cannot be beaten on average (Nica 2016)"),
        ]
    }

    fn random_player(&self) -> Option<GuessWhoPlayer> {
        Some(GuessWhoPlayer::Random)
    }

    fn words(&self, strategy: &Asking<STOCHASTIC>) -> String {
        let n = self.game.num_characters();
        let mut words = String::from("asks about ");
        // The player is level with the opponent, or behind by one, two or four good answers.
        let levels = [n, n / 2, n / 4, n / 16];
        let levels: Vec<u32> = levels.into_iter().filter(|&level| level >= 2).collect();
        for (i, &opponent) in levels.iter().enumerate() {
            let separator = match i {
                0 => "",
                _ if i + 1 == levels.len() => " and ",
                _ => ", ",
            };
            let question = in_words(strategy.question_range(n, opponent));
            let left = match i {
                0 => format!("of {n} characters when the opponent has {opponent} left"),
                _ => format!("when they have {opponent} left"),
            };
            let _ = write!(words, "{separator}{question} {left}");
        }
        if n >= 4 {
            let question = in_words(strategy.question_range(n / 2, n));
            let _ = write!(words, "; ahead, with {} left, asks about {question}", n / 2);
        }
        if strategy.is_random() {
            words += " (each time a new random number in the range)";
        } else {
            let question = |own, opponent| strategy.question_range(own, opponent).0;
            let optimal = exact_score(n, &question, &optimal_question);
            let halving = exact_score(n, &question, &|own, _| own / 2);
            let _ = write!(
                words,
                "; wins {optimal:.4} of its games against perfect play, and {halving:.4} against asking \
                 about half (both exact)"
            );
        }
        words
    }

    fn picture(&self, strategy: &Asking<STOCHASTIC>) -> Option<Picture> {
        Some(picture::picture(&self.game, strategy))
    }

    fn exact_score(&self, a: &Prepared<Self>, b: &Prepared<Self>) -> Option<f64> {
        let n = self.game.num_characters();
        Some(exact_score(n, known_questions(a)?, known_questions(b)?))
    }

    fn best_response(&self, strategy: &Prepared<Self>) -> Option<BestResponse> {
        let scores = best_response_scores(self.game.num_characters(), known_questions(strategy)?);
        Some(BestResponse { scores, words: None })
    }

    fn perfect_values(&self, view: &GuessWhoView, actions: &[u32]) -> Option<Vec<f64>> {
        let GuessWhoView { own, opponent } = *view;
        Some(actions.iter().map(|&asked| worth(own, opponent, asked)).collect())
    }
}

/// Returns the strategy of a player if the distribution of its questions is known, or `None` for other players, such as
/// the redrawn baseline.
fn known_questions<const STOCHASTIC: bool>(
    strategy: &Prepared<GuessWhoFamily<STOCHASTIC>>,
) -> Option<&dyn KnownQuestions> {
    match strategy {
        Prepared::Own(asking) => Some(asking),
        Prepared::Reference(reference) => Some(reference),
        _ => None,
    }
}

/// Formats a number of characters, or a range of them.
fn in_words((low, high): (u32, u32)) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}
