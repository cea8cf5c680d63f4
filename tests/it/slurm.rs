//! Runs an experiment on a cluster of two nodes on the loopback interface. Although one node dies, the results are the
//! same as on one machine.
//!
//! The test runs if `RUSE_SLURM` is set. It needs root privileges and the programs `slurmctld`, `slurmd`, `sbatch`,
//! `squeue` and `munged` (on Debian the packages slurm-wlm and munge). All files are in a temporary directory.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{self, Home, files, paths_below, printed};

/// A comparison of 4 families and 4 methods with 3 seeds: 48 runs.
const COMPARISON: &str = "families:\n- {family: batawaf4, budget: 400k}\n- {family: pig, budget: 2M}\n\
    - {family: nim, budget: 100k}\n- {family: phantom-tic-tac-toe, budget: 100k}\n\
    methods: [naive, cma-es, seeds, double-oracle]\ncomparison: betting\nrepeats: 3\nhalf-width: 0.01\n\
    evaluation-pairs: 1k\nmonitor-pairs: 50\n";
/// A timeout that is longer than any step takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);
/// The number of seconds without an answer after which a node counts as down.
const SLURMD_TIMEOUT_S: u64 = 15;

/// A cluster, whose processes are killed when this value is dropped.
struct Cluster {
    home: PathBuf,
    programs: Vec<(String, Child)>,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for pid in self.pids_of("") {
            kill(pid);
        }
        for (_, program) in &mut self.programs {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

fn kill(pid: u32) {
    let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its own").port()
}

impl Cluster {
    /// Starts a scheduler and two nodes with two processors each.
    fn start(home: &Path) -> Cluster {
        let mut cluster = Cluster { home: home.into(), programs: Vec::new() };
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("a name");
        let host = host.trim();
        let host = host.split('.').next().unwrap_or(host);
        let at = home.display();
        fs::write(home.join("munge.key"), [7; 1024]).expect("writable");
        let private = Command::new("chmod").args(["-R", "go-rwx"]).arg(home).status();
        assert!(private.expect("chmod is there").success());
        for directory in ["state", "spool-n1", "spool-n2"] {
            fs::create_dir(home.join(directory)).expect("writable");
        }
        let [port, port1, port2] = [(); 3].map(|()| free_port());
        let configuration = format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\n\
             AuthInfo=socket={at}/munge.socket,cred_expire=10\nStateSaveLocation={at}/state\nSlurmdSpoolDir={at}/spool-%n\n\
             SlurmctldPort={port}\nSlurmctldPidFile={at}/slurmctld.pid\nSlurmdPidFile={at}/slurmd-%n.pid\n\
             SlurmctldLogFile={at}/slurmctld.log\nSlurmdLogFile={at}/slurmd-%n.log\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nReturnToService=2\n\
             SlurmdTimeout={SLURMD_TIMEOUT_S}\nJobAcctGatherType=jobacct_gather/none\nMpiDefault=none\n\
             SlurmdParameters=config_overrides\nSchedulerParameters=sched_interval=5\n\
             NodeName=n1 NodeAddr=127.0.0.1 NodeHostname={host} Port={port1} CPUs=2\n\
             NodeName=n2 NodeAddr=127.0.0.1 NodeHostname={host} Port={port2} CPUs=2\n\
             PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP\n"
        );
        fs::write(home.join("slurm.conf"), configuration).expect("writable");
        let munged = format!(
            "--foreground --force --socket={at}/munge.socket --key-file={at}/munge.key --pid-file={at}/munge.pid \
             --log-file={at}/munge.log --seed-file={at}/munge.seed"
        );
        cluster.program("munged", &munged);
        cluster.wait("the socket of munged", || home.join("munge.socket").exists());
        cluster.program("slurmctld", "-D -c");
        for node in ["n1", "n2"] {
            cluster.program("slurmd", &format!("-D -c -N {node}"));
        }
        cluster.wait("two idle nodes", || {
            cluster.tool("sinfo", "--noheader --format=%D/%t").contains("2/idle")
        });
        cluster
    }

    fn command(&self, name: &str, arguments: &str) -> Command {
        let mut command = Command::new(name);
        command.args(arguments.split_whitespace()).current_dir(&self.home);
        command.env("SLURM_CONF", self.home.join("slurm.conf"));
        command
    }

    fn program(&mut self, name: &str, arguments: &str) {
        let mut command = self.command(name, arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        self.programs.push((format!("{name} {arguments}"), child));
    }

    /// Returns the output of a tool, or an empty text while the scheduler does not answer.
    fn tool(&self, name: &str, arguments: &str) -> String {
        let output = self.command(name, arguments).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so() {
            let log = || fs::read_to_string(self.home.join("slurmctld.log")).unwrap_or_default();
            assert!(Instant::now() < deadline, "no {what} within {PATIENCE:?}: {}", log());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Returns the ids of the processes of this cluster's tasks on a node, or on all nodes if `node` is empty.
    fn pids_of(&self, node: &str) -> Vec<u32> {
        let own = format!("SLURM_CONF={}", self.home.join("slurm.conf").display());
        let on_node = format!("SLURMD_NODENAME={node}");
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("there").flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
            let variables = fs::read(entry.path().join("environ")).unwrap_or_default();
            let has = |wanted: &dyn Fn(&str) -> bool| {
                variables.split(|&byte| byte == 0).any(|one| wanted(&String::from_utf8_lossy(one)))
            };
            if has(&|one| one == own) && has(&|one| one.starts_with(&on_node)) {
                found.push(pid);
            }
        }
        found
    }

    /// Kills a node: the daemon, the processes that it started for its tasks, and the tasks.
    fn kill_node(&mut self, node: &str) -> usize {
        let daemon = self.programs.iter().position(|(name, _)| name.ends_with(node));
        let (_, mut daemon) = self.programs.remove(daemon.expect("it was started"));
        daemon.kill().expect("ours");
        daemon.wait().expect("it ends");
        let tasks = self.pids_of(node);
        let parent = |pid: u32| -> Option<u32> {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
        };
        let is_step = |pid: &u32| {
            fs::read_to_string(format!("/proc/{pid}/comm"))
                .is_ok_and(|name| name.starts_with("slurmstepd"))
        };
        let mut steps: Vec<u32> =
            tasks.iter().filter_map(|&pid| parent(pid)).filter(is_step).collect();
        steps.sort_unstable();
        steps.dedup();
        // The steps are killed first; otherwise, they would report to the scheduler that their tasks have ended.
        for &pid in steps.iter().chain(&tasks) {
            kill(pid);
        }
        tasks.len()
    }
}

#[test]
#[ignore = "long; takes Slurm and root, and is skipped unless RUSE_SLURM is set"]
fn a_cluster_that_loses_a_node_has_the_results_of_one_machine() {
    if std::env::var_os("RUSE_SLURM").is_none() {
        println!("skipped: RUSE_SLURM is not set");
        return;
    }
    let path = &*Home::with("e.yaml", COMPARISON);
    let started = Instant::now();
    printed("run e.yaml --out one --threads 2", path);
    println!("one machine, 2 threads: {:.0} s", started.elapsed().as_secs_f64());
    let expected = files(&path.join("one"));

    for is_killed in [false, true] {
        let cluster_home = path.join(format!("cluster-{is_killed}"));
        fs::create_dir(&cluster_home).expect("writable");
        let mut cluster = Cluster::start(&cluster_home);
        let out = if is_killed { "killed" } else { "whole" };
        let started = Instant::now();
        let words = ["slurm", "e.yaml", "--out", out, "--tasks", "8", "--time", "30", "--submit"];
        let mut send = support::ruse(&words, path);
        send.env("SLURM_CONF", cluster_home.join("slurm.conf"));
        let sent = send.output().expect("it runs");
        let said = String::from_utf8_lossy(&sent.stderr).into_owned();
        assert!(sent.status.success(), "{said}");
        let is_over = |cluster: &Cluster| {
            // If the queue is empty, only the header is printed. If the scheduler does not answer, the output is empty.
            let queue = cluster.tool("squeue", "--format=%T");
            queue.trim() == "STATE"
        };
        if is_killed {
            let begun = || {
                let files = paths_below(&path.join(out));
                files.iter().filter(|file| file.ends_with("strategy.yaml")).count() >= 6
            };
            cluster.wait("runs of the array", || path.join(out).is_dir() && begun());
            let num_tasks = cluster.kill_node("n2");
            assert!(num_tasks > 0, "no task ran on n2");
            let killed = Instant::now();
            let is_down =
                || cluster.tool("sinfo", "--noheader --nodes=n2 --format=%t").starts_with("down");
            cluster.wait("notice of the lost node", is_down);
            println!("a lost node was noticed after {:.0} s", killed.elapsed().as_secs_f64());
            let log = || fs::read_to_string(cluster_home.join("slurmctld.log")).unwrap_or_default();
            cluster.wait("requeued task", || log().to_lowercase().contains("requeue"));
        }
        cluster.wait("end of all jobs", || is_over(&cluster));
        println!(
            "cluster of 2 x 2, node lost: {is_killed}: {:.0} s",
            started.elapsed().as_secs_f64()
        );
        let log = fs::read_to_string(path.join(format!("{out}.logs/e-finale.log")));
        let found = files(&path.join(out));
        let different: Vec<_> = expected
            .keys()
            .chain(found.keys())
            .filter(|name| found.get(*name) != expected.get(*name))
            .collect();
        assert!(different.is_empty(), "{different:?}: {log:?}");
    }
}
