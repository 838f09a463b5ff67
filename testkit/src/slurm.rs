//! A Slurm cluster of this machine alone: one node, loopback only, nothing of /etc is read or changed.
//!
//! The daemons are children of the test, in the foreground; they end with the test, however it ends:
//! `setpriv` makes the kernel kill them when the thread that started them is gone.

use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Programs it needs; Debian has some of them where only the administrator looks.
const PROGRAMS: [&str; 5] = ["munged", "slurmctld", "slurmd", "sbatch", "setpriv"];

/// A running cluster.
pub struct Cluster {
    daemons: Vec<Child>,
    folder: tempfile::TempDir,
}

impl Cluster {
    /// Starts one; `None`, as [`crate::absent`] reports it, when Slurm is not installed.
    pub fn start() -> Option<Cluster> {
        let missing: Vec<&str> = PROGRAMS.iter().copied().filter(|p| find(p).is_none()).collect();
        if !missing.is_empty() {
            crate::absent(format!("{} (slurm-wlm, munge)", missing.join(", ")));
            return None;
        }
        let mut cluster = Cluster { daemons: vec![], folder: folder() };
        cluster.configure();
        cluster.daemon(
            "munged",
            &[
                "--foreground", "--socket=munge/socket", "--key-file=munge/key", "--seed-file=munge/seed",
                "--pid-file=munge/pid", "--log-file=munge/log",
            ],
        );
        cluster.wait("munged", |c| c.path("munge/socket").exists());
        cluster.daemon("slurmctld", &["-D", "-f", "slurm.conf"]);
        cluster.daemon("slurmd", &["-D", "-f", "slurm.conf", "-N", "n1"]);
        cluster.wait("the node", |c| c.command("sinfo", &["-h", "-o", "%T"]).trim() == "idle");
        Some(cluster)
    }

    /// Its configuration, for `SLURM_CONF`.
    pub fn conf(&self) -> PathBuf {
        self.path("slurm.conf")
    }

    /// What a program of Slurm prints about this cluster.
    pub fn command(&self, program: &str, arguments: &[&str]) -> String {
        let out = Command::new(find(program).expect("installed"))
            .args(arguments)
            .env("SLURM_CONF", self.conf())
            .output()
            .expect("it starts");
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn configure(&self) {
        // Every user's program must reach the socket, nobody but us the key.
        let mode = |path: &Path, bits| {
            fs::set_permissions(path, Permissions::from_mode(bits)).expect("our own folder");
        };
        mode(self.folder.path(), 0o711);
        for name in ["munge", "state", "spool"] {
            fs::create_dir(self.path(name)).expect("a new folder");
        }
        mode(&self.path("munge"), 0o711);
        let mut key = [0; 128];
        File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut key)).expect("random bytes");
        fs::write(self.path("munge/key"), key).expect("written");
        mode(&self.path("munge/key"), 0o600);
        let text = |program: &str, argument: &str| {
            let out = Command::new(program).arg(argument).output();
            String::from_utf8_lossy(&out.expect("it starts").stdout).trim().to_string()
        };
        let (host, user) = (text("hostname", "-s"), text("id", "-un"));
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        // Bound at the same time, so that they differ.
        let ports = [0; 2].map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [controller, node] = ports.map(|p| p.local_addr().expect("bound").port());
        let dir = self.folder.path().display();
        let conf = format!(
            "ClusterName=test\n\
             SlurmctldHost={host}(127.0.0.1)\n\
             SlurmctldPort={controller}\n\
             NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node} CPUs={cpus} RealMemory=512 State=UNKNOWN\n\
             PartitionName=main Nodes=n1 Default=YES MaxTime=INFINITE State=UP\n\
             CommunicationParameters=EnableIPv6,NoCtldInAddrAny,NoInAddrAny\n\
             SlurmUser={user}\n\
             SlurmdUser={user}\n\
             AuthType=auth/munge\n\
             AuthInfo=socket={dir}/munge/socket,cred_expire=5\n\
             CredType=cred/munge\n\
             StateSaveLocation={dir}/state\n\
             SlurmdSpoolDir={dir}/spool\n\
             SlurmctldPidFile={dir}/slurmctld.pid\n\
             SlurmdPidFile={dir}/slurmd.pid\n\
             ProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\n\
             SwitchType=switch/none\n\
             MpiDefault=none\n\
             JobAcctGatherType=jobacct_gather/none\n\
             AccountingStorageType=accounting_storage/none\n\
             SchedulerParameters=sched_interval=2,sched_min_interval=0,batch_sched_delay=0\n\
             SelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\n\
             KillWait=5\n"
        );
        fs::write(self.conf(), conf).expect("written");
    }

    fn daemon(&mut self, program: &str, arguments: &[&str]) {
        let log = File::create(self.path(&format!("{program}.log"))).expect("a log");
        let child = Command::new(find("setpriv").expect("installed"))
            .args(["--pdeathsig", "KILL", "--"])
            .arg(find(program).expect("installed"))
            .args(arguments.iter().map(|a| self.absolute(a)))
            .env("SLURM_CONF", self.conf())
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file"))
            .stderr(log)
            .spawn()
            .expect("it starts");
        self.daemons.push(child);
    }

    /// An argument with the name of a file of ours, in full.
    fn absolute(&self, argument: &str) -> String {
        let full = |name: &str| self.path(name).display().to_string();
        match argument.split_once('=') {
            Some((option, name)) => format!("{option}={}", full(name)),
            None if argument == "slurm.conf" => full(argument),
            None => argument.to_string(),
        }
    }

    fn wait(&self, what: &str, up: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !up(self) {
            if begun.elapsed() > Duration::from_secs(60) {
                let logs = ["munged.log", "slurmctld.log", "slurmd.log"]
                    .map(|l| fs::read_to_string(self.path(l)).unwrap_or_default());
                panic!("{what} did not come up: {}", logs.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Tasks first: they are children of a process of their own.
        if self.daemons.len() == 3 {
            for _ in 0..100 {
                let jobs = self.command("squeue", &["-h", "-o", "%A"]);
                let jobs: Vec<&str> = jobs.split_whitespace().collect();
                if jobs.is_empty() {
                    break;
                }
                self.command("scancel", &[&["--full"], jobs.as_slice()].concat());
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// Not below `TMPDIR` where it can be helped: the name of a socket has room for a hundred letters, and
/// the configuration file none for spaces.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/tmp").or_else(|_| tempfile::tempdir()).expect("a folder")
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .map(|dir| dir.join(program))
        .find(|p| p.is_file())
}
