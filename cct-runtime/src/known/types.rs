//! How the compiler names types of std: `type_name` promises nothing, so a test compares.

/// Types of std that poll what they refer to, and nothing else: what stands before that in their names, and
/// after.
pub const POINTERS: [(&str, &str); 3] = [
    ("core::pin::Pin<", ">"),
    ("alloc::boxed::Box<", ">"),
    ("&mut ", ""),
];

/// How the names of closures and async bodies end, after the function that they are of.
pub const BODY: &str = "::{{closure}}";

/// The name without all pointers at its front; their ends stay.
pub fn behind_pointers(name: &str) -> &str {
    let mut name = name;
    while let Some(inner) = POINTERS
        .iter()
        .find_map(|(start, _)| name.strip_prefix(start))
    {
        name = inner;
    }
    name
}

#[cfg(test)]
mod tests {
    use std::any::{type_name, type_name_of_val};
    use std::pin::Pin;

    use super::{BODY, POINTERS, behind_pointers};

    #[test]
    fn the_compiler_names_types_so() {
        let names = [
            type_name::<Pin<u8>>(),
            type_name::<Box<u8>>(),
            type_name::<&mut u8>(),
        ];
        let expected = POINTERS.map(|(start, end)| format!("{start}u8{end}"));
        assert_eq!(names.map(str::to_owned), expected);
        for name in [type_name_of_val(&|| ()), type_name_of_val(&async {})] {
            assert!(name.ends_with(BODY), "{name}");
        }
    }

    #[test]
    fn pointers_are_looked_through() {
        let name = type_name::<&mut Pin<Box<Option<u8>>>>();
        assert_eq!(behind_pointers(name), "core::option::Option<u8>>>");
    }
}
