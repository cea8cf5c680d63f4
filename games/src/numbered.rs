//! Views and actions as numbers, for learners that know nothing but vectors.

mod rule_files;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::battleship::{Battleship, BattleshipAction, BattleshipView};
use crate::cheat::{Cheat, CheatAction, CheatView};
use crate::column_board::{Columns, NUM_COLUMNS};
use crate::flip::{Flip, FlipAction, FlipView, MAX_RESERVE};
use crate::four_in_a_row::{FourInARow, FourInARowView};
use crate::guess_who::{GuessWho, GuessWhoView};
use crate::morra::{Announcement, Morra, MorraView, NUM_ANNOUNCEMENTS};
use crate::nim::{Nim, NimView, Take};
use crate::phantom_four::{ColumnOrder, PhantomFour, PhantomFourView};
use crate::phantom_tic_tac_toe::{CellOrder, NUM_CELLS, PhantomTicTacToe, PhantomTicTacToeView};
use crate::pig::{Pig, PigAction, PigView};
use crate::war::{Pile, War, WarView};
use crate::{Board, Game, Seat};

/// The meaning of a number in an observation, and its range.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// The meaning in a few words, such as "matches in heap 1".
    pub meaning: Cow<'static, str>,
    /// The smallest and the largest value.
    pub range: [f32; 2],
}

impl Feature {
    /// Creates a feature with values from 0 to `most`.
    pub fn up_to(most: f32, meaning: impl Into<Cow<'static, str>>) -> Feature {
        Feature { meaning: meaning.into(), range: [0.0, most] }
    }

    /// Creates a feature that is 1 if its meaning is true, and otherwise 0.
    pub fn flag(meaning: impl Into<Cow<'static, str>>) -> Feature {
        Feature::up_to(1.0, meaning)
    }
}

/// The knowledge of a seat beyond its view.
#[derive(Debug, Clone, Copy)]
pub struct Recall<'a> {
    /// The seat.
    pub seat: Seat,
    /// The numbers of the seat's earlier actions in this game, the number of the last part if an action had several.
    pub past: &'a [usize],
    /// The numbers of the parts of the next action that are chosen already.
    pub parts: &'a [usize],
}

/// A game with views that are vectors of numbers, and with numbered actions.
///
/// An observation determines everything that a person in this seat sees on the [board](crate::Board::show).
///
/// A decision without any numbered action is left to chance: the action is [drawn](crate::SampleAction), as are fleets in
/// Battleship. If a game has too many actions to number them
/// all, only some of them have numbers, such as four orders of a pile in War.
pub trait Numbered<G: Game>: Send + Sync {
    /// Returns the features of an observation, at least one, in order.
    fn features(&self) -> Vec<Feature>;

    /// Writes the observation of a seat with this view, a number for each [feature](Numbered::features), to
    /// `observation`.
    fn observe(&self, view: &G::View<'_>, recall: Recall<'_>, observation: &mut [f32]);

    /// Returns the texts of all numbered actions, in the order of their numbers, from 0. Most are the texts that people
    /// type.
    fn action_texts(&self) -> Vec<String>;

    /// Calls `add` for each legal number, in increasing order. It must be the turn of the seat with this view.
    ///
    /// Most actions have a single number, and come with it. In a game whose actions have several parts, each part is
    /// chosen by a number, and only the last part comes with the action.
    fn each_numbered(&self, view: &G::View<'_>, recall: Recall<'_>, add: Receiver<'_, G::Action>);
}

/// Receives the numbers of actions. The action comes with its last number.
pub(crate) type Receiver<'a, Action> = &'a mut dyn FnMut(usize, Option<Action>);

/// Writes numbers one after another, and checks that all places are filled.
#[derive(Debug)]
pub struct Writer<'a> {
    rest: std::slice::IterMut<'a, f32>,
}

impl<'a> Writer<'a> {
    /// Starts at the first place of an observation.
    pub fn new(observation: &'a mut [f32]) -> Writer<'a> {
        Writer { rest: observation.iter_mut() }
    }

    /// Writes the next number.
    ///
    /// # Panics
    ///
    /// Panics if all places are filled.
    #[inline]
    pub fn put(&mut self, number: impl Into<f64>) -> &mut Self {
        let number = number.into() as f32;
        *self.rest.next().expect("the observation has a place for each feature") = number;
        self
    }

    /// Writes the next numbers.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer places than numbers.
    #[inline]
    pub fn put_all<T: Into<f64>>(&mut self, numbers: impl IntoIterator<Item = T>) -> &mut Self {
        numbers.into_iter().for_each(|number| {
            self.put(number);
        });
        self
    }

    /// Writes `length` flags, of which the one at `index` is 1, if there is an index.
    fn put_one_of(&mut self, index: Option<usize>, length: usize) -> &mut Self {
        self.put_all((0..length).map(|place| index == Some(place)).map(u8::from))
    }

    /// Checks that all places are filled.
    #[inline]
    pub fn finish(&self) {
        debug_assert_eq!(self.rest.len(), 0, "some features have no number");
    }
}

/// Features: the matches in each heap that the game starts with. Actions: each heap and number of matches.
impl Numbered<Nim> for Nim {
    fn features(&self) -> Vec<Feature> {
        let heaps = (1..).zip(self.heaps()).filter(|&(_, size)| size > 0);
        heaps
            .map(|(heap, size)| Feature::up_to(size.into(), format!("matches in heap {heap}")))
            .collect()
    }

    #[inline]
    fn observe(&self, view: &NimView<'_>, _: Recall<'_>, observation: &mut [f32]) {
        let heaps = view.heaps.iter().zip(self.heaps()).filter(|(_, at_start)| *at_start > 0);
        Writer::new(observation).put_all(heaps.map(|(&size, _)| size)).finish();
    }

    fn action_texts(&self) -> Vec<String> {
        let heaps = (1..).zip(self.heaps());
        heaps
            .flat_map(|(heap, size)| (1..=size).map(move |matches| format!("{heap} {matches}")))
            .collect()
    }

    #[inline]
    fn each_numbered(&self, view: &NimView<'_>, _: Recall<'_>, add: Receiver<'_, Take>) {
        let mut number = 0;
        for (heap, (&size, at_start)) in (0..).zip(view.heaps.iter().zip(self.heaps())) {
            for matches in 1..=size {
                add(number + usize::from(matches) - 1, Some(Take { heap, matches }));
            }
            number += usize::from(at_start);
        }
    }
}

/// Features: both scores and the turn total. Actions: roll, hold.
impl Numbered<Pig> for Pig {
    fn features(&self) -> Vec<Feature> {
        let goal = self.goal() as f32;
        ["own score", "opponent's score", "points of this turn"]
            .map(|meaning| Feature::up_to(goal, meaning))
            .into()
    }

    #[inline]
    fn observe(&self, view: &PigView, _: Recall<'_>, observation: &mut [f32]) {
        let PigView { own, opponent, turn_total } = *view;
        Writer::new(observation).put_all([own, opponent, turn_total]).finish();
    }

    fn action_texts(&self) -> Vec<String> {
        ["roll", "hold"].map(String::from).into()
    }

    #[inline]
    fn each_numbered(&self, view: &PigView, _: Recall<'_>, add: Receiver<'_, PigAction>) {
        add(0, Some(PigAction::Roll));
        if view.turn_total > 0 {
            add(1, Some(PigAction::Hold));
        }
    }
}

/// Features: the characters that each player has left. Actions: the number of characters to ask about.
impl Numbered<GuessWho> for GuessWho {
    fn features(&self) -> Vec<Feature> {
        let most = self.num_characters() as f32;
        ["own characters left", "opponent's characters left"]
            .map(|meaning| Feature::up_to(most, meaning))
            .into()
    }

    #[inline]
    fn observe(&self, view: &GuessWhoView, _: Recall<'_>, observation: &mut [f32]) {
        Writer::new(observation).put_all([view.own, view.opponent]).finish();
    }

    fn action_texts(&self) -> Vec<String> {
        (1..self.num_characters()).map(|asked| asked.to_string()).collect()
    }

    #[inline]
    fn each_numbered(&self, view: &GuessWhoView, _: Recall<'_>, add: Receiver<'_, u32>) {
        (1..view.own).for_each(|asked| add(asked as usize - 1, Some(asked)));
    }
}

/// Features: none, since nothing is known when a player decides; a constant takes their place. Actions: each number of
/// fingers with each guess.
impl Numbered<Morra> for Morra {
    fn features(&self) -> Vec<Feature> {
        vec![Feature::flag("always 1")]
    }

    #[inline]
    fn observe(&self, _: &MorraView, _: Recall<'_>, observation: &mut [f32]) {
        Writer::new(observation).put(1).finish();
    }

    fn action_texts(&self) -> Vec<String> {
        let announced = (0..NUM_ANNOUNCEMENTS).map(Announcement::of_index);
        announced.map(|Announcement { fingers, guess }| format!("{fingers} {guess}")).collect()
    }

    #[inline]
    fn each_numbered(&self, _: &MorraView, _: Recall<'_>, add: Receiver<'_, Announcement>) {
        (0..NUM_ANNOUNCEMENTS).for_each(|index| add(index, Some(Announcement::of_index(index))));
    }
}

/// The letters that stand for colours in Cheat.
const COLOURS: [&str; 4] = ["s", "h", "d", "c"];

/// Features: the fields of [`CheatView`], each colour by itself. Actions: a card of each colour, a claim.
impl Numbered<Cheat> for Cheat {
    fn features(&self) -> Vec<Feature> {
        let per_colour = f32::from(self.cards_per_colour());
        let all = per_colour * COLOURS.len() as f32;
        let of_each = |most: f32, meaning: &'static str| {
            COLOURS.map(|colour| Feature::up_to(most, format!("{meaning} {colour}")))
        };
        let mut features = Vec::new();
        features.extend(of_each(per_colour, "own cards of colour"));
        features.extend(of_each(per_colour, "own cards on the table of colour"));
        features.push(Feature::up_to(all, "opponent's cards"));
        features.push(Feature::up_to(all, "opponent's cards on the table"));
        features.extend(of_each(per_colour, "opponent's cards, when the round began, of colour"));
        features.extend(of_each(1.0, "the colour of the round is"));
        features
    }

    #[inline]
    fn observe(&self, view: &CheatView, _: Recall<'_>, observation: &mut [f32]) {
        Writer::new(observation)
            .put_all(view.own)
            .put_all(view.own_put)
            .put_all([view.opponent_cards, view.opponent_put])
            .put_all(view.opponent_at_start)
            .put_one_of(view.current.map(usize::from), COLOURS.len())
            .finish();
    }

    fn action_texts(&self) -> Vec<String> {
        COLOURS.into_iter().chain(["cheat"]).map(String::from).collect()
    }

    #[inline]
    fn each_numbered(&self, view: &CheatView, _: Recall<'_>, add: Receiver<'_, CheatAction>) {
        for (colour, _) in (0..).zip(view.own).filter(|&(_, count)| count > 0) {
            add(usize::from(colour), Some(CheatAction::Put(colour)));
        }
        if view.current.is_some() {
            add(COLOURS.len(), Some(CheatAction::Claim));
        }
    }
}

/// Features: the fields of [`FlipView`], each rank by itself. Actions: each rank on each
/// pile.
impl Numbered<Flip> for Flip {
    fn features(&self) -> Vec<Feature> {
        let most = 15.0;
        let of_each = |most: f32, meaning: &'static str| {
            (0..self.num_ranks()).map(move |rank| {
                Feature::up_to(most, format!("{meaning} {}", self.rank_name(rank)))
            })
        };
        let mut features = Vec::new();
        features.extend(of_each(most, "own visible cards of rank"));
        features.extend(of_each(most, "opponent's visible cards of rank"));
        features.extend(of_each(1.0, "the top of the left pile is"));
        features.extend(of_each(1.0, "the top of the right pile is"));
        features.extend(of_each(most, "cards in both piles of rank"));
        let reserve = MAX_RESERVE as f32;
        features.push(Feature::up_to(reserve, "own reserve"));
        features.push(Feature::up_to(reserve, "opponent's reserve"));
        features.push(Feature::up_to(self.max_redraws as f32, "times that top cards were drawn"));
        features
    }

    #[inline]
    fn observe(&self, view: &FlipView, _: Recall<'_>, observation: &mut [f32]) {
        let ranks = self.num_ranks();
        let mut writer = Writer::new(observation);
        writer.put_all((0..ranks).map(|rank| view.own.count(rank)));
        writer.put_all((0..ranks).map(|rank| view.opponent.count(rank)));
        for top in view.tops {
            writer.put_one_of(Some(top.into()), ranks.into());
        }
        writer.put_all((0..ranks).map(|rank| view.table.count(rank)));
        writer.put_all([view.own_reserve, view.opponent_reserve]).put(view.redraws).finish();
    }

    fn action_texts(&self) -> Vec<String> {
        let cards = 0..self.num_ranks();
        let actions = cards.flat_map(|card| (0..2).map(move |pile| FlipAction { card, pile }));
        actions.map(|action| Board::write(self, &action)).collect()
    }

    #[inline]
    fn each_numbered(&self, view: &FlipView, _: Recall<'_>, add: Receiver<'_, FlipAction>) {
        self.for_each_action(view.own, view.tops, |action| {
            add(2 * usize::from(action.card) + usize::from(action.pile), Some(action));
        });
    }
}

/// Features: for each player a flag for each cell, column by column from the bottom. Actions: the columns.
impl Numbered<FourInARow> for FourInARow {
    fn features(&self) -> Vec<Feature> {
        ["own stone", "opponent's stone"]
            .into_iter()
            .flat_map(|whose| {
                cells_of(self.columns())
                    .map(move |(column, row)| Feature::flag(format!("{whose} in {column}{row}")))
            })
            .collect()
    }

    #[inline]
    fn observe(&self, view: &FourInARowView<'_>, _: Recall<'_>, observation: &mut [f32]) {
        let rows = self.columns().num_rows() as usize;
        let mut writer = Writer::new(observation);
        for stones in [view.seat, view.seat.other()].map(|seat| view.board.stones(seat)) {
            for column in 0..NUM_COLUMNS {
                writer.put_all((0..rows).map(|row| (stones >> (8 * column + row) & 1) as u8));
            }
        }
        writer.finish();
    }

    fn action_texts(&self) -> Vec<String> {
        column_letters().map(String::from).collect()
    }

    #[inline]
    fn each_numbered(&self, view: &FourInARowView<'_>, _: Recall<'_>, add: Receiver<'_, u8>) {
        self.legal_columns(view).for_each(|column| add(usize::from(column), Some(column)));
    }
}

fn column_letters() -> impl Iterator<Item = char> {
    ('a'..).take(NUM_COLUMNS)
}

fn cells_of(columns: Columns) -> impl Iterator<Item = (char, u32)> {
    column_letters().flat_map(move |column| (1..=columns.num_rows()).map(move |row| (column, row)))
}

/// Features: own stones, who began, and the columns tried first. Actions: the column that is tried first; the others follow from left to right. A column
/// is certainly full once it has been tried first as often as it has cells.
impl Numbered<PhantomFour> for PhantomFour {
    fn features(&self) -> Vec<Feature> {
        tried_first(self.max_own_stones(), &self.action_texts())
    }

    #[inline]
    fn observe(&self, view: &PhantomFourView, recall: Recall<'_>, observation: &mut [f32]) {
        observe_tried_first(view.own_stones, NUM_COLUMNS, recall, observation);
    }

    fn action_texts(&self) -> Vec<String> {
        column_letters().map(String::from).collect()
    }

    #[inline]
    fn each_numbered(
        &self,
        _: &PhantomFourView,
        recall: Recall<'_>,
        add: Receiver<'_, ColumnOrder>,
    ) {
        let num_rows = self.columns().num_rows() as usize;
        let is_open = |&first: &usize| recall.num_tried(first) < num_rows;
        for first in (0..NUM_COLUMNS).filter(is_open) {
            add(first, Some(ColumnOrder::from(beginning_with(first))));
        }
    }
}

/// Features: own stones, who began, and the cells tried first. Actions: the cell that is tried first; the others follow in order. A cell that was
/// tried has a stone.
impl Numbered<PhantomTicTacToe> for PhantomTicTacToe {
    fn features(&self) -> Vec<Feature> {
        tried_first(NUM_CELLS.div_ceil(2) as u32, &self.action_texts())
    }

    #[inline]
    fn observe(&self, view: &PhantomTicTacToeView, recall: Recall<'_>, observation: &mut [f32]) {
        observe_tried_first(view.own_stones, NUM_CELLS, recall, observation);
    }

    fn action_texts(&self) -> Vec<String> {
        (1..=NUM_CELLS).map(|cell| cell.to_string()).collect()
    }

    #[inline]
    fn each_numbered(
        &self,
        _: &PhantomTicTacToeView,
        recall: Recall<'_>,
        add: Receiver<'_, CellOrder>,
    ) {
        for first in (0..NUM_CELLS).filter(|&first| recall.num_tried(first) == 0) {
            add(first, Some(CellOrder::from(beginning_with(first))));
        }
    }
}

impl Recall<'_> {
    /// Returns how many earlier actions have this number.
    fn num_tried(&self, number: usize) -> usize {
        self.past.iter().filter(|&&earlier| earlier == number).count()
    }
}

/// Returns the features of a player who tells a referee orders of preference and is not told where the stones are: the
/// number of own stones, whether the player began, and for each own stone a flag for the place that was tried first.
fn tried_first(most_stones: u32, places: &[String]) -> Vec<Feature> {
    let known =
        [Feature::up_to(most_stones as f32, "own stones"), Feature::flag("this player began")];
    let flags = (1..=most_stones).flat_map(|stone| {
        places.iter().map(move |place| Feature::flag(format!("stone {stone}: tried {place} first")))
    });
    known.into_iter().chain(flags).collect()
}

fn observe_tried_first(own: u32, places: usize, recall: Recall<'_>, observation: &mut [f32]) {
    let (known, tried) = observation.split_at_mut(2);
    Writer::new(known).put_all([own, (recall.seat == Seat::First).into()]).finish();
    tried.fill(0.0);
    for (flags, &first) in tried.chunks_exact_mut(places).zip(recall.past) {
        flags[first] = 1.0;
    }
}

/// Returns the numbers below `N`, `first` before all others, which are in increasing order.
fn beginning_with<const N: usize>(first: usize) -> [u8; N] {
    std::array::from_fn(|place| match place {
        0 => first as u8,
        _ if place <= first => place as u8 - 1,
        _ => place as u8,
    })
}

/// Features: own ships, own shots, hits, cells of sunk ships and the opponent's shots, a flag for each cell row by row.
/// Actions: the cell of a shot; fleets have no numbers.
impl Numbered<Battleship> for Battleship {
    fn features(&self) -> Vec<Feature> {
        let of_each = |meaning: &'static str| {
            (0..self.sea().num_cells())
                .map(move |number| Feature::flag(format!("{meaning} {}", self.sea().cell(number))))
        };
        let meanings =
            ["own ship in", "own shot at", "own hit in", "sunk ship in", "opponent's shot at"];
        meanings.into_iter().flat_map(of_each).collect()
    }

    #[inline]
    fn observe(&self, view: &BattleshipView<'_>, _: Recall<'_>, observation: &mut [f32]) {
        let sea = self.sea();
        let ships = view.fleet.and_then(|fleet| fleet.cells(sea)).unwrap_or_default();
        let mut writer = Writer::new(observation);
        for cells in [ships, view.shots, view.hits, view.sunk_cells(), view.opponent_shots] {
            let flags = (0..sea.num_cells()).map(|number| cells.contains(sea.cell(number)));
            writer.put_all(flags.map(u8::from));
        }
        writer.finish();
    }

    fn action_texts(&self) -> Vec<String> {
        (0..self.sea().num_cells()).map(|number| self.sea().cell(number).to_string()).collect()
    }

    #[inline]
    fn each_numbered(
        &self,
        view: &BattleshipView<'_>,
        _: Recall<'_>,
        add: Receiver<'_, BattleshipAction>,
    ) {
        if view.fleet.is_some() {
            for cell in self.sea().cells().without(view.shots) {
                add(self.sea().number(cell), Some(BattleshipAction::Shoot(cell)));
            }
        }
    }
}

/// Features: the fields of [`WarView`], the cards of the pile and the ties counted by rank. Actions: best card first,
/// worst card first, and the orders worst, best, second worst, ... and best, worst, second best, ...
impl Numbered<War> for War {
    fn features(&self) -> Vec<Feature> {
        let cards = self.num_cards() as f32;
        let of_each = |meaning: &'static str| {
            (1..=self.num_ranks()).map(move |rank| {
                Feature::up_to(cards, format!("{meaning} of rank {rank}, 1 being the worst"))
            })
        };
        let mut features: Vec<Feature> =
            of_each("cards in the pile").chain(of_each("ties in this turn")).collect();
        features.extend([
            Feature::up_to(self.num_ranks().into(), "rank of this player's card that decided"),
            Feature::up_to(self.num_ranks().into(), "rank of the opponent's card that decided"),
            Feature::up_to(cards, "own deck"),
            Feature::up_to(cards, "opponent's deck"),
            Feature::up_to(self.max_turns as f32, "turns played"),
        ]);
        features
    }

    fn observe(&self, view: &WarView<'_>, _: Recall<'_>, observation: &mut [f32]) {
        let ranks = usize::from(self.num_ranks());
        let (of_ranks, others) = observation.split_at_mut(2 * ranks);
        of_ranks.fill(0.0);
        view.pile.iter().for_each(|&rank| of_ranks[usize::from(rank)] += 1.0);
        view.ties.iter().for_each(|&rank| of_ranks[ranks + usize::from(rank)] += 1.0);
        // Without cards that decided, both ranks are 0.
        let (own, opponent) = view
            .turned_up
            .map_or((0, 0), |(own, opponent)| (u16::from(own) + 1, u16::from(opponent) + 1));
        let decks = [view.own_cards, view.opponent_cards].map(|size| size as u32);
        Writer::new(others).put_all([own, opponent]).put_all(decks).put(view.turns as f64).finish();
    }

    fn action_texts(&self) -> Vec<String> {
        ["best", "worst", "low-high", "high-low"].map(String::from).into()
    }

    fn each_numbered(&self, view: &WarView<'_>, _: Recall<'_>, add: Receiver<'_, Pile>) {
        let ascending = view.pile;
        let mut descending = Pile::from(ascending);
        descending.cards_mut().reverse();
        let orders = [
            descending.clone(),
            ascending.into(),
            alternating(ascending, descending.cards()),
            alternating(descending.cards(), ascending),
        ];
        orders.into_iter().enumerate().for_each(|(number, order)| add(number, Some(order)));
    }
}

/// Returns the first halves of both lists, in turn: the first of `a`, the first of `b`, the second of `a`, and so on.
fn alternating(a: &[u8], b: &[u8]) -> Pile {
    let mut cards = Pile::from(a);
    let both = a.iter().zip(b).flat_map(|(&a, &b)| [a, b]);
    cards.cards_mut().iter_mut().zip(both).for_each(|(place, card)| *place = card);
    cards
}
