//! Measures the speed of random games for each rule file of the crate and for each rule file in the folder that
//! `RUSE_GDL_DIR` names, if set.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_gdl::{AtCap, DEFAULT_STEPS, Limits, Playouts, RULE_FILES, Rules};

/// Returns the names and texts of the rule files in a folder, sorted by name.
fn files_of(folder: &str) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "kif") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, std::fs::read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}

fn playouts(criterion: &mut Criterion) {
    let mut files: Vec<(String, Vec<u8>)> =
        RULE_FILES.iter().map(|file| (file.name.into(), file.text.into())).collect();
    if let Ok(folder) = std::env::var("RUSE_GDL_DIR") {
        match files_of(&folder) {
            Ok(more) => files.extend(more),
            Err(error) => eprintln!("RUSE_GDL_DIR: {folder}: {error}"),
        }
    }
    let mut group = criterion.benchmark_group("playouts");
    for (name, text) in files {
        let rules = match Rules::from_text(&text, &Limits::default()) {
            Ok(rules) => rules,
            Err(error) => {
                eprintln!("{}", error.report(&name));
                continue;
            }
        };
        let mut playouts = Playouts::new(&rules, DEFAULT_STEPS, AtCap::Draw);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        if let Err(error) = playouts.play(rules.start(), &mut rng) {
            eprintln!("{name}: {error}");
            continue;
        }
        group.throughput(Throughput::Elements(1));
        group.bench_function(&name, |bencher| {
            bencher.iter(|| black_box(playouts.play(rules.start(), &mut rng)));
        });
    }
    group.finish();
}

criterion_group!(benches, playouts);
criterion_main!(benches);
