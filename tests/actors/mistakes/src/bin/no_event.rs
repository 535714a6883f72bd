//! A handler of nothing, and an entry that takes an event.

struct Idle;
struct Job;
struct Worker;

#[cct::machine(start = Idle)]
impl Worker {
    #[on]
    fn job(&mut self, _: &mut Idle) {} //~ error: a handler takes its event by value; to have none is `_: DefaultEvent`

    #[entry]
    fn enter(&mut self, _: &mut Idle, _: Job) {} //~ error: nothing but the state is given to an entry or exit

    #[exit] //~ error: which state is it for? It has a parameter of that type, or names it
    fn leave(&mut self) {}

    #[on]
    fn no_method(_: Job) {} //~ error: a handler is a method: it has `&mut self` or `&self`
}

fn main() {}
