//! A piece of source on one line, as rustc would print it.

use proc_macro2::TokenStream;

/// Joins the lines of an expression or type; calls stay with what they are called on, and brackets close
/// around what they enclose.
pub(in crate::rewrite) fn one_line(text: &str) -> String {
    if text.contains("//") || text.contains("/*") {
        // Where a comment ends, tokens know.
        let tokens = text.parse::<TokenStream>();
        return tokens.map_or_else(|_| String::new(), |tokens| tokens.to_string());
    }
    let mut joined = String::new();
    for line in text.lines().map(str::trim) {
        let opens = joined.is_empty() || joined.ends_with(['(', '[']);
        if line.starts_with([')', ']']) {
            joined.truncate(joined.trim_end_matches(',').len());
        } else if !opens && !line.starts_with(['.', '?']) {
            joined.push(' ');
        }
        joined.push_str(line);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn chains_and_brackets_stay_together() {
        let text = "client\n    .get(\n        a,\n        b,\n    )\n    .await\n    ?\n    && c";
        assert_eq!(one_line(text), "client.get(a, b).await? && c");
        assert_eq!(one_line("a + b"), "a + b");
    }

    #[test]
    fn comments_go() {
        assert_eq!(one_line("a // b\n + c"), "a + c");
    }
}
