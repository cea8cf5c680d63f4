//! Prints the number of random games per second for each given file, by default for each rule file of the crate.
//!
//! `cargo run --release -p ruse-gdl --example speed [SECONDS [FILE.kif]...]`

use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{AtCap, DEFAULT_STEPS, Limits, Playouts, RULE_FILES, Rules};

#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(not(unix))]
fn cpu_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().map_or(Ok(2.0), |text| text.parse())?;
    let mut files = Vec::new();
    for path in arguments {
        let text = std::fs::read(&path)?;
        files.push((path, text));
    }
    if files.is_empty() {
        files = RULE_FILES.iter().map(|file| (file.name.into(), file.text.into())).collect();
    }
    println!("{:32} {:>9} {:>8} {:>12} {:>8}", "file", "ground", "rules", "games/s", "ns/step");
    for (name, text) in files {
        let start = cpu_time();
        let rules = match Rules::from_text(&text, &Limits::default()) {
            Ok(rules) => rules,
            Err(error) => {
                println!("{}", error.report(&name));
                continue;
            }
        };
        let grounding = (cpu_time() - start).as_secs_f64();
        let mut playouts = Playouts::new(&rules, DEFAULT_STEPS, AtCap::Draw);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut best, mut per_step) = (0.0_f64, f64::INFINITY);
        for _ in 0..3 {
            let start = cpu_time();
            let (mut games, mut steps) = (0_u64, 0_u64);
            let spent = loop {
                for _ in 0..16 {
                    steps += u64::from(playouts.play(rules.start(), &mut rng)?);
                    games += 1;
                }
                let spent = (cpu_time() - start).as_secs_f64();
                if spent >= seconds / 3.0 {
                    break spent;
                }
            };
            best = best.max(games as f64 / spent);
            per_step = per_step.min(1e9 * spent / steps as f64);
        }
        let num_rules = rules.ground().num_rules();
        println!("{name:32} {grounding:>8.4}s {num_rules:>8} {best:>12.0} {per_step:>8.0}");
    }
    Ok(())
}
