//! `thread_local!` in all its forms.
#![deny(warnings)]
#![allow(dead_code)]

use std::cell::{Cell, RefCell};
use std::thread::LocalKey;

thread_local! {}
thread_local!(static ONE: u8 = 1);
thread_local!(static ONE_WITH_SEMICOLON: u8 = 1;);
thread_local! {
    static PRIVATE: Cell<u8> = Cell::new(1);
    pub static PUBLIC: RefCell<Vec<u8>> = RefCell::new(Vec::new());
    pub(crate) static IN_CRATE: u8 = {
        let base = 1;
        base + 1
    };
    /// With a doc comment.
    #[allow(unused)]
    pub static WITH_ATTRIBUTES: Option<Box<u8>> = None
}
thread_local! {
    static CONSTANT: Cell<u8> = const { Cell::new(1) };
    #[allow(unused)]
    pub(crate) static CONSTANT_WITH_DROP: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static LAZY_AMONG_THEM: String = String::from("text");
    static LAST: Cell<Option<u8>> = const { Cell::new(None) }
}

pub mod inner {
    thread_local! {
        pub(super) static ABOVE: u8 = 1;
    }
}

pub fn inside_a_function() -> usize {
    thread_local! {
        static DEPTH: Cell<usize> = const { Cell::new(0) };
    }
    DEPTH.with(|depth| depth.replace(depth.get() + 1))
}

pub struct Owner;

impl Owner {
    pub fn inside_a_method(&self) -> u8 {
        thread_local!(static COUNT: Cell<u8> = Cell::new(0));
        COUNT.with(|count| count.get())
    }
}

macro_rules! declared_by_a_macro {
    ($($name:ident: $kind:ty = $value:expr;)*) => {
        thread_local! { $(static $name: $kind = $value;)* }
    };
}
declared_by_a_macro! {
    FIRST: u8 = 1;
    SECOND: Vec<u8> = vec![1];
}

macro_rules! declared_const_by_a_macro {
    ($name:ident, $kind:ty, $value:expr) => {
        thread_local!(static $name: $kind = const { $value });
    };
}
declared_const_by_a_macro!(THIRD, Cell<u8>, Cell::new(3));

pub fn by_reference() -> &'static LocalKey<Cell<u8>> {
    &PRIVATE
}

pub static KEYS: [&LocalKey<Cell<u8>>; 2] = [&PRIVATE, &CONSTANT];

pub fn by_const_parameter(key: &'static LocalKey<RefCell<Vec<u8>>>) -> usize {
    key.with(|list| list.borrow().len())
}

pub fn all() -> usize {
    PRIVATE.set(2);
    PUBLIC.with_borrow_mut(|list| list.push(PRIVATE.get()));
    let _ = PUBLIC.replace(Vec::new());
    let _ = CONSTANT.take();
    let seen = WITH_ATTRIBUTES.try_with(|value| value.is_none()).unwrap_or(false);
    by_const_parameter(&PUBLIC) + usize::from(seen) + KEYS.len()
}
