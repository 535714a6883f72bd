//! The order in which an actor takes events, beside a model that looks at all of its inbox each time.

use cct::actor::{Context, DefaultEvent, Raise, TestKit};

type Number = u32;

struct A(Number);
struct B(Number);
struct C(Number);
struct D(Number);

struct Idle;
struct Busy;
struct Full;

/// Keeps what it has handled.
#[derive(Default)]
struct Takes {
    handled: Vec<(char, Number)>,
}

#[cct::machine(start = Idle)]
#[defer(Idle: B)]
#[ignore(Idle: C)]
#[defer(Busy: A)]
#[defer(Full: B, C)]
impl Takes {
    #[on]
    fn a(&mut self, _: &mut Idle, A(number): A) {
        self.handled.push(('a', number));
    }

    #[on]
    fn go(&mut self, _: &mut Idle, D(number): D) -> Busy {
        self.handled.push(('d', number));
        Busy
    }

    #[on]
    fn b(&mut self, _: &mut Busy, B(number): B) {
        self.handled.push(('b', number));
    }

    #[on]
    fn fill(&mut self, _: &mut Busy, C(number): C) -> Full {
        self.handled.push(('c', number));
        Full
    }

    #[on]
    async fn wait(&mut self, _: &mut Busy, D(number): D, cx: &mut Context<Self>) {
        self.handled.push(('d', number));
        let B(number) = cx.receive().await;
        self.handled.push(('r', number));
    }

    #[on]
    fn leave(&mut self, _: &mut Full, A(number): A) -> Idle {
        self.handled.push(('a', number));
        Idle
    }

    #[on]
    fn put_back(&mut self, _: &mut Full, D(number): D) -> Raise<C> {
        self.handled.push(('d', number));
        Raise(C(number))
    }

    #[on]
    fn nothing(&mut self, _: &mut Full, _: DefaultEvent) -> Idle {
        self.handled.push(('-', 0));
        Idle
    }
}

/// The same, as simple as it can be said.
#[derive(Default)]
struct Model {
    state: usize,
    receives: bool,
    queue: Vec<(char, Number)>,
    handled: Vec<(char, Number)>,
}

impl Model {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(&(kind, number)) = self.queue.get(at) {
            let handles = match (self.receives, self.state, kind) {
                (true, _, 'b') => Some('r'),
                (true, ..) | (false, 0 | 2, 'b') | (false, 1, 'a') | (false, 2, 'c') => None,
                (false, 0, 'c') => Some('i'),
                _ => Some(kind),
            };
            let Some(handles) = handles else {
                at += 1;
                continue;
            };
            self.queue.remove(at);
            at = 0;
            if handles == 'i' {
                continue;
            }
            self.handled.push((handles, number));
            match (self.state, handles) {
                (_, 'r') => self.receives = false,
                (0, 'd') => self.state = 1,
                (1, 'c') => self.state = 2,
                (1, 'd') => self.receives = true,
                (2, 'a') => self.state = 0,
                (2, 'd') => self.queue.insert(0, ('c', number)),
                _ => {}
            }
        }
    }

    /// The default event.
    fn pass(&mut self) {
        if self.state == 2 {
            self.handled.push(('-', 0));
            self.state = 0;
            self.run();
        }
    }
}

#[test]
fn events_are_taken_as_by_a_model_that_looks_at_all_of_them() {
    let mut random = 1_u64;
    let mut draw = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % below
    };
    let mut deferred = 0;
    for _ in 0..300 {
        let mut kit = TestKit::start(Takes::default());
        let mut model = Model::default();
        for number in 0..60 {
            let kind = ['a', 'b', 'c', 'd', '-'][draw(5) as usize];
            match kind {
                'a' => kit.send(A(number)),
                'b' => kit.send(B(number)),
                'c' => kit.send(C(number)),
                'd' => kit.send(D(number)),
                _ if kit.waits() => continue,
                _ => {
                    assert_eq!(kit.default_event(), model.state == 2);
                    model.pass();
                    continue;
                }
            }
            model.queue.push((kind, number));
            model.run();
            assert_eq!(kit.waits(), model.receives);
            deferred = deferred.max(model.queue.len());
        }
        if !kit.waits() {
            assert_eq!(kit.actor().handled, model.handled);
        }
    }
    assert!(deferred > 10, "{deferred}");
}
