//! The worth of the choices of a player, as lines of text.

use ruse_games::Page;
use ruse_play::session::{Judged, Scale, Session, Source, Valued, Values};

use super::format::{counted, grouped};
use super::play::page::{hanging, wrapped};

/// The maximum number of choices shown, the best first.
const MAX_SHOWN: usize = 8;

/// Names the best known choice of the seat to act, and the adviser's choice, if the worth of these choices is known.
/// `adviser` begins a sentence.
pub(super) fn best(
    session: &dyn Session,
    values: Option<&Values>,
    adviser: &str,
) -> Option<String> {
    let judged = match values {
        Some(values) => Judged::of_values(values)?,
        None => Judged::of_map(&session.beliefs().filter(|map| map.is_aim)?, &session.advice()?)?,
    };
    let Judged { typed, value, best, best_value, is_clear, .. } = &judged;
    let [value, best_value] = [value, best_value].map(|value| format!("{:.1}%", 100.0 * value));
    let alike = values.filter(|values| are_alike(&values.choices));
    Some(match alike.map(|values| values.source) {
        Some(Source::PerfectPlay) => {
            format!("All choices are worth the same, {value}. {adviser} would play {typed}.")
        }
        Some(_) => format!("No choice is clearly better. {adviser} would play {typed} ({value})."),
        None => {
            let known = format!("Best known: {best}, with {} {best_value}.", of_what(&judged));
            let left = if *is_clear { "" } else { ", which is not clearly worse" };
            match typed == best {
                true => format!("{known} {adviser} would play it, too."),
                false => format!("{known} {adviser} would play {typed} ({value}){left}."),
            }
        }
    })
}

/// Returns the words before the value of a decision.
pub(super) fn of_what(judged: &Judged) -> &'static str {
    match judged.scale {
        Scale::Score(_) => "a score of",
        Scale::Aim(_) => "a chance to hit of",
    }
}

/// Lists the best choices and the advised choice. `both` describes the playouts, as in "both play on like random".
pub(super) fn worth(values: &Values, both: &str, page: Page) -> String {
    let how = match values.source {
        Source::PerfectPlay => "if both play perfectly from here on (exact".to_string(),
        Source::Playouts { number } => {
            let playouts = counted(number, "playout");
            format!("if {both} (means of {playouts} each, with 95% intervals")
        }
    };
    let choices = if values.is_sample { "a few random choices" } else { "the choices" };
    let title = format!("Scores of {choices} {how}; a win is 100%, a draw 50%):");
    let mut text = wrapped(&title, page);
    let is_shown = |(place, choice): &(usize, &Valued)| *place < MAX_SHOWN || choice.is_advice;
    let shown = values.choices.iter().enumerate().filter(is_shown).map(|(_, choice)| choice);
    let mut num_shown = 0;
    for choice in shown {
        text += &line(choice, page);
        num_shown += 1;
    }
    let left = values.num_compared - num_shown;
    if left > 0 {
        let left = counted(left as u64, "choice");
        text += &match (values.source, values.choices.last()) {
            (Source::PerfectPlay, Some(worst)) => {
                let worst = 100.0 * worst.score;
                wrapped(&format!("   ... and {left} more, down to {worst:.1}%"), page)
            }
            _ => wrapped(&format!("   ... and {left} more, which looked worse"), page),
        };
    }
    text
}

/// Returns `true` if there are several choices, and all their values or intervals have a common point.
fn are_alike(choices: &[Valued]) -> bool {
    let ends = choices.iter().map(|choice| choice.interval.unwrap_or([choice.score; 2]));
    let lowest = ends.clone().map(|[low, _]| low).fold(0.0, f64::max);
    choices.len() > 1 && ends.map(|[_, high]| high).fold(1.0, f64::min) >= lowest
}

fn line(choice: &Valued, page: Page) -> String {
    let mark = if choice.is_advice { ">" } else { " " };
    let mut name = format!("{mark} {:>5.1}%  ", 100.0 * choice.score);
    if let Some([low, high]) = choice.interval {
        name += &format!("[{:>4.1}, {:>5.1}]  ", 100.0 * low, 100.0 * high);
    }
    hanging(&name, &in_words(&choice.typed, choice.meaning.as_deref()), page)
}

/// Formats an action as typed, with its meaning.
pub(super) fn in_words(typed: &str, meaning: Option<&str>) -> String {
    meaning.map_or(typed.into(), |meaning| format!("{typed}: {meaning}"))
}

/// Formats the share of `number` trials with an answer: "asked once" for one trial, otherwise "always" or a percentage.
pub(super) fn share(share: f64, number: u64) -> String {
    match number {
        1 => "asked once".into(),
        _ if share >= 1.0 => format!("always; asked {} times", grouped(number)),
        _ => format!("{:.1}% of {} times", 100.0 * share, grouped(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page = Page { width: 60, unicode: false };

    fn valued(typed: &str, score: f64, interval: Option<[f64; 2]>, is_advice: bool) -> Valued {
        Valued { typed: typed.into(), meaning: None, score, interval, is_advice }
    }

    #[test]
    fn exact_values_are_a_list_of_the_best_and_the_advice() {
        let mut choices: Vec<_> = (0..10)
            .map(|index| valued(&index.to_string(), 1.0 - f64::from(index) / 10.0, None, false))
            .collect();
        choices[9].is_advice = true;
        let values =
            Values { source: Source::PerfectPlay, choices, num_compared: 10, is_sample: false };
        let text = worth(&values, "", PAGE);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[2], "  100.0%  0");
        assert_eq!(lines[9], "   30.0%  7");
        assert_eq!(lines[10], ">  10.0%  9");
        assert_eq!(lines[11], "   ... and 1 choice more, down to 10.0%");
    }

    #[test]
    fn measured_values_have_intervals() {
        let choices = vec![valued("roll", 0.5, Some([0.475, 0.525]), true)];
        let source = Source::Playouts { number: 900 };
        let values = Values { source, choices, num_compared: 1, is_sample: true };
        let text = worth(&values, "both play on like optimal", PAGE);
        assert!(text.starts_with("Scores of a few random choices if both play on"), "{text}");
        assert!(text.contains("means of 900 playouts"), "{text}");
        assert!(text.ends_with("\n>  50.0%  [47.5,  52.5]  roll\n"), "{text}");
    }

    #[test]
    fn inseparable_choices_are_called_alike() {
        let [low, high] = [Some([0.4, 0.6]), Some([0.55, 0.75])];
        let alike = [valued("s", 0.5, low, true), valued("h", 0.65, high, false)];
        assert!(are_alike(&alike));
        let apart = [valued("s", 0.5, low, true), valued("h", 0.7, Some([0.61, 0.79]), false)];
        assert!(!are_alike(&apart));
        assert!(!are_alike(&alike[..1]));
        let exact = |score| [valued("s", 0.5, None, true), valued("h", score, None, false)];
        assert!(are_alike(&exact(0.5)) && !are_alike(&exact(0.6)));
    }
}
