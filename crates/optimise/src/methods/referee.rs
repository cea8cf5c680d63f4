//! The oracle of a run: draws the numbers, makes the comparisons and plays the games of one iteration.

use std::ops::Range;
use std::sync::Arc;

use rand::RngExt;
use rand_distr::Distribution;
use ruse_base::rng::{Gaussian, Label, Stream, StreamKey};
use ruse_base::stop::{Result, StopReason, StopSignal, Stopped};
use ruse_games::BySeat;
use ruse_play::arena::{Duel, League, SameDeals};
use ruse_play::family::{Player, Weighted};
use ruse_play::race::{self, Accept, Decision, Reason, Ties, Verdict};
use ruse_play::score::{Request, Tally, play_all};
use ruse_search::Levels;
use ruse_strategies::Episode;

use super::method::{Fixture, Oracle, Question};
use super::task::Task;
use super::wide_responses::{Scored, Visitor};

/// Players that play at most this number of games are prepared for a few games only. In Nim, this reduces the time for
/// 2 games of each player to a third.
const BRIEF_GAMES: u64 = 4;

/// An event within an iteration.
pub(super) enum News<'a> {
    /// The number of games so far.
    Games(u64),
    /// A remark for the user who waits.
    Remark(&'a str),
}

/// The oracle of a method within one iteration.
pub(super) struct Referee<'a> {
    task: &'a Task<'a>,
    key: StreamKey,
    stop: &'a StopSignal,
    mutation: Stream,
    choice: Stream,
    games_left: u64,
    pub(super) games: u64,
    /// The reason why the method failed.
    pub(super) failure: Option<String>,
    num_comparisons: u64,
    num_requests: u64,
    on_news: &'a mut dyn FnMut(News<'_>),
}

impl<'a> Referee<'a> {
    /// Creates the referee of the iteration identified by `key`, which may play at most `games_left` games. `on_news`
    /// is called from time to time with the number of games played.
    pub(super) fn new(
        task: &'a Task<'a>,
        key: StreamKey,
        games_left: u64,
        stop: &'a StopSignal,
        on_news: &'a mut dyn FnMut(News<'_>),
    ) -> Referee<'a> {
        Referee {
            task,
            key,
            stop,
            mutation: key.child(Label::Mutation, 0).stream(),
            choice: key.child(Label::Choice, 0).stream(),
            games_left,
            games: 0,
            failure: None,
            num_comparisons: 0,
            num_requests: 0,
            on_news,
        }
    }

    /// Returns the key of the next request.
    fn next_request(&mut self) -> StreamKey {
        self.num_requests += 1;
        self.key.child(Label::Request, self.num_requests - 1)
    }

    fn count(&mut self, num_games: u64) {
        self.games += num_games;
        (self.on_news)(News::Games(self.games));
    }

    fn decide(&mut self, most: u64, candidate: &[f64], question: Question<'_>) -> Result<Decision> {
        let key = self.key.child(Label::Race, self.num_comparisons);
        let mut rules = race::RaceSettings { max_games: most, ..self.task.races };
        if let Question::BeatsMixture(_) = question {
            // A candidate that ties with a mixture of the population adds nothing new.
            rules.acceptance.ties = Ties::Refuse;
        }
        let player = Player::from(candidate);
        let family = self.task.family;
        let league = |players: &[&Player]| -> Arc<dyn League> {
            family.league(players).expect("a run only meets players that were checked")
        };
        let duel = |opponent: &[f64]| Duel::new(&league(&[&player, &opponent.into()]), 0, 1);
        let third = |incumbent: &[f64], third: &Player| {
            let league = league(&[&player, &incumbent.into(), third]);
            SameDeals { league, players: [0, 1], opponent: 2 }
        };
        let (games_before, on_news) = (self.games, &mut self.on_news);
        let on_games = |games| on_news(News::Games(games_before + games));
        match question {
            Question::Beats(opponent) => {
                race::head_to_head(rules, &duel(opponent), key, self.stop, on_games)
            }
            Question::DoesBetterThan(incumbent) => {
                let deals = third(incumbent, &self.task.baseline);
                race::against_a_third(rules, &deals, key, self.stop, on_games)
            }
            Question::DoesBetterAgainst { incumbent, mixture } => {
                let deals = third(incumbent, &Player::Mixture(mixture.to_vec()));
                race::against_a_third(rules, &deals, key, self.stop, on_games)
            }
            Question::BeatsAll(opponents) => {
                let duels: Vec<_> = opponents.iter().map(|theta| duel(theta)).collect();
                race::against_all(rules, &duels, key, self.stop, on_games)
            }
            Question::BeatsMixture(opponents) => {
                let others = opponents.iter().map(|member| &member.of);
                let players: Vec<_> = std::iter::once(&player).chain(others).collect();
                let weights = (1..).zip(opponents.iter().map(|member| member.weight));
                let duel = Duel::against_mixture(&league(&players), 0, weights);
                race::head_to_head(rules, &duel, key, self.stop, on_games)
            }
        }
    }
}

/// Returns `true` if the question can be answered "no" without playing: a strategy neither beats nor outperforms
/// itself.
fn is_answered(candidate: &[f64], question: &Question<'_>) -> bool {
    let same = |theta: &[f64]| candidate.iter().zip(theta).all(|(x, y)| x.to_bits() == y.to_bits());
    match question {
        Question::Beats(theta)
        | Question::DoesBetterThan(theta)
        | Question::DoesBetterAgainst { incumbent: theta, .. } => same(theta),
        Question::BeatsAll(thetas) => thetas.iter().any(|theta| same(theta)),
        Question::BeatsMixture(_) => false,
    }
}

impl Oracle for Referee<'_> {
    fn gaussian(&mut self) -> f64 {
        Gaussian.sample(&mut self.mutation)
    }

    fn index(&mut self, n: usize) -> usize {
        self.choice.random_range(0..n)
    }

    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        self.task.family.plays_alike(a, b)
    }

    fn groups(&self) -> Vec<Vec<usize>> {
        self.task.family.space().groups().into_iter().map(|group| group.members).collect()
    }

    fn levels(&self) -> Vec<Levels> {
        self.task.family.space().levels().to_vec()
    }

    fn grains(&self) -> Vec<f64> {
        self.task.family.space().grains().to_vec()
    }

    fn individual(&self, number: u64) -> Vec<f64> {
        self.task.individual(number)
    }

    fn baseline(&self) -> Player {
        self.task.baseline.clone()
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        self.task.family.seats()
    }

    fn games_left(&self) -> u64 {
        self.games_left - self.games
    }

    fn compare_within(
        &mut self,
        max_games: u64,
        candidate: &[f64],
        question: Question<'_>,
    ) -> Result<Decision> {
        self.stop.check()?;
        if is_answered(candidate, &question) {
            let verdict = Verdict::identical();
            return Ok(Decision { accepted: false, verdict, num_games: 0 });
        }
        // An observation takes at least one pair, or one pair for each of two players.
        let least_games = match question {
            Question::DoesBetterThan(_) | Question::DoesBetterAgainst { .. } => 4,
            Question::Beats(_) | Question::BeatsAll(_) | Question::BeatsMixture(_) => 2,
        };
        self.need(least_games)?;
        let is_limited = max_games < self.games_left() && least_games == 4;
        let max_games = max_games.max(least_games).min(self.games_left());
        let mut decision = self.decide(max_games, candidate, question)?;
        // The limit of the comparison ended it, not the budget of the run.
        if is_limited && decision.verdict.reason == Reason::Budget {
            let is_enough = self.task.races.acceptance.accept == Accept::Leading;
            decision.accepted = is_enough && decision.verdict.candidate_leads;
        }
        self.num_comparisons += 1;
        self.count(decision.num_games);
        Ok(decision)
    }

    fn play(&mut self, players: &[Player], fixtures: &[Fixture]) -> Result<Vec<Tally>> {
        let games = fixtures.iter().map(|fixture| 2 * fixture.num_pairs).sum();
        self.need(games)?;
        let by_reference: Vec<&Player> = players.iter().collect();
        let league = match games <= BRIEF_GAMES * players.len() as u64 {
            true => self.task.family.brief_league(&by_reference),
            false => self.task.family.league(&by_reference),
        };
        let league = league.expect("a run only meets players that were checked");
        let key = self.next_request();
        let requests: Vec<Request> = fixtures
            .iter()
            .map(|&Fixture { a, b, deals, num_pairs }| {
                let key = key.child(Label::Deals, deals);
                Request { a, b, key, first_pair: 0, num_pairs }
            })
            .collect();
        let stop = self.stop;
        play_all(league.as_ref(), &requests, stop, |num_pairs| self.count(2 * num_pairs))
    }

    fn proposals(
        &mut self,
        theta: &[f64],
        opponent: &Player,
        max_games: u64,
        num: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let key = self.key.child(Label::Request, self.num_requests);
        let numbers = (max_games.min(self.games_left()), num);
        let Some(teaching) = self.task.family.capabilities().teaching else {
            return Ok(Vec::new());
        };
        let found = teaching.proposals((theta, opponent), numbers, key, self.stop)?;
        self.num_requests += 1;
        self.count(found.num_games);
        Ok(found.parameters)
    }

    fn coordinates(&self, theta: &[f64]) -> Option<Vec<f64>> {
        Some(self.task.family.self_play()?.coordinates(theta))
    }

    fn parameters(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        Some(self.task.family.self_play()?.parameters(coordinates))
    }

    fn play_itself(&mut self, coordinates: &[f64], num_games: u64) -> Result<Vec<Episode>> {
        self.need(num_games)?;
        let family = self.task.family;
        let Some(self_play) = family.self_play() else {
            let reason = format!("the action probabilities of {} are not known", family.name());
            return Err(self.give_up(reason));
        };
        let key = self.next_request();
        let theta = self_play.parameters(coordinates);
        let episodes = self_play.play(&theta, key, num_games, self.stop)?;
        self.count(num_games);
        Ok(episodes)
    }

    fn has_wide_responses(&self) -> bool {
        self.task.wide_responses.is_some()
    }

    fn respond(&mut self, mixture: &[Weighted<Player>], max_games: u64) -> Result<Option<Scored>> {
        let Some(source) = self.task.wide_responses else { return Ok(None) };
        let key = self.next_request();
        let max_games = max_games.min(self.games_left());
        let mixture = Player::Mixture(mixture.to_vec());
        let (found, games) = source.respond(&mixture, max_games, key, self.stop)?;
        self.count(games);
        Ok(found)
    }

    fn visitor(&self, visitor: &Visitor) -> Option<Player> {
        self.task.wide_responses?.player(visitor)
    }

    fn check(&self) -> Result {
        self.stop.check()
    }

    fn remark(&mut self, remark: &str) {
        (self.on_news)(News::Remark(remark));
    }

    fn give_up(&mut self, reason: String) -> Stopped {
        self.failure = Some(reason);
        Stopped(StopReason::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use ruse_play::race::{Acceptance, RaceSettings};
    use ruse_registry::Registry;

    use super::*;
    use crate::methods::tests::task;
    use crate::methods::{Budget, MethodKind, OnePlusOneKind, UsualRaces};

    fn with_referee<T>(
        family: &str,
        games_left: u64,
        then: impl FnOnce(&mut Referee<'_>) -> T,
    ) -> T {
        with_referee_of(family, games_left, Acceptance::default(), None, then)
    }

    fn with_referee_of<T>(
        family: &str,
        games_left: u64,
        acceptance: Acceptance,
        start: Option<Vec<f64>>,
        then: impl FnOnce(&mut Referee<'_>) -> T,
    ) -> T {
        let family = Registry::standard().family(family).expect("known");
        let task = Task {
            races: RaceSettings { acceptance, ..UsualRaces::OF_THE_PAPER.settings() },
            start,
            budget: Budget::default(),
            ..task(family.as_ref(), OnePlusOneKind::Iterative.into_any(), 0, 5)
        };
        let stop = StopSignal::default();
        let mut on_news = |_: News<'_>| ();
        let key = task.key.child(Label::Iteration, 1);
        then(&mut Referee::new(&task, key, games_left, &stop, &mut on_news))
    }

    #[test]
    fn a_player_does_not_race_itself() {
        with_referee("war", 1000, |referee| {
            let (x, y) = (referee.individual(0), referee.individual(1));
            for question in [
                Question::Beats(&x),
                Question::DoesBetterThan(&x),
                Question::BeatsAll(&[y.clone(), x.clone()]),
            ] {
                let decision = referee.compare(&x, question).expect("not stopped");
                assert_eq!((decision.accepted, decision.num_games), (false, 0));
                assert_eq!(decision.verdict.reason, Reason::Identical);
            }
            assert_eq!(referee.games, 0);
            assert!(referee.compare(&y, Question::Beats(&x)).expect("not stopped").num_games > 0);
        });
    }

    /// In phantom tic-tac-toe, a candidate is an order of the cells. Candidates are therefore deterministic, and one
    /// pair decides between two of them. The baseline is not deterministic.
    #[test]
    fn exact_payoffs_decide_after_one_pair() {
        with_referee("phantom-tic-tac-toe", 100_000, |referee| {
            let (x, y) = (referee.individual(0), referee.individual(1));
            let decision = referee.compare(&x, Question::Beats(&y)).expect("not stopped");
            assert_eq!((decision.verdict.reason, decision.num_games), (Reason::Exact, 2));
            let fixture = Fixture { a: 0, b: 1, deals: 7, num_pairs: 300 };
            let players = [Player::from(x.clone()), Player::from(y.clone())];
            let tally = referee.play(&players, &[fixture]).expect("not stopped").remove(0);
            assert_eq!(tally.estimate().map(|e| e.score), Some(decision.verdict.score));
            assert_eq!(tally.values().iter().map(|value| value.1).max(), Some(300));

            let alone = [
                Weighted { weight: 0.5, of: y.clone().into() },
                Weighted { weight: 0.0, of: referee.baseline() },
            ];
            let decision = referee.compare(&x, Question::BeatsMixture(&alone));
            assert_eq!(decision.expect("not stopped").verdict.reason, Reason::Exact);
            // Against the baseline both scores are known, although games are random.
            let decision = referee.compare(&x, Question::DoesBetterThan(&y)).expect("not stopped");
            assert_eq!((decision.verdict.reason, decision.num_games), (Reason::Exact, 4));
            let players = [x.into(), y.into(), referee.baseline()];
            let fixtures = [0, 1].map(|a| Fixture { a, b: 2, deals: 0, num_pairs: 5000 });
            let tallies = referee.play(&players, &fixtures).expect("not stopped");
            let points = |tally: &Tally| tally.quarter_points() / 20_000.0;
            let z = (1.0 + points(&tallies[0]) - points(&tallies[1])) / 2.0;
            // The standard error of Z is about 1 / 300.
            assert!((z - decision.verdict.score).abs() < 0.015, "{z}, {:?}", decision.verdict);
        });
    }

    /// Doubling the parameters gives the same orders of the cells, so the doubled player ties with any third player.
    #[test]
    fn ties_are_accepted_on_request_and_not_against_a_mixture() {
        for ties in Ties::ALL {
            let acceptance = Acceptance { ties, ..Acceptance::default() };
            with_referee_of("phantom-tic-tac-toe", 100_000, acceptance, None, |referee| {
                let x = referee.individual(0);
                let twice: Vec<f64> = x.iter().map(|value| 2.0 * value).collect();
                let mixture = [Weighted { weight: 1.0, of: x.clone().into() }];
                let all = [x.clone()];
                for (question, is_accepted) in [
                    (Question::Beats(&x), ties == Ties::Accept),
                    (Question::DoesBetterThan(&x), ties == Ties::Accept),
                    (Question::BeatsAll(&all), ties == Ties::Accept),
                    (Question::BeatsMixture(&mixture), false),
                ] {
                    let asked = format!("{question:?}");
                    let decision = referee.compare(&twice, question).expect("not stopped");
                    assert!(decision.verdict.is_exact_tie(), "{asked}: {decision:?}");
                    assert_eq!(decision.accepted, is_accepted, "{ties:?}, {asked}");
                }
            });
        }
    }

    #[test]
    fn the_first_individual_is_the_start() {
        let start = vec![0.5, -1.0, 2.0];
        let drawn = with_referee("war", 10, |referee| [0, 1].map(|k| referee.individual(k)));
        let acceptance = Acceptance::default();
        with_referee_of("war", 10, acceptance, Some(start.clone()), |referee| {
            assert_eq!(referee.individual(0), start);
            assert_ne!(drawn[0], start);
            assert_eq!(referee.individual(1), drawn[1]);
        });
    }

    #[test]
    fn fixtures_of_the_same_deals_have_the_same_deals() {
        let play = |order: [usize; 3]| {
            with_referee("batawaf", 100_000, |referee| {
                let (x, y) = (referee.individual(0), referee.individual(1));
                let players = [referee.baseline(), x.into(), y.into()];
                let fixtures = [
                    Fixture { a: 1, b: 0, deals: 0, num_pairs: 150 },
                    Fixture { a: 1, b: 0, deals: 0, num_pairs: 150 },
                    Fixture { a: 2, b: 0, deals: 1, num_pairs: 150 },
                ];
                let tallies = referee.play(&players, &order.map(|i| fixtures[i]));
                assert_eq!(referee.games, 900);
                tallies.expect("not stopped")
            })
        };
        let tallies = play([0, 1, 2]);
        assert_eq!(tallies[0], tallies[1]);
        assert_ne!(tallies[0], tallies[2]);
        // The results of a fixture depend neither on the order of the fixtures nor on the other fixtures.
        assert_eq!(play([2, 0, 1]), [&tallies[2], &tallies[0], &tallies[1]].map(Tally::clone));
    }

    /// Proposals depend on neither the threads nor what was asked before about other players, and their games are counted. With
    /// programs that draw any move, one of them is better than the start against random play: the start scores one half.
    #[test]
    fn proposals_from_rollouts_are_the_same_on_all_threads() {
        let on_threads = |num: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num).build().expect("a pool");
            pool.install(|| {
                with_referee("tic_tac_toe.kif:program", 3_000, |referee| {
                    let start = vec![0.0; referee.task.family.space().dimension()];
                    let random = Player::Named("random".into());
                    let found = referee.proposals(&start, &random, 1_000, 30).expect("not stopped");
                    assert!((900..=1_000).contains(&referee.games), "{}", referee.games);
                    let players: Vec<Player> =
                        found.iter().cloned().map(Player::from).chain([random]).collect();
                    let b = found.len();
                    let fixtures: Vec<Fixture> =
                        (0..b).map(|a| Fixture { a, b, deals: 0, num_pairs: 30 }).collect();
                    let tallies = referee.play(&players, &fixtures).expect("not stopped");
                    (found, tallies)
                })
            })
        };
        let (found, tallies) = on_threads(1);
        assert!(found.len() > 20, "{}", found.len());
        let scores: Vec<f64> = tallies.iter().filter_map(Tally::score).collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        // The standard error is below .02.
        assert!(mean > 0.56, "{mean}");
        assert_eq!(on_threads(3), (found, tallies));
        // Other families have none, and play no games.
        with_referee("morra", 3_000, |referee| {
            let (x, baseline) = (referee.individual(0), referee.baseline());
            assert_eq!(referee.proposals(&x, &baseline, 1_000, 30), Ok(Vec::new()));
            assert_eq!(referee.games, 0);
        });
    }

    /// In War, 200 games prove nothing about random orders of the cards.
    #[test]
    fn a_lead_is_enough_at_the_end_of_a_limited_race_if_the_run_says_so() {
        for accept in Accept::ALL {
            let acceptance = Acceptance { accept, ..Acceptance::default() };
            with_referee_of("war", 10_000, acceptance, None, |referee| {
                let (mut num_leading, mut num_accepted) = (0, 0);
                for number in 0..8 {
                    let (x, y) = (referee.individual(number), referee.individual(number + 1));
                    let decision = referee.compare_within(200, &y, Question::DoesBetterThan(&x));
                    let decision = decision.expect("not stopped");
                    assert_eq!(decision.verdict.reason, Reason::Budget);
                    num_leading += u32::from(decision.verdict.candidate_leads);
                    num_accepted += u32::from(decision.accepted);
                }
                assert!((1..8).contains(&num_leading));
                assert_eq!(num_accepted, if accept == Accept::Leading { num_leading } else { 0 });
            });
        }
    }

    #[test]
    fn the_budget_is_kept() {
        with_referee("morra", 10, |referee| {
            let (x, y) = (referee.individual(0), referee.individual(1));
            let players = [Player::from(x.clone()), Player::from(y.clone())];
            let fixture = |num_pairs| Fixture { a: 0, b: 1, deals: 0, num_pairs };
            let too_much = referee.play(&players, &[fixture(6)]);
            assert_eq!(too_much, Err(Stopped(StopReason::Games)));
            assert!(referee.play(&players, &[fixture(4)]).is_ok());
            assert_eq!((referee.games, referee.games_left()), (8, 2));
            // One pair for each of two players takes more games than are left.
            let decision = referee.compare(&x, Question::DoesBetterThan(&y));
            assert_eq!(decision, Err(Stopped(StopReason::Games)));
            let decision = referee.compare(&x, Question::Beats(&y)).expect("one pair is left");
            assert_eq!(decision.verdict.reason, Reason::Budget);
        });
    }
}
