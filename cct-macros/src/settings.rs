//! The settings of `#[cct::test(…)]`, and what is wrong with them.
//!
//! They leave as the text that the harness reads. The table of settings is the engine's own; strategies are
//! not known here: the expansion has the compiler check them.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Token};

use crate::table::{Kind, Reach, Setting, TABLE};

/// Settings that were understood.
#[derive(Default)]
pub(crate) struct Settings {
    /// `key=value` lines.
    pub(crate) text: String,
    /// Where the library is.
    library: Option<Path>,
    /// Settings that only the engine knows.
    strategies: Vec<LitStr>,
}

impl Settings {
    /// Reads what stands in the attribute's parentheses. Wrong settings are left out and reported.
    pub(crate) fn read(args: TokenStream) -> (Settings, Vec<syn::Error>) {
        let mut settings = Settings::default();
        let mut errors = Vec::new();
        let pairs = syn::punctuated::Punctuated::<Pair, Token![,]>::parse_terminated;
        match syn::parse::Parser::parse2(pairs, args) {
            Ok(pairs) => {
                let mut seen = Vec::new();
                for pair in pairs {
                    if seen.contains(&pair.name) {
                        let message = format!("setting `{}` is given twice", pair.name);
                        errors.push(syn::Error::new(pair.name.span(), message));
                    } else if let Err(error) = settings.set(&pair) {
                        errors.push(error);
                    }
                    seen.push(pair.name);
                }
            }
            Err(error) => errors.push(error),
        }
        (settings, errors)
    }

    /// Assertions that hold if the engine takes the strategies; `library` is where the engine is.
    pub(crate) fn checks(&self, library: &TokenStream) -> TokenStream {
        let assertion = |text| check(text, library);
        self.strategies.iter().map(assertion).collect()
    }

    /// Where the settings say that the library is.
    pub(crate) fn library(&self) -> Option<&Path> {
        self.library.as_ref()
    }

    fn set(&mut self, pair: &Pair) -> syn::Result<()> {
        let name = pair.name.unraw().to_string();
        if name == "crate" {
            self.library = Some(pair.path()?);
            return Ok(());
        }
        let Some(row) = known().find(|row| row.name == name) else {
            let names: Vec<_> = known().map(|row| format!("`{}`", row.name)).collect();
            let names = names.join(", ");
            let message = format!("no setting is called `{name}`; there are {names} and `crate`");
            return Err(syn::Error::new(pair.name.span(), message));
        };
        let value = match row.kind {
            Kind::Number { least, most } => pair.number(least, most)?.to_string(),
            Kind::Time | Kind::TimeOrOff => pair.milliseconds()?.to_string(),
            // Not in an attribute.
            Kind::Bytes => pair.number(1, u64::MAX)?.to_string(),
            Kind::Flag => pair.flag()?.to_string(),
            Kind::Words(words) => pair.word(words)?,
            Kind::Names => pair.crates()?,
            Kind::Strategy => {
                let text = pair.text("a string like `\"pct:3\"`")?;
                self.strategies.push(text.clone());
                text.value()
            }
            Kind::File => pair.text("a path")?.value(),
        };
        self.text.extend([&name, "=", &value, "\n"]);
        Ok(())
    }
}

/// The settings that a test may have.
fn known() -> impl Iterator<Item = &'static Setting> {
    TABLE.iter().filter(|row| row.reach == Reach::Test)
}

/// The call is on the value's own span, which is where the compiler is to point; the path is not, since it
/// would mean something else in edition 2015.
fn check(text: &LitStr, library: &TokenStream) -> TokenStream {
    let call = quote_spanned!(text.span()=> Checked::check(#text));
    quote! {
        const _: () = {
            use #library::strategy::Spec as Checked;
            #call
        };
    }
}

/// `name = value`.
struct Pair {
    name: Ident,
    value: Expr,
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        if input.is_empty() || input.peek(Token![,]) {
            let message = format!("setting `{name}` needs a value, as in `{name} = …`");
            return Err(syn::Error::new(name.span(), message));
        }
        input.parse::<Token![=]>()?;
        Ok(Pair {
            name,
            value: input.parse()?,
        })
    }
}

impl Pair {
    fn number(&self, least: u64, most: u64) -> syn::Result<u64> {
        let number = match &self.value {
            Expr::Lit(ExprLit {
                lit: Lit::Int(number),
                ..
            }) => number.base10_parse::<u64>().ok(),
            _ => None,
        };
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| {
                if most == u64::MAX {
                    self.wants(&format!("a whole number from {least}"))
                } else {
                    self.wants(&format!("a whole number from {least} to {most}"))
                }
            })
    }

    fn flag(&self) -> syn::Result<bool> {
        match &self.value {
            Expr::Lit(ExprLit {
                lit: Lit::Bool(value),
                ..
            }) => Ok(value.value),
            _ => Err(self.wants("`true` or `false`")),
        }
    }

    fn word(&self, words: &[&str]) -> syn::Result<String> {
        let quoted: Vec<_> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
        let wanted = quoted.join(", ");
        let wanted = match wanted.rsplit_once(", ") {
            Some((others, last)) => format!("{others} or {last}"),
            None => wanted,
        };
        let word = self.text(&wanted)?.value();
        if words.contains(&&*word) {
            Ok(word)
        } else {
            Err(self.wants(&wanted))
        }
    }

    fn text(&self, wanted: &str) -> syn::Result<&LitStr> {
        match &self.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Ok(text),
            _ => Err(self.wants(wanted)),
        }
    }

    fn milliseconds(&self) -> syn::Result<u64> {
        let wanted = "a time like `\"500ms\"`, `\"2s\"` or `\"1m\"`";
        let text = self.text(wanted)?.value();
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "ms" => Some(1),
            "s" => Some(1000),
            "m" => Some(60_000),
            _ => None,
        };
        let count = digits.trim().parse::<u64>().ok();
        let time = count
            .zip(unit)
            .and_then(|(count, unit)| count.checked_mul(unit));
        time.filter(|&time| time > 0)
            .ok_or_else(|| self.wants(wanted))
    }

    fn crates(&self) -> syn::Result<String> {
        let wanted = "names of crates with commas between, like `\"a,b\"`";
        let text = self.text(wanted)?.value();
        let names: Vec<_> = text.split(',').map(str::trim).collect();
        let is_name = |name: &&str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            !name.is_empty() && name.chars().all(allowed)
        };
        if names.iter().all(is_name) {
            Ok(names.join(","))
        } else {
            Err(self.wants(wanted))
        }
    }

    fn path(&self) -> syn::Result<Path> {
        match &self.value {
            Expr::Path(ExprPath {
                qself: None, path, ..
            }) => Ok(path.clone()),
            _ => Err(self.wants("a path, like `::renamed`")),
        }
    }

    fn wants(&self, wanted: &str) -> syn::Error {
        let message = format!("setting `{}` takes {wanted}", self.name);
        syn::Error::new_spanned(&self.value, message)
    }
}
