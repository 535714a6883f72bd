//! The expansions, as text; how they behave is shown where they are used.

use proc_macro2::TokenStream;
use quote::quote;

use crate::settings::Settings;
use crate::{allocator, benign_race, expand, thread_unsafe};

fn std_test(item: &TokenStream) -> String {
    expand::std_test(&TokenStream::new(), item).to_string()
}

fn text(settings: TokenStream) -> String {
    let (settings, errors) = Settings::read(settings);
    assert!(errors.is_empty(), "{errors:?}");
    settings.text
}

fn errors(settings: TokenStream) -> Vec<String> {
    let (_, errors) = Settings::read(settings);
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn a_test_keeps_its_signature_and_its_body() {
    let expanded = std_test(&quote!(
        pub(crate) fn works() -> Result<(), E>
        where
            u8: Copy,
        {
            body
        }
    ));
    let expected = quote! {
        #[::core::__cct::real_test]
        pub(crate) fn works() -> Result<(), E> where u8: Copy, {
            fn works() -> Result<(), E> where u8: Copy, { body }
            ::core::__cct::run_test(
                &::core::__cct::TestCase {
                    name: ::core::concat!(::core::module_path!(), "::works"),
                    should_panic: ::core::__cct::ShouldPanic::No,
                    settings: "",
                },
                works,
            )
        }
    };
    assert_eq!(expanded, expected.to_string());
}

#[test]
fn a_test_may_have_lifetimes() {
    let expanded = std_test(&quote!(
        fn odd<'a>() -> Result<(), &'a str> {
            body
        }
    ));
    assert!(expanded.contains("run_test"), "{expanded}");
}

#[test]
fn a_body_that_does_not_parse_is_none_of_our_business() {
    let expanded = std_test(&quote!(fn odd() { let 3 $ => ?? }));
    assert!(expanded.contains("run_test"), "{expanded}");
}

#[test]
fn what_is_no_plain_test_goes_to_std_as_it_is() {
    let items = [
        quote!(
            const fn odd() {}
        ),
        quote!(
            async fn odd() {}
        ),
        quote!(
            unsafe fn odd() {}
        ),
        quote!(
            fn odd<T>() {}
        ),
        quote!(
            fn odd(x: u8) {}
        ),
        quote!(
            fn odd();
        ),
        quote!(
            struct Odd;
        ),
        quote!(
            #[tokio::test]
            fn odd() {}
        ),
        quote!(
            #[bench]
            fn odd() {}
        ),
        quote!(
            fn odd() {}
            fn even() {}
        ),
    ];
    for item in items {
        let expected = quote!(#[::core::__cct::real_test] #item);
        assert_eq!(std_test(&item), expected.to_string());
    }
    let expanded = expand::std_test(
        &quote!(odd),
        &quote!(
            fn works() {}
        ),
    );
    let expected = quote!(
        #[::core::__cct::real_test(odd)]
        fn works() {}
    );
    assert_eq!(expanded.to_string(), expected.to_string());
}

#[test]
fn attributes_stay_where_they_matter() {
    let expanded = std_test(&quote! {
        #[ignore = "slow"]
        #[with_database]
        #[should_panic]
        fn works() {}
    });
    let (outside, inside) = expanded.split_once('{').expect("a body");
    assert!(
        outside.contains("ignore") && outside.contains("should_panic"),
        "{outside}"
    );
    assert!(inside.contains("# [with_database] fn works"), "{inside}");
}

#[test]
fn every_form_of_should_panic_is_read() {
    let expectation = |attribute: TokenStream| {
        let expanded = std_test(&quote!(#attribute fn works() {}));
        let after = expanded
            .split("should_panic : :: core :: __cct :: ShouldPanic :: ")
            .nth(1);
        after
            .and_then(|after| after.split(" ,").next())
            .map(str::to_owned)
    };
    let cases = [
        (quote!(), "No"),
        (quote!(#[should_panic]), "Yes"),
        (quote!(#[should_panic = "why"]), "With (\"why\")"),
        (quote!(#[should_panic(expected = "why")]), "With (\"why\")"),
        (
            quote!(#[should_panic(expected = r"why\")]),
            "With (r\"why\\\")",
        ),
        (quote!(#[should_panic(unknown)]), "Yes"),
    ];
    for (attribute, expected) in cases {
        assert_eq!(expectation(attribute).as_deref(), Some(expected));
    }
}

#[test]
fn settings_leave_as_the_harness_reads_them() {
    let all = quote! {
        iterations = 5, time = "2s", max_steps = 5_000, strategy = "pct:3", seed = 7,
        detached_steps = 0, temperature = 9, fail_on_unobserved_panic = true, atomic = "a, b-c",
        watch = 1, uncontrolled_attempts = 3, uncontrolled_delay = 0, uncontrolled_timeout = "2s",
    };
    let expected = "iterations=5\ntime=2000\nmax_steps=5000\nstrategy=pct:3\nseed=7\n\
                    detached_steps=0\ntemperature=9\nfail_on_unobserved_panic=true\n\
                    atomic=a,b-c\nwatch=1\nuncontrolled_attempts=3\nuncontrolled_delay=0\n\
                    uncontrolled_timeout=2000\n";
    assert_eq!(text(all), expected);
    assert_eq!(text(quote!(time = "1m")), "time=60000\n");
    assert_eq!(text(quote!(time = "15ms")), "time=15\n");
    assert_eq!(text(quote!(crate = elsewhere::cct)), "");
}

#[test]
fn all_wrong_settings_are_reported_together() {
    let found = errors(quote! {
        iterations = 0, seed = 1, seed = 2, speed = 3, time = "2", time = "s", strategy = pct,
        detached_steps = 4294967296, fail_on_unobserved_panic = 1, atomic = "a,,b",
    });
    let expected = [
        "setting `iterations` takes a whole number from 1",
        "setting `seed` is given twice",
        "no setting is called `speed`",
        "setting `time` takes a time",
        "setting `time` is given twice",
        "setting `strategy` takes a string",
        "setting `detached_steps` takes a whole number from 0 to 4294967295",
        "setting `fail_on_unobserved_panic` takes `true` or `false`",
        "setting `atomic` takes names of crates",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}");
    }
    assert_eq!(
        errors(quote!(seed)),
        ["setting `seed` needs a value, as in `seed = …`"]
    );
}

#[test]
fn a_wrong_test_is_left_as_it_was_written() {
    let item = quote!(
        async fn odd(x: u8) {}
    );
    let expanded = expand::cct_test(quote!(speed = 1), &item).to_string();
    assert_eq!(expanded.matches("compile_error").count(), 3, "{expanded}");
    assert!(expanded.ends_with(&item.to_string()), "{expanded}");
}

fn global_allocator(item: &TokenStream) -> String {
    allocator::std_global_allocator(&TokenStream::new(), item).to_string()
}

#[test]
fn a_global_allocator_stays_and_another_stands_before_it() {
    let program = quote! {
        /// Counts.
        #[allow(dead_code)]
        pub(crate) static COUNTING: Counting<8> = Counting::new();
    };
    let expected = quote! {
        #program
        const _: () = {
            #[::core::__cct::real_global_allocator]
            static __CCT_ALLOCATOR: ::core::__cct::Allocator<Counting<8> > =
                ::core::__cct::Allocator::new(&COUNTING);
        };
    };
    assert_eq!(global_allocator(&program), expected.to_string());
}

#[test]
fn what_is_no_plain_static_goes_to_the_attribute_of_std() {
    let items = [
        quote!(
            static mut A: T = T;
        ),
        quote!(
            fn f() {}
        ),
        quote!(
            static A: T;
        ),
        quote!(static A = T;),
        quote!(
            const A: T = T;
        ),
    ];
    for item in &items {
        let expected = quote!(#[::core::__cct::real_global_allocator] #item);
        assert_eq!(global_allocator(item), expected.to_string());
    }
    let (args, item) = (
        quote!(odd),
        &quote!(
            static A: T = T;
        ),
    );
    let expected = quote!(#[::core::__cct::real_global_allocator(odd)] #item);
    let expanded = allocator::std_global_allocator(&args, item);
    assert_eq!(expanded.to_string(), expected.to_string());
}

#[test]
fn races_are_meant_while_a_function_runs() {
    let expand = |args, item| benign_race::benign_race(args, &item).to_string();
    let expanded = expand(
        quote!("it does no harm", crate = my::cct),
        quote!(
            #[inline]
            pub unsafe fn count<T>(&self, by: T) -> u8 {
                body
            }
        ),
    );
    let expected = quote! {
        #[inline]
        pub unsafe fn count<T>(&self, by: T) -> u8 {
            let __benign_races = my::cct::BenignRaces::begin();
            body
        }
    };
    assert_eq!(expanded, expected.to_string());
    for (args, item, words) in [
        (
            quote!(),
            quote!(
                fn f() {}
            ),
            "say why",
        ),
        (
            quote!(" "),
            quote!(
                fn f() {}
            ),
            "say why",
        ),
        (
            quote!("why"),
            quote!(
                async fn f() {}
            ),
            "that is `async`",
        ),
        (
            quote!("why"),
            quote!(
                const fn f() {}
            ),
            "that is `const`",
        ),
        (
            quote!("why"),
            quote!(
                static A: u8 = 1;
            ),
            "expected `fn`",
        ),
    ] {
        let expanded = expand(args, item);
        assert!(expanded.contains(words), "{expanded}");
    }
}

#[test]
fn a_call_is_told_while_a_function_begins() {
    let expand = |args, item| thread_unsafe::thread_unsafe(args, &item).to_string();
    let expanded = expand(
        quote!("handle", reads, key = &self.0, crate = my::cct),
        quote!(
            pub fn size(&self) -> u8 {
                body
            }
        ),
    );
    let expected = quote! {
        pub fn size(&self) -> u8 {
            {
                static __CALL: my::cct::ThreadUnsafe =
                    my::cct::ThreadUnsafe::new("handle", ::core::stringify!(size), false);
                __CALL.call(::core::option::Option::Some(&self.0));
            }
            body
        }
    };
    assert_eq!(expanded, expected.to_string());
    for (args, words) in [
        (quote!(), "say which functions"),
        (quote!("", writes), "a group has a name"),
        (quote!("g", changes), "it is `reads` or `writes`"),
        (quote!("g", writes, by = self), "it is `key` or `crate`"),
    ] {
        let expanded = expand(
            args,
            quote!(
                fn f() {}
            ),
        );
        assert!(expanded.contains(words), "{expanded}");
        assert!(expanded.ends_with("fn f () { }"), "{expanded}");
    }
    let expanded = expand(
        quote!("g", writes),
        quote!(
            async fn f() {}
        ),
    );
    assert!(expanded.contains("that is `async`"), "{expanded}");
}
