//! The figures of the experiments with portfolios, after Saint-Pierre & Teytaud, CIG 2014, section IV.
//!
//! - [`learning`]: the loss of a bandit while it learns, and the loss of the strategy that it recommends (figures 1 and 2).
//! - [`bandits`]: these losses, for several bandits.
//! - [`generalisation`]: scores against held-out strategies (figure 3).
//! - [`exploitation`]: losses against the best response (figure 4).

use ruse_base::names::by_key;
use ruse_lab::seed_study::{
    CHOICES, Generalisation, Mean, OPPONENTS, SEATS, SeedLesson, SeedStudy,
};
use ruse_optimise::portfolio::LearningPoint;
use ruse_plots::{CurveKind, RateCurves, RateLine, RatePanel, RatePoint};

/// Half the width of a 95% interval, in standard errors. There are enough runs for the normal approximation.
const QUANTILE: f64 = 1.96;

/// A loss at a point, with its standard error.
type Loss = fn(&LearningPoint) -> (f64, Option<f64>);

fn point(x: f64, (rate, standard_error): (f64, Option<f64>)) -> RatePoint {
    let half_width = QUANTILE * standard_error.unwrap_or(0.0);
    let interval = [rate - half_width, rate + half_width].map(|bound| bound.clamp(0.0, 1.0));
    RatePoint { x, rate: rate.clamp(0.0, 1.0), interval }
}

/// Returns the learning curve of a bandit in a seat against an opponent; empty if there is none. `loss` selects the
/// value to draw.
fn line(study: &SeedStudy, of: [&str; 3], loss: Loss) -> RateLine {
    let is_it = |lesson: &&SeedLesson| [lesson.bandit, lesson.seat, lesson.opponent] == of;
    let Some(lesson) = study.lessons.iter().find(is_it) else { return RateLine::default() };
    let points = lesson.curve.iter().map(|found| point(found.num_rounds as f64, loss(found)));
    RateLine { points: points.collect(), level: Some(lesson.best_possible.clamp(0.0, 1.0)) }
}

/// Describes the opponent of a bandit.
fn opponent_in_words(opponent: &str) -> &str {
    match opponent {
        "nash" => "Nash mixture",
        "uniform" => "uniform mixture",
        "pure" => "each strategy alone",
        other => other,
    }
}

/// Returns the losses of one bandit, and of its recommendations, by the number of games it has learned from. Returns
/// `None` if the bandit has not learned.
pub fn learning(name: &str, study: &SeedStudy, bandit: &str) -> Option<RateCurves> {
    study.lessons.iter().find(|lesson| lesson.bandit == bandit)?;
    let mut panels = Vec::new();
    let losses_of: [(&str, Loss); 2] = [
        ("lost while learning", |point| (point.losing_rate, point.standard_error)),
        ("lost by the recommended strategy", |point| (point.recommended, point.recommended_error)),
    ];
    for (what, loss) in losses_of {
        for seat in SEATS {
            let lines = OPPONENTS.map(|opponent| line(study, [bandit, seat, opponent], loss));
            panels.push(RatePanel { title: format!("{what}, {seat} seat"), lines: lines.into() });
        }
    }
    let names = OPPONENTS.map(|opponent| opponent_in_words(opponent).into()).into();
    Some(losses(format!("{name}: what {bandit} loses"), names, panels))
}

/// Returns the losses of all bandits by the number of games they have learned from. Returns `None` for fewer than two
/// bandits.
pub fn bandits(name: &str, study: &SeedStudy) -> Option<RateCurves> {
    let names = by_key(study.lessons.iter().map(|lesson| (lesson.bandit, ())));
    if names.len() < 2 {
        return None;
    }
    let mut panels = Vec::new();
    for opponent in OPPONENTS {
        for seat in SEATS {
            let loss: Loss = |point| (point.losing_rate, point.standard_error);
            let lines = names.iter().map(|(bandit, _)| line(study, [bandit, seat, opponent], loss));
            panels.push(RatePanel {
                title: format!("lost against {}, {seat} seat", opponent_in_words(opponent)),
                lines: lines.collect(),
            });
        }
    }
    let names = names.into_iter().map(|(name, _)| name.into()).collect();
    Some(losses(format!("{name}: what bandits lose"), names, panels))
}

/// Creates the figure of the losses of bandits.
fn losses(title: String, names: Vec<String>, panels: Vec<RatePanel>) -> RateCurves {
    let caption = "Means over runs with 95% bands; draws are half a loss. Losses are those since half as many \
                   games. Dotted: the least that can be lost.";
    RateCurves {
        title,
        caption: caption.into(),
        x_title: "games learnt from".into(),
        kind: CurveKind::Rates,
        names,
        panels,
    }
}

/// The name of a panel, and its rate by choice.
type Rate = (&'static str, fn(&Generalisation) -> Mean);

/// Creates a figure with a line for each choice in each panel, by the number of strategies to choose from.
fn by_size<const N: usize>(
    study: &SeedStudy,
    title: String,
    caption: &str,
    panels: [Rate; N],
) -> Option<RateCurves> {
    let line = |rate: fn(&Generalisation) -> Mean, choice: usize| {
        let points = study.generalisation.iter().map(|(size, found)| {
            let Mean { mean, standard_error } = rate(&found[choice]);
            point(*size as f64, (mean, Some(standard_error)))
        });
        RateLine { points: points.collect(), level: None }
    };
    let panel = |(title, rate): Rate| {
        let lines = (0..CHOICES.len()).map(|choice| line(rate, choice)).collect();
        RatePanel { title: title.into(), lines }
    };
    let in_words = |choice| match choice {
        "nash" => "Nash",
        "best-arm" => "best arm",
        other => other,
    };
    (!study.generalisation.is_empty()).then(|| RateCurves {
        title,
        caption: caption.into(),
        x_title: "strategies chosen from".into(),
        kind: CurveKind::Rates,
        names: CHOICES.map(|choice| in_words(choice).into()).into(),
        panels: panels.map(panel).into(),
    })
}

/// Returns the scores of mixtures against held-out strategies, by the number of strategies to choose from. Returns
/// `None` if none are held out.
pub fn generalisation(name: &str, study: &SeedStudy) -> Option<RateCurves> {
    let title = format!("{name}: against strategies not seen");
    let caption = "Means over draws of the strategies and both seats, with 95% bands.";
    by_size(study, title, caption, [("score", |found| found.score)])
}

/// Returns the losses of mixtures against a player that knows them, by the number of strategies to choose from.
/// Returns `None` if none are held out.
pub fn exploitation(name: &str, study: &SeedStudy) -> Option<RateCurves> {
    let title = format!("{name}: against a best response to the mixture");
    let caption = "Losses to the best response. Means over draws of the strategies and both seats, with 95% bands.";
    let panels: [Rate; 2] = [
        ("lost to the best of the strategies chosen from", |found| found.loss_inside),
        ("lost to the best of the strategies held out", |found| found.loss_held_out),
    ];
    by_size(study, title, caption, panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study() -> SeedStudy {
        let mean = |mean| Mean { mean, standard_error: 0.1 };
        let lesson = |bandit, opponent| SeedLesson {
            bandit,
            seat: "first",
            opponent,
            curve: vec![LearningPoint {
                num_rounds: 8,
                losing_rate: 0.5,
                standard_error: Some(0.1),
                recommended: 0.0,
                recommended_error: None,
            }],
            best_possible: 0.25,
        };
        SeedStudy {
            figures: vec![],
            generalisation: vec![(
                4,
                CHOICES.map(|choice| Generalisation {
                    choice,
                    score: mean(0.5),
                    loss_inside: mean(0.95),
                    loss_held_out: mean(1.0),
                }),
            )],
            lessons: vec![lesson("ucbt", "nash"), lesson("exp3", "nash"), lesson("ucbt", "pure")],
        }
    }

    #[test]
    fn bands_are_within_rates() {
        let found = exploitation("pool", &study()).expect("held out");
        let point = found.panels[0].lines[1].points[0];
        assert_eq!((point.x, point.rate, point.interval[1]), (4.0, 0.95, 1.0));
        assert!((point.interval[0] - 0.754).abs() < 1e-12);
        assert!(ruse_plots::Checked::new(found).is_ok());
        assert!(
            ruse_plots::Checked::new(generalisation("pool", &study()).expect("held out")).is_ok()
        );
    }

    #[test]
    fn a_line_for_each_opponent_and_bandit() {
        let found = learning("pool", &study(), "ucbt").expect("it has learnt");
        let points: Vec<usize> = found.panels[0].lines.iter().map(|l| l.points.len()).collect();
        assert_eq!((found.panels.len(), points), (4, vec![1, 0, 1]));
        assert_eq!(found.panels[2].lines[0].points[0].rate, 0.0);
        assert_eq!(learning("pool", &study(), "ucb1"), None);
        let found = bandits("pool", &study()).expect("there are two");
        assert_eq!(found.names, ["ucbt", "exp3"]);
        assert_eq!(found.panels.len(), 6);
    }
}
