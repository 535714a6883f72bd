//! Reads an archive: it is unpacked into the cache once, and is then as if it had been built there.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::origin;
use flate2::read::GzDecoder;

use super::manifest::{
    ArchiveError, FORMAT, File, Manifest, NAME, Packed, VERSION, host, moved_value, stays_inside,
};
use crate::build::cache::{Cache, use_archive};
use crate::build::cargo::Executable;
use crate::build::digest;
use crate::build::facts::SourceFacts;
use crate::build::marker::Marker;
use crate::build::owned::{self, Use};
use crate::build::sysroot;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::{Workspace, library_path};
use crate::config::ConfigFile;
use crate::plain_file;

/// An archive that is unpacked.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    manifest: Manifest,
    home: PathBuf,
    /// None where the cache cannot be written.
    _used: Option<Use>,
}

/// The longest manifest that is read.
const LONGEST: u64 = 1 << 30;

impl Archive {
    /// Opens an archive, and unpacks it unless that has been done.
    pub(crate) fn open(path: &Path, cache: &Cache) -> Result<Archive, ArchiveError> {
        let access = |error| ArchiveError::Access(path.to_owned(), error);
        let mut entries = tar::Archive::new(GzDecoder::new(io::BufReader::new(
            fs::File::open(path).map_err(access)?,
        )));
        // Its own manifest is read, whatever is unpacked.
        let manifest = {
            let mut entries = entries.entries().map_err(|error| refused(path, &error))?;
            first(path, &mut entries)?
        };
        check(path, &manifest)?;
        let digest = digest::of_file(path).map_err(access)?;
        let home = cache.archives().join(&digest[..16]);
        let archive = Archive {
            _used: use_archive(&home, &|| ()).ok(),
            home,
            path: path.to_owned(),
            manifest,
        };
        if !archive.is_unpacked() {
            archive.unpack()?;
        }
        Ok(archive)
    }

    /// Its contents.
    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Names the executables' content.
    pub(crate) fn digest(&self) -> String {
        digest::of_executables(self.manifest.executables.iter().filter_map(|packed| {
            let inside = super::manifest::inside(&self.manifest.moved, &packed.path)?;
            let file = self
                .manifest
                .files
                .iter()
                .find(|file| file.path == inside)?;
            Some((packed.label.clone(), file.sha256.clone()))
        }))
    }

    /// All that a test executable needs is here.
    fn is_unpacked(&self) -> bool {
        let is_here = |file: &File| {
            let about = fs::metadata(self.home.join(&file.path));
            about.is_ok_and(|about| about.len() == file.size)
        };
        // Tests may change their data.
        let mut files = self.manifest.files.iter();
        self.home.join(NAME).exists()
            && files.all(|file| file.path.starts_with("workspace/") || is_here(file))
    }

    fn unpack(&self) -> Result<(), ArchiveError> {
        let staging = plain_file::beside(&self.home);
        let unpacked = self.unpack_into(&staging);
        let access = |error| ArchiveError::Access(self.home.clone(), error);
        if unpacked.is_err() {
            let _ = fs::remove_dir_all(&staging);
            return unpacked;
        }
        if self.home.exists() && !self.is_unpacked() {
            fs::remove_dir_all(&self.home).map_err(access)?;
        }
        if let Err(error) = fs::rename(&staging, &self.home) {
            let _ = fs::remove_dir_all(&staging);
            // Another process may have been quicker.
            if !self.is_unpacked() {
                return Err(access(error));
            }
        }
        Ok(())
    }

    fn unpack_into(&self, staging: &Path) -> Result<(), ArchiveError> {
        // First, so that one that was cut off can be removed.
        let marked = fs::create_dir_all(staging).and_then(|()| owned::mark(staging));
        marked.map_err(|error| ArchiveError::Access(staging.to_owned(), error))?;
        let access = |error| ArchiveError::Access(self.path.clone(), error);
        let damaged = |why: String| ArchiveError::Damaged(self.path.clone(), why);
        let file = fs::File::open(&self.path).map_err(access)?;
        let mut archive = tar::Archive::new(GzDecoder::new(io::BufReader::new(file)));
        let mut entries = archive
            .entries()
            .map_err(|error| refused(&self.path, &error))?;
        first(&self.path, &mut entries)?;
        let mut open: BTreeMap<&str, &File> = self
            .manifest
            .files
            .iter()
            .map(|file| (file.path.as_str(), file))
            .collect();
        for entry in entries {
            let mut entry = entry.map_err(|error| refused(&self.path, &error))?;
            let name = entry.path().map_err(access)?.to_string_lossy().into_owned();
            let file = open
                .remove(&*name)
                .ok_or_else(|| damaged(format!("`{name}` is not in its list")))?;
            let path = staging.join(&file.path);
            if !stays_inside(Path::new(&file.path)) {
                return Err(damaged(format!("`{name}` leads out of it")));
            }
            put(&path, file, &mut entry).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidData => refused(&self.path, &error),
                _ => ArchiveError::Access(path.clone(), error),
            })?;
            let hash = digest::of_file(&path).map_err(|error| ArchiveError::Access(path, error))?;
            if hash != file.sha256 {
                return Err(damaged(format!("`{name}` is not as it was packed")));
            }
        }
        if !open.is_empty() {
            return Err(ArchiveError::Truncated(self.path.clone()));
        }
        for link in &self.manifest.links {
            let inside = Path::new(&link.path);
            let folder = inside.parent().unwrap_or(Path::new(""));
            if !stays_inside(inside) || !stays_inside(&folder.join(&link.to)) {
                return Err(damaged(format!("`{}` leads out of it", link.path)));
            }
            let path = staging.join(inside);
            let made =
                fs::create_dir_all(staging.join(folder)).and_then(|()| symlink(&link.to, &path));
            made.map_err(|error| ArchiveError::Access(path, error))?;
        }
        let text =
            serde_json::to_vec(&self.manifest).map_err(|error| damaged(error.to_string()))?;
        let path = staging.join(NAME);
        fs::write(&path, text).map_err(|error| ArchiveError::Access(path, error))
    }

    /// A path of the build, where it is now.
    fn now(&self, path: &str) -> PathBuf {
        moved_value(&self.manifest.moved, &self.home, path).into()
    }

    /// The test executables.
    pub(crate) fn executables(&self) -> Result<Vec<Executable>, ArchiveError> {
        let all = self.manifest.executables.iter();
        let all: Vec<_> = all
            .map(|packed| self.executable(packed))
            .collect::<Result<_, _>>()?;
        if let Some(first) = all.first() {
            let bytes = fs::read(&first.origins);
            let bytes =
                bytes.map_err(|error| ArchiveError::Access(first.origins.clone(), error))?;
            let table = origin::Table::from_bytes(&bytes);
            origin::install(table.ok_or_else(|| self.damaged("the table of packages"))?);
        }
        Ok(all)
    }

    fn damaged(&self, what: &str) -> ArchiveError {
        ArchiveError::Damaged(self.path.clone(), format!("{what} cannot be read"))
    }

    fn settings(&self, text: &str) -> Result<Settings, ArchiveError> {
        Settings::parse(text).map_err(|error| self.damaged(&error.to_string()))
    }

    fn executable(&self, packed: &Packed) -> Result<Executable, ArchiveError> {
        let marker = packed.marker.as_deref().map(|text| {
            Marker::parse(text).ok_or_else(|| self.damaged("the note about an executable"))
        });
        let env = packed.env.iter().filter_map(|(name, value)| {
            let now = moved_value(&self.manifest.moved, &self.home, value);
            let value = match name.as_str() {
                "CARGO" => std::env::var_os("CARGO")?,
                "LD_LIBRARY_PATH" => library_path(std::env::split_paths(&now)),
                _ => now.into(),
            };
            Some((name.clone(), value))
        });
        Ok(Executable {
            path: self.now(&packed.path),
            package: packed.package.clone(),
            kind: packed.kind.clone(),
            target: packed.target.clone(),
            label: packed.label.clone(),
            linked: SourceFacts {
                left_out: packed.linked,
                looks_at_counts: packed.looks_at_counts,
                code: packed.code,
            },
            marker: marker.transpose()?,
            folder: self.now(&packed.folder),
            // Debug information has paths of the build.
            root: self.manifest.root.clone().into(),
            env: env.collect(),
            config: self.settings(&packed.config)?,
            overrides: Vec::new(),
            origins: self.now(&packed.origins),
            hash: OnceLock::new(),
        })
    }

    /// The workspace as it is unpacked; what is found goes to this folder.
    pub(crate) fn workspace(
        &self,
        results: &Path,
        folder: &Path,
    ) -> Result<Workspace, ArchiveError> {
        let root = self.now(&self.manifest.root);
        let manifest = root.join(&self.manifest.manifest);
        let config = self.settings(&self.manifest.config)?;
        let paths = [root, folder.to_owned(), manifest, results.to_owned()];
        let file = ConfigFile::read(&paths[0]).map_err(|error| self.damaged(&error.to_string()))?;
        let workspace = Workspace::unpacked(paths, config, file);
        workspace.map_err(|error| self.damaged(&error.to_string()))
    }

    /// The settings that were typed when it was made.
    pub(crate) fn typed(&self) -> Result<Settings, ArchiveError> {
        self.settings(&self.manifest.settings)
    }

    /// The toolchain of the build, which need not be here.
    pub(crate) fn toolchain(&self) -> Toolchain {
        Toolchain {
            cargo: "cargo".into(),
            rustc: "rustc".into(),
            version: self.manifest.rustc.clone(),
            host: self.manifest.host.clone(),
            sysroot: PathBuf::new(),
        }
    }
}

fn put(path: &Path, file: &File, content: &mut impl Read) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = fs::File::create(path)?;
    io::copy(content, &mut out)?;
    let mode = if file.executable { 0o755 } else { 0o644 };
    out.set_permissions(fs::Permissions::from_mode(mode))
}

/// Reads the manifest off the front.
fn first<R: Read>(
    path: &Path,
    entries: &mut tar::Entries<'_, R>,
) -> Result<Manifest, ArchiveError> {
    let foreign = || ArchiveError::Foreign(path.to_owned());
    let entry = entries.next().ok_or_else(foreign)?;
    let mut entry = entry.map_err(|error| refused(path, &error))?;
    if entry.path().map_err(|_| foreign())? != Path::new(NAME) || entry.size() > LONGEST {
        return Err(foreign());
    }
    let mut text = Vec::new();
    entry
        .read_to_end(&mut text)
        .map_err(|error| refused(path, &error))?;
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(|_| foreign())?;
    if value["format"] != FORMAT {
        return Err(foreign());
    }
    if value["version"] != VERSION {
        let made_by = format!(
            "cargo-cct {}",
            value["tool"].as_str().unwrap_or("of another version")
        );
        return Err(ArchiveError::Version(path.to_owned(), made_by, this_tool()));
    }
    serde_json::from_value(value)
        .map_err(|error| ArchiveError::Damaged(path.to_owned(), error.to_string()))
}

fn this_tool() -> String {
    format!("cargo-cct {}", env!("CARGO_PKG_VERSION"))
}

/// Refuses an archive that this tool or this machine cannot run.
fn check(path: &Path, manifest: &Manifest) -> Result<(), ArchiveError> {
    if manifest.host != host() {
        return Err(ArchiveError::Host(
            path.to_owned(),
            manifest.host.clone(),
            host(),
        ));
    }
    let engine = sysroot::engine();
    if manifest.tool != env!("CARGO_PKG_VERSION") || manifest.engine != engine {
        let told = |tool: &str, engine: &str| format!("{tool} (engine {engine:.8})");
        let made_by = told(&format!("cargo-cct {}", manifest.tool), &manifest.engine);
        return Err(ArchiveError::Version(
            path.to_owned(),
            made_by,
            told(&this_tool(), &engine),
        ));
    }
    Ok(())
}

/// Why bytes could not be read.
fn refused(path: &Path, error: &io::Error) -> ArchiveError {
    let is_compressed = fs::File::open(path).is_ok_and(|mut file| {
        let mut magic = [0; 2];
        file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b]
    });
    match error.kind() {
        _ if !is_compressed => ArchiveError::Foreign(path.to_owned()),
        io::ErrorKind::UnexpectedEof => ArchiveError::Truncated(path.to_owned()),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
            ArchiveError::Damaged(path.to_owned(), error.to_string())
        }
        kind => ArchiveError::Access(path.to_owned(), kind.into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::any;
    use proptest::sample::Index;
    use proptest::{prop_assert, proptest};
    use serde_json::{Value, json};

    use super::*;
    use crate::fuzz;

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn a_manifest_in_disorder_is_read_or_refused(
            changes in fuzz::changes(),
            at in any::<Index>(),
            by in any::<u8>(),
        ) {
            let whole = json!({
                "format": FORMAT, "version": VERSION, "tool": env!("CARGO_PKG_VERSION"), "engine": "1f",
                "host": host(), "rustc": "rustc 1", "seed": 1, "settings": "seed=1\n", "config": "",
                "root": "/w", "manifest": "Cargo.toml", "folder": "", "selection": [],
                "chosen": { "members": true, "dependencies": [] },
                "moved": [{ "from": "/w", "to": "workspace" }],
                "executables": [{
                    "path": "/w/a", "package": "a", "kind": "lib", "target": "a", "label": "a",
                    "linked": ["clocks"], "looks_at_counts": true, "code": "all", "marker": null,
                    "folder": "/w",
                    "env": [["A", "/w/b:/c"]], "config": "", "origins": "/w/o",
                }],
                "files": [{ "path": "workspace/a", "size": 1, "executable": true, "sha256": "00" }],
                "links": [{ "path": "workspace/b", "to": "a" }],
            });
            let mut bytes = packed(&fuzz::changed(whole, &changes));
            for _ in 0..2 {
                if let Err(error) = read(&bytes) {
                    prop_assert!(!error.to_string().is_empty());
                }
                let at = at.index(bytes.len());
                bytes[at] ^= by;
            }
        }
    }

    fn packed(manifest: &Value) -> Vec<u8> {
        let text = manifest.to_string();
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        let mut archive = tar::Builder::new(Vec::new());
        let added = archive.append_data(&mut header, NAME, text.as_bytes());
        added.expect("memory is there");
        archive.into_inner().expect("likewise")
    }

    fn read(bytes: &[u8]) -> Result<(), ArchiveError> {
        let path = Path::new("x");
        let mut archive = tar::Archive::new(bytes);
        let mut entries = archive.entries().map_err(|error| refused(path, &error))?;
        let manifest = first(path, &mut entries)?;
        for file in &manifest.files {
            stays_inside(Path::new(&file.path));
        }
        for packed in &manifest.executables {
            moved_value(&manifest.moved, path, &packed.path);
        }
        check(path, &manifest)
    }
}
