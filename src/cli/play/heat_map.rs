//! The beliefs of a player about the cells of a board, as a map in the terminal.

use clap::builder::styling::{Ansi256Color, AnsiColor, Style};
use ruse_base::visible::visible;
use ruse_games::{Belief, Beliefs, Page, Tint};
use ruse_play::session::Session;

use super::super::failure::Result;
use super::page::wrapped;
use super::paint;

/// The background colours, from improbable to probable, as indices of the 256 terminal colours. Brighter means more
/// probable. Light letters are readable on all of them.
const SHADES: [u8; 5] = [17, 18, 19, 20, 21];

/// Prints the map, with shades and the colours of the game; as plain text if the output is a pipe or `NO_COLOR` is set.
pub(crate) fn print(beliefs: &Beliefs, page: Page, session: &dyn Session) -> Result {
    paint::write(&map(beliefs, page, |word| session.tint(word)))
}

/// Renders the map with styles, in lines that fit the page.
fn map(beliefs: &Beliefs, page: Page, tint: impl Fn(&str) -> Option<Tint>) -> String {
    let aim = if beliefs.is_aim { "; > marks the most probable" } else { "" };
    let mut text = wrapped(&visible(&format!("{}. In percent{aim}:", beliefs.meaning)), page);
    let largest = beliefs.largest();
    let names = beliefs.rows.iter().map(|row| visible(&row.name));
    let name_width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    // A cell has a mark and two digits, or three if a number is 100 and there is room.
    let is_sure = percent(largest) == 100;
    let has_room = name_width + 4 * beliefs.columns.len() <= page.width.max(Page::MIN_WIDTH);
    let (digits, most) = if is_sure && has_room { (3, 100) } else { (2, 99) };
    if beliefs.columns.iter().any(|name| !name.is_empty()) {
        text += &" ".repeat(name_width);
        text.extend(beliefs.columns.iter().map(|name| format!(" {:>digits$}", visible(name))));
        text.push('\n');
    }
    for row in &beliefs.rows {
        text += &format!("{:>name_width$}", visible(&row.name));
        for belief in &row.cells {
            let (cell, style) = match belief.known {
                "" => {
                    let mark = if beliefs.is_best(belief, largest) { '>' } else { ' ' };
                    let percent = percent(belief.probability).min(most);
                    (format!("{mark}{percent:>digits$}"), shade(belief, largest, mark == '>'))
                }
                known => (format!(" {known:>digits$}"), tint(known).map(paint::style)),
            };
            let style = style.unwrap_or_default();
            text += &format!("{style}{cell}{style:#}");
        }
        text.push('\n');
    }
    text
}

fn percent(probability: f64) -> u32 {
    (100.0 * probability).round() as u32
}

/// Returns the shade of an unknown cell.
fn shade(belief: &Belief, largest: f64, is_best: bool) -> Option<Style> {
    let last = SHADES.len() - 1;
    let level = (belief.probability / largest * last as f64).round();
    let shade = SHADES[(level as usize).min(last)];
    let style = AnsiColor::BrightWhite.on(Ansi256Color(shade));
    Some(if is_best { style.bold() } else { style })
}

#[cfg(test)]
mod tests {
    use ruse_games::BeliefRow;

    use super::*;

    fn beliefs(probabilities: [[f64; 2]; 2]) -> Beliefs {
        let row = |(index, row): (usize, [f64; 2])| BeliefRow {
            name: (index + 9).to_string(),
            cells: row
                .map(|probability| Belief { cell: String::new(), probability, known: "" })
                .into(),
        };
        Beliefs {
            meaning: "Probability of a ship".into(),
            is_aim: true,
            columns: vec!["a".into(), "b".into()],
            rows: probabilities.into_iter().enumerate().map(row).collect(),
        }
    }

    fn plain(beliefs: &Beliefs, width: usize) -> Vec<String> {
        let map = map(beliefs, Page { width, unicode: false }, |_| None);
        let plain = anstream::adapter::strip_str(&map).to_string();
        // Skip the title, which may have several lines.
        plain.lines().skip_while(|line| !line.ends_with(':')).skip(1).map(String::from).collect()
    }

    #[test]
    fn a_map_has_percentages_and_marks_the_most_probable() {
        let mut map = beliefs([[0.004, 0.256], [1.0, 0.256]]);
        map.rows[1].cells[0].known = "X";
        assert_eq!(plain(&map, 60), ["    a  b", " 9  0>26", "10  X>26"]);
        map.is_aim = false;
        assert_eq!(plain(&map, 60), ["    a  b", " 9  0 26", "10  X 26"]);
    }

    #[test]
    fn certainty_takes_three_digits_where_there_is_room() {
        let mut map = beliefs([[0.5, 1.0], [0.0, 0.25]]);
        assert_eq!(plain(&map, 60), ["     a   b", " 9  50>100", "10   0  25"]);
        // Forty characters have room for ten columns of three letters, but not of four.
        map.columns.resize(10, "j".into());
        let narrow = plain(&map, 40);
        assert_eq!(narrow[1], " 9 50>99");
        assert!(narrow.iter().all(|line| line.len() <= 40), "{narrow:?}");
    }

    #[test]
    fn only_shades_tell_a_map_in_colours_from_one_without() {
        let map =
            map(&beliefs([[0.0, 0.1], [0.2, 0.4]]), Page { width: 60, unicode: false }, |_| None);
        let shades: Vec<&str> = map.split("48;5;").skip(1).map(|rest| &rest[..2]).collect();
        assert_eq!(shades, ["17", "18", "19", "21"]);
    }
}
