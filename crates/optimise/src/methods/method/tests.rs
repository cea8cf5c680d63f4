use rand::RngExt;
use rand_distr::Distribution;
use ruse_base::rng::{Gaussian, Stream, StreamKey};
use ruse_base::stop::Result;
use ruse_play::race::Verdict;
use ruse_strategies::PairResult;

use super::*;
use crate::methods::{MethodKind, Running};

/// A [`Question`] that owns its data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Asked {
    Beats(Vec<f64>),
    DoesBetterThan(Vec<f64>),
    BeatsAll(Vec<Vec<f64>>),
    BeatsMixture(Vec<Weighted<Player>>),
    DoesBetterAgainst(Vec<f64>, Vec<Weighted<Player>>),
}

/// An oracle for tests: a rule decides comparisons, and every question is recorded.
pub(crate) struct Scripted<'a, D> {
    /// The first Gaussian numbers and indices; after these, the numbers come from a stream.
    pub(crate) draws: Vec<f64>,
    pub(crate) stream: Stream,
    decide: D,
    pub(crate) asked: Vec<(Vec<f64>, Asked)>,
    pub(crate) dimension: usize,
    pub(crate) games_left: u64,
    pub(crate) seats: Option<BySeat<Range<usize>>>,
    pub(crate) groups: Vec<Vec<usize>>,
    pub(crate) levels: Vec<Levels>,
    pub(crate) grains: Vec<f64>,
    /// The proposals, for which no games are played, and the number of proposals asked for so far.
    pub(crate) proposals: Vec<Vec<f64>>,
    pub(crate) num_asked: usize,
    /// Returns the individual with a number. By default, each parameter is drawn.
    pub(crate) individual: Option<Box<dyn Fn(u64) -> Vec<f64> + 'a>>,
    /// Plays the games of a fixture. By default, the player whose first parameter for its seat is larger wins; the
    /// parameter of the baseline is 0.
    pub(crate) games: Option<Games<'a>>,
    /// The players and fixtures of the last request for games.
    pub(crate) played: (Vec<Player>, Vec<Fixture>),
    /// The number of requests that exceeded the games left.
    pub(crate) num_refused: usize,
}

pub(crate) type Games<'a> = Box<dyn FnMut(&[Player], &Fixture, &mut Stream) -> Tally + 'a>;

/// Decides nothing: the method compares no candidates.
pub(crate) fn never(_: &[f64], _: &Question<'_>) -> bool {
    panic!("nothing is compared")
}

impl<'a, D: FnMut(&[f64], &Question<'_>) -> bool> Scripted<'a, D> {
    pub(crate) fn new(draws: Vec<f64>, decide: D) -> Scripted<'a, D> {
        Scripted {
            draws,
            stream: StreamKey::root(1).stream(),
            decide,
            asked: Vec::new(),
            dimension: 1,
            games_left: u64::MAX,
            seats: None,
            groups: Vec::new(),
            levels: Vec::new(),
            grains: Vec::new(),
            proposals: Vec::new(),
            num_asked: 0,
            individual: None,
            games: None,
            played: (Vec::new(), Vec::new()),
            num_refused: 0,
        }
    }

    /// Plays at most this number of games, in this way.
    pub(crate) fn with_games(mut self, games_left: u64, games: Games<'a>) -> Self {
        (self.games_left, self.games) = (games_left, Some(games));
        self
    }
}

/// Checks that the saved state contains all that is needed to continue.
pub(crate) fn assert_restorable<K: MethodKind>(method: &Running<K>) {
    let (population, options) = (method.population.clone(), method.options.clone());
    let again = Running::restore(population, options, method.state());
    assert_eq!(again.expect("its own state").state(), method.state());
}

pub(crate) fn decision(accepted: bool) -> Decision {
    let verdict = Verdict::exact(f64::from(u8::from(accepted)));
    Decision { accepted, verdict, num_games: 2 }
}

impl<D: FnMut(&[f64], &Question<'_>) -> bool> Oracle for Scripted<'_, D> {
    fn gaussian(&mut self) -> f64 {
        match self.draws.is_empty() {
            false => self.draws.remove(0),
            true => Gaussian.sample(&mut self.stream),
        }
    }

    fn index(&mut self, n: usize) -> usize {
        match self.draws.is_empty() {
            false => (self.draws.remove(0) as usize).min(n - 1),
            true => self.stream.random_range(0..n),
        }
    }

    fn groups(&self) -> Vec<Vec<usize>> {
        self.groups.clone()
    }

    fn levels(&self) -> Vec<Levels> {
        self.levels.clone()
    }

    fn grains(&self) -> Vec<f64> {
        self.grains.clone()
    }

    fn individual(&self, number: u64) -> Vec<f64> {
        if let Some(individual) = &self.individual {
            return individual(number);
        }
        let mut stream = StreamKey::root(number).stream();
        (0..self.dimension).map(|_| Gaussian.sample(&mut stream)).collect()
    }

    fn baseline(&self) -> Player {
        Player::Redrawn
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        self.seats.clone()
    }

    fn proposals(&mut self, _: &[f64], _: &Player, _: u64, num: usize) -> Result<Vec<Vec<f64>>> {
        self.num_asked += num;
        Ok(self.proposals.clone())
    }

    fn games_left(&self) -> u64 {
        self.games_left
    }

    fn compare_within(
        &mut self,
        _: u64,
        candidate: &[f64],
        question: Question<'_>,
    ) -> Result<Decision> {
        let asked = match &question {
            Question::Beats(opponent) => Asked::Beats(opponent.to_vec()),
            Question::DoesBetterThan(incumbent) => Asked::DoesBetterThan(incumbent.to_vec()),
            Question::BeatsAll(opponents) => Asked::BeatsAll(opponents.to_vec()),
            Question::BeatsMixture(opponents) => Asked::BeatsMixture(opponents.to_vec()),
            Question::DoesBetterAgainst { incumbent, mixture } => {
                Asked::DoesBetterAgainst(incumbent.to_vec(), mixture.to_vec())
            }
        };
        self.asked.push((candidate.to_vec(), asked));
        Ok(decision((self.decide)(candidate, &question)))
    }

    fn play(&mut self, players: &[Player], fixtures: &[Fixture]) -> Result<Vec<Tally>> {
        let games: u64 = fixtures.iter().map(|fixture| 2 * fixture.num_pairs).sum();
        if games > self.games_left {
            self.num_refused += 1;
            return Err(Stopped(ruse_base::stop::StopReason::Games));
        }
        if self.games_left < u64::MAX {
            self.games_left -= games;
        }
        self.played = (players.to_vec(), fixtures.to_vec());
        let seats = self.seats.clone().unwrap_or(BySeat { first: 0..1, second: 0..1 });
        let strength = |index: usize, seat: &Range<usize>| {
            players[index].parameters().map_or(0.0, |parameters| parameters[seat.start])
        };
        let play = |fixture: &Fixture| {
            if let Some(games) = &mut self.games {
                return games(players, fixture, &mut self.stream);
            }
            let of_a = |own: &Range<usize>, others: &Range<usize>| match strength(fixture.a, own)
                .total_cmp(&strength(fixture.b, others))
            {
                std::cmp::Ordering::Greater => ruse_games::Payoff::WIN,
                std::cmp::Ordering::Equal => ruse_games::Payoff::DRAW,
                std::cmp::Ordering::Less => ruse_games::Payoff::LOSS,
            };
            let as_first = of_a(&seats.first, &seats.second);
            let as_second = of_a(&seats.second, &seats.first);
            let mut tally = Tally::default();
            tally.add_many(PairResult { as_first, as_second }, fixture.num_pairs);
            tally
        };
        Ok(fixtures.iter().map(play).collect())
    }
}

/// Plays pairs in which a player wins each game with this probability.
pub(crate) fn coins(wins: f64, num_pairs: u64, stream: &mut Stream) -> Tally {
    let mut game = || match stream.random::<f64>() < wins {
        true => ruse_games::Payoff::WIN,
        false => ruse_games::Payoff::LOSS,
    };
    (0..num_pairs).map(|_| PairResult { as_first: game(), as_second: game() }).collect()
}
