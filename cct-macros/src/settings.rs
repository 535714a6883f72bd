//! The settings of `#[cct::test(…)]`, and what is wrong with them.
//!
//! They leave as the text that the harness reads. Limits that belong to the engine are not known
//! here: the expansion has the compiler check them.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, ExprLit, ExprPath, Ident, Lit, Path, Token};

/// Settings that were understood.
#[derive(Default)]
pub(crate) struct Settings {
    /// `key=value` lines.
    pub(crate) text: String,
    /// Where the library is.
    library: Option<Path>,
    checks: Vec<Check>,
}

/// A question that only the engine can answer.
enum Check {
    Strategy(syn::LitStr),
    MaxSteps(u64, Span),
}

const NAMES: &str = "`iterations`, `time`, `max_steps`, `strategy`, `seed`, `detached_steps`, \
                     `temperature`, `fail_on_unobserved_panic`, `atomic`, `interleave`, \
                     `granularity`, `timeouts`, `watch`, `uncontrolled_attempts`, \
                     `uncontrolled_delay`, `uncontrolled_timeout` and `crate`";
const GRANULARITIES: &str = "`\"all\"`, `\"workspace\"` or `\"mix\"`";
const TIMEOUTS: &str = "`\"late\"`, `\"race\"` or `\"auto\"`";

impl Settings {
    /// Reads what stands in the attribute's parentheses. What is wrong is left out and reported.
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

    /// Assertions that hold if the engine takes the settings; `library` is where the engine is.
    pub(crate) fn checks(&self, library: &TokenStream) -> TokenStream {
        let assertion = |check: &Check| check.assertion(library);
        self.checks.iter().map(assertion).collect()
    }

    /// Where the settings say that the library is.
    pub(crate) fn library(&self) -> Option<&Path> {
        self.library.as_ref()
    }

    fn set(&mut self, pair: &Pair) -> syn::Result<()> {
        let name = pair.name.unraw().to_string();
        let value = match name.as_str() {
            "iterations" => pair.number(1, u64::MAX)?.to_string(),
            "max_steps" => {
                let steps = pair.number(1, u64::MAX)?;
                self.checks.push(Check::MaxSteps(steps, pair.value_span()));
                steps.to_string()
            }
            "seed" => pair.number(0, u64::MAX)?.to_string(),
            "detached_steps" | "temperature" | "uncontrolled_delay" => {
                pair.number(0, u32::MAX.into())?.to_string()
            }
            "watch" | "uncontrolled_attempts" => pair.number(1, u32::MAX.into())?.to_string(),
            "fail_on_unobserved_panic" => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Bool(value),
                    ..
                }) => value.value.to_string(),
                _ => return Err(pair.wants("`true` or `false`")),
            },
            "time" | "uncontrolled_timeout" => pair.milliseconds()?.to_string(),
            "atomic" | "interleave" => pair.crates()?,
            "granularity" => match pair.text(GRANULARITIES)?.value() {
                known if ["all", "workspace", "mix"].contains(&&*known) => known,
                _ => return Err(pair.wants(GRANULARITIES)),
            },
            "timeouts" => match pair.text(TIMEOUTS)?.value() {
                known if ["late", "race", "auto"].contains(&&*known) => known,
                _ => return Err(pair.wants(TIMEOUTS)),
            },
            "strategy" => {
                let text = pair.text("a string like `\"pct:3\"`")?;
                self.checks.push(Check::Strategy(text.clone()));
                text.value()
            }
            "crate" => {
                self.library = Some(pair.path()?);
                return Ok(());
            }
            _ => {
                let message = format!("no setting is called `{name}`; there are {NAMES}");
                return Err(syn::Error::new(pair.name.span(), message));
            }
        };
        self.text.extend([&name, "=", &value, "\n"]);
        Ok(())
    }
}

impl Check {
    /// The call is on the value's own span, which is where the compiler is to point; the path is
    /// not, since it would mean something else in edition 2015.
    fn assertion(&self, library: &TokenStream) -> TokenStream {
        let (path, call) = match self {
            Check::Strategy(text) => (
                quote!(strategy::Spec),
                quote_spanned!(text.span()=> Checked::check(#text)),
            ),
            Check::MaxSteps(steps, span) => (
                quote!(config::Settings),
                quote_spanned!(*span=> Checked::check_max_steps(#steps)),
            ),
        };
        quote! {
            const _: () = {
                use #library::#path as Checked;
                #call
            };
        }
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

    fn text(&self, wanted: &str) -> syn::Result<&syn::LitStr> {
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

    fn value_span(&self) -> Span {
        self.value
            .to_token_stream()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |t| t.span())
    }
}
