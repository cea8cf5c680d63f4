//! Tests of `ruse evaluate --stdin`. For any input, answers come without delay and in order, and do not depend on the
//! number of threads.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Home, object, ruse, said, signal};

fn piped(args: &[&str]) -> Command {
    let mut command = ruse(args, Path::new("."));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the output of the program for `input`, which is written without waiting for answers.
fn answer(args: &[&str], input: &[u8]) -> Output {
    let mut command = assert_cmd::Command::from_std(ruse(args, Path::new(".")));
    command.write_stdin(input).output().expect("it ends")
}

fn answers(args: &[&str], input: &[u8]) -> Vec<Value> {
    let output = answer(args, input);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

/// An answer equals the result of `ruse match`, for every way of naming the players.
#[test]
fn answers_are_those_of_a_match() {
    let strategy = "tests/cli/mixture.yaml";
    for (family, a, b, pairs, seed) in [
        ("war", json!([0, -9, 9]), json!("baseline"), 300, 1),
        ("batawaf", json!("descending"), json!([0.5, -1, 2e3]), 77, u64::MAX),
        ("morra", json!("uniform"), json!("optimal"), 10, 2),
        ("phantom-four", json!("centre"), json!("one-column"), 3, 1),
        ("pig", json!(strategy), json!("hold-20"), 100, 3),
    ] {
        let request = json!({ "id": 1, "a": a, "b": b, "pairs": pairs, "seed": seed });
        let found = answers(&["evaluate", family, "--stdin"], request.to_string().as_bytes());
        let text = |side: &Value| side.as_str().map_or(side.to_string(), String::from);
        let (pairs, seed) = (pairs.to_string(), seed.to_string());
        let match_args =
            ["match", family, &text(&a), &text(&b), "--pairs", &pairs, "--seed", &seed, "--json"];
        let expected = object(&match_args, Path::new("."));
        assert_eq!(found.len(), 1);
        for key in ["score", "exact", "interval", "pairs", "wins", "draws", "losses"] {
            assert_eq!(found[0][key], expected[key], "{family}: {key} of {}", found[0]);
        }
    }
}

/// Answers come in the order of the requests, and are the same on 1, 2, 7 and 1024 threads. Small and large requests are
/// mixed, so that some later requests are finished before earlier requests.
#[test]
fn answers_are_in_order_and_the_same_on_any_number_of_threads() {
    let mut input = String::new();
    for id in 0..300 {
        let pairs = if id % 97 == 0 { 3_000 } else { 1 + id % 20 };
        input += &format!("{{\"id\":{id},\"a\":[0,{id},1],\"pairs\":{pairs},\"seed\":{id}}}\n");
        if id % 10 == 0 {
            input += "nonsense\n";
        }
    }
    let outputs = ["1", "2", "7", "1024"].map(|threads| {
        let args = ["evaluate", "batawaf", "--stdin", "--threads", threads];
        let output = answer(&args, input.as_bytes());
        assert!(output.status.success());
        output.stdout
    });
    assert!(outputs.iter().all(|output| *output == outputs[0]));
    let text = std::str::from_utf8(&outputs[0]).expect("text");
    let ids = text.lines().map(|line| {
        let answer: Value = serde_json::from_str(line).expect("an object");
        answer["id"].as_u64()
    });
    let expected =
        (0..300).flat_map(|id| if id % 10 == 0 { vec![Some(id), None] } else { vec![Some(id)] });
    assert!(ids.eq(expected));
}

/// Every line that is not blank has an answer, and an invalid line does not affect the next one.
#[test]
fn bad_lines_are_answered_and_passed_over() {
    let too_long = vec![b'['; (1 << 20) + 200];
    let deep = "[".repeat(100_000);
    let good: &[u8] = b"{\"id\":\"good\",\"a\":\"random\",\"b\":\"descending\",\"pairs\":5}\r\n";
    for bad in [
        &b"\xff\xfe\n"[..],
        b"{\n",
        b"null\n",
        b"{\"a\":[1,2,-Infinity]}\n",
        b"{\"a\":[]}\n",
        b"{\"a\":3}\n",
        b"{\"a\":\"\"}\n",
        b"{\"a\":\"/dev/zero\"}\n",
        b"{\"a\":\"/\"}\n",
        b"{\"a\":\"\\u0000\"}\n",
        b"{\"a\":\"[1,2\"}\n",
        b"{\"a\":{\"mixture\":[]}}\n",
        b"{\"a\":{\"mixture\":[{\"weight\":-1,\"parameters\":[1,2,3]}]}}\n",
        b"{\"a\":\"random\",\"a\":\"random\"}\n",
        b"{\"a\":\"random\",\"pairs\":2.5}\n",
        b"{\"a\":\"random\",\"pairs\":1e300}\n",
        b"{\"a\":\"random\",\"pairs\":1000000000001}\n",
        b"{\"a\":\"random\",\"seed\":-1}\n",
        &[&too_long[..], b"\n"].concat(),
        &[b"{\"id\":\"", &too_long[..1 << 19], b"\",\"a\":\"random\"}\n"].concat(),
        format!("{{\"id\":{deep}\n").as_bytes(),
        format!("{{\"a\":{deep}\n").as_bytes(),
    ] {
        let found =
            answers(&["evaluate", "war", "--stdin"], &[good, b"\n \r\n", bad, good].concat());
        let shown = String::from_utf8_lossy(&bad[..bad.len().min(60)]).into_owned();
        assert_eq!(found.len(), 3, "{shown}");
        assert_eq!((&found[0]["id"], &found[0]), (&json!("good"), &found[2]), "{shown}");
        let error = found[1]["error"].as_str().expect("an error");
        assert!(found[1]["id"].is_null() && error.len() < 300, "{shown}: {error}");
    }
}

/// A request for too many pairs is refused at once, and later requests do not wait.
#[test]
fn more_pairs_than_are_allowed_are_refused() {
    let asks = |pairs: u64| {
        format!("{{\"id\":{pairs},\"a\":\"random\",\"b\":\"descending\",\"pairs\":{pairs}}}\n")
    };
    let refused = |answer: &Value, pairs: u64, max_pairs: u64| {
        assert_eq!(answer["id"], pairs);
        let error = answer["error"].as_str().expect("an error");
        let numbers = [pairs, max_pairs].map(|number| error.contains(&format!(" {number}")));
        assert_eq!(numbers, [true, true], "{error}");
    };
    let input = [asks(1_000_000_000_000), asks(10_000_001), asks(5)].concat();
    let found = answers(&["evaluate", "war", "--stdin"], input.as_bytes());
    refused(&found[0], 1_000_000_000_000, 10_000_000);
    refused(&found[1], 10_000_001, 10_000_000);
    assert_eq!(found[2]["pairs"], 5);

    let args = ["evaluate", "war", "--stdin", "--max-pairs", "5"];
    let unnamed = "{\"a\":\"random\",\"b\":\"descending\"}\n";
    let found = answers(&args, [&asks(6), &asks(5), unnamed].concat().as_bytes());
    refused(&found[0], 6, 5);
    assert_eq!([&found[1]["pairs"], &found[2]["pairs"]], [5, 5]);
    // `--pairs` may exceed the default limit.
    let args = ["evaluate", "war", "--stdin", "--pairs", "10000001"];
    refused(&answers(&args, asks(10_000_002).as_bytes())[0], 10_000_002, 10_000_001);
}

/// Messages do not quote the named files, because the sender of requests may lack permission to read them.
#[test]
fn files_are_not_quoted() {
    let directory = &*Home::new();
    let file = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).expect("writable");
        path.to_str().expect("text").to_string()
    };
    for (text, place) in [
        ("secret:x:0:0:secret:/secret:/bin/secret\nsecret:x", ":1:1"),
        ("secret", ":1:1"),
        ("secret: 1", ":1:1"),
        ("family: pig\nparameters: [secret]", ":2:14"),
        ("family: pig\nparameters: {secret: 1}", ":2:22"),
        ("family: pig\nsecret: 1", ":2:1"),
        ("family: pig\nparameters: [1, 2]", ":2:13"),
        ("family: pig\nrules: {secret: 1, secret: 2}", ":2:20"),
        ("family: !secret pig", ":1:9"),
        ("family: pig\nmixture: [{weight: 1, strategy: secret}]", ":2:33"),
        ("family: 'secret", ":1:9"),
    ] {
        let path = file("a.yaml", text);
        let request = json!({ "id": 7, "a": path }).to_string();
        let found = answers(&["evaluate", "pig", "--stdin"], request.as_bytes());
        let expected = format!("`a`: {path}{place}: this is not a strategy file for this family");
        assert_eq!(found, [json!({ "id": 7, "error": expected })], "{text}");
    }
    for text in
        ["family: secret\nparameters: [1]", "family: pig\nrules: {goal: 12345}\nparameters: [1]"]
    {
        let path = file("a.yaml", text);
        let request = json!({ "a": path }).to_string();
        let found = answers(&["evaluate", "pig", "--stdin"], request.as_bytes());
        let expected = format!("`a`: {path} holds no strategy of this family");
        assert_eq!(found, [json!({ "id": null, "error": expected })], "{text}");
    }
    let mixture = "family: pig\nmixture: [{weight: 1, name: secret, parameters: [1]}]";
    let member = file("a.yaml", mixture) + "#nobody";
    let found =
        answers(&["evaluate", "pig", "--stdin"], json!({ "a": member }).to_string().as_bytes());
    assert_eq!(found[0]["error"], "`a`: there is no member `nobody`");
    let path = directory.to_str().expect("text");
    let found =
        answers(&["evaluate", "pig", "--stdin"], json!({ "a": path }).to_string().as_bytes());
    let expected = format!("`a`: there is no strategy in {path}");
    assert_eq!(found[0]["error"], expected);
}

/// An id is returned byte for byte, even if the id is a number that is too large for common number types.
#[test]
fn ids_are_what_was_written() {
    for id in [
        "12345678901234567890123",
        "-0",
        "1.0",
        "1e400",
        "0.1000000000000000055511151231257827",
        "\"\\u0041\\/\"",
        "\"\u{e9}\"",
        "null",
    ] {
        for rest in
            ["\"a\":\"random\",\"pairs\":2", "\"a\":[1]", "\"pairs\":0,\"a\":\"random\"", "\"x\":1"]
        {
            let request = format!("{{\"id\" : {id} ,{rest}}}");
            let output = answer(&["evaluate", "war", "--stdin"], request.as_bytes());
            let text = String::from_utf8(output.stdout).expect("text");
            assert!(text.starts_with(&format!("{{\"id\":{id},")), "{request}: {text}");
        }
    }
}

/// Every family can be played with the largest possible parameters.
#[test]
fn the_largest_parameters_are_played() {
    let list = object("list --json", Path::new("."));
    for line in list["families"].as_array().expect("families") {
        let [family, dimension] = [&line["family"], &line["parameters"]];
        let family = family.as_str().expect("a name");
        let dimension = dimension.as_u64().expect("a number") as usize;
        let requests = [f64::MAX, -f64::MAX, 5e-324]
            .map(|number| json!({ "a": vec![number; dimension], "pairs": 1 }).to_string() + "\n");
        let short: &[&str] =
            if family == "rts-naive-mcts" { &["--rule", "playouts=4"] } else { &[] };
        let evaluate = [&["evaluate", family, "--stdin", "--sampled"], short].concat();
        let found = answers(&evaluate, requests.concat().as_bytes());
        let pairs = found.iter().map(|answer| answer["pairs"].as_u64());
        assert!(pairs.eq([Some(1); 3]), "{family}: {found:?}");
    }
}

/// An interactive sender gets the answer to a line before sending the next one.
#[test]
fn answers_come_at_once() {
    let mut child = piped(&["evaluate", "war", "--stdin"]).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for id in 0..20 {
        writeln!(stdin, "{{\"id\":{id},\"a\":[{id},0,0],\"pairs\":4}}").expect("it reads");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it answers");
        let answer: Value = serde_json::from_str(&line).expect("an object");
        assert_eq!(answer["id"], id);
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

/// If the output of the program is closed, the program ends without a message, even if requests are left.
#[test]
fn a_closed_output_ends_the_program() {
    let mut child = piped(&["evaluate", "war", "--stdin"]).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    drop(child.stdout.take());
    writeln!(stdin, "{{\"a\":\"random\",\"pairs\":1}}").expect("it reads");
    // The program may have ended already.
    let _ = writeln!(stdin, "{{\"a\":\"random\",\"pairs\":1000000000000}}");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// If Ctrl-C interrupts a request that takes days, the answers so far are kept.
#[cfg(unix)]
#[test]
fn it_ends_when_it_is_interrupted() {
    for request in ["{\"a\":\"random\",\"pairs\":1000000000000}\n", ""] {
        let mut child = piped(&["evaluate", "war", "--stdin"]).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        write!(stdin, "{{\"a\":\"random\",\"pairs\":1}}\n{request}").expect("it reads");
        stdout.read_line(&mut String::new()).expect("it answers");
        signal(&child, "-INT");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        drop(stdin);
    }
}
