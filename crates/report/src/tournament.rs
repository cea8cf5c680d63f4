//! The tables of a tournament: the scores of all players against each other, their order, and how certain it is.

use ruse_games::Units;
use ruse_play::score::{CONFIDENCE, Estimate, Pairings, SharedDeals};
use ruse_strategies::FamilyInfo;
use serde::Serialize;
use serde_json::{Value, json};

use super::format::{
    Grid, Mark, Table, Tables, Text, counted, crossed, digits, signed, with_bounds,
};
use super::head_to_head::Cycles;
use super::leader::{Leader, Rival};
use super::scores::ROUNDING;

/// A member of a tournament, with its mean score over all others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entrant {
    /// The name of the member.
    pub name: String,
    /// The mean score over all other members. Its sample consists of the deals, which all meetings share.
    pub mean: Estimate,
    /// The number of opponents with the whole interval above one half.
    pub num_wins: usize,
    /// The number of opponents with a score of exactly one half.
    pub num_draws: usize,
    /// The number of opponents with the whole interval below one half.
    pub num_losses: usize,
    /// The number of opponents with one half in the interval.
    pub num_undecided: usize,
    /// The lead over the next member; `None` for the last.
    pub lead: Option<Lead>,
}

/// The difference between two means, in [-1, 1].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Lead {
    /// The difference.
    pub difference: f64,
    /// Bounds on the difference at [`ruse_play::score::CONFIDENCE`].
    pub interval: [f64; 2],
    /// True if the whole interval is above zero.
    pub is_told_apart: bool,
}

/// The tables of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TournamentTable {
    /// The family.
    pub family: String,
    /// The unit of payoffs, if there is one.
    #[serde(skip)]
    pub units: Option<Units>,
    /// The members by decreasing mean score. Equal means keep their original order.
    pub entrants: Vec<Entrant>,
    /// The score of the row's member against the column's member, in the order of `entrants`; the diagonal is empty.
    pub scores: Vec<Vec<Option<Estimate>>>,
    /// The proof that the mean scores give about the best member, by intervals of its leads that hold for all pairs of
    /// members together.
    pub leader: Leader,
    /// The cycles among the members.
    pub cycles: Cycles,
    /// The number of pairs in each meeting without an exact score. All meetings share the deals.
    pub pairs: u64,
}

impl TournamentTable {
    /// Creates the tables of a tournament from the names of its members and its results.
    ///
    /// # Panics
    ///
    /// Panics if the numbers of names and members differ.
    pub fn new(info: &FamilyInfo<'_>, names: &[String], found: &SharedDeals) -> TournamentTable {
        assert_eq!(names.len(), found.scores().num_members(), "a name for each member");
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| found.mean(b).score.total_cmp(&found.mean(a).score));
        let score = |a: usize, b: usize| (a != b).then(|| found.scores().estimate(a, b));
        let row = |&a: &usize| order.iter().map(|&b| score(a, b)).collect();
        let scores: Vec<Vec<Option<Estimate>>> = order.iter().map(row).collect();
        let entrants = order.iter().enumerate().map(|(place, &member)| {
            let row = || scores[place].iter().flatten();
            let count = |of: &dyn Fn(&Estimate) -> bool| row().filter(|cell| of(cell)).count();
            let num_wins = count(&|cell| cell.interval[0] > 0.5 + ROUNDING);
            let num_losses = count(&|cell| cell.interval[1] < 0.5 - ROUNDING);
            let is_half = |cell: &Estimate| (cell.score - 0.5).abs() <= ROUNDING;
            let num_draws = count(&|cell| cell.is_exact() && is_half(cell));
            Entrant {
                name: names[member].clone(),
                mean: found.mean(member),
                num_wins,
                num_draws,
                num_losses,
                num_undecided: names.len() - 1 - num_wins - num_draws - num_losses,
                lead: order.get(place + 1).map(|&next| {
                    let (difference, interval) = found.lead(member, next);
                    Lead { difference, interval, is_told_apart: interval[0] > ROUNDING }
                }),
            }
        });
        let entrants: Vec<Entrant> = entrants.collect();
        let ordered: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let best = order[0];
        let num_pairs = Pairings::of(names.len()).len();
        let confidence = 1.0 - (1.0 - CONFIDENCE) / num_pairs as f64;
        let leader = Leader::of(order.iter().map(|&member| {
            let (lead, [low, _]) = match member == best {
                true => (0.0, [0.0; 2]),
                false => found.lead_at(best, member, confidence),
            };
            (names[member].as_str(), Rival::new(lead <= ROUNDING, low > ROUNDING))
        }));
        let of_cell = |a: usize, b: usize, of: fn(&Estimate) -> f64| scores[a][b].as_ref().map(of);
        let cycles = Cycles::new(
            &ordered,
            |a, b| of_cell(a, b, |cell| cell.score),
            |a, b| of_cell(a, b, |cell| cell.interval[0]),
        );
        TournamentTable {
            family: info.name.into(),
            units: info.units.cloned(),
            entrants,
            scores,
            leader,
            cycles,
            pairs: found.num_deals(),
        }
    }

    /// The names of the tables.
    pub const TABLES: [&'static str; 2] = ["ranking", "cross-table"];

    /// Returns the ranking, and the score of each member against each other member.
    pub fn tables(&self) -> Tables {
        let cell = |estimate: &Estimate| {
            let Estimate { score, interval, .. } = estimate;
            json!({ "score": score, "interval": interval, "exact": estimate.is_exact() })
        };
        let row = |row: &Vec<Option<Estimate>>| -> Value {
            row.iter().map(|estimate| estimate.as_ref().map(cell)).collect()
        };
        let head = json!({
            "family": self.family,
            "pairs": self.pairs,
            "confidence": CONFIDENCE,
            "scores": self.scores.iter().map(row).collect::<Value>(),
            "cycles": self.cycles,
        });
        Tables::new(head, vec![self.ranking(), self.cross_table()])
    }

    /// Returns a comma and the mean payoff of an entrant, or nothing if payoffs have no unit.
    pub fn payoff(&self, Entrant { mean, .. }: &Entrant) -> String {
        let payoff = self.units.as_ref().map(|units| units.text(mean.score, 3));
        payoff.map_or(String::new(), |payoff| format!(", {payoff}"))
    }

    /// Describes the sample from which the scores are computed.
    fn sample(&self) -> String {
        let has_exact = self.scores.iter().flatten().flatten().any(Estimate::is_exact);
        if self.pairs == 0 {
            return "computed exactly".into();
        }
        format!(
            "on {} of games for every two, the same deals for all{}, with 95% intervals",
            counted(self.pairs, "pair"),
            if has_exact { ", or exactly where that can be computed" } else { "" }
        )
    }

    fn ranking(&self) -> Table {
        let rows: Vec<(usize, &Entrant)> = (1..).zip(&self.entrants).collect();
        let ahead = |entrant: &Entrant| {
            let mark = Mark::of(false, is_close(entrant));
            Text::plain(entrant.lead.map_or(String::new(), Lead::in_words)).marked(mark)
        };
        let grid = Grid::of(&rows)
            .label("strategy", |(place, entrant)| format!("{place}. {}", entrant.name))
            .data("place", |row| row.0)
            .data("strategy", |row| row.1.name.clone())
            .text("mean score", |row| with_bounds(&row.1.mean) + &self.payoff(row.1))
            .estimate("mean-score", |row| Some(row.1.mean))
            .both("wins", |row| row.1.num_wins)
            .both("draws", |row| row.1.num_draws)
            .both("losses", |row| row.1.num_losses)
            .both("undecided", |row| row.1.num_undecided)
            .text("ahead of the next by", |row| ahead(row.1))
            .data("lead", |row| Some(row.1.lead?.difference))
            .data("lead-low", |row| Some(row.1.lead?.interval[0]))
            .data("lead-high", |row| Some(row.1.lead?.interval[1]))
            .data("told-apart", |row| Some(row.1.lead?.is_told_apart));
        let has_close = self.entrants.iter().any(is_close);
        let results = rows.iter().map(|(place, entrant)| {
            json!({
                "place": place,
                "name": entrant.name,
                "mean_score": entrant.mean.score,
                "interval": entrant.mean.interval,
                "exact": entrant.mean.is_exact(),
                "wins": entrant.num_wins,
                "draws": entrant.num_draws,
                "losses": entrant.num_losses,
                "undecided": entrant.num_undecided,
                "lead": entrant.lead,
            })
        });
        Table {
            results: Some(results.collect()),
            caption: format!(
                "The mean score over all others, {}. A win is an opponent against whom the \
                 whole interval is above .5, a loss one with all of it below, a draw one of exactly .5; against the \
                 others it is undecided.",
                self.sample()
            ),
            short: format!(
                "{}: mean scores against all others; wins and losses by 95% intervals.",
                self.family
            ),
            legend: [None, has_close.then(|| "not significantly better than the next".into())],
            notes: vec![self.order_in_words()],
            ..Table::new("ranking", format!("{}: ranking", self.family), grid)
        }
    }

    /// Describes how much of the order is certain.
    fn order_in_words(&self) -> String {
        let neighbours = self.entrants.iter().zip(self.entrants.iter().skip(1));
        let close = neighbours.filter(|(entrant, _)| is_close(entrant));
        let close = close.map(|(entrant, next)| format!("{} and {}", entrant.name, next.name));
        let close: Vec<String> = close.collect();
        match (close.len(), self.pairs) {
            (0, 0) => "Scores are exact, and so is the order.".into(),
            (0, _) => {
                "Each player is significantly better than the next, by the interval of their difference.".into()
            }
            _ => format!("Not significantly different: {}.", close.join("; ")),
        }
    }

    fn cross_table(&self) -> Table {
        let rows = crossed(&self.entrants, &self.entrants, &self.scores);
        let grid = Grid::of(&rows)
            .data("family", |_| &self.family)
            .key("strategy", |row| &row.0.name)
            .across(self.entrants.len(), "opponent", |row| &row.1.name)
            .figure(|row| row.2.as_ref().map_or(String::new(), with_bounds))
            .estimate("score", |row| *row.2)
            .data("exact", |row| row.2.map(|estimate| estimate.is_exact()))
            .pairs(|row| *row.2)
            .data_if(|row| row.2.is_some());
        let mut notes = self.cycles.in_words();
        if notes.is_empty() {
            notes.push("There is no cycle of strategies each of which beats the next.".into());
        }
        Table {
            caption: format!(
                "The score of the row's strategy against the column's, {}.",
                self.sample()
            ),
            short: format!("{}: scores of rows against columns, 95% intervals.", self.family),
            notes,
            ..Table::new("cross-table", format!("{}: each against each", self.family), grid)
        }
    }
}

impl Lead {
    fn in_words(self) -> String {
        let [low, high] = self.interval;
        let digits = digits(self.interval);
        let number = |value: f64| signed(value, digits);
        match (low == high, self.difference == 0.0) {
            (true, true) => "plays as well".into(),
            (true, false) => format!("{} exact", number(self.difference)),
            (false, _) => {
                format!("{} [{}, {}]", number(self.difference), number(low), number(high))
            }
        }
    }
}

/// Returns `true` if an entrant's mean is not significantly above the next entrant's.
fn is_close(entrant: &Entrant) -> bool {
    entrant.lead.is_some_and(|lead| !lead.is_told_apart)
}

#[cfg(test)]
mod tests {
    use ruse_base::rng::StreamKey;
    use ruse_base::stop::StopSignal;
    use ruse_play::arena::League;
    use ruse_play::family::Player;
    use ruse_registry::Registry;

    use super::*;

    fn table(family: &str, players: &[Player], num_pairs: u64) -> TournamentTable {
        let family = Registry::standard().family(family).expect("known");
        let league = family.league(&players.iter().collect::<Vec<_>>()).expect("players");
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        let league: &dyn League = league.as_ref();
        let found = SharedDeals::play(league, players.len(), num_pairs, key, &stop, |_| ());
        let names: Vec<String> = (0..players.len()).map(|index| index.to_string()).collect();
        TournamentTable::new(&family.info(), &names, &found.expect("not stopped"))
    }

    /// All scores in Pig are exact, so this order is certain: perfect play, holding at 25, holding at 20.
    #[test]
    fn exact_scores_order_members_with_certainty() {
        let player = |name: &str| Player::Named(name.into());
        let found = table("pig", &[player("hold-20"), player("hold-25"), player("optimal")], 100);
        assert_eq!(found.pairs, 0);
        let [first, second, third] = &found.entrants[..] else { panic!("three entrants") };
        // Player 2 plays perfectly; holding at 25 beats holding at 20 by .0117 (the figure of `ruse match`).
        assert_eq!([first, second, third].map(|entrant| &*entrant.name), ["2", "1", "0"]);
        assert_eq!((first.num_wins, first.num_undecided, third.num_losses), (2, 0, 2));
        assert!(first.lead.expect("of the first").is_told_apart && third.lead.is_none());
        assert!((found.scores[1][2].expect("they met").score - 0.511_724).abs() < 1e-6);
        assert_eq!((found.scores[0][0], &found.leader), (None, &Leader::Proven("2".into())));
        assert_eq!(found.cycles, Cycles::default());
    }

    /// The two members have different parameters, but hold at the same sum. Their exact score is one half, a draw, and
    /// the lead is not significant.
    #[test]
    fn equal_members_are_not_separated() {
        let twins = [Player::Parameters(vec![0.0]), Player::Parameters(vec![1e-9])];
        let found = table("pig", &twins, 100);
        let first = &found.entrants[0];
        assert_eq!((first.num_draws, first.num_wins, first.num_undecided), (1, 0, 0));
        let lead = first.lead.expect("of the first");
        assert!(!lead.is_told_apart && lead.difference.abs() < 1e-9, "{lead:?}");
        assert_eq!(found.leader, Leader::Tied(vec!["0".into(), "1".into()]));
    }

    /// Each player of Morra always makes the same announcement, which beats some and loses to others. Two such players
    /// have the same result in every game, so their score is certain.
    #[test]
    fn cycles_are_found() {
        let dimension = Registry::standard().family("morra").expect("known").space().dimension();
        let pure = |index: usize| {
            let mut theta = vec![-60.0; dimension];
            theta[index] = 60.0;
            Player::Parameters(theta)
        };
        let players: Vec<Player> = (0..dimension).map(pure).collect();
        let found = table("morra", &players, 50);
        assert!(!found.cycles.sure.is_empty(), "{:?}", found.cycles);
        for cycle in &found.cycles.sure {
            let place = |name: &String| {
                found.entrants.iter().position(|entrant| entrant.name == *name).expect("there")
            };
            for (a, b) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                let cell = found.scores[place(a)][place(b)].expect("they met");
                assert!(cell.interval[0] > 0.5, "{a} {b}: {cell:?}");
            }
        }
    }
}
