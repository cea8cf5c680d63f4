//! The picture of a strategy's questions.

use ruse_games::guess_who::GuessWho;
use ruse_picture::{Axis, Chart, HeatMap, Line, Lines, Panel, Picture, Scale};

use super::exact::{WinProbabilities, positions};
use super::{Asking, optimal_question, optimal_win_probability, worth};
use crate::coins::TWO_TO_64;

/// The largest number of rows of a map.
const MAX_ROWS: u32 = 40;
/// Winning rates are shown up to this number of characters, or further if the game has more.
const NUM_CHARACTERS: u32 = 100;
/// Winning rates are shown for at most this number of characters; more would take too long.
const MAX_CHARACTERS: u32 = 400;
/// The number of questions that are computed for a random strategy, at equidistant values of r.
const NUM_SAMPLES: u32 = 33;

impl<const STOCHASTIC: bool> Asking<STOCHASTIC> {
    /// Returns a sample of questions, all equally likely.
    fn typical_questions(&self, own: u32, opponent: u32) -> Vec<u32> {
        if self.half_beta == 0 {
            return vec![self.question_at(own, opponent, 0)];
        }
        let at = |sample: u32| (f64::from(sample) + 0.5) / f64::from(NUM_SAMPLES);
        let bits = |sample| (at(sample) * TWO_TO_64) as u64;
        (0..NUM_SAMPLES).map(|sample| self.question_at(own, opponent, bits(sample))).collect()
    }
}

/// Returns the scores against perfect play in games that begin with 2, 3, ... characters, averaged over the seats.
fn scores(most: u32, questions: impl Fn(u32, u32) -> Vec<u32>) -> Vec<(f64, f64)> {
    let [mut wins, mut optimal] = [(); 2].map(|()| WinProbabilities::new(most));
    for (own, opponent) in positions(most) {
        let questions = questions(own, opponent);
        let sum: f64 = questions.iter().map(|&asked| optimal.after(own, opponent, asked)).sum();
        let answer = wins.after(own, opponent, optimal_question(own, opponent));
        wins.set(own, opponent, sum / questions.len() as f64);
        optimal.set(own, opponent, answer);
    }
    let score = |n: u32| (wins.get(n, n) + 1.0 - optimal.get(n, n)) / 2.0;
    (2..=most).map(|n| (f64::from(n), score(n))).collect()
}

pub(super) fn picture<const RANDOM: bool>(game: &GuessWho, strategy: &Asking<RANDOM>) -> Picture {
    let num_characters = game.num_characters();
    let step = (num_characters - 1).div_ceil(MAX_ROWS).max(1);
    let levels: Vec<u32> = (step.max(2)..=num_characters).step_by(step as usize).collect();
    let map = |value: &dyn Fn(u32, u32) -> f64, scale: Scale, quantity: &str| {
        // The number of the opponent's characters increases upwards.
        let rows = levels.iter().rev();
        let values =
            rows.flat_map(|&opponent| levels.iter().map(move |&own| Some(value(own, opponent))));
        Chart::HeatMap(HeatMap {
            rows: Axis::new("opponent's characters m", levels.iter().rev()),
            columns: Axis::new("own characters n", &levels),
            values: values.collect(),
            texts: Vec::new(),
            scale,
            quantity: quantity.into(),
            has_sums: false,
        })
    };
    let mean = |own, opponent, value: &dyn Fn(u32) -> f64| {
        let questions = strategy.typical_questions(own, opponent);
        questions.iter().map(|&asked| value(asked)).sum::<f64>() / questions.len() as f64
    };
    let asked =
        |own: u32, opponent: u32| mean(own, opponent, &|asked| f64::from(asked) / f64::from(own));
    let optimal =
        |own: u32, opponent: u32| f64::from(optimal_question(own, opponent)) / f64::from(own);
    let difference = |own, opponent| asked(own, opponent) - optimal(own, opponent);
    let loss = |own: u32, opponent: u32| {
        optimal_win_probability(own, opponent)
            - mean(own, opponent, &|asked| worth(own, opponent, asked))
    };
    let all = |value: &dyn Fn(u32, u32) -> f64| -> Vec<f64> {
        let pairs = levels.iter().flat_map(|&own| levels.iter().map(move |&other| (own, other)));
        pairs.map(|(own, opponent)| value(own, opponent)).collect()
    };
    let shares = Scale::Sequential { low: 0.0, high: 1.0 };
    let panels = vec![
        Panel::new("Asked about: share c/n", map(&asked, shares, "c/n")).half(),
        Panel::new("The same, optimal (Nica)", map(&optimal, shares, "c/n")).half(),
        Panel::new("Difference", map(&difference, Scale::around_zero(all(&difference)), "c/n"))
            .half(),
        Panel::new("What the question costs", map(&loss, Scale::from_zero(all(&loss)), "wins"))
            .half()
            .with_note("Probability of winning lost, if both play perfectly afterwards."),
    ];

    let most = num_characters.clamp(NUM_CHARACTERS, MAX_CHARACTERS);
    let onl = Asking::optimal_nonlinear();
    let note = match strategy.half_beta {
        0 => "All numbers are computed, not sampled.".to_string(),
        _ => format!(
            "All numbers are computed, not sampled, from {NUM_SAMPLES} typical questions in place of random ones."
        ),
    };
    let lines = Lines {
        x: "characters of each player at the start, N".into(),
        y: "winning rate".into(),
        lines: vec![
            Line {
                name: "this strategy".into(),
                points: scores(most, |n, m| strategy.typical_questions(n, m)),
            },
            Line {
                name: "ONL of the paper".into(),
                points: scores(most, |n, m| vec![onl.question(n, m)]),
            },
            Line { name: "dichotomy".into(), points: scores(most, |n, _| vec![n / 2]) },
        ],
        marks: Vec::new(),
        level: Some(0.5),
    };
    let rates =
        Panel::new("Winning rate against perfect play", Chart::Lines(lines)).with_note(note);
    Picture::of(panels.into_iter().chain([rates]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guess_who::exact_score;

    #[test]
    fn winning_rates_are_exact_scores() {
        let best = Asking::best();
        let rates = scores(40, |own, opponent| vec![best.question(own, opponent)]);
        assert_eq!(rates.len(), 39);
        for n in [2, 13, 24, 40] {
            let expected = exact_score(n, &|own, m| best.question(own, m), &optimal_question);
            assert_eq!(rates[n as usize - 2].0, f64::from(n));
            assert!((rates[n as usize - 2].1 - expected).abs() < 1e-12, "{n} characters");
        }
    }

    /// Nica's theorem: no question has a higher value than the question that the theorem names.
    #[test]
    fn only_optimal_questions_cost_nothing() {
        for own in 2..=40 {
            for opponent in 2..=40 {
                let best = optimal_win_probability(own, opponent);
                let cost = best - worth(own, opponent, optimal_question(own, opponent));
                assert!(cost.abs() < 1e-12, "{own} against {opponent}");
                for asked in 1..own {
                    assert!(worth(own, opponent, asked) < best + 1e-12);
                }
            }
        }
    }
}
