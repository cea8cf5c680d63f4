//! The picture of a value function.

use ruse_games::nim::{MAX_HEAPS, Nim, Take};
use ruse_picture::{Axis, Chart, HeatMap, List, Panel, Picture, Scale};

use super::{KnownMoves, Solution, ValueFunction, heap_sizes, moves};

/// The largest number of rows and columns of a map.
const MAX_LINES: usize = 130;
/// The largest number of columns that are legible in half the width of the picture.
const NARROW: usize = 12;
/// The largest number of maps.
const MAX_MAPS: usize = 6;

/// The colours of found and missed winning moves, on a scale around 0.
const FOUND: f64 = -0.7;
const MISSED: f64 = 0.7;

fn board(rows: Axis, columns: Axis, values: Vec<Option<f64>>, texts: Vec<String>) -> HeatMap {
    let scale = Scale::Diverging { centre: 0.0, reach: 1.0 };
    HeatMap { rows, columns, values, texts, scale, quantity: String::new(), has_sums: false }
}

/// Returns [`FOUND`] if the strategy makes a winning move, [`MISSED`] if it does not, or `None` if no move wins.
fn verdict(game: &Nim, solution: &Solution, strategy: &ValueFunction, at: usize) -> Option<f64> {
    if at == 0 || solution.is_lost(at) {
        return None;
    }
    let finds = strategy.left(game, at).iter().all(|&(left, _)| solution.is_lost(left));
    Some(if finds { FOUND } else { MISSED })
}

pub(super) fn picture(game: &Nim, strategy: &ValueFunction) -> Picture {
    let solution = Solution::of(game);
    let mut panels = openings(game, &solution, strategy);
    panels.extend(maps(game, &solution, strategy));
    Picture::of(panels)
}

/// Shows the openings, ranked by the values of the resulting positions, and the answers to these openings.
fn openings(game: &Nim, solution: &Solution, strategy: &ValueFunction) -> Vec<Panel> {
    let (heaps, weights) = (game.heaps(), game.weights());
    let present: Vec<usize> = (0..MAX_HEAPS).filter(|&heap| heaps[heap] > 0).collect();
    let most = heaps.into_iter().max().unwrap_or(0);
    let start = game.num_positions() - 1;
    let mut openings: Vec<(Take, u32)> = moves(&heaps, &weights, start as u32).collect();
    // Moves of equal value are already in the order of the strategy's preference, and the sort is stable.
    let value = |left: u32| strategy.values[left as usize];
    openings.sort_by(|a, b| value(b.1).total_cmp(&value(a.1)));

    let (mut ranks, mut rank_texts) = (Vec::new(), Vec::new());
    let (mut answers, mut answer_texts) = (Vec::new(), Vec::new());
    for &heap in &present {
        for matches in 1..=most {
            let take = Take { heap: heap as u8, matches };
            let rank = openings.iter().position(|&(opening, _)| opening == take);
            ranks.push(rank.map(|rank| rank as f64));
            rank_texts.push(rank.map_or(String::new(), |rank| (rank + 1).to_string()));
            let answer =
                rank.and_then(|rank| verdict(game, solution, strategy, openings[rank].1 as usize));
            answers.push(answer);
            answer_texts.push(match (rank, answer) {
                (None, _) => String::new(),
                (_, None) => "–".into(),
                (_, Some(answer)) => if answer == FOUND { "✓" } else { "✗" }.into(),
            });
        }
    }
    let rows = || Axis::new("from heap of", present.iter().map(|&heap| heaps[heap]));
    let columns = || Axis::new("matches taken", 1..=most);
    // The first rank is dark, and the last still has a colour.
    let dark = |rank: f64| 1.0 - rank / (1.2 * openings.len() as f64);
    let ranks = ranks.into_iter().map(|rank| rank.map(dark)).collect();
    let scale = Scale::Sequential { low: 0.0, high: 1.2 };
    let opening = HeatMap { scale, ..board(rows(), columns(), ranks, rank_texts) };
    let answer = board(rows(), columns(), answers, answer_texts);
    let panels = [
        Panel::new("Openings, the one it plays being 1", Chart::HeatMap(opening)).with_note(
            match verdict(game, solution, strategy, start) {
                None => "No opening wins against perfect play.",
                Some(FOUND) => "Its opening wins against perfect play.",
                Some(_) => "Its opening loses against perfect play.",
            },
        ),
        Panel::new("Its answers to these openings", Chart::HeatMap(answer))
            .with_note("✓ wins, ✗ misses the win, – nothing wins."),
    ];
    let is_half = usize::from(most) <= NARROW;
    panels.map(|panel| Panel { is_half, ..panel }).into()
}

/// Shows right and wrong decisions in all positions, with one map for each size of the first heap if there are more
/// than two heaps.
fn maps(game: &Nim, solution: &Solution, strategy: &ValueFunction) -> Vec<Panel> {
    let sizes: Vec<usize> =
        game.heaps().into_iter().filter(|&size| size > 0).map(usize::from).collect();
    let num_positions = game.num_positions();
    let Some(&last) = sizes.last() else { return Vec::new() };
    let num_columns = last + 1;
    let num_maps = if sizes.len() > 2 { sizes[0] + 1 } else { 1 };
    let num_rows = num_positions / num_maps / num_columns;
    if num_rows > MAX_LINES || num_columns > MAX_LINES || num_maps > MAX_MAPS {
        let message = format!("{num_positions} positions are too many for a map.");
        let list = Chart::List(List { items: vec![(String::new(), message)] });
        return vec![Panel::new("Decisions", list)];
    }
    let (mut num_found, mut num_won) = (0, 0);
    let mut panels = Vec::new();
    for map in 0..num_maps {
        let first = map * num_rows * num_columns;
        let verdicts = (first..first + num_rows * num_columns)
            .map(|position| verdict(game, solution, strategy, position));
        let values: Vec<Option<f64>> = verdicts.collect();
        num_won += values.iter().flatten().count();
        num_found += values.iter().flatten().filter(|&&value| value == FOUND).count();
        let texts = values.iter().map(|&value| if value == Some(MISSED) { "✗" } else { "" });
        let texts = texts.map(String::from).collect();
        let middle = &sizes[usize::from(num_maps > 1)..sizes.len() - 1];
        let rows = (0..num_rows).map(|row| {
            let heaps = game.heaps_of(first + row * num_columns);
            let all = heap_sizes(game, heaps);
            let all: Vec<&str> = all.split('-').collect();
            all[usize::from(num_maps > 1)..all.len() - 1].join("-")
        });
        let name: Vec<String> = middle.iter().map(usize::to_string).collect();
        let name =
            if name.is_empty() { String::new() } else { format!("left of {}", name.join(" and ")) };
        let rows = Axis::new(&name, rows);
        let columns = Axis::new(&format!("left of {last}"), 0..=last);
        let title = match num_maps {
            1 => "Decisions".to_string(),
            _ => format!("Decisions with {map} left of {}", sizes[0]),
        };
        panels.push(Panel {
            is_half: num_maps > 1 && num_columns <= NARROW,
            ..Panel::new(title, Chart::HeatMap(board(rows, columns, values, texts)))
        });
    }
    let note = format!(
        "Blue: finds a winning move ({num_found} of {num_won}). Orange, ✗: misses it. Grey: there is none."
    );
    panels.push(Panel::new("", Chart::List(List { items: vec![(String::new(), note)] })));
    panels
}

#[cfg(test)]
mod tests {
    use ruse_search::ParametricStrategy;

    use super::*;

    /// Bouton 1901: 48 of 384 positions are lost. The others include the end, which needs no move. A player that values
    /// the lost positions most finds all wins.
    #[test]
    fn perfect_values_make_no_mistake() {
        let game = Nim::standard();
        let solution = Solution::of(&game);
        let value = |position| f64::from(u8::from(solution.is_lost(position)));
        let theta: Vec<f64> = (1..game.num_positions()).map(value).collect();
        let strategy = ValueFunction::from_parameters(&game, &theta).expect("finite");
        let panels = picture(&game, &strategy).panels;
        assert_eq!(panels.len(), 5);
        let Chart::List(List { items }) = &panels[4].chart else {
            panic!("the last part is a note")
        };
        assert!(items[0].1.contains("(335 of 335)"), "{items:?}");
        assert_eq!(panels[0].note, "No opening wins against perfect play.");
    }
}
