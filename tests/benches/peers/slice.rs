//! One engine, one strategy, one workload, for a fraction of a second in a process of its own.

use std::process::{Command, ExitCode};
use std::time::Duration;

use crate::engines::Contender;
use crate::workloads::{self, Workload};

/// How long a slice takes, without its process's start.
const LENGTH: Duration = Duration::from_millis(150);

/// The result of a slice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// Schedules run.
    pub(crate) schedules: u64,
    /// Steps of all of them.
    pub(crate) steps: u64,
    /// How long that took.
    pub(crate) nanos: u64,
}

impl Sample {
    /// Returns the steps of one schedule.
    pub(crate) fn steps_per_schedule(self) -> f64 {
        self.steps as f64 / self.schedules as f64
    }

    /// Returns the schedules of one second.
    pub(crate) fn schedules_per_second(self) -> f64 {
        self.schedules as f64 * 1e9 / self.nanos as f64
    }

    /// Returns how long a step takes, its share of the set-up included.
    pub(crate) fn nanos_per_step(self) -> f64 {
        self.nanos as f64 / self.steps as f64
    }
}

/// Which slice a process is to do.
#[derive(Debug)]
pub(crate) struct Request {
    contender: Contender,
    workload: &'static Workload,
}

impl Request {
    /// Reads `slice <engine> <strategy> <workload>`.
    pub(crate) fn parse(arguments: &[String]) -> Option<Request> {
        let [role, engine, strategy, workload] = arguments else {
            return None;
        };
        (role == "slice").then_some(())?;
        Some(Request {
            contender: Contender::find(engine, strategy)?,
            workload: workloads::ALL
                .iter()
                .find(|known| known.name == *workload)?,
        })
    }
}

/// Does a slice in this process and prints its sample.
pub(crate) fn serve(request: &Request) -> ExitCode {
    let Sample {
        schedules,
        steps,
        nanos,
    } = request.contender.run(request.workload, LENGTH);
    println!("{schedules} {steps} {nanos}");
    ExitCode::SUCCESS
}

/// Has a slice done; says why when the engine cannot do it.
pub(crate) fn measure(contender: Contender, workload: &Workload) -> Result<Sample, String> {
    let program = std::env::current_exe().expect("the path of this program");
    let output = Command::new(program)
        .args(["slice", contender.engine, contender.strategy, workload.name])
        .output()
        .expect("this program starts again");
    let said = String::from_utf8_lossy(&output.stderr);
    let panic = || {
        said.lines()
            .skip_while(|line| !line.contains("panicked at"))
            .nth(1)
    };
    read(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| panic().map_or_else(|| output.status.to_string(), str::to_owned))
}

fn read(line: &str) -> Option<Sample> {
    let mut numbers = line.split_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok().filter(|&number| number > 0);
    Some(Sample {
        schedules: next()?,
        steps: next()?,
        nanos: next()?,
    })
}
