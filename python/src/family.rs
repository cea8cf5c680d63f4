//! Families and players.

use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use rayon::prelude::*;
use ruse::arena::{Duel, League, Source, StopSignal};
use ruse::cli::Failure;
use ruse::exploit::{MeasureEffort, Response, measure};
use ruse::family::{AnyFamily, AnyNumbers, Decide, Player as RusePlayer};
use ruse::games::{Numbered, Payoff, Recall, Seat, Turn};
use ruse::lab::{DefaultPairs, MixtureMember, RuleValue, RulesSpec, Training, parse_sitter};
use ruse::matches::{Match, MatchResult, play_match};
use ruse::plots::{Sheet, svg};
use ruse::portfolio::{NUM_SAMPLES, NashPortfolio, Payoffs};
use ruse::programs::{Conduct, conduct_of_programs, dismiss_programs};
use ruse::race::{RaceSettings, head_to_head};
use ruse::rng::{Label, StreamKey};
use ruse::score::{Estimate, Pairings, Scored, Tally, known};
use ruse::serde_json::{self, json};
use ruse::strategies::certificate::Work;
use ruse::strategies::rule_file::Situations;
use ruse::strategies::{PairResult, RANDOM};

use crate::function::{Function, check_all};
use crate::race::{self, checked_races};
use crate::refusal::{error, refused};
use crate::search::Pair;
use crate::work::quietly;

/// A player of a family.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Player {
    pub(crate) player: RusePlayer,
    /// The Python functions that decide for the player.
    pub(crate) functions: Vec<Arc<Function>>,
}

impl From<RusePlayer> for Player {
    fn from(player: RusePlayer) -> Player {
        Player { player, functions: Vec::new() }
    }
}

#[pymethods]
impl Player {
    /// Returns the parameters of the player, if it has any.
    #[getter]
    fn parameters(&self) -> Option<Vec<f64>> {
        self.player.parameters().map(<[f64]>::to_vec)
    }

    /// Returns the entry for the player in the mixture of a strategy file, as JSON.
    fn entry(&self) -> String {
        let member = MixtureMember { weight: 1.0, name: None, strategy: self.player.clone() };
        serde_json::to_string(&member).expect("plain data")
    }

    /// Returns `true` if repeated games with the player have the same results. They may differ if the player thinks for
    /// a given time.
    #[getter]
    fn is_reproducible(&self) -> bool {
        self.player.search().is_none_or(|search| search.is_reproducible())
    }
}

/// A family, with its rules.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Family {
    pub(crate) family: Arc<dyn AnyFamily>,
}

/// The value of a rule, as provided by Python.
#[derive(FromPyObject)]
pub(crate) enum RuleInput {
    Number(u64),
    Name(String),
}

/// Returns the family with this name and these changed rules.
///
/// A rule file is read again each time, because it may change while a Python program runs.
pub(crate) fn family_of(
    name: &str,
    rules: Vec<(String, RuleInput)>,
) -> PyResult<Arc<dyn AnyFamily>> {
    let registry = crate::refusal::registry();
    let family = registry.family(name).map_err(error)?;
    let value = |value| match value {
        RuleInput::Number(number) => RuleValue::Number(number),
        RuleInput::Name(name) => RuleValue::Name(name),
    };
    let rules: RulesSpec = rules.into_iter().map(|(name, of)| (name, value(of))).collect();
    let rules = rules.numbers(family.as_ref()).map_err(error)?;
    family.with_rules(&rules).map_err(error)
}

/// Observations of situations, and the numbers of their legal actions.
type Observed<'py> = (Bound<'py, PyArray2<f32>>, Vec<Vec<usize>>);

/// Returns the mean of the scores of pairs whose games have these scores, the bounds of its interval, and their confidence.
#[pyfunction]
pub(crate) fn estimate(first: Vec<f64>, second: Vec<f64>) -> PyResult<[f64; 4]> {
    let payoff = |score: f64| {
        let parts = (score * f64::from(Payoff::PARTS)).round();
        Payoff::from_parts(parts as u16).ok_or_else(|| refused("a score is from 0 to 1"))
    };
    let mut tally = Tally::default();
    for (first, second) in first.into_iter().zip(second) {
        tally.add(PairResult { as_first: payoff(first)?, as_second: payoff(second)? });
    }
    let found = tally.estimate().ok_or_else(|| refused("there are no scores"))?;
    Ok([found.score, found.interval[0], found.interval[1], found.confidence])
}

/// The maximum number of pairs played on the calling thread.
const FEW_PAIRS: u64 = 64;
/// The maximum expected duration of games on the calling thread. Calling another thread would take longer.
const AT_ONCE: Duration = Duration::from_micros(500);

/// The result of a match, and the scores of its pairs, in order.
type Matched = (MatchResult, Vec<f64>);

/// Returns the match between these players, of `pairs` pairs, by default a number that suits them, or no pairs if the
/// score is known exactly.
fn game<'a>(
    family: &'a dyn AnyFamily,
    duel: &'a Duel,
    players: [&'a RusePlayer; 2],
    pairs: Option<u64>,
    seed: u64,
) -> Match<'a> {
    Match {
        family,
        players,
        duel,
        counted: None,
        pairs: pairs.unwrap_or_else(|| DefaultPairs::of_players(family, &players).evaluation),
        exact_pairs: pairs.unwrap_or(0),
        is_elsewhere: false,
        with_goals: false,
        seed,
    }
}

/// Plays a match on the threads of the current pool.
fn play(game: &Match<'_>, stop: &StopSignal) -> Result<Matched, Failure> {
    let mut scores = Vec::with_capacity(usize::try_from(game.pairs).unwrap_or(0).min(1 << 24));
    let on_results =
        |_, results: &[PairResult]| scores.extend(results.iter().map(|pair| pair.score()));
    let result = play_match(game, stop, on_results)?;
    match result.stopped {
        Some(_) => Err(Failure::Interrupted),
        None => Ok((result, scores)),
    }
}

/// Plays on the calling thread if this is faster than calling another thread. Otherwise, returns `None`.
fn play_here(game: &Match<'_>) -> Option<Matched> {
    let (duel, key, num_pairs, stop) = (game.duel, game.key(), game.pairs, StopSignal::default());
    let started = Instant::now();
    let exact = known(duel, key, &stop).ok()?.and_then(|scored| scored.exact);
    let each = started.elapsed();
    let all = each.saturating_mul(u32::try_from(num_pairs).unwrap_or(u32::MAX));
    if all > AT_ONCE {
        return None;
    }
    let mut results = vec![PairResult::default(); num_pairs as usize];
    duel.play(key, 0, &mut results, &stop).ok()?;
    let scored = Scored { tally: results.iter().copied().collect(), exact };
    let result = MatchResult { scored, seed: game.seed, ..MatchResult::default() };
    Some((result, results.iter().map(|pair| pair.score()).collect()))
}

impl Family {
    fn checked(&self, theta: &[f64]) -> PyResult<()> {
        self.family.check_parameters(theta).map_err(error)
    }

    /// Returns the games of the family by numbers.
    pub(crate) fn numbers(&self) -> PyResult<&dyn AnyNumbers> {
        self.family.capabilities().numbers.ok_or_else(|| {
            refused(format!("the actions of {} have no numbers", self.family.name()))
        })
    }

    /// Asks the functions of a player for the first decision of a game, so mistakes show before longer work begins.
    fn try_functions(&self, py: Python<'_>, player: &Player) -> PyResult<()> {
        if player.functions.is_empty() {
            return Ok(());
        }
        let random = RusePlayer::Named(RANDOM.into());
        let Some(numbers) = self.family.capabilities().numbers else { return Ok(()) };
        let environment = numbers.environment(&random, StreamKey::root(1), 1).map_err(error)?;
        if let Turn::Over(_) = environment.turn(0) {
            return Ok(());
        }
        let mut observation = vec![0.0; environment.features().len()];
        let mut mask = vec![0; environment.action_texts().len()];
        environment.observe(0, &mut observation);
        environment.mark_legal(0, &mut mask);
        py.detach(|| {
            for function in &player.functions {
                function.decide(&observation, &mask);
            }
        });
        check_all(&player.functions, py)
    }

    /// Returns an error if a function of these players has failed, or if a game has violated the rules of its file: the
    /// results are then invalid. Warns of mistakes of programs that have played.
    fn check_fault<'a>(
        &self,
        py: Python<'_>,
        players: impl IntoIterator<Item = &'a Player>,
    ) -> PyResult<()> {
        for function in players.into_iter().flat_map(|player| &player.functions) {
            function.check(py)?;
        }
        let conducts = conduct_of_programs();
        let faults: Vec<String> = conducts.iter().filter_map(Conduct::faults_in_words).collect();
        if !faults.is_empty() {
            // Programs that play again begin a new count.
            dismiss_programs();
        }
        for fault in faults {
            let message = CString::new(fault).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &message, 2)?;
        }
        match self.family.fault() {
            Some(fault) => Err(refused(format!(
                "in a game of {}: {fault}; mend the file, and begin again: that game and its results are worth \
                 nothing",
                self.family.name()
            ))),
            None => Ok(()),
        }
    }

    /// Returns `false` if games between these players are slow, because of a rule file, a search or a program.
    fn may_be_quick(&self, players: [&RusePlayer; 2]) -> bool {
        let is_slow = |of: &&RusePlayer| of.searches() || !of.programs().is_empty();
        self.family.rule_file().is_none() && !players.iter().any(is_slow)
    }
}

#[pymethods]
impl Family {
    #[new]
    fn new(name: &str, rules: Vec<(String, RuleInput)>) -> PyResult<Family> {
        Ok(Family { family: family_of(name, rules)? })
    }

    /// Describes the family, as JSON.
    fn describe(&self) -> String {
        let family = self.family.as_ref();
        let rules = family.rules().into_iter().map(|rule| {
            json!({
                "name": rule.name,
                "value": rule.value,
                "range": [rule.range.start(), rule.range.end()],
                "meaning": rule.meaning,
            })
        });
        let space = family.space();
        let parameters = space.parameters().iter().map(|of| json!([of.name, of.meaning]));
        let references = family.references().into_iter().map(|of| json!([of.name, of.meaning]));
        json!({
            "name": family.name(),
            "game": family.info().game,
            "summary": family.info().summary,
            "rules": rules.collect::<Vec<_>>(),
            "parameters": parameters.collect::<Vec<_>>(),
            "references": references.collect::<Vec<_>>(),
            "default_budget": family.info().default_budget,
            "default_pairs": DefaultPairs::of(family).evaluation,
            "search_methods": family.search_methods(),
            "board_opponent": family.board_opponent(),
        })
        .to_string()
    }

    /// Returns the player with this name, as on the command line.
    fn named(&self, text: &str) -> PyResult<Player> {
        Ok(parse_sitter(text, self.family.as_ref()).map_err(error)?.into())
    }

    /// Returns the player with these parameters.
    fn parametric(&self, theta: Vec<f64>) -> PyResult<Player> {
        self.checked(&theta)?;
        Ok(RusePlayer::Parameters(theta).into())
    }

    /// Returns the player that asks a Python function for the number of an action.
    fn function(&self, function: Py<PyAny>) -> PyResult<Player> {
        let function = Arc::new(Function::new(function));
        let decide: Arc<dyn Decide> = Arc::<Function>::clone(&function);
        let player = self.numbers()?.learner(decide);
        Ok(Player { player, functions: vec![function] })
    }

    /// Returns the mixture that draws one of these members for every pair, with probabilities proportional to the
    /// weights.
    fn mixture(&self, members: Vec<(f64, Bound<'_, Player>)>) -> PyResult<Player> {
        let functions = members.iter().flat_map(|(_, of)| of.get().functions.clone()).collect();
        let members = members.iter().map(|(weight, of)| (*weight, of.get().player.clone()));
        let player = RusePlayer::mixture(members);
        self.family.league(&[&player]).map_err(error)?;
        Ok(Player { player, functions })
    }

    /// Returns the parameters that play like this reference strategy, if there are any.
    fn reference_parameters(&self, name: &str) -> Option<Vec<f64>> {
        self.family.reference_parameters(name)
    }

    /// Returns an observation of each situation of a small rule file, and the numbers of the legal actions in it.
    fn situations<'py>(&self, py: Python<'py>) -> PyResult<Observed<'py>> {
        let file = self.family.rule_file().ok_or_else(|| {
            refused(format!("{} is not the family of a rule file", self.family.name()))
        })?;
        let num_features = file.features().len();
        let (mut observations, mut actions) = (Vec::new(), Vec::new());
        let recall = Recall { seat: Seat::First, past: &[], parts: &[] };
        let visited = Situations::visit(file, &Work::default(), &mut |view| {
            let place = observations.len();
            observations.resize(place + num_features, 0.0);
            file.observe(view, recall, &mut observations[place..]);
            let mut legal = Vec::new();
            file.each_numbered(view, recall, &mut |number, _| legal.push(number));
            actions.push(legal);
        });
        visited.map_err(|problem| refused(problem.to_string()))?;
        let shape = [actions.len(), num_features];
        Ok((PyArray1::from_vec(py, observations).reshape(shape)?, actions))
    }

    /// Describes in words how the strategy with these parameters plays.
    fn words(&self, theta: Vec<f64>) -> PyResult<String> {
        self.checked(&theta)?;
        self.family.words(&theta).map_err(|error| refused(error.to_string()))
    }

    /// Draws the strategy with these parameters, as SVG.
    fn svg(&self, theta: Vec<f64>) -> PyResult<String> {
        self.checked(&theta)?;
        let picture = self.family.picture(&theta).map_err(|error| refused(error.to_string()))?;
        Ok(svg(&picture, Sheet::default()))
    }

    /// Plays `a` against `b`, and returns the result as JSON, with the score of `a` in every pair.
    fn play<'py>(
        &self,
        py: Python<'py>,
        a: &Player,
        b: &Player,
        pairs: Option<u64>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<(String, Bound<'py, PyArray1<f64>>)> {
        let family = Arc::clone(&self.family);
        let players = [a, b].map(|player| player.player.clone());
        let [first, second] = &players;
        let duel = family.duel(first, second).map_err(error)?;
        let few = pairs.filter(|&pairs| pairs <= FEW_PAIRS && self.may_be_quick([first, second]));
        let of = game(family.as_ref(), &duel, [first, second], pairs, seed);
        let here = few.and_then(|_| py.detach(|| play_here(&of)));
        let (result, scores) = match here {
            Some(matched) => matched,
            None => quietly(py, threads, move |stop| {
                play(&game(family.as_ref(), &duel, players.each_ref(), pairs, seed), stop)
            })?
            .map_err(error)?,
        };
        self.check_fault(py, [a, b])?;
        Ok((json!(result).to_string(), scores.into_pyarray(py)))
    }

    /// Returns the score of `a` against `b` in a pair of games that a search asks for.
    fn pair(&self, py: Python<'_>, a: &Player, b: &Player, pair: &Pair) -> PyResult<f64> {
        let duel = self.family.duel(&a.player, &b.player).map_err(error)?;
        let (key, index) = (pair.key, pair.index);
        let played = py.detach(|| {
            let mut result = PairResult::default();
            let stop = StopSignal::default();
            duel.play(key, index, std::slice::from_mut(&mut result), &stop).map(|()| result.score())
        });
        self.check_fault(py, [a, b])?;
        played.map_err(|_| error(Failure::Interrupted))
    }

    /// Returns the score of each row of parameters, as in `ruse match`. All rows play against the same opponent on the
    /// same deals.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        thetas: PyReadonlyArray2<'py, f64>,
        b: &Player,
        pairs: u64,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows = thetas.as_array();
        let candidates: Vec<RusePlayer> =
            rows.outer_iter().map(|row| RusePlayer::Parameters(row.to_vec())).collect();
        for candidate in &candidates {
            self.checked(candidate.parameters().unwrap_or_default())?;
        }
        let (family, opponent) = (Arc::clone(&self.family), b.player.clone());
        if let [only] = candidates.as_slice()
            && pairs <= FEW_PAIRS
            && self.may_be_quick([only, &opponent])
        {
            let duel = family.duel(only, &opponent).map_err(error)?;
            let of = game(family.as_ref(), &duel, [only, &opponent], Some(pairs), seed);
            if let Some((result, _)) = py.detach(|| play_here(&of)) {
                return Ok(vec![result.scored.score().unwrap_or(f64::NAN)].into_pyarray(py));
            }
        }
        let scores = quietly(py, threads, move |stop| {
            let score = |candidate: &RusePlayer| -> Result<f64, Failure> {
                let duel = family.duel(candidate, &opponent)?;
                let players = [candidate, &opponent];
                let of = game(family.as_ref(), &duel, players, Some(pairs), seed);
                Ok(play(&of, stop)?.0.scored.score().expect("pairs were played"))
            };
            candidates.par_iter().map(score).collect::<Result<Vec<f64>, Failure>>()
        })?;
        self.check_fault(py, [b])?;
        Ok(scores.map_err(error)?.into_pyarray(py))
    }

    /// Decides by a race whether `a` beats `b`, and returns the decision as JSON.
    #[allow(clippy::too_many_arguments, reason = "the Python files name them all")]
    fn race(
        &self,
        py: Python<'_>,
        a: &Player,
        b: &Player,
        comparison: String,
        delta: f64,
        precision: f64,
        accept: Option<String>,
        max_games: Option<u64>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let races = checked_races(comparison, delta, precision, accept)?;
        let settings = RaceSettings { max_games: max_games.unwrap_or(u64::MAX), ..races };
        let duel = self.family.duel(&a.player, &b.player).map_err(error)?;
        let key = StreamKey::root(seed).child(Label::Match, 0);
        let decided =
            quietly(py, threads, move |stop| head_to_head(settings, &duel, key, stop, |_| ()))?;
        self.check_fault(py, [a, b])?;
        let decision = decided.map_err(|_| error(Failure::Interrupted))?;
        Ok(race::told(decision.accepted, &decision.verdict, decision.num_games))
    }

    /// Plays every player against every other. Each meeting has the games of the match with this seed.
    fn league(
        &self,
        py: Python<'_>,
        members: Vec<Bound<'_, Player>>,
        pairs: Option<u64>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Cross> {
        let family = Arc::clone(&self.family);
        let players: Vec<RusePlayer> = members.iter().map(|of| of.get().player.clone()).collect();
        let borrowed: Vec<&RusePlayer> = players.iter().collect();
        let league = family.league(&borrowed).map_err(error)?;
        let usual = DefaultPairs::of_players(family.as_ref(), &borrowed).evaluation;
        let pairs = pairs.unwrap_or(usual);
        let of_threads = Arc::clone(&league);
        let played = quietly(py, threads, move |stop| -> Result<Payoffs, Failure> {
            let num_members = players.len();
            let meetings: Vec<(usize, usize)> = Pairings::of(num_members).all().collect();
            let meet = |&(i, j): &(usize, usize)| {
                let duel = Duel::new(&of_threads, i, j);
                let both = [&players[i], &players[j]];
                let of = game(family.as_ref(), &duel, both, Some(pairs), seed);
                Ok((i, j, play(&Match { exact_pairs: 0, ..of }, stop)?.0.scored))
            };
            let scored = meetings.par_iter().map(meet).collect::<Result<Vec<_>, Failure>>()?;
            Ok(Payoffs::new(num_members, scored)?)
        })?;
        self.check_fault(py, members.iter().map(Bound::get))?;
        let payoffs = Arc::new(played.map_err(error)?);
        Ok(Cross { league, payoffs, key: StreamKey::root(seed), pairs })
    }

    /// Returns the exploitability of a strategy, as JSON: the object of `ruse exploit`, without names and seed.
    fn exploit(
        &self,
        py: Python<'_>,
        strategy: &Player,
        budget: Option<u64>,
        restarts: u64,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<String> {
        self.try_functions(py, strategy)?;
        let (family, player) = (Arc::clone(&self.family), strategy.player.clone());
        let told = quietly(py, threads, move |stop| -> Result<String, Failure> {
            let registry = crate::refusal::registry();
            let training = Training { budget, restarts, ..Training::usual(seed) };
            let search = training.search(&family, &player, &registry)?;
            let effort = MeasureEffort {
                work: Work::new(registry.information_sets(), &|| false, &|_| ()),
                seed,
                search: Some(&search),
                stop: stop.clone(),
                ..MeasureEffort::default()
            };
            let found = measure(family.as_ref(), &player, &effort)?;
            match &found.response {
                Response::Found(bound) if bound.was_stopped => Err(Failure::Interrupted),
                _ => Ok(json!(found).to_string()),
            }
        })?;
        self.check_fault(py, [strategy])?;
        told.map_err(error)
    }
}

/// The scores of the members of a league against each other.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Cross {
    league: Arc<dyn League>,
    payoffs: Arc<Payoffs>,
    key: StreamKey,
    pairs: u64,
}

/// One in `FRESH_IN` pairs is played after the choice of mixtures, to score them, as in `ruse portfolio`.
const FRESH_IN: u64 = 5;

#[pymethods]
impl Cross {
    /// Returns four square tables over the members: the scores, their lower bounds, their upper bounds, and the numbers
    /// of pairs.
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        let n = self.payoffs.num_members();
        let table = |number: &dyn Fn(usize, usize) -> f64| -> PyResult<Bound<'py, PyArray2<f64>>> {
            let cells = (0..n).map(|i| (0..n).map(|j| number(i, j)).collect()).collect::<Vec<_>>();
            Ok(PyArray2::from_vec2(py, &cells)?)
        };
        let of = |i: usize, j: usize| match i < j {
            true => self.payoffs.meeting(i, j).estimate(),
            false => self.payoffs.meeting(j, i).estimate().map(Estimate::reversed),
        };
        let number = |i, j, get: &dyn Fn(Estimate) -> f64| match i == j {
            true => get(Estimate::exact(0.5)),
            false => of(i, j).map_or(f64::NAN, get),
        };
        Ok(vec![
            table(&|i, j| number(i, j, &|estimate| estimate.score))?,
            table(&|i, j| number(i, j, &|estimate| estimate.interval[0]))?,
            table(&|i, j| number(i, j, &|estimate| estimate.interval[1]))?,
            table(&|i, j| number(i, j, &|estimate| estimate.pairs as f64))?,
        ])
    }

    /// Returns the mixture that no member exploits, as JSON.
    fn nash(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<String> {
        let (league, payoffs) = (Arc::clone(&self.league), Arc::clone(&self.payoffs));
        let (key, pairs) = (self.key, self.pairs.div_ceil(FRESH_IN));
        let found = quietly(py, threads, move |stop| -> Result<NashPortfolio, Failure> {
            let portfolio = NashPortfolio::new(&payoffs, NUM_SAMPLES, key, stop)?;
            let key = key.child(Label::Evaluation, 0);
            let mixtures = portfolio.mixtures();
            let fresh = payoffs.fresh(league.as_ref(), &mixtures, pairs, key, stop, |_| ())?;
            Ok(portfolio.scored_on(&fresh))
        })?;
        let NashPortfolio { nash, weight_intervals, uniform, cycle, .. } = found.map_err(error)?;
        let object = json!({
            "weights": nash.mixture,
            "weight_intervals": weight_intervals,
            "exploitability": nash.exploitability,
            "interval": nash.interval,
            "best_response": nash.best_response,
            "uniform_exploitability": uniform.exploitability,
            "cycle": cycle,
        });
        Ok(object.to_string())
    }
}
