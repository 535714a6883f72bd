//! Futures that are handed to an executor say so: what is spawned, and what `block_on` drives.
//!
//! ```text
//! tokio::spawn(worker(rx))     tokio::spawn(__cct_task!(worker(rx)))
//! block_on(async { 1 })        block_on(__cct_root!(async { 1 }))
//! ```

use cct::known::{DRIVE, SPAWN};

use crate::rewrite::handing::{Role, hand_over};
use crate::rewrite::{Edit, Source};

/// Says at each call that may be given a future that it is.
pub(super) fn run(source: &Source<'_>) -> Vec<Edit> {
    let named = source.named.names();
    let words: [&[&str]; 3] = [&SPAWN, &DRIVE, &named];
    if !words.iter().any(|words| source.may_have(words)) {
        return Vec::new();
    }
    hand_over(source, &[Role::Spawn, Role::Drive])
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::rewrite::pass::made_by;

    #[test]
    fn what_may_be_a_future_is_handed_over() {
        for (text, expected) in [
            (
                "tokio::spawn(async move { a }, b)",
                "tokio::spawn(__cct_task!(async move { a }), b)",
            ),
            (
                "spawn(async {}.instrument(s))",
                "spawn(__cct_task!(async {}.instrument(s)))",
            ),
            (
                "set.spawn_on(work(a, b), &h)",
                "set.spawn_on(__cct_task!(work(a, b)), &h)",
            ),
            (
                "s.spawn_local(self.run::<A, B>())",
                "s.spawn_local(__cct_task!(self.run::<A, B>()))",
            ),
            ("pool.spawn_ok(job,)", "pool.spawn_ok(__cct_task!(job),)"),
            ("spawn(Job { n: 1 })", "spawn(__cct_task!(Job { n: 1 }))"),
            (
                "spawn({ let a = a.clone(); async move { a } })",
                "spawn(__cct_task!({ let a = a.clone(); async move { a } }))",
            ),
            ("rt.block_on(f(&x))", "rt.block_on(__cct_root!(f(&x)))"),
            ("block_on(&mut f)", "block_on(__cct_root!(&mut f))"),
            (
                "block_on(async { spawn(a()) })",
                "block_on(__cct_root!(async { spawn(__cct_task!(a())) }))",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    /// The box may become one of `dyn Future`, as its parameter wants it, which only a box can.
    #[test]
    fn what_is_boxed_is_handed_over_in_its_box() {
        for (text, expected) in [
            (
                "e.spawn(Box::pin(a()))",
                "e.spawn(Box::pin(__cct_task!(a())))",
            ),
            (
                "e.spawn(async {}.boxed())",
                "e.spawn(__cct_task!(async {}).boxed())",
            ),
            (
                "e.spawn(a().b().boxed_local())",
                "e.spawn(__cct_task!(a().b()).boxed_local())",
            ),
            (
                "e.spawn_obj(FutureObj::new(Box::new(a())))",
                "e.spawn_obj(FutureObj::new(Box::new(__cct_task!(a()))))",
            ),
            (
                "e.spawn_local_obj(Box::pin(async {}).into())",
                "e.spawn_local_obj(Box::pin(__cct_task!(async {})).into())",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn what_comes_after_a_key_or_a_runtime_is_found() {
        for (text, expected) in [
            (
                "map.spawn(key, work(a))",
                "map.spawn(__cct_task!(key), __cct_task!(work(a)))",
            ),
            (
                "local.block_on(&rt, async {})",
                "local.block_on(__cct_root!(&rt), __cct_root!(async {}))",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn macros_rules_are_read_as_far_as_they_can_be() {
        for (text, expected) in [
            (
                "macro_rules! m { ($($b:tt)*) => { spawn(async move { $($b)* }) } }",
                "macro_rules! m { ($($b:tt)*) => { spawn(__cct_task!(async move { $($b)* })) } }",
            ),
            (
                "macro_rules! m { ($f:expr) => { spawn($f) } }",
                "macro_rules! m { ($f:expr) => { spawn($f) } }",
            ),
        ] {
            assert_eq!(made_by(run, text), expected);
        }
    }

    #[test]
    fn what_is_no_future_or_has_no_type_of_its_own_stays() {
        for text in [
            "spawn(|| a()); spawn(move || a()); s.spawn(|s| a()); spawn(async || a())",
            "fn spawn(a: A) {} command.spawn(); spawn!(a); spawn::<F>(a)",
            "w.spawn(1); w.spawn(-a); w.spawn((a, b)); w.spawn(&a); w.spawn(\"a\"); w.spawn(vec![1])",
            "w.spawn(a.into()); w.spawn(a.parse().unwrap()); w.spawn(a.iter().collect())",
            "w.spawn(None); w.spawn(Some(a)); w.spawn(Box::new(a)); w.spawn(Default::default())",
            "spawn({ let a = b; move || a })",
        ] {
            assert_eq!(made_by(run, text), text);
        }
    }
}
