//! `ruse report`: writes a page about an experiment.

mod ablation;
mod playable;
mod strategies;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use ruse_base::files::{Replaces, check_output, reading, write_output};
use ruse_base::stop::StopSignal;
use ruse_lab::{
    CHAMPIONSHIP, Experiment, MeasurementKind, MeetingsSpec, Plan, Records, RunDirectory, STRATEGY,
    StrategyFile, Study, read_curves, read_records,
};
use ruse_registry::Registry;
use ruse_report::figures::Run;
use ruse_report::page::{Column, Markup, Page, Picture, Section, Table};
use ruse_report::{AblationTable, Cell, Format, Options, Report, Shown, Tables};

use super::ablation::AblationArgs;
use super::arguments::MachineArgs;
use super::drawing::{Drawing, Look};
use super::failure::{Failure, print};
use super::format::{counted, grouped, score, sentence};
use super::found::nothing_found;
use super::outcome::briefly;
use super::page::GamesArgs;
use super::paper;
use super::plot::{WORTH, best_run, draw_ablation, draw_comparison, draw_methods, draw_run};
use super::runless::runless;
use super::screen::say_if_shared;
use super::table::report_of;
use super::verbosity::say;
use strategies::{all_runs, found, learned, learned_in, score_in_words, typed};

/// Write one page about an experiment, to read and to share: tables, figures, strategies in words
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The directory of a run or a comparison
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The file to write the page to [default: report.html in the directory]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Add the published figures of the paper: Cauwet & Teytaud (2018), or Saint-Pierre & Teytaud (2014) for portfolios
    #[arg(long)]
    side_by_side: bool,
    /// Make the best strategies playable on the page, which grows by the size of a page of `ruse page`
    #[arg(long)]
    playable: bool,
    /// Instead of a page, write files for a paper into this directory: LaTeX tables, figures one column wide, a
    /// bibliography, and a document that uses them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "playable"])]
    paper: Option<PathBuf>,
    #[command(flatten)]
    games: GamesArgs,
    #[command(flatten)]
    ablation: AblationArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

const SCORES: &str = "Scores against the baseline";

pub(super) fn report(
    args: &ReportArgs,
    registry: &Registry,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let path = &args.directory;
    // A missing run is reported even if the output file is unsuitable, too.
    if !RunDirectory::is_at(path) {
        RunDirectory::open(path, registry)?;
    }
    if let Some(out) = &args.paper {
        paper::check(out)?;
        let (directory, plan) = RunDirectory::open(path, registry)?;
        say(&paper::write(&directory, &plan, registry, args.side_by_side, out)?);
        return print(&format!("{}\n", out.display()));
    }
    let out = args.out.clone().unwrap_or_else(|| path.join("report.html"));
    check_output(&out, Replaces::Page)?;
    // Writing into the directory needs its lock.
    let is_written = args.out.is_none() || args.ablation.wanted().is_some();
    let (directory, plan) = match is_written {
        true => RunDirectory::reopen(path, registry)?,
        false => RunDirectory::open(path, registry)?,
    };
    if is_written {
        say_if_shared(&directory);
    }
    ablation::measure(&args.ablation, &directory, &plan, stop)?;
    let playable = match args.playable {
        true => playable::page(&directory, &plan, registry, &args.games)?,
        false => None,
    };
    write_page(&directory, &plan, registry, &out, args.side_by_side, playable)?;
    print(&format!("{}\n", out.display()))
}

/// Writes the page about the results in a directory, as `ruse report` does. With `side_by_side`, it shows the published
/// figures beside ours. `playable` is an HTML document for playing, which the page embeds.
///
/// # Errors
///
/// Returns an error if the results cannot be read, or the page cannot be written.
pub fn write_page(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    out: &Path,
    side_by_side: bool,
    playable: Option<String>,
) -> Result<(), Failure> {
    let page = match runless(plan) {
        Some(of) => of.page(plan, directory, side_by_side)?,
        None => Subject::read(directory, plan, registry, side_by_side)?.page()?,
    };
    let page = Page { playable, ..page };
    Ok(write_output(out, Replaces::Page, page.html())?)
}

struct Subject<'a> {
    directory: &'a RunDirectory,
    plan: &'a Plan,
    registry: &'a Registry,
    records: Records,
    report: Report,
    /// The tables of the report, without and with the published figures.
    tables: [Tables; 2],
    /// True if published figures are shown.
    side_by_side: bool,
    /// The runs that are not in the records.
    missing: Vec<&'a Experiment>,
}

impl<'a> Subject<'a> {
    fn read(
        directory: &'a RunDirectory,
        plan: &'a Plan,
        registry: &'a Registry,
        side_by_side: bool,
    ) -> Result<Subject<'a>, Failure> {
        let mut records = read_records(directory, plan)?;
        records.curves = read_curves(directory, plan)?;
        let report = report_of(&records, side_by_side)?;
        let finished: HashSet<(&str, &str, u64)> = records
            .runs
            .iter()
            .map(|run| (run.family.as_str(), run.method.as_str(), run.seed))
            .collect();
        let is_missing = |run: &&Experiment| {
            let [family, method] = &run.labels;
            !finished.contains(&(family.as_str(), method.as_str(), run.resolved.seed))
        };
        let missing = plan.runs.iter().filter(is_missing).collect();
        let mistakes = directory.mistakes()?;
        let tables = [false, true].map(|side_by_side| {
            let options = Options { side_by_side, ..Options::default() };
            report.tables(&options).with_mistakes(&mistakes)
        });
        Ok(Subject { directory, plan, registry, missing, report, tables, records, side_by_side })
    }

    fn page(&self) -> Result<Page, Failure> {
        let (title, summary, mut sections) = match &self.plan.study {
            Study::None => self.one_run(&self.plan.runs[0])?,
            Study::Championship(_) => self.all_methods()?,
            Study::Meetings(meetings) => self.comparison(meetings)?,
            _ => unreachable!("experiments without runs have other pages"),
        };
        let worths = AblationTable::all(&self.records);
        let drawings = draw_ablation(&self.records, &Look::of_page())?;
        sections.extend(ablation::section(self.plan, &worths, &drawings));
        let missing = self.missing.iter().map(|run| -> Result<String, Failure> {
            let is_begun = self.directory.has_begun(run)?;
            let state = if is_begun { "begun" } else { "not begun" };
            let [family, method] = &run.labels;
            Ok(format!("{family}, {method}, seed {}: {state}", run.resolved.seed))
        });
        let findings = match &self.plan.study {
            Study::Meetings(_) => self.report.findings(),
            _ => Vec::new(),
        };
        Ok(Page {
            title,
            findings,
            summary,
            missing: missing.collect::<Result<_, _>>()?,
            sections,
            experiment: self.directory.experiment().into(),
            commands: self.commands()?,
            playable: None,
        })
    }

    fn one_run(&self, run: &Experiment) -> Result<(String, Vec<String>, Vec<Section>), Failure> {
        let spec = &run.resolved;
        let title = format!("{}: {}, seed {}", spec.family, briefly(spec), spec.seed);
        let mut summary = vec![sentence(run.family.info().summary)];
        let mut sections = Vec::new();
        let look = Look::of_page();
        let drawings = draw_run(self.directory, self.plan, self.registry, &look)?;
        let (curves, pictures): (Vec<_>, Vec<_>) =
            drawings.iter().partition(|drawing| drawing.name.starts_with("learning-curve"));
        match self.missing.is_empty() {
            true => {
                let file = learned_in(self.directory, run)?;
                summary.extend(found(&file, run.family.as_ref()));
                summary.extend(score_in_words(&file));
                let mut strategy = learned(&file, run.family.as_ref(), "How it plays".into());
                // The summary has this text.
                strategy.found.clear();
                sections.push(Section {
                    title: "The strategy".into(),
                    figures: figures_of(pictures, &spec.family),
                    strategies: vec![strategy],
                    ..Section::default()
                });
            }
            false => summary.push("The run is not finished.".into()),
        }
        if !curves.is_empty() {
            sections.push(Section {
                title: "How it was learned".into(),
                figures: figures_of(curves, &spec.family),
                ..Section::default()
            });
        }
        if self.has_published_scores() {
            sections.push(Section {
                title: "Comparison with the published figures".into(),
                reports: vec![self.table("scores")],
                ..Section::default()
            });
        }
        Ok((title, summary, sections))
    }

    fn all_methods(&self) -> Result<(String, Vec<String>, Vec<Section>), Failure> {
        let first = &self.plan.runs[0];
        let (family, seed) = (&first.resolved.family, first.resolved.seed);
        let title = format!("{family}: all methods, seed {seed}");
        let mut summary = vec![sentence(first.family.info().summary), self.num_finished()];
        let mut sections = Vec::new();
        let look = Look::of_page();
        let drawings = draw_run(self.directory, self.plan, self.registry, &look)?;
        let together = draw_methods(
            self.directory,
            self.plan,
            &look,
            self.side_by_side,
            &StopSignal::default(),
        )?;
        let champion = self.directory.path().join(STRATEGY);
        if reading::is_there(&champion)? {
            let file = StrategyFile::read(&champion)?;
            let file = file.checked(&champion, first.family.as_ref())?;
            let method =
                file.found.as_ref().map_or("an unknown method", |found| found.method.as_str());
            summary.push(format!(
                "In races between the champions, no other has a higher mean score than the champion of {method}. This is \
                 one run of each method; other seeds may give another ranking."
            ));
            let nothing = nothing_found(&file, first.family.as_ref());
            let mut strategy = learned(&file, first.family.as_ref(), "How it plays".into());
            if let Some(nothing) = nothing {
                summary.push(typed(&nothing));
                strategy.found.clear();
            }
            summary.extend(score_in_words(&file));
            let pictures = drawings.iter().filter(|drawing| drawing.subject.is_none());
            sections.push(Section {
                title: "The champion".into(),
                figures: figures_of(pictures, family),
                strategies: vec![strategy],
                ..Section::default()
            });
        } else {
            summary.push("The champions have not met.".into());
        }
        sections.push(Section {
            title: "The methods".into(),
            reports: vec![self.table("scores")],
            tables: self.championship()?.into_iter().collect(),
            figures: figures_of(&together, family),
            ..Section::default()
        });
        for run in &self.plan.runs {
            let name = run.run_name();
            let own = drawings.iter().filter(|drawing| drawing.subject.as_ref() == Some(&name));
            let mut section = Section {
                title: run.resolved.method.clone(),
                figures: figures_of(own, &run.resolved.method),
                ..Section::default()
            };
            if self.is_missing(run) {
                section.text.push("The run is not finished.".into());
            } else {
                let file = learned_in(self.directory, run)?;
                let strategy = learned(&file, run.family.as_ref(), "How it plays".into());
                section.strategies.push(strategy);
            }
            sections.push(section);
        }
        Ok((title, summary, sections))
    }

    fn num_meetings(&self) -> u64 {
        let rows = self.records.measurements.iter();
        rows.filter(|row| row.kind == MeasurementKind::Meeting).count() as u64
    }

    fn comparison(
        &self,
        meetings: &MeetingsSpec,
    ) -> Result<(String, Vec<String>, Vec<Section>), Failure> {
        let Report { scores, .. } = &self.report;
        let title = format!(
            "{} on {}",
            listed(&scores.methods, "method", "methods"),
            listed(&scores.families, "family", "families"),
        );
        let due = meetings.num_meetings_each() * scores.families.len() as u64;
        let summary = vec![
            self.num_finished(),
            format!(
                "{} of {} between champions of different methods were played.",
                grouped(self.num_meetings()),
                counted(due, "meeting"),
            ),
        ];
        let drawings = draw_comparison(
            self.directory,
            self.plan,
            &self.report,
            self.registry,
            &Look::of_page(),
        )?;
        let common = drawings.iter().filter(|drawing| drawing.subject.is_none());
        let mut sections = vec![Section {
            title: SCORES.into(),
            reports: vec![self.table("scores")],
            figures: figures_of(common, "all families"),
            ..Section::default()
        }];
        // The first tables say the most.
        let first =
            [("ranking", scores.methods.len() > 1), ("across", self.report.across.is_some())];
        let others = self.tables[0].all_ids().into_iter().filter(|id| self.is_of_all(id));
        let others = others.filter(|id| first.iter().all(|(first, _)| first != id));
        let more = first.into_iter().chain(others.map(|id| (id, true)));
        let more = more.filter(|(id, is_there)| *is_there && *id != "scores");
        sections.push(Section {
            title: "More tables".into(),
            reports: more.map(|(id, _)| self.table(id)).collect(),
            ..Section::default()
        });
        for family in &scores.families {
            let runs: Vec<Run<'_>> = self
                .plan
                .runs
                .iter()
                .filter(|run| run.labels[0] == *family && !self.is_missing(run))
                .map(|experiment| Run { directory: self.directory, experiment })
                .collect();
            let own = drawings.iter().filter(|drawing| drawing.subject.as_ref() == Some(family));
            let mut section = Section {
                title: family.clone(),
                figures: figures_of(own, family),
                ..Section::default()
            };
            if let Some(run) = self.plan.runs.iter().find(|run| run.labels[0] == *family) {
                section.text.push(sentence(run.family.info().summary));
            }
            section.reports.extend(self.of_family(family));
            if let Some((best, file)) = best_run(&runs)? {
                let title = format!("The best of {}", counted(runs.len() as u64, "run"));
                let mut strategy = learned(&file, best.family.as_ref(), title);
                if runs.len() > 1 {
                    strategy.found +=
                        " As the highest of several, its score is biased upwards a little.";
                }
                section.strategies.push(strategy);
                section.tables.push(all_runs(&runs)?);
            } else {
                section.text.push("No run of this family is finished.".into());
            }
            sections.push(section);
        }
        Ok((title, summary, sections))
    }

    /// Returns `true` if the table with this name is about all families together.
    fn is_of_all(&self, id: &str) -> bool {
        let of = self.tables[0].tables.iter().filter(|table| table.id == id);
        of.clone().all(|table| table.family.is_none() && table.shown != Shown::OnRequest)
    }

    fn is_missing(&self, run: &Experiment) -> bool {
        self.missing.iter().any(|missing| std::ptr::eq(*missing, run))
    }

    fn num_finished(&self) -> String {
        let all = self.plan.runs.len();
        let done = all - self.missing.len();
        match done == all {
            true if all == 1 => "The run is finished.".into(),
            true => format!("All {} are finished.", counted(all as u64, "run")),
            false => format!("{done} of {} are finished.", counted(all as u64, "run")),
        }
    }

    fn has_published_scores(&self) -> bool {
        self.report.scores.cells.iter().flatten().any(is_published)
    }

    /// Renders a table, with the published figures, if any.
    fn table(&self, id: &str) -> Markup {
        let tables = self.tables[usize::from(self.has_published_scores())].only(&[id]);
        Markup(tables.render(Format::Html, &Options::default())).folded(id == "scores")
    }

    /// Renders the tables of a family, with the published figures, if any.
    fn of_family(&self, family: &str) -> Vec<Markup> {
        let mut meetings = self.report.head_to_head.iter().filter(|table| table.family == family);
        let has_published = meetings.any(|table| table.cells.iter().flatten().any(is_published));
        let tables = self.tables[usize::from(has_published)].of_family(family);
        let mut ids = tables.ids();
        ids.sort_by_key(|id| *id != "head-to-head");
        let each: Vec<Tables> = ids.iter().map(|id| tables.only(&[id])).collect();
        let each = each.iter();
        let html = each.map(|tables| tables.render(Format::Html, &Options::default()));
        html.map(|html| Markup(html).folded(false)).collect()
    }

    /// Returns the table of the races between the champions of all methods, if they were played.
    fn championship(&self) -> Result<Option<Table>, Failure> {
        let Some(text) = self.directory.read_finale(CHAMPIONSHIP)? else { return Ok(None) };
        // A list vouches for the text.
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut records = reader.records().flatten();
        let columns = records.next().unwrap_or_default().iter().map(Column::new).collect();
        let cell = |text: &str| match text.parse::<f64>() {
            Ok(number) if text.contains('.') => score(number, 3),
            _ => text.parse().map_or(text.to_string(), grouped),
        };
        let rows: Vec<Vec<String>> = records.map(|row| row.iter().map(cell).collect()).collect();
        let title =
            format!("{} between champions: the score of a", counted(rows.len() as u64, "race"));
        Ok(Some(Table { title, columns, rows, is_folded: true }))
    }

    fn commands(&self) -> Result<Vec<(String, String)>, Failure> {
        let is_timed = self.plan.runs.iter().any(|run| run.budget.time.is_some());
        let again = match is_timed {
            false => "gives the same results again, on any number of threads",
            true => "repeats it; the time is limited, so results differ from machine to machine",
        };
        let mut commands = self.best_strategies()?;
        commands.push(("ruse run DIR/experiment.yaml --out NEW".to_string(), again.into()));
        let held = self.num_meetings();
        let is_over = match &self.plan.study {
            Study::Championship(_) => reading::is_there(&self.directory.path().join(STRATEGY))?,
            Study::Meetings(spec) => held >= spec.num_meetings_each() * spec.families.len() as u64,
            _ => true,
        };
        if (!self.missing.is_empty() || !is_over) && !self.directory.is_published() {
            commands.push(("ruse resume DIR".into(), "continues the unfinished work".into()));
        }
        commands.push(("ruse table DIR --side-by-side".into(), "prints the tables".into()));
        if matches!(self.plan.study, Study::Meetings(_)) && !self.directory.is_published() {
            let what = "computes missing exploitabilities; with --budget N, lower bounds";
            commands.push(("ruse exploit DIR".into(), what.into()));
        }
        commands.push((
            "ruse report DIR --ablate".into(),
            "adds the worth of the parameters of the champions to this page".into(),
        ));
        commands.push(("ruse plot DIR".into(), "draws the figures, one file each".into()));
        commands.push(("ruse report DIR".into(), "writes this page".into()));
        Ok(commands)
    }
    /// Returns the commands that show the best strategies: the champion or, in a comparison, the strategy with the
    /// highest score in each family.
    fn best_strategies(&self) -> Result<Vec<(String, String)>, Failure> {
        if self.directory.is_published() {
            return Ok(Vec::new());
        }
        if reading::is_there(&self.directory.path().join(STRATEGY))? {
            let command = format!("ruse show DIR/{STRATEGY}");
            return Ok(vec![(command, "explains the champion".into())]);
        }
        let finished = self.plan.runs.iter().filter(|run| !self.is_missing(run));
        let finished: Vec<Run<'_>> =
            finished.map(|experiment| Run { directory: self.directory, experiment }).collect();
        let mut commands = Vec::new();
        for family in &self.report.scores.families {
            let of_family = |run: &&Run<'_>| run.experiment.labels[0] == *family;
            let runs: Vec<Run<'_>> = finished.iter().filter(of_family).copied().collect();
            let Some((best, _)) = best_run(&runs)? else { continue };
            let what = match runs.len() {
                1 => format!("explains the strategy of {family}"),
                _ => format!("explains the best strategy of {family}"),
            };
            let path = self.directory.strategy_path(best);
            let path = path.strip_prefix(self.directory.path()).unwrap_or(&path).display();
            commands.push((format!("ruse show DIR/{path}"), what));
        }
        Ok(commands)
    }
}

fn is_published<T>(cell: &Cell<T>) -> bool {
    cell.published.is_some()
}

/// Lists up to three names; for more names, returns their number.
fn listed(names: &[String], one: &str, many: &str) -> String {
    match names {
        [] => format!("no {one}"),
        [only] => only.clone(),
        [first, last] => format!("{first} and {last}"),
        [first, second, third] => format!("{first}, {second} and {third}"),
        names => format!("{} {many}", names.len()),
    }
}

fn figures_of<'d>(drawings: impl IntoIterator<Item = &'d Drawing>, about: &str) -> Vec<Picture> {
    let picture = |drawing: &Drawing| {
        let name = drawing.name.as_str();
        let what = match name {
            "scores" => "scores against the baseline, by family and method",
            "targets" => "the share of targets that runs reach, by games",
            "critical-difference" => "mean ranks of the methods, and which do not differ clearly",
            _ if name.starts_with(WORTH) => "the worth of groups of parameters, with intervals",
            _ if name.starts_with("head-to-head") => "scores of methods against each other",
            _ if name.starts_with("learning-curve") => {
                "scores against the baseline while learning, by games played"
            }
            _ => "a picture of the strategy; the text below describes it",
        };
        drawing.picture(format!("{about}: {what}"))
    };
    drawings.into_iter().filter_map(picture).collect()
}
