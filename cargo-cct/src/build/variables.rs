//! The variables that cargo sets for the tests that it runs: those about their package, and those of `[env]`
//! in its configuration.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use cargo_metadata::Package;
use toml::{Table, Value};

/// The variables about a package.
pub(super) fn of_package(package: &Package, folder: &Path) -> Vec<(String, OsString)> {
    let version = &package.version;
    let text = |value: Option<&str>| OsString::from(value.unwrap_or_default());
    [
        ("CARGO_MANIFEST_DIR", folder.as_os_str().to_owned()),
        (
            "CARGO_MANIFEST_PATH",
            package.manifest_path.as_os_str().to_owned(),
        ),
        ("CARGO_PKG_NAME", package.name.as_str().into()),
        ("CARGO_PKG_VERSION", version.to_string().into()),
        ("CARGO_PKG_VERSION_MAJOR", version.major.to_string().into()),
        ("CARGO_PKG_VERSION_MINOR", version.minor.to_string().into()),
        ("CARGO_PKG_VERSION_PATCH", version.patch.to_string().into()),
        ("CARGO_PKG_VERSION_PRE", version.pre.as_str().into()),
        ("CARGO_PKG_AUTHORS", package.authors.join(":").into()),
        (
            "CARGO_PKG_DESCRIPTION",
            text(package.description.as_deref()),
        ),
        ("CARGO_PKG_HOMEPAGE", text(package.homepage.as_deref())),
        ("CARGO_PKG_REPOSITORY", text(package.repository.as_deref())),
        ("CARGO_PKG_LICENSE", text(package.license.as_deref())),
        (
            "CARGO_PKG_LICENSE_FILE",
            text(package.license_file.as_ref().map(|file| file.as_str())),
        ),
        (
            "CARGO_PKG_README",
            text(package.readme.as_ref().map(|file| file.as_str())),
        ),
        (
            "CARGO_PKG_RUST_VERSION",
            package
                .rust_version
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default()
                .into(),
        ),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// The variables of `[env]` in the files that count in a folder, and behind each `--config` of cargo's
/// arguments, as far as they are not set or are forced. A file that makes no sense has been told of by cargo.
pub(super) fn configured(folder: &Path, args: &[String]) -> Vec<(String, OsString)> {
    let settings = args
        .iter()
        .enumerate()
        .filter_map(|(index, arg)| match arg.as_str() {
            "--config" => args.get(index + 1).map(String::as_str),
            arg => arg.strip_prefix("--config="),
        });
    let config = cargo_config2::Config::load_with_cwd(folder).ok();
    let of_files = config.into_iter().flat_map(|config| config.env);
    let of_files = of_files.map(|(name, it)| (name, it.value, it.force));
    // Later ones count more, and the command line most.
    let all = of_files.chain(settings.flat_map(|arg| of_argument(folder, arg)));
    all.filter(|(name, _, is_forced)| *is_forced || env::var_os(name).is_none())
        .map(|(name, value, _)| (name, value))
        .collect()
}

/// The variables of an argument of `--config`: a setting, or a file.
fn of_argument(folder: &Path, arg: &str) -> Vec<(String, OsString, bool)> {
    let file = folder.join(arg);
    let (text, from) = match std::fs::read_to_string(&file) {
        // Paths are from the folder around that of the file.
        Ok(text) => (text, file.parent().and_then(Path::parent).unwrap_or(folder)),
        Err(_) => (arg.to_owned(), folder),
    };
    let table: Table = text.parse().unwrap_or_default();
    let variables = table.get("env").and_then(Value::as_table).cloned();
    let variables = variables.into_iter().flatten();
    let read = variables.filter_map(|(name, value)| {
        let table = value.as_table();
        let is = |key: &str| table.and_then(|table| table.get(key)?.as_bool()) == Some(true);
        let text = value.as_str().or_else(|| table?.get("value")?.as_str())?;
        let text = if is("relative") {
            from.join(text).into_os_string()
        } else {
            text.into()
        };
        Some((name, text, is("force")))
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_on_the_command_line_have_variables() {
        let of = |arg| of_argument(Path::new("/ws"), arg);
        let one = |value: &str, is_forced| vec![("A".to_owned(), value.into(), is_forced)];
        assert_eq!(of("env.A='b'"), one("b", false));
        assert_eq!(of("env.A={ value = 'b', force = true }"), one("b", true));
        assert_eq!(
            of("env.A={ value = 'b', relative = true }"),
            one("/ws/b", false)
        );
        assert_eq!(of("build.jobs=1"), []);
        assert_eq!(of("nowhere.toml"), []);
    }
}
