//! Sets of families: the same parameters play several games.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_games::{BySeat, Payoff, Rule, RulesError};
use ruse_search::{ParameterError, ParameterSpace, ThinkingCost};
use ruse_strategies::certificate::{Bounds, Certificate, Work};
use ruse_strategies::{BestResponse, FamilyInfo, PairResult, Reference};

use super::any::AnyFamily;
use super::capabilities::{AnyCapabilities, AnyPlayers, AnyResponses, AnyRules};
use super::opening::{BETWEEN, FamilyFileError};
use super::player::{Player, Result};
use crate::arena::League;

/// Several families with the same parameters, as one family. For each pair of games one family is drawn, with equal
/// probabilities, so a score is the mean of the scores in all families.
pub struct FamilySet {
    name: String,
    game: String,
    about: String,
    members: Vec<Arc<dyn AnyFamily>>,
}

impl FamilySet {
    /// Creates a set from two or more families.
    ///
    /// # Errors
    ///
    /// Returns an error if the families have different parameters, or one of them occurs twice.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer than two families.
    pub fn new(members: Vec<Arc<dyn AnyFamily>>) -> Result<FamilySet, FamilyFileError> {
        let [first, .., _] = &members[..] else { panic!("a set has two or more members") };
        let joined = |text: fn(FamilyInfo<'_>) -> String| {
            let texts: Vec<_> = members.iter().map(|member| text(member.info())).collect();
            texts.join(&BETWEEN.to_string())
        };
        let name = joined(|info| info.name.into());
        let error = |problem: String, advice: &str| FamilyFileError {
            advice: Some(advice.into()),
            ..FamilyFileError::new(Path::new(&name), problem)
        };
        let space = first.space();
        for (index, member) in members.iter().enumerate() {
            if members[..index].iter().any(|other| other.name() == member.name()) {
                return Err(error(format!("`{}` occurs twice", member.name()), "name it once"));
            }
            if let Some(difference) = difference(&space, &member.space()) {
                let problem = format!(
                    "no strategy plays both `{}` and `{}`: the second has {difference}",
                    first.name(),
                    member.name()
                );
                let advice = "a set takes families whose parameters have the same names";
                return Err(error(problem, advice));
            }
        }
        Ok(FamilySet {
            name,
            game: joined(|info| info.game.into()),
            about: format!("{} games; each pair is played in one of them", members.len()),
            members,
        })
    }

    /// Returns the family in which a pair of the comparison named by `key` is played.
    pub fn drawn(&self, key: StreamKey, pair: u64) -> &dyn AnyFamily {
        &*self.members[drawn(self.members.len(), key, pair)]
    }
}

/// Returns the index of the family in which a pair of the comparison named by `key` is played.
fn drawn(num_members: usize, key: StreamKey, pair: u64) -> usize {
    key.child(Label::Pair, pair).child(Label::Game, 0).stream().random_range(0..num_members)
}

/// Describes how two spaces differ, or returns `None` if their parameters have the same names.
fn difference(a: &ParameterSpace, b: &ParameterSpace) -> Option<String> {
    let (a, b) = (a.parameters(), b.parameters());
    if a.len() != b.len() {
        return Some(format!("{} parameters in place of {}", b.len(), a.len()));
    }
    let (a, b) = a.iter().zip(b).find(|(a, b)| a.name != b.name)?;
    Some(format!("the parameter `{}` in place of `{}`", b.name, a.name))
}

/// Returns the items of the first list that all lists contain.
fn common<T>(mut lists: impl Iterator<Item = Vec<T>>, same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut found = lists.next().unwrap_or_default();
    for list in lists {
        found.retain(|item| list.iter().any(|other| same(item, other)));
    }
    found
}

impl AnyFamily for FamilySet {
    fn info(&self) -> FamilyInfo<'_> {
        let budgets = self.members.iter().map(|member| member.info().default_budget);
        FamilyInfo {
            about: &self.about,
            game: &self.game,
            common_play: None,
            default_budget: budgets.min().unwrap_or(0),
            ..FamilyInfo::new(&self.name, self.members[0].info().summary)
        }
    }

    fn accepts(&self, family: &str) -> bool {
        family == self.name || self.members.iter().all(|member| member.accepts(family))
    }

    fn with_rules(&self, rules: &BTreeMap<String, u64>) -> Result<Arc<dyn AnyFamily>, RulesError> {
        let members = self.members.iter().map(|member| member.with_rules(rules));
        let members = members.collect::<Result<_, _>>()?;
        let (name, game, about) = (self.name.clone(), self.game.clone(), self.about.clone());
        Ok(Arc::new(FamilySet { name, game, about, members }))
    }

    fn fault(&self) -> Option<String> {
        self.members.iter().find_map(|member| member.fault())
    }

    fn notes(&self) -> Vec<String> {
        self.members.iter().flat_map(|member| member.notes()).collect()
    }

    fn descriptions(&self) -> BTreeMap<String, String> {
        self.members.iter().flat_map(|member| member.descriptions()).collect()
    }

    fn space(&self) -> ParameterSpace {
        self.members[0].space()
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        let seats = self.members[0].seats()?;
        let is_same = |member: &Arc<dyn AnyFamily>| member.seats().as_ref() == Some(&seats);
        self.members.iter().all(is_same).then_some(seats)
    }

    /// Returns the references that all families have, with the same parameters.
    fn references(&self) -> Vec<Reference<()>> {
        let all = self.members.iter().map(|member| member.references());
        common(all, |a, b| a.name == b.name && a.parameters == b.parameters)
    }

    fn words(&self, theta: &[f64]) -> Result<String, ParameterError> {
        let mut parts: Vec<(String, String)> = Vec::new();
        for member in &self.members {
            let words = member.words(theta)?;
            match parts.iter_mut().find(|(_, known)| *known == words) {
                Some((names, _)) => *names += &format!(", {}", member.name()),
                None => parts.push((member.name().into(), words)),
            }
        }
        Ok(match &parts[..] {
            [(_, words)] => words.clone(),
            _ => {
                let parts: Vec<_> =
                    parts.iter().map(|(names, words)| format!("{names}:\n{words}")).collect();
                parts.join("\n")
            }
        })
    }

    fn parameters_of_text(&self, text: &str) -> Option<Result<Vec<f64>, String>> {
        let [first, others @ ..] = &self.members[..] else { return None };
        let theta = first.parameters_of_text(text)?;
        let is_same =
            |other: &Arc<dyn AnyFamily>| other.parameters_of_text(text).as_ref() == Some(&theta);
        Some(match others.iter().find(|other| !is_same(other)) {
            Some(other) if theta.is_ok() => Err(format!(
                "`{}` and `{}` read the text as different parameters, so give the parameters as a list",
                first.name(),
                other.name()
            )),
            _ => theta,
        })
    }

    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        self.members.iter().all(|member| member.plays_alike(a, b))
    }

    fn league(&self, players: &[&Player]) -> Result<Arc<dyn League>> {
        let leagues = self.members.iter().map(|member| member.league(players));
        Ok(Arc::new(LeagueSet { leagues: leagues.collect::<Result<_, _>>()? }))
    }

    fn brief_league(&self, players: &[&Player]) -> Result<Arc<dyn League>> {
        let leagues = self.members.iter().map(|member| member.brief_league(players));
        Ok(Arc::new(LeagueSet { leagues: leagues.collect::<Result<_, _>>()? }))
    }

    fn check(&self, player: &Player) -> Result {
        self.members.iter().try_for_each(|member| member.check(player))
    }

    fn capabilities(&self) -> AnyCapabilities<'_> {
        AnyCapabilities {
            rules: Some(self),
            set: Some(self),
            players: Some(self),
            responses: Some(self),
            may_differ: self.members.iter().any(|member| !member.is_reproducible()),
            ..AnyCapabilities::default()
        }
    }
}

impl AnyRules for FamilySet {
    /// Returns the rules that all families have, with the same value.
    fn rules(&self) -> Vec<Rule> {
        common(self.members.iter().map(|member| member.rules()), |a, b| a == b)
    }

    fn implied(&self) -> &'static [(&'static str, u64)] {
        self.members[0].capabilities().rules.map_or(&[], |rules| rules.implied())
    }

    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        self.members[0].rule_value(rule, text)
    }

    fn is_portable(&self, rule: &str) -> bool {
        self.members.iter().all(|member| member.is_portable(rule))
    }
}

impl AnyPlayers for FamilySet {
    fn search_methods(&self) -> Vec<&'static str> {
        common(self.members.iter().map(|member| member.search_methods()), |a, b| a == b)
    }
}

impl AnyResponses for FamilySet {
    /// Returns the mean over the families: the players see which game is played.
    fn best_response(&self, strategy: &Player) -> Result<Option<BestResponse>> {
        let mut scores = BySeat { first: 0.0, second: 0.0 };
        for member in &self.members {
            let Some(response) = member.best_response(strategy)? else { return Ok(None) };
            scores.first += response.scores.first / self.members.len() as f64;
            scores.second += response.scores.second / self.members.len() as f64;
        }
        Ok(Some(BestResponse { scores, words: None }))
    }

    /// Returns the mean over the families: the players see which game is played.
    fn certificate(&self, strategy: &Player, work: &Work<'_>) -> Result<Option<Certificate>> {
        let mut found = BySeat { first: Vec::new(), second: Vec::new() };
        for member in &self.members {
            let Some(certificate) = member.certificate(strategy, work)? else { return Ok(None) };
            found.first.push(certificate.seats.first);
            found.second.push(certificate.seats.second);
        }
        let [first, second] = [found.first, found.second].map(|bounds| Bounds::mean(&bounds));
        Ok(Some(Certificate { seats: BySeat { first, second } }))
    }
}

/// The same players in each family of a set.
struct LeagueSet {
    leagues: Vec<Arc<dyn League>>,
}

impl LeagueSet {
    fn drawn(&self, key: StreamKey, pair: u64) -> &dyn League {
        &*self.leagues[drawn(self.leagues.len(), key, pair)]
    }
}

impl League for LeagueSet {
    fn payoff_steps(&self) -> u16 {
        // All numbers of steps divide `Payoff::PARTS`, and so does their least common multiple.
        self.leagues.iter().map(|league| league.payoff_steps()).fold(1, least_common_multiple)
    }

    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        for (pair, result) in (first_pair..).zip(results) {
            self.drawn(key, pair).play(a, b, key, pair, std::slice::from_mut(result), stop)?;
        }
        Ok(())
    }

    fn play_thinking(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        pair: u64,
        stop: &StopSignal,
    ) -> Result<(PairResult, [ThinkingCost; 2]), Stopped> {
        self.drawn(key, pair).play_thinking(a, b, key, pair, stop)
    }

    fn exact(&self, a: usize, b: usize) -> Option<f64> {
        let sum: f64 = self.leagues.iter().map(|league| league.exact(a, b)).sum::<Option<f64>>()?;
        Some(sum / self.leagues.len() as f64)
    }

    fn pace(&self) -> Option<Duration> {
        let known: Vec<Duration> = self.leagues.iter().filter_map(|league| league.pace()).collect();
        (!known.is_empty()).then(|| known.iter().sum::<Duration>() / known.len() as u32)
    }
}

fn least_common_multiple(a: u16, b: u16) -> u16 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let multiple = u32::from(a / divisor) * u32::from(b);
    debug_assert!(u32::from(Payoff::PARTS).is_multiple_of(multiple));
    multiple as u16
}

#[cfg(test)]
mod tests {
    use ruse_rts::{Map, Rts};
    use ruse_strategies::war::WarFamily;
    use ruse_strategies_rts::{RtsProgram, RtsProgramFamily};

    use super::*;
    use crate::family::ErasedFamily;

    fn set() -> FamilySet {
        let families = [WarFamily::war(), WarFamily::batawaf()];
        let erased =
            families.map(|family| Arc::new(ErasedFamily::new(family)) as Arc<dyn AnyFamily>);
        FamilySet::new(erased.to_vec()).expect("both have the same parameters")
    }

    /// Each family has 200 ± 10 (one standard deviation) of 400 pairs; false alarms: 1 in 10,000. Each pair is the pair with
    /// its index in the family that is drawn.
    #[test]
    fn each_pair_is_played_in_one_of_the_families() {
        let set = set();
        assert_eq!(set.name, "war+batawaf");
        let players = [Player::from(vec![1.0, -0.5, 0.0]), Player::Named("random".into())];
        let players = [&players[0], &players[1]];
        let (league, key) = (set.league(&players).expect("players"), StreamKey::root(3));
        let leagues: Vec<_> =
            set.members.iter().map(|member| member.league(&players).expect("players")).collect();
        let mut results = [PairResult::default(); 400];
        league.play(0, 1, key, 100, &mut results, &StopSignal::default()).expect("not stopped");
        let mut num_first = 0;
        for (pair, result) in (100..).zip(&results) {
            let name = set.drawn(key, pair).name();
            let drawn = usize::from(name != "war");
            num_first += u32::from(drawn == 0);
            let mut alone = [PairResult::default()];
            leagues[drawn]
                .play(0, 1, key, pair, &mut alone, &StopSignal::default())
                .expect("not stopped");
            assert_eq!(alone[0], *result, "pair {pair}");
        }
        assert!(num_first.abs_diff(200) < 39, "{num_first}");
    }

    #[test]
    fn strategies_of_a_set_play_in_each_of_its_families() {
        let set = set();
        assert!(set.accepts("war+batawaf") && !set.accepts("war") && !set.accepts("nim"));
        let [war, batawaf] = [&set.members[0], &set.members[1]];
        assert!(war.accepts("war+batawaf") && batawaf.accepts("war+batawaf"));
        assert!(!war.accepts("batawaf") && !war.accepts("batawaf+war4"));
        assert_eq!(set.space(), war.space());
        let named = |name: &str| set.check(&Player::Named(name.into()));
        assert!(named("random").is_ok() && named("optimal").is_err());
        let names: Vec<_> = set.references().into_iter().map(|reference| reference.name).collect();
        assert!(names.iter().any(|name| name == "descending"), "{names:?}");
    }

    #[test]
    fn a_text_is_a_strategy_of_a_set() {
        let on = |map: &str| -> Arc<dyn AnyFamily> {
            let game = Rts::on(Map::named(map).expect("a map"));
            Arc::new(ErasedFamily::new(RtsProgramFamily::named(map.to_string(), game)))
        };
        let set = FamilySet::new(vec![on("8x8-1"), on("12x12-2")]).expect("the same parameters");
        let text = "barracks: train heavy";
        assert_eq!(set.parameters_of_text(text), Some(RtsProgram::parse(text)));
        let mistake = set.parameters_of_text("knight: wait").expect("a family of texts");
        assert!(mistake.expect_err("no program").starts_with("line 1: there is no unit `knight`"));
        assert_eq!(self::set().parameters_of_text(text), None);
    }

    #[test]
    fn payoffs_are_counted_in_common_steps() {
        assert_eq!(
            [(2, 100), (4, 6), (1, 2), (100, 150)].map(|(a, b)| least_common_multiple(a, b)),
            [100, 12, 2, 300]
        );
    }
}
