//! The picture of a player's lists of columns.

use ruse_games::Seat;
use ruse_games::column_board::NUM_COLUMNS;
use ruse_games::phantom_four::PhantomFour;
use ruse_picture::{Axis, Chart, HeatMap, List, Panel, Picture, Scale};

use super::OrderLists;

pub(super) fn picture(game: &PhantomFour, strategy: &OrderLists) -> Picture {
    let num_rows = game.columns().num_rows() as usize;
    let board = |seat: Seat| {
        let orders = strategy.orders(seat);
        let mut heights = [0; NUM_COLUMNS];
        let mut values = vec![None; num_rows * NUM_COLUMNS];
        let mut texts = vec![String::new(); num_rows * NUM_COLUMNS];
        for (index, order) in orders.iter().enumerate() {
            let open = order.columns().map(usize::from).into_iter();
            let Some(column) = open.into_iter().find(|&column| heights[column] < num_rows) else {
                continue;
            };
            heights[column] += 1;
            let cell = (num_rows - heights[column]) * NUM_COLUMNS + column;
            // Earlier stones are darker.
            values[cell] = Some((orders.len() - index) as f64);
            texts[cell] = (index + 1).to_string();
        }
        Chart::HeatMap(HeatMap {
            rows: Axis::new("", (1..=num_rows).rev()),
            columns: Axis::new("", 'a'..='g'),
            values,
            texts,
            scale: Scale::Sequential { low: -1.0, high: 1.2 * orders.len() as f64 },
            quantity: String::new(),
            has_sums: false,
        })
    };
    let list = |seat: Seat| {
        let letters =
            strategy.orders(seat).iter().map(|order| char::from(b'a' + order.columns()[0]));
        letters.map(String::from).collect::<Vec<_>>().join(" ")
    };
    let lists = vec![
        ("first player".to_string(), list(Seat::First)),
        ("second player".to_string(), list(Seat::Second)),
    ];
    let panels = vec![
        Panel::new("Its stones as first player", board(Seat::First)).half(),
        Panel::new("Its stones as second player", board(Seat::Second)).half(),
        Panel::new("Columns, stone by stone", Chart::List(List { items: lists })).with_note(
            "On the boards the stones fall as they would without the opponent's. If a column is full, a stone \
             goes into the next one of an order of its own.",
        ),
    ];
    Picture::of(panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_fall_into_the_first_column_that_is_not_full() {
        let game = PhantomFour::standard();
        let strategy = OrderLists::always(&game, [3, 2, 4, 1, 5, 0, 6]);
        let picture = picture(&game, &strategy);
        let Chart::HeatMap(board) = &picture.panels[0].chart else { panic!("a board") };
        let row = |row: usize| board.texts[7 * row..7 * row + 7].join(",");
        assert_eq!(row(3), ",13,5,1,9,,");
        assert_eq!(row(0), ",,8,4,12,,");
    }
}
