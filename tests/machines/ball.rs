//! A ball that counts for itself what it does, in statics, which each schedule finds as they were.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use cct::actor::{ActorRef, Context, Halt, HaltEvent, Machine, Pop, Push, Runtime, Then};

macro_rules! seen {
    ($($variant:ident $name:literal,)*) => {
        /// Something that the ball does.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub(crate) enum Seen { $($variant,)* }

        impl Seen {
            pub(crate) const ALL: &[Seen] = &[$(Seen::$variant,)*];

            pub(crate) fn name(self) -> &'static str {
                match self { $(Seen::$variant => $name,)* }
            }
        }
    };
}

seen! {
    Created "created",
    Halted "halted",
    EntersHere "enters Here",
    EntersThere "enters There",
    EntersAside "enters Aside",
    HitsHere "handled Hit in Here",
    HitsThere "handled Hit in There",
    LooksHere "handled Look in Here",
    LooksAside "handled Look in Aside",
    NoiseHere "handled Noise in Here",
    NoiseThere "handled Noise in There",
    IgnoresNoise "ignored Noise in Aside",
    DefersLook "deferred Look in There",
    Awaits "received Answer in There",
    DropsHit "dropped Hit in none",
    DropsLook "dropped Look in There",
    EndsHere "handled HaltEvent in Here",
    EndsThere "handled HaltEvent in There",
    EndsAside "handled HaltEvent in Aside",
    HereToThere "Here on Hit: goto There",
    ThereToHere "There on Hit: goto Here",
    HereToAside "Here on Look: push Aside",
    AsideBack "Aside on Look: pop",
    HaltsHere "Here on HaltEvent: halt",
    HaltsThere "There on HaltEvent: halt",
    HaltsAside "Aside on HaltEvent: halt",
}

static TIMES: [AtomicU64; Seen::ALL.len()] = [const { AtomicU64::new(0) }; Seen::ALL.len()];

fn note(seen: Seen) {
    TIMES[seen as usize].fetch_add(1, Relaxed);
}

/// The counts of the schedule that has ended.
pub(crate) fn seen() -> impl Iterator<Item = (Seen, u64)> {
    let times = TIMES.iter().map(|times| times.load(Relaxed));
    Seen::ALL.iter().copied().zip(times)
}

pub(crate) struct Hit;
pub(crate) struct Look;
pub(crate) struct Noise;
pub(crate) struct Answer;

pub(crate) struct Here;
pub(crate) struct There;
pub(crate) struct Aside;

/// The machine.
pub(crate) struct Ball {
    hits: u32,
}

#[cct::machine(start = Here, events(Answer))]
#[defer(There: Look)]
#[defer(_: Answer)]
#[ignore(Aside: Noise)]
impl Ball {
    #[entry]
    fn here(&mut self, _: &mut Here) {
        note(Seen::EntersHere);
    }

    #[entry]
    async fn there(&mut self, _: &mut There, cx: &mut Context<Self>) {
        note(Seen::EntersThere);
        cx.me().send(Answer);
        cx.receive::<Answer>().await;
        note(Seen::Awaits);
    }

    #[entry]
    fn aside(&mut self, _: &mut Aside) {
        note(Seen::EntersAside);
    }

    #[on]
    fn hit(&mut self, _: &mut Here, _: Hit) -> There {
        note(Seen::HitsHere);
        note(Seen::HereToThere);
        There
    }

    #[on]
    fn hit_back(&mut self, _: &mut There, _: Hit) -> Option<Here> {
        note(Seen::HitsThere);
        self.hits += 1;
        let goes = self.hits.is_multiple_of(2);
        if goes {
            note(Seen::ThereToHere);
        }
        goes.then_some(Here)
    }

    #[on]
    fn look(&mut self, _: &mut Here, _: Look) -> Push<Aside> {
        note(Seen::LooksHere);
        note(Seen::HereToAside);
        Push(Aside)
    }

    #[on]
    fn look_back(&mut self, _: &mut Aside, _: Look) -> Pop {
        note(Seen::LooksAside);
        note(Seen::AsideBack);
        Pop
    }

    #[on]
    fn noise(&mut self, _: Noise, cx: &mut Context<Self>) -> Then<Self> {
        note(match cx.state_name() {
            Some("Here") => Seen::NoiseHere,
            _ => Seen::NoiseThere,
        });
        Then::stay()
    }

    #[on]
    fn end(&mut self, _: HaltEvent, cx: &mut Context<Self>) -> Halt {
        let (ends, halts) = match cx.state_name() {
            Some("Here") => (Seen::EndsHere, Seen::HaltsHere),
            Some("There") => (Seen::EndsThere, Seen::HaltsThere),
            _ => (Seen::EndsAside, Seen::HaltsAside),
        };
        note(ends);
        note(halts);
        Halt
    }

    #[hook]
    #[expect(clippy::unused_self, reason = "a hook has it")]
    fn event_ignored(&mut self, _: &<Self as Machine>::Event, _: &mut Context<Self>) {
        note(Seen::IgnoresNoise);
    }

    #[hook]
    #[expect(clippy::unused_self, reason = "a hook has it")]
    fn event_deferred(&mut self, _: &<Self as Machine>::Event, _: &mut Context<Self>) {
        note(Seen::DefersLook);
    }

    #[hook]
    #[expect(clippy::unused_self, reason = "a hook has it")]
    fn halted(&mut self, _: &mut Context<Self>) {
        note(Seen::Halted);
    }
}

struct Play;

/// Somebody who does things to the ball.
struct Player {
    ball: ActorRef<Ball>,
    plays: fn(&ActorRef<Ball>),
}

#[cct::actor]
impl Player {
    #[on]
    fn play(&mut self, _: Play) {
        (self.plays)(&self.ball);
    }
}

/// Three players, and a fourth who takes the ball away.
pub(crate) fn body() {
    let runtime = Runtime::new();
    runtime.on_event_dropped(|event, _| match event {
        "Hit" => note(Seen::DropsHit),
        "Look" => note(Seen::DropsLook),
        _ => {}
    });
    let ball = runtime.create(Ball { hits: 0 });
    note(Seen::Created);
    let plays: [fn(&ActorRef<Ball>); 3] = [
        |ball| {
            ball.send(Hit);
            ball.send(Hit);
            ball.send(Look);
        },
        |ball| {
            ball.send(Noise);
            ball.send(Hit);
            ball.send(Look);
        },
        |ball| {
            // So the ball ends here, there or aside.
            if cct::nondet_bool() {
                ball.send(Hit);
            }
            if cct::nondet_bool() {
                ball.send(Look);
            }
            ball.send(Noise);
        },
    ];
    for plays in plays {
        let player = runtime.create(Player {
            ball: ball.clone(),
            plays,
        });
        player.send(Play);
    }
    runtime.wait_until_idle().expect("nothing fails");
    ball.halt();
    runtime.wait_until_idle().expect("nothing fails");
    ball.send(Hit);
}
