//! The strategies that there are, a row for each.

use super::{
    Bounded, Delay, Dpor, Graph, Pct, Pctwm, Period, Pos, QLearning, Random, Rff, Sticky, Strategy,
    Surw, TaskDelay, TaskPct, Trap,
};

macro_rules! kinds {
    ($(
        $(#[doc = $about:literal])+
        $variant:ident $name:literal $default:tt $($mark:ident)? => $build:expr,
    )*) => {
        /// The strategies there are.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kind { $($(#[doc = $about])+ $variant,)* }

        /// See [`super::Spec::GRAMMAR`].
        pub(super) const GRAMMAR: &str = concat!(
            "`portfolio`, ",
            $(kinds!(@form $name $default), ", ",)*
            "`A@N+B` (A up to step N, then B), or several of them with commas between"
        );

        impl Kind {
            /// Every kind, in the order of the documentation.
            pub const ALL: &[Kind] = &[$(Kind::$variant,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)* }
            }

            /// The parameter unless one is given; 0 for a kind that takes none.
            pub const fn default_parameter(self) -> u32 {
                match self { $(Kind::$variant => $default,)* }
            }

            /// Describes it in a line.
            pub fn about(self) -> &'static str {
                match self { $(Kind::$variant => concat!($($about),+).trim(),)* }
            }

            /// How it is written, as in the [grammar](super::Spec::GRAMMAR).
            pub const fn form(self) -> &'static str {
                match self { $(Kind::$variant => kinds!(@form $name $default),)* }
            }

            /// True for a kind whose strategies enumerate, see [`Strategy::enumerator`]: one that is
            /// marked in the table below.
            pub const fn enumerates(self) -> bool {
                match self { $(Kind::$variant => equal(
                    concat!($(stringify!($mark))?).as_bytes(),
                    b"enumerates",
                ),)* }
            }

            /// Builds it.
            pub fn build(self, parameter: u32) -> Box<dyn Strategy> {
                match self { $(Kind::$variant => {
                    let build: fn(u32) -> Box<dyn Strategy> = $build;
                    build(parameter)
                })* }
            }
        }
    };
    (@form $name:literal 0) => { concat!("`", $name, "`") };
    (@form $name:literal $default:literal) => { concat!("`", $name, ":N`") };
}

kinds! {
    /// Uniform random.
    Random "random" 0 => |_| Box::new(Random::default()),
    /// The sticky random walk: switches with probability 1/n. Coyote's `probabilistic:B` is that with 2^B.
    Sticky "sticky" 20 => |n| Box::new(Sticky::new(n)),
    /// PCT of depth d.
    Pct "pct" 3 => |depth| Box::new(Pct::new(depth)),
    /// PCT of depth d over chains of tasks.
    TaskPct "task-pct" 3 => |depth| Box::new(TaskPct::new(depth)),
    /// PCT for weak memory: before d operations on atomics a worker is put off, and only then sees others.
    Pctwm "pctwm" 3 => |depth| Box::new(Pctwm::new(depth)),
    /// Partial order sampling: new priorities for operations that conflict.
    Pos "pos" 0 => |_| Box::new(Pos::default()),
    /// Selectively uniform: all orders of the accesses to one object are equally probable.
    Surw "surw" 0 => |_| Box::new(Surw::default()),
    /// Workers in turn, but for n delays at random steps.
    Delay "delay" 5 => |delays| Box::new(Delay::new(delays)),
    /// Chains of tasks or events in turn, but for n delays at random steps.
    TaskDelay "task-delay" 5 => |delays| Box::new(TaskDelay::new(delays)),
    /// Workers are held where others may come to the same object, at places of n pairs: TSVD under control.
    Trap "trap" 2 => |pairs| Box::new(Trap::new(pairs)),
    /// Every schedule once, depth first.
    Dfs "dfs" 0 enumerates => |_| Box::new(Graph::first()),
    /// Every schedule once, in random order.
    GraphRandom "graph-random" 0 enumerates => |_| Box::new(Graph::random()),
    /// Every schedule once, in random order, each about equally probable.
    GraphWeighted "graph-weighted" 0 enumerates => |_| Box::new(Graph::weighted()),
    /// Every schedule with at most n preemptions once, those with fewer first.
    Preemption "preemption" 2 enumerates => |bound| Box::new(Bounded::by_preemptions(bound)),
    /// Every schedule with at most n delays once, those with fewer first.
    DelayIterative "delay-iterative" 2 enumerates => |bound| Box::new(Bounded::by_delays(bound)),
    /// The reads-from fuzzer: feedback on which write each read gets its value from.
    Rff "rff" 0 => |_| Box::new(Rff::default()),
    /// Few periods, in each of which one worker runs from one key point to another; up to n.
    Period "period" 5 enumerates => |periods| Box::new(Period::new(periods)),
    /// Q-learning: feedback on which states have been seen.
    QLearning "q-learning" 0 => |_| Box::new(QLearning::default()),
    /// Every behaviour once (source-DPOR).
    Dpor "dpor" 0 enumerates => |_| Box::new(Dpor::new()),
}

/// True for equal texts; at compile time, too.
pub(super) const fn equal(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}
