//! Macros of the facades in crates that have taken std's names for themselves.
#![deny(warnings)]
#![allow(dead_code, unused_macros, non_camel_case_types, non_upper_case_globals)]
#![allow(unnameable_test_items)]

pub mod taken {
    pub struct Option;
    pub struct Result;
    pub struct String;
    pub struct Box;
    pub enum Taken {
        Some,
        None,
        Ok,
        Err,
    }
    pub use self::Taken::*;
    pub fn drop() {}
    pub fn u8() {}
    pub mod std {}
    pub mod core {}
    pub mod cct {}
    pub mod real {}
    pub mod thread {}
    pub trait FnOnce {}
    pub trait Drop {}
    pub trait Send {}
    macro_rules! panic { () => {}; }
    macro_rules! concat { () => {}; }
    macro_rules! module_path { () => {}; }
    macro_rules! stringify { () => {}; }
    macro_rules! const_ { () => {}; }

    thread_local! {
        static KEY: i32 = 1;
        static LIST: ::std::cell::RefCell<::std::vec::Vec<i32>> =
            const { ::std::cell::RefCell::new(::std::vec::Vec::new()) };
        pub static __init: i32 = { fn init() -> i32 { 2 } init() };
        static VALUE: i32 = VALUES[0];
    }
    const VALUES: [i32; 1] = [3];

    #[test]
    fn body() {
        assert_eq!(KEY.with(|x| *x) + __init.with(|x| *x) + VALUE.with(|x| *x), 6);
        assert!(LIST.with(|x| x.borrow().is_empty()));
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn panics() {
        let at = VALUES.len() + 1;
        assert_eq!(VALUES[at], 1);
    }

    #[test]
    fn returns() -> ::std::result::Result<(), ::std::string::String> {
        ::std::result::Result::Ok(())
    }

    #[test]
    fn run() {
        fn body() -> i32 {
            1
        }
        assert_eq!(body(), 1);
    }

    #[test]
    fn test() {}

    #[test]
    fn main() {}

    #[test]
    fn r#match() {}
}

/// Names that an expansion could have chosen.
#[test]
fn __cct_body() {
    assert_eq!(__cct_test(), 1);
}

fn __cct_test() -> i32 {
    1
}

mod nested {
    use super::taken::Taken;

    #[test]
    fn attributes_may_come_from_elsewhere() {
        use std::prelude::v1::test;
        #[test]
        fn inner() {}
        assert!(matches!(Taken::Some, Taken::Some));
    }
}
