//! The test attribute in all its forms.
#![deny(warnings)]

#[test]
fn plain() {}

#[test]
pub fn public() {}

#[test]
#[should_panic]
fn panics() {
    panic!("as it should");
}

#[test]
#[should_panic(expected = "should")]
fn panics_with_a_message() {
    panic!("as it should");
}

#[should_panic = "should"]
#[test]
fn attributes_before() {
    panic!("as it should");
}

#[test]
#[ignore]
fn ignored() {}

#[test]
#[ignore = "for a reason"]
fn ignored_for_a_reason() {}

#[test]
fn returns_unit() -> () {}

#[test]
fn returns_a_result() -> Result<(), String> {
    Ok(())
}

#[test]
fn returns_any_error() -> Result<(), Box<dyn std::error::Error>> {
    let _: u8 = "1".parse()?;
    Ok(())
}

#[test]
fn returns_an_exit_code() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}

/// With a doc comment.
#[test]
#[allow(unused_variables)]
#[cfg(not(any()))]
fn with_other_attributes() {
    let unused = 1;
}

#[core::prelude::v1::test]
fn by_path_of_core() {}

#[std::prelude::v1::test]
fn by_path_of_std() {}

mod inner {
    #[test]
    fn in_a_module() {}

    mod without_imports {
        #[test]
        fn in_a_deeper_module() {
            let text = super::helper();
            assert_eq!(text, "help");
        }
    }

    fn helper() -> &'static str {
        "help"
    }
}

macro_rules! test_by_macro {
    ($($name:ident => $body:block)*) => {$(
        #[test]
        fn $name() $body
    )*};
}
test_by_macro! {
    first_by_macro => { assert!(true) }
    second_by_macro => { assert_eq!(1, 1) }
}

macro_rules! test_with_attributes {
    ($(#[$attribute:meta])* $name:ident $result:ty) => {
        $(#[$attribute])*
        fn $name() -> $result {
            Ok(())
        }
    };
}
test_with_attributes!(#[test] by_passed_attribute Result<(), String>);
