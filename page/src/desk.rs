//! The desk, which answers requests.

use std::collections::BTreeMap;

use ruse::family::{AnyFamily, BASELINE, FamilyError, Player};
use ruse::files::YamlSource;
use ruse::lab::{CHAMPION, SeatName, Transcript, champion, usual_opponent};
use ruse::registry::Registry;
use ruse::session::Limit;
use ruse_games::{Grammar, Seat};
use serde_json::{Value, json};

use crate::answer::{FamilyLine, beliefs_json, decision_json, judged_json, values_json};
use crate::request::{Request, Wanted};
use crate::sitting::{Seating, Sitting, page_of};
use crate::strategies::{MAX_BYTES, Seated, Strategies};

/// Limits on rule files. They are lower than on the command line, because a browser has less time and memory.
const LIMITS: [(&str, &str); 3] =
    [("ground-rules", "300000"), ("ground-atoms", "300000"), ("memory", "500000000")];

/// The name of the searching opponent, in families that support search.
const SEARCHING: &str = "uct@200";

/// The bundled rule file that shows the syntax, and is not a game.
const NO_GAME: &str = "syntax_zoo";

/// A desk: one table, and all families and strategies that can be played at it.
pub struct Desk {
    registry: Registry,
    strategies: Strategies,
    sitting: Option<Sitting>,
    /// The names of opened rule files and maps.
    opened: Vec<String>,
}

impl Default for Desk {
    fn default() -> Desk {
        Desk::new()
    }
}

impl Desk {
    /// Creates a desk with the built-in families, and an empty table.
    pub fn new() -> Desk {
        let registry = Registry::standard();
        for (name, limit) in LIMITS {
            registry.limit_rule_files(name, limit).expect("a limit of rule files");
        }
        Desk { registry, strategies: Strategies::default(), sitting: None, opened: Vec::new() }
    }

    /// Answers a [`Request`] in JSON with `{"ok": ...}`, or `{"error": "..."}` with a sentence.
    pub fn answer(&mut self, question: &str) -> String {
        let request = serde_json::from_str(question)
            .map_err(|error| format!("the question is not understood: {error}"));
        let answer = match request.and_then(|request| self.answer_to(request)) {
            Ok(answer) => json!({ "ok": answer }),
            Err(problem) => json!({ "error": problem }),
        };
        answer.to_string()
    }

    /// Answers a request.
    ///
    /// # Errors
    ///
    /// Returns a sentence that says why there is no answer.
    pub fn answer_to(&mut self, request: Request) -> Result<Value, String> {
        match request {
            Request::Families {} => Ok(json!(self.families())),
            Request::Family { name } => self.family(&name),
            Request::Open { name, text } => self.open(&name, &text),
            Request::Sit { family, rules, opponent, player, seat, seed, reveal, width } => {
                let wanted = [opponent.as_ref(), player.as_ref()];
                let family = self.family_by(&family, rules, wanted)?;
                let usual = || usual_opponent(family.as_ref()).map(Wanted::Name);
                let opponent = opponent.or_else(usual);
                let opponent = opponent.ok_or("this family cannot be played at a table")?;
                let opponent = self.strategies.seated(&opponent, family.as_ref())?;
                let player = player.map(|player| self.strategies.seated(&player, family.as_ref()));
                let player = player.transpose()?;
                let seating = Seating { opponent, player, seat, seed, reveal, width };
                self.sitting = Some(Sitting::new(family, seating)?);
                let mut answer = self.table()?;
                let sitting = self.sitting()?;
                answer["rules"] = sitting.rules().into();
                answer["opponent"] = sitting.opponent().name.clone().into();
                answer["opponent_words"] = sitting.opponent().words.clone().into();
                Ok(answer)
            }
            Request::Advise { family, rules, strategy, saw, seat, width } => {
                let family = self.family_by(&family, rules, [Some(&strategy), None])?;
                let strategy = self.strategies.seated(&strategy, family.as_ref())?;
                advise(family.as_ref(), &strategy, &saw, seat.map(Seat::from), width)
            }
            Request::Table {} => self.table(),
            Request::Reveal { reveal } => self.after(|sitting| {
                sitting.reveal(reveal);
                Ok(())
            }),
            Request::Act { typed } => {
                self.after(|sitting| sitting.act(|session| session.act(&typed)))
            }
            Request::Random {} => {
                self.after(|sitting| sitting.act(|session| session.act_at_random()))
            }
            Request::Follow {} => {
                self.after(|sitting| sitting.act(|session| session.adviser_acts()))
            }
            Request::Go { steps } => self.after(|sitting| sitting.go(steps)),
            Request::TakeBack {} => self.after(Sitting::take_back),
            Request::Resign {} => self.after(Sitting::resign),
            Request::Next {} => self.after(Sitting::next),
            Request::Hint {} => Ok(json!({ "hint": self.sitting()?.session().advice() })),
            Request::Beliefs {} => {
                let beliefs = self.sitting()?.session().beliefs();
                Ok(beliefs.as_ref().map_or(Value::Null, beliefs_json))
            }
            Request::Values { times } => {
                let values = self.sitting()?.session().values(Limit::Times(times));
                Ok(values.as_ref().map_or(Value::Null, values_json))
            }
            Request::Decision { times } => {
                let decision = self.sitting()?.session().decision(Limit::Times(times));
                Ok(decision.as_ref().map_or(Value::Null, decision_json))
            }
            Request::Review { decision, times } => {
                let judged = self.sitting()?.judged(decision, Limit::Times(times));
                let num_decisions = self.sitting()?.num_decisions();
                let judged = judged.as_ref().map(judged_json);
                Ok(json!({ "num_decisions": num_decisions, "judged": judged }))
            }
            Request::Transcript {} => Ok(json!({ "yaml": self.sitting()?.transcript() })),
        }
    }

    fn sitting(&mut self) -> Result<&mut Sitting, String> {
        self.sitting.as_mut().ok_or_else(|| "there is no game yet".into())
    }

    fn table(&mut self) -> Result<Value, String> {
        Ok(self.sitting()?.view())
    }

    /// Applies `act` to the table, and returns the new state.
    fn after(
        &mut self,
        act: impl FnOnce(&mut Sitting) -> Result<(), String>,
    ) -> Result<Value, String> {
        act(self.sitting()?)?;
        self.table()
    }

    /// Returns all playable families, including the families of rule files.
    fn families(&self) -> Vec<FamilyLine> {
        let line = |name: &str, game: &str| FamilyLine { name: name.into(), game: game.into() };
        let own = self.registry.families().filter(|family| family.board_opponent().is_some());
        let own = own.map(|family| line(family.name(), family.info().game));
        let files = ruse_gdl::RULE_FILES.iter().filter(|file| file.name != NO_GAME);
        let files = files.map(|file| line(&format!("{}.kif", file.name), "rule file"));
        let opened = self.opened.iter().map(|name| line(name, "your file"));
        own.chain(files).chain(opened).collect()
    }

    /// Returns everything about a family that a page needs for a game.
    fn family(&self, name: &str) -> Result<Value, String> {
        let family = self.registry.family(name).map_err(in_words)?;
        let rules = family.rules().into_iter().map(|rule| {
            let (least, most) = rule.range.into_inner();
            json!({
                "name": rule.name,
                "meaning": rule.meaning,
                "value": rule.value,
                "least": least,
                "most": most,
            })
        });
        let references = family.references().into_iter();
        let mut opponents: Vec<_> = references.map(|of| (of.name, of.meaning)).collect();
        if family.search_methods().contains(&"uct") {
            let meaning = "plays on in thought, 200 times at each turn";
            opponents.push((SEARCHING.into(), meaning.into()));
        }
        opponents.push((BASELINE.into(), "parameters drawn at random for every game".into()));
        let usual = usual_opponent(family.as_ref());
        let usual = usual.ok_or_else(|| format!("family `{name}` cannot be played at a table"))?;
        if champion(family.as_ref()).is_some() {
            let meaning = "was learned: the best known of those that come with the program";
            opponents.insert(0, (CHAMPION.into(), meaning.into()));
        }
        let session = family.sit_down(&Player::Redrawn, Transcript::key(0));
        let session = session.map_err(|error| error.to_string())?;
        let grammar = session.as_ref().and_then(|session| session.grammar());
        let grammar =
            grammar.map(|Grammar { how, example, .. }| json!({ "how": how, "example": example }));
        let all_rules = session.map_or_else(String::new, |session| session.rules());
        let known: Vec<&str> = opponents.iter().map(|(name, _)| &**name).collect();
        let levels = levels(family.as_ref(), &known);
        let opponents =
            opponents.iter().map(|(name, meaning)| json!({ "name": name, "meaning": meaning }));
        Ok(json!({
            "name": family.name(),
            "game": family.info().game,
            // The first paragraph of the rules.
            "goal": all_rules.lines().next().unwrap_or_default(),
            "rules": rules.collect::<Vec<_>>(),
            "opponents": opponents.collect::<Vec<_>>(),
            "usual": usual,
            "levels": levels,
            // The numbers of this family's strategies from files, for `Wanted::File`.
            "files": self.strategies.of_family(family.name()),
            // How to describe a game from one player's point of view; null if the family cannot advise on such games.
            "grammar": grammar,
        }))
    }

    /// Returns the family with the requested rules. They take precedence over the rules of strategy files.
    fn family_by(
        &self,
        name: &str,
        rules: BTreeMap<String, u64>,
        wanted: [Option<&Wanted>; 2],
    ) -> Result<std::sync::Arc<dyn AnyFamily>, String> {
        let family = self.registry.family(name).map_err(in_words)?;
        let mut all = BTreeMap::new();
        for wanted in wanted.into_iter().flatten() {
            all.extend(self.strategies.rules_of(wanted));
        }
        all.extend(rules);
        family.with_rules(&all).map_err(|error| error.to_string())
    }

    fn open(&mut self, name: &str, text: &str) -> Result<Value, String> {
        if text.len() > MAX_BYTES {
            return Err(format!(
                "{name} has more than {MAX_BYTES} bytes: files of ruse are smaller"
            ));
        }
        if self.registry.readers().any(|reader| reader.path(name).is_some()) {
            return self.open_family(name.into(), text);
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "txt" | "xml" => self.open_family(format!("rts-script:{name}"), text),
            "yaml" | "yml" | "json" => {
                let source = YamlSource { path: name.into(), text: text.into() };
                match source.keys().iter().any(|key| key == "games") {
                    true => self.open_transcript(&source),
                    false => self.open_strategy(name, text),
                }
            }
            _ => Err(format!(
                "{name} is not a file of ours: strategies and games that were saved end with .yaml, rule files with .kif, maps \
                 with .txt or .xml"
            )),
        }
    }

    fn open_family(&mut self, name: String, text: &str) -> Result<Value, String> {
        let family = self.registry.family_from(&name, text.as_bytes()).map_err(in_words)?;
        if family.board_opponent().is_none() {
            return Err(format!("{name} cannot be played at a table"));
        }
        let known = self.families().iter().any(|line| line.name == name);
        if !known {
            self.opened.push(name.clone());
        }
        Ok(json!({ "kind": "family", "family": name }))
    }

    fn open_strategy(&mut self, name: &str, text: &str) -> Result<Value, String> {
        let (file, filed) = self.strategies.take_in(name, text, &self.registry)?;
        Ok(json!({
            "kind": "strategy",
            // The number of the strategy, for `Wanted::File`.
            "file": file,
            "family": filed.family,
            "rules": filed.rules,
            "label": filed.seated.name,
            "words": filed.seated.words,
        }))
    }

    fn open_transcript(&mut self, source: &YamlSource) -> Result<Value, String> {
        let transcript: Transcript = source.parse().map_err(|error| error.to_string())?;
        let family = self.registry.family(&transcript.family).map_err(in_words)?;
        let family = family.with_rules(&transcript.rules).map_err(|error| error.to_string())?;
        self.sitting = Some(Sitting::again(family, transcript, None)?);
        let mut table = self.table()?;
        let sitting = self.sitting()?;
        table["rules"] = sitting.rules().into();
        table["opponent"] = sitting.opponent().name.clone().into();
        Ok(json!({ "kind": "games", "table": table }))
    }
}

/// Returns up to three opponents of a family, weakest first: one without knowledge, one with learned parameters, and a
/// strong handmade one. `opponents` are the names of all.
fn levels(family: &dyn AnyFamily, opponents: &[&str]) -> Vec<Value> {
    /// The reference strategies without knowledge, weakest first.
    const BEGINNERS: [&str; 2] = ["random", "first-legal"];
    let known = |name: &&str| opponents.contains(name);
    let beginner = BEGINNERS.into_iter().find(known).unwrap_or(BASELINE);
    let strong = family.board_opponent();
    // If the champion is the default opponent, no reference strategy is strong enough for an expert.
    let is_expert = usual_opponent(family).is_some_and(|usual| usual != CHAMPION);
    let named = [
        ("Beginner", Some(beginner)),
        ("Learned", Some(CHAMPION).filter(known)),
        ("Expert", strong.filter(|&name| is_expert && name != beginner)),
    ];
    let line =
        |(level, name): (&str, Option<&str>)| Some(json!({ "level": level, "opponent": name? }));
    named.into_iter().filter_map(line).collect()
}

/// Returns a strategy's advice for a person who saw and did this.
fn advise(
    family: &dyn AnyFamily,
    strategy: &Seated,
    saw: &str,
    seat: Option<Seat>,
    width: Option<usize>,
) -> Result<Value, String> {
    /// The number of playouts for each choice, and of requests for the strategy's action. With more, a person would
    /// have to wait.
    const TIMES: u64 = 100;
    let player = &strategy.player;
    let session = family.sit_down_beside(player, player, Transcript::key(1));
    let session = session.map_err(|error| error.to_string())?;
    let told = session.and_then(|session| Some((session.grammar()?, session)));
    let (grammar, mut session) =
        told.ok_or_else(|| format!("a game of `{}` cannot be told from one side", family.name()))?;
    let seat =
        session.reconstruct(saw, seat).map_err(|error| format!("{error}. {}", grammar.how))?;
    let decision = session.decision(Limit::Times(TIMES));
    let beliefs = session.beliefs();
    let values = session.values(Limit::Times(TIMES));
    Ok(json!({
        "seat": SeatName::from(seat),
        "view": session.view(seat, page_of(width)),
        "drawing": session.drawing(seat),
        "missing": session.missing(),
        "decision": decision.as_ref().map(decision_json),
        "beliefs": beliefs.as_ref().map(beliefs_json),
        "values": values.as_ref().map(values_json),
    }))
}

/// Describes an error of a family, with advice.
fn in_words(error: FamilyError) -> String {
    let advice = error.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
    let excerpt = match &error {
        FamilyError::File(error) => error.excerpt.as_ref().map(|excerpt| format!("\n{excerpt}")),
        _ => None,
    };
    format!("{error}{advice}{}", excerpt.unwrap_or_default())
}
