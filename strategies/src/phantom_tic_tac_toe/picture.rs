//! The picture of the orders of cells.

use ruse_games::Seat;
use ruse_games::phantom_tic_tac_toe::NUM_CELLS;
use ruse_picture::{Axis, Chart, HeatMap, List, Panel, Picture, Scale};

use super::CellOrders;

pub(super) fn picture(strategy: &CellOrders) -> Picture {
    let board = |seat: Seat| {
        let mut places = [0; NUM_CELLS];
        for (place, cell) in (1..).zip(strategy.orders[seat].cells()) {
            places[usize::from(cell)] = place;
        }
        Chart::HeatMap(HeatMap {
            rows: Axis::new("", ["", "", ""]),
            columns: Axis::new("", ["", "", ""]),
            // Earlier cells are darker.
            values: places.iter().map(|&place| Some(f64::from(10 - place))).collect(),
            texts: places.iter().map(i32::to_string).collect(),
            scale: Scale::Sequential { low: 0.0, high: 11.0 },
            quantity: String::new(),
            has_sums: false,
        })
    };
    let score = format!("{:.4}", strategy.score_against_random());
    let note = format!(
        "Each stone goes into the first free cell in this order. The score against random stones is {}, exactly.",
        score.trim_start_matches('0')
    );
    let panels = vec![
        Panel::new("As first player", board(Seat::First)).half(),
        Panel::new("As second player", board(Seat::Second)).half(),
        Panel::new("", Chart::List(List { items: vec![(String::new(), note)] })),
    ];
    Picture::of(panels)
}
