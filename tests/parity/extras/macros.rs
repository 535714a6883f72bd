//! Each macro of the preludes, unqualified and by path, and the preludes' names.
#![allow(unused, deprecated)]

extern crate core;

pub fn unqualified(values: &[u8]) -> String {
    assert!(true);
    assert!(true, "with {}", "arguments");
    assert_eq!(1, 1);
    assert_ne!(1, 2, "message");
    debug_assert!(true);
    debug_assert_eq!(1, 1);
    debug_assert_ne!(1, 2);
    print!("");
    println!();
    println!("{} {name}", 1, name = 2);
    eprint!("");
    eprintln!();
    let list = vec![1, 2, 3];
    let same = vec![dbg!(0); 3];
    let place = (file!(), line!(), column!(), module_path!());
    let text = concat!("a", 1, stringify!(b c));
    let set = option_env!("SOMETHING_UNSET").is_none() && cfg!(test);
    let this = matches!(values.first(), Some(1..=9));
    use std::fmt::Write;
    let mut out = String::new();
    let _ = write!(out, "{}", list.len());
    let _ = writeln!(out, "{}", same.len());
    if values.len() > 100 {
        panic!("with {}", "arguments");
    }
    if values.len() > 101 {
        panic!("alone");
    }
    if values.len() > 102 {
        unreachable!();
    }
    if values.len() > 103 {
        unreachable!("with {}", 1);
    }
    if values.len() > 104 {
        todo!();
    }
    if values.len() > 105 {
        unimplemented!("with {}", 1);
    }
    format!("{}{:?}{}{}{}", out, place, text, set, this)
}

pub fn by_path() -> ::std::string::String {
    ::std::assert!(true);
    ::std::assert_eq!(1, 1);
    ::std::assert_ne!(1, 2);
    ::std::debug_assert!(true);
    ::std::println!("{}", ::std::concat!("a", "b"));
    ::std::eprintln!("{}", ::std::stringify!(x));
    ::core::assert!(true);
    ::core::debug_assert_eq!(1, 1);
    let _ = ::std::matches!(Some(1), Some(_));
    let _ = ::std::vec![1];
    let _ = ::core::format_args!("{}", 1).to_string();
    ::std::thread_local! { static KEY: u8 = 1; }
    ::std::thread_local!(static OTHER: u8 = const { 1 });
    KEY.with(|x| ::std::format!("{}", *x + OTHER.with(|y| *y)))
}

pub mod imported {
    use std::thread_local as local;
    use std::{format, println};

    local! { pub static KEY: u8 = 1; }

    pub fn text() -> String {
        println!("text");
        format!("{}", KEY.with(|x| *x))
    }
}

pub fn never(at: u8) -> u8 {
    match at {
        0 => panic!(),
        1 => panic!("{}", at),
        2 => std::panic!("by path"),
        3 => core::panic!("by path"),
        4 => std::unreachable!(),
        5 => std::todo!(),
        _ => std::unimplemented!(),
    }
}

#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Derived(u8);

#[derive(std::fmt::Debug, std::clone::Clone, core::default::Default)]
pub struct ByPath(u8);

pub fn names(text: &str) -> Result<Option<Box<String>>, Vec<u8>> {
    let copy: String = text.to_owned() + &text.to_string();
    drop(copy.clone());
    let as_ref: &str = AsRef::as_ref(&copy);
    let into: Box<str> = Into::into(as_ref);
    let mut all: Vec<u8> = Extend::<u8>::extend(&mut Vec::new(), None).clone_into_vec();
    all.extend(Iterator::rev(IntoIterator::into_iter(into.into_string().into_bytes())));
    if all.is_empty() { Err(all) } else { Ok(Some(Box::new(copy))) }
}

trait IntoVec {
    fn clone_into_vec(self) -> Vec<u8>;
}
impl IntoVec for () {
    fn clone_into_vec(self) -> Vec<u8> {
        Vec::new()
    }
}

pub fn bounds<T: Send + Sync + Unpin + Sized + Clone, F: Fn() -> T>(f: F) -> T {
    f()
}
