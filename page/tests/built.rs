//! Tests of the compiled games of the page. The packed module is renewed by releases only, so it may be older than the
//! sources: its answers must have the same fields, which the page reads. A release plays a game in every family with
//! the module and with the sources; all answers must be equal.
//!
//! `page/renew` compiles the games, and passes the module's path in `RUSE_PAGE_WASM`; the test then packs it first.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use wasmi::{Engine, Instance, Linker, Memory, Module, Store};

use ruse::lab::{CHAMPIONS, Champion};
use ruse_page::Desk;

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/playable/games.wasm.zlib")
}

fn games() -> Vec<u8> {
    if let Ok(fresh) = std::env::var("RUSE_PAGE_WASM") {
        let wasm = std::fs::read(&fresh).unwrap_or_else(|error| panic!("{fresh}: {error}"));
        // The highest level of compression, because every page includes the games.
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&wasm, 10);
        std::fs::write(path(), packed).expect("writable");
    }
    let packed = std::fs::read(path()).expect("the games are in the repository");
    miniz_oxide::inflate::decompress_to_vec_zlib(&packed).expect("they are packed")
}

/// A desk behind the interface of the WebAssembly module.
struct Built {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Built {
    fn new(wasm: &[u8]) -> Built {
        let engine = Engine::default();
        let module = Module::new(&engine, wasm).expect("valid WebAssembly");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine)
            .instantiate_and_start(&mut store, &module)
            .expect("it needs nothing from outside");
        let memory = instance.get_memory(&store, "memory").expect("a memory");
        Built { store, instance, memory }
    }

    fn answer(&mut self, question: &str) -> String {
        let Built { store, instance, memory } = self;
        let room = instance.get_typed_func::<u32, u32>(&*store, "ruse_room").expect("a function");
        let call = instance.get_typed_func::<(), u32>(&*store, "ruse_call").expect("a function");
        let place = instance.get_typed_func::<(), u32>(&*store, "ruse_answer").expect("a function");
        let length = u32::try_from(question.len()).expect("questions are short");
        let at = room.call(&mut *store, length).expect("room");
        memory.write(&mut *store, at as usize, question.as_bytes()).expect("room");
        let length =
            call.call(&mut *store, ()).unwrap_or_else(|error| panic!("{question}: {error}"));
        let at = place.call(&mut *store, ()).expect("an answer");
        let mut answer = vec![0; length as usize];
        memory.read(&*store, at as usize, &mut answer).expect("an answer");
        String::from_utf8(answer).expect("text")
    }
}

/// Values of rules that make games short, for families with these rules.
const SHORT: [(&str, u64); 5] =
    [("max-turns", 60), ("max-plies", 60), ("max-redraws", 50), ("playouts", 4), ("cap", 60)];
/// The maximum number of actions compared in a game.
const MAX_STEPS: usize = 60;

#[test]
fn the_module_has_the_interface_of_the_sources() {
    let mut pair = Pair { is_exact: false, ..Pair::new(&games()) };
    pair.ask(json!({"call": "families"}));
    // Every page contains these files.
    for Champion { name, text } in CHAMPIONS {
        pair.ask(json!({"call": "open", "name": name, "text": text}));
    }
    for name in ["nim", "war", "rts-script"] {
        pair.ask(json!({"call": "family", "name": name}));
        pair.ask(json!({"call": "sit", "family": name, "seat": "first", "seed": 11}));
        pair.ask(json!({"call": "random"}));
        pair.ask(json!({"call": "go", "steps": 1}));
        pair.ask(json!({"call": "transcript"}));
    }
}

#[test]
#[ignore = "a release"]
fn the_module_is_as_new_as_the_sources() {
    play_all();
}

/// Plays a game in every family with the module and with the sources.
fn play_all() {
    let wasm = games();
    let families = Pair::new(&wasm).ask(json!({"call": "families"}));
    let names = families.as_array().expect("a list").iter();
    let names: Vec<_> = names.map(|line| line["name"].as_str().expect("a name")).collect();
    assert!(names.len() > 30, "{names:?}");
    let num_threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for first in 0..num_threads {
            let names = names.iter().skip(first).step_by(num_threads);
            let wasm = &wasm;
            scope.spawn(move || {
                let mut pair = Pair::new(wasm);
                names.for_each(|name| pair.play(name));
            });
        }
    });
}

/// Returns the names of the fields of an answer, and of the objects in it. A list counts as its first element.
fn fields(answer: &Value) -> Vec<String> {
    match answer {
        Value::Array(list) => list.first().map(fields).unwrap_or_default(),
        Value::Object(object) => {
            let inside = |(name, value): (&String, &Value)| {
                let nested = fields(value).into_iter().map(move |field| format!("{name}.{field}"));
                std::iter::once(name.clone()).chain(nested).collect::<Vec<_>>()
            };
            object.iter().flat_map(inside).collect()
        }
        _ => Vec::new(),
    }
}

/// The packed module and the sources.
struct Pair {
    built: Built,
    desk: Desk,
    /// Whether the answers must be equal. Otherwise they must have the same fields.
    is_exact: bool,
}

impl Pair {
    fn new(wasm: &[u8]) -> Pair {
        Pair { built: Built::new(wasm), desk: Desk::new(), is_exact: true }
    }

    fn ask(&mut self, question: Value) -> Value {
        let question = question.to_string();
        let (answer, theirs) = (self.desk.answer(&question), self.built.answer(&question));
        let [answer, theirs] = [answer, theirs].map(|text| -> Value {
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{question}: {error}"))
        });
        let is_as_expected = match self.is_exact {
            true => answer == theirs,
            false => fields(&answer) == fields(&theirs),
        };
        assert!(
            is_as_expected,
            "src/playable/games.wasm.zlib is older than the sources: run page/renew\n\
             {question}\nthe sources: {answer}\nthe page:    {theirs}"
        );
        answer.get("ok").unwrap_or_else(|| panic!("{question}: {answer}")).clone()
    }

    /// Plays a game of a family.
    fn play(&mut self, name: &str) {
        let family = self.ask(json!({"call": "family", "name": name}));
        let own = family["rules"].as_array().expect("a list");
        let has = |name: &str| own.iter().any(|rule| rule["name"] == name);
        let rules: serde_json::Map<_, _> = SHORT
            .into_iter()
            .filter(|(rule, _)| has(rule))
            .map(|(rule, value)| (rule.into(), value.into()))
            .collect();
        let sit =
            json!({"call": "sit", "family": name, "rules": rules, "seat": "first", "seed": 11});
        let mut table = self.ask(sit);
        for _ in 0..MAX_STEPS {
            table = match table["turn"].as_str().expect("a turn") {
                "nobody" => break,
                "person" => self.ask(json!({"call": "random"})),
                _ => self.ask(json!({"call": "go", "steps": 1})),
            };
        }
        self.ask(json!({"call": "transcript"}));
    }
}
