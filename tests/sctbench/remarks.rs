//! Why some means are above the published ones: what the table says about them.

/// An explanation.
#[derive(Debug)]
pub(crate) struct Remark {
    /// The strategies that it is about; all if empty.
    strategies: &'static [&'static str],
    /// The programs that it is about, by suite and name; all if empty.
    programs: &'static [&'static str],
    /// The explanation, in Markdown.
    pub(crate) text: &'static str,
}

pub(crate) const REMARKS: &[Remark] = &[
    Remark {
        strategies: &["pct:3", "pos", "rff"],
        programs: &["Inspect_benchmarks/boundedBuffer", "CS/carter01"],
        text: "*Released mutexes.* In SURW's runtime whoever releases a mutex hands it to one who \
               waits. A thread that lets go of it for a moment has then lost it. Here, as with \
               pthread's own, it is free: a strategy must stop the thread right there. With 300 \
               seeds instead of 20, POS needs 3.3 schedules for carter01 and RFF 2.6.",
    },
    Remark {
        strategies: &["rff"],
        programs: &[
            "CS/account",
            "CS/wronglock",
            "CS/wronglock_3",
            "Chess/InterlockedWorkStealQueue",
            "ConVul-CVE-Benchmarks/CVE-2009-3547",
        ],
        text: "*The first schedule of the published runs.* All 20 of RFF's trials find these bugs with \
               their first schedule, before there is any feedback, and so do all 20 of its POS. Here one of \
               two to one of eleven schedules of POS has them, so this is no matter of chance: that \
               runtime begins with a schedule that has them. SURW's POS needs 2.5 to 14.",
    },
    Remark {
        strategies: &["rff"],
        programs: &["CS/stack", "ConVul-CVE-Benchmarks/CVE-2016-1973"],
        text: "*Feedback costs a little.* Schedules that are to be new are not those that are likely: \
               a bug that is in every second schedule of POS is found by RFF two schedules later.",
    },
    Remark {
        strategies: &[],
        programs: &[
            "CB/aget-bug2",
            "Inspect_benchmarks/ctrace-test",
            "Splash2/fft",
            "Splash2/lu",
        ],
        text: "*Kernels.* Of these only the part that has the bug was written anew. In the originals \
               what comes before and after makes the wrong order the likely one: most of the \
               published techniques find it with their first schedule. Here it is one of two or three.",
    },
    Remark {
        strategies: &["random", "portfolio"],
        programs: &[
            "ConVul-CVE-Benchmarks/CVE-2015-7550",
            "ConVul-CVE-Benchmarks/CVE-2016-7911",
        ],
        text: "*Points.* Uniform random depends on how many steps lie inside and outside of the window. \
               SURW's has a step for each access to memory, and these windows are long in it.",
    },
    Remark {
        strategies: &["pos"],
        programs: &["CS/deadlock01", "ConVul-CVE-Benchmarks/CVE-2011-2183"],
        text: "*Steps that race with nothing.* A thread's first step, and that of a release, take part in \
               the draw of priorities here, and make it likelier that a thread is through before the \
               other has begun: presumably, since nothing else differs in programs so short. With 400 \
               seeds POS needs 6.2 schedules for deadlock01 and 4.0 for CVE-2011-2183.",
    },
    Remark {
        strategies: &["rff"],
        programs: &["CS/token_ring"],
        text: "*Orders of threads.* All that matters is the order of four critical sections, and whoever \
               draws it needs about as many schedules: POS, the base of RFF, 5 to 13 as published. RFF \
               needs 7.5 here with 400 seeds; that it was published with 2 is presumably due to the \
               schedule with which that runtime begins.",
    },
    Remark {
        strategies: &["surw"],
        programs: &["CS/deadlock01"],
        text: "*Locks in Δ.* In SURW's implementation Δ is drawn from accesses to memory; here also from \
               acquisitions of locks, so as to cover programs without races. To hold back whoever \
               acquires one lock out of turn keeps the two threads apart in this program.",
    },
    Remark {
        strategies: &["surw"],
        programs: &["SafeStack/safestack"],
        text: "*The choice of Δ.* Here Δ is drawn from all objects that several threads touch: the head, the \
               count and the links of three cells, of which most are of no use for the bug. It was not \
               found out whether this is all of the difference. Of other strategies POS and RFF find it too, \
               in one of two to five searches through 1,000,000 schedules.",
    },
    Remark {
        strategies: &["surw"],
        programs: &["ConVul-CVE-Benchmarks/CVE-2013-1792"],
        text: "*Counts learned late.* Most trials are as good as the published ones, a few are much \
               worse (the standard deviation is above the mean): where the iteration whose counts \
               hold was an unusual one, in which the second thread had little to do.",
    },
    Remark {
        strategies: &["pos", "surw", "rff"],
        programs: &[
            "Chess/WorkStealQueue",
            "Chess/StateWorkStealQueue",
            "RADBench/bug6",
        ],
        text: "*Written anew.* The text of the originals is not free. These come from the published \
               algorithm, or from the description of the bug: it is the same, and the steps around it \
               are others.",
    },
    Remark {
        strategies: &["portfolio"],
        programs: &[],
        text: "*Turns.* The portfolio is compared with the best single techniques that there are, and \
               each of its six members has only its share of the schedules.",
    },
];

/// The number of the remark about a row, counted from 1.
pub(crate) fn about(program: &str, strategy: &str) -> Option<usize> {
    let is_about = |remark: &Remark| {
        (remark.programs.is_empty() || remark.programs.contains(&program))
            && (remark.strategies.is_empty() || remark.strategies.contains(&strategy))
    };
    REMARKS.iter().position(is_about).map(|index| index + 1)
}
