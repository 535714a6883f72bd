//! The macros that print.

/// `std::print!`.
#[macro_export]
macro_rules! print {
    ($($argument:tt)*) => {
        $crate::std::io::_print($crate::real::format_args!($($argument)*))
    };
}

/// `std::println!`.
#[macro_export]
macro_rules! println {
    () => {
        $crate::std::io::_print($crate::real::format_args!("\n"))
    };
    ($($argument:tt)*) => {
        $crate::std::io::_print(
            $crate::real::format_args!("{}\n", $crate::real::format_args!($($argument)*))
        )
    };
}

/// `std::eprint!`.
#[macro_export]
macro_rules! eprint {
    ($($argument:tt)*) => {
        $crate::std::io::_eprint($crate::real::format_args!($($argument)*))
    };
}

/// `std::eprintln!`.
#[macro_export]
macro_rules! eprintln {
    () => {
        $crate::std::io::_eprint($crate::real::format_args!("\n"))
    };
    ($($argument:tt)*) => {
        $crate::std::io::_eprint(
            $crate::real::format_args!("{}\n", $crate::real::format_args!($($argument)*))
        )
    };
}

/// `std::dbg!`.
#[macro_export]
macro_rules! dbg {
    () => {
        $crate::eprintln!(
            "[{}:{}:{}]",
            $crate::real::file!(),
            $crate::real::line!(),
            $crate::real::column!()
        )
    };
    ($value:expr $(,)?) => {
        match $value {
            value => {
                $crate::eprintln!(
                    "[{}:{}:{}] {} = {:#?}",
                    $crate::real::file!(),
                    $crate::real::line!(),
                    $crate::real::column!(),
                    $crate::real::stringify!($value),
                    &value
                );
                value
            }
        }
    };
    ($($value:expr),+ $(,)?) => {
        ($($crate::dbg!($value)),+,)
    };
}
