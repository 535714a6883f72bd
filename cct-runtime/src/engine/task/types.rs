//! The name of a future's type tells what it polls, and what it was made of.

use crate::known::POINTERS;

/// True if polling a future of the type `future` is polling the async body `body`.
///
/// An async body's type is named as the function it is from; a box, or a reference, polls what it refers
/// to; what lies behind a `dyn` is taken for an async body, as it nearly always is.
pub(super) fn leads_to(future: &str, body: &str) -> bool {
    let mut future = future;
    loop {
        if future == body {
            return !body.is_empty();
        }
        match unwrapped(future) {
            Some(inner) if inner.starts_with("dyn ") => return true,
            Some(inner) => future = inner,
            None => return false,
        }
    }
}

/// True if a future of the type `future` is an async body of the crate that `body` is of.
///
/// It is ready unless something that it awaits is not, which has an await point of its own there: nobody can
/// tell that its task was held back before it but the body around it, which relies on that.
pub(super) fn has_own_points(future: &str, body: &str) -> bool {
    is_body(future, body) && crate_of(innermost(future)) == crate_of(body)
}

/// True if a future of the type `future` is an async body.
pub(super) fn is_body(future: &str, _: &str) -> bool {
    innermost(future).ends_with("::{{closure}}")
}

/// The crate that the name of a body begins with.
fn crate_of(name: &str) -> Option<&str> {
    name.trim_start_matches(['<', '&']).split("::").next()
}

/// True if a future of the type `future` was made of one of the type `part`, and not of one that was made of
/// that: then the call that made it is the one that got the part.
pub(super) fn is_made_of(future: &str, part: &str) -> bool {
    let future = innermost(future);
    let mut places = future.match_indices(part);
    places.any(|(at, _)| {
        let before = &future[..at];
        let arrows = before.matches("->").count();
        before.matches('<').count() + arrows == before.matches('>').count() + 1
    })
}

/// The type that pointers to pointers refer to in the end.
fn innermost(mut future: &str) -> &str {
    while let Some(inner) = unwrapped(future) {
        future = inner;
    }
    future
}

/// The type that a pointer refers to, which polls just that.
fn unwrapped(future: &str) -> Option<&str> {
    POINTERS.iter().find_map(|(start, end)| {
        let inner = future.strip_prefix(start)?;
        inner.strip_suffix(end)
    })
}

#[cfg(test)]
mod tests {
    use super::{has_own_points, is_made_of, leads_to};

    #[test]
    fn what_a_call_made_of_its_argument_names_that_first() {
        let part = "Driven<app::serve::{{closure}}>";
        let run = format!("exec::Executor<fn() -> u8>::run<(), {part}>::{{{{closure}}}}");
        assert!(is_made_of(&run, part));
        assert!(is_made_of(&format!("core::pin::Pin<&mut {run}>"), part));
        assert!(!is_made_of(&format!("timeout::Timeout<{run}>"), part));
        assert!(!is_made_of(part, part));
        assert!(!is_made_of("exec::Executor::run<()>::{{closure}}", part));
    }

    #[test]
    fn bodies_of_the_own_crate_have_points_of_their_own() {
        let body = "app::serve::{{closure}}";
        let boxed = "core::pin::Pin<alloc::boxed::Box<app::Server<u8>::run::{{closure}}>>";
        for own in [body, boxed, "<app::A as app::B>::f::{{closure}}"] {
            assert!(has_own_points(own, body), "{own}");
        }
        for other in [
            "tokio::sync::mutex::Mutex<u8>::lock::{{closure}}",
            "app::Timer",
            "app::join::Join<app::serve::{{closure}}>",
            "core::pin::Pin<alloc::boxed::Box<dyn core::future::Future<Output = ()>>>",
        ] {
            assert!(!has_own_points(other, body), "{other}");
        }
    }

    #[test]
    fn a_body_is_polled_by_who_awaits_it_and_by_nobody_else() {
        let body = "app::serve::{{closure}}";
        assert!(leads_to(body, body));
        assert!(leads_to("&mut app::serve::{{closure}}", body));
        assert!(leads_to(
            "core::pin::Pin<alloc::boxed::Box<app::serve::{{closure}}>>",
            body
        ));
        assert!(leads_to(
            "core::pin::Pin<alloc::boxed::Box<dyn core::future::Future<Output = ()>>>",
            body
        ));
        assert!(!leads_to("timeout::Timeout<app::serve::{{closure}}>", body));
        assert!(!leads_to("app::other::{{closure}}", body));
        assert!(!leads_to("", body));
        assert!(!leads_to("", ""));
    }
}
