//! The worth of the choices of a player, as lines of text.

use ruse_games::Page;
use ruse_play::session::{Source, Valued, Values};

use super::format::{counted, grouped};
use super::play::page::{hanging, wrapped};

/// The maximum number of choices shown, the best first.
const MAX_SHOWN: usize = 8;

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
    if are_alike(&values.choices) {
        text += &wrapped("The intervals overlap: no choice is clearly better.", page);
    }
    text
}

/// Returns `true` if there are several measured choices, and all their intervals have a common point.
fn are_alike(choices: &[Valued]) -> bool {
    let intervals: Option<Vec<[f64; 2]>> = choices.iter().map(|choice| choice.interval).collect();
    let Some(intervals) = intervals.filter(|intervals| intervals.len() > 1) else { return false };
    let lowest = intervals.iter().map(|[low, _]| *low).fold(0.0, f64::max);
    let highest = intervals.iter().map(|[_, high]| *high).fold(1.0, f64::min);
    lowest <= highest
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
        assert!(!are_alike(&[valued("s", 0.5, None, true), valued("h", 0.5, None, false)]));
    }
}
