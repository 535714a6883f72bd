//! Writes an archive.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use cct::config::Settings;
use flate2::Compression;
use flate2::write::GzEncoder;
use walkdir::WalkDir;

use super::manifest::{
    ArchiveError, FORMAT, File, Link, Manifest, Moved, NAME, Packed, VERSION, inside, stays_inside,
};
use super::needed::needed;
use crate::build::cargo::Executable;
use crate::build::chosen::Chosen;
use crate::build::digest;
use crate::build::marker::Marker;
use crate::build::sysroot;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::plain_file;

/// The facts that an archive is made from.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    pub workspace: &'a Workspace,
    pub toolchain: &'a Toolchain,
    pub executables: &'a [Executable],
    pub selection: Vec<String>,
    pub chosen: &'a Chosen,
    /// The settings that were typed.
    pub settings: &'a Settings,
    pub seed: u64,
}

/// The size of an archive's files, and what was left out.
#[derive(Debug)]
pub(crate) struct Size {
    pub files: usize,
    pub bytes: u64,
    /// Links that lead out of the archive.
    pub left_out: Vec<PathBuf>,
}

/// Folders that hold versions, not sources.
const VERSIONS: [&str; 5] = [".git", ".hg", ".jj", ".svn", ".pijul"];
/// A folder with this file in it was made, and can be made again.
const CACHE_TAG: &str = "CACHEDIR.TAG";

/// Writes the archive, in place of another one of that name.
pub(crate) fn pack(contents: &Contents<'_>, archive: &Path) -> Result<Size, ArchiveError> {
    if contents.executables.is_empty() {
        return Err(ArchiveError::Empty);
    }
    let mut packer = Packer {
        moved: moved(contents)?,
        archive: std::path::absolute(archive)
            .map_err(|error| ArchiveError::Access(archive.to_owned(), error))?,
        files: BTreeMap::new(),
        links: BTreeMap::new(),
        left_out: Vec::new(),
    };
    for folder in member_folders(contents.workspace) {
        packer.folder(&folder)?;
    }
    // Its settings for single tests.
    packer.file(&contents.workspace.root.join(crate::config::PATH))?;
    for executable in contents.executables {
        packer.executable(executable)?;
    }
    let manifest = packer.manifest(contents)?;
    let access = |error| ArchiveError::Access(archive.to_owned(), error);
    plain_file::replace(archive, |path| packer.write(&manifest, path)).map_err(access)?;
    Ok(Size {
        files: manifest.files.len(),
        bytes: fs::metadata(archive).map_err(access)?.len(),
        left_out: packer.left_out,
    })
}

/// Where folders of the build are in the archive.
fn moved(contents: &Contents<'_>) -> Result<Vec<Moved>, ArchiveError> {
    let workspace = contents.workspace;
    let mut folders = vec![
        (workspace.target.clone(), "target".to_owned()),
        (workspace.root.clone(), "workspace".to_owned()),
        (contents.toolchain.sysroot.clone(), "toolchain".to_owned()),
    ];
    for folder in member_folders(workspace) {
        if !folder.starts_with(&workspace.root) {
            let number = folders.len();
            folders.push((folder, format!("outside/{number}")));
        }
    }
    folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.components().count()));
    let moved = folders.into_iter().map(|(from, to)| {
        let from = text(&from)?;
        Ok(Moved { from, to })
    });
    moved.collect()
}

/// The members' folders, without those that are in others.
fn member_folders(workspace: &Workspace) -> Vec<PathBuf> {
    let members = workspace.packages.values();
    let folders = members.filter_map(|member| member.package.manifest_path.parent());
    let mut folders: Vec<PathBuf> = folders.map(|folder| folder.to_owned().into()).collect();
    folders.sort();
    folders.dedup();
    let all = folders.clone();
    folders.retain(|folder| {
        !all.iter()
            .any(|other| folder != other && folder.starts_with(other))
    });
    folders
}

fn text(path: &Path) -> Result<String, ArchiveError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| ArchiveError::Path(path.to_owned()))
}

struct Packer {
    moved: Vec<Moved>,
    archive: PathBuf,
    /// Each file by its path in the archive.
    files: BTreeMap<String, PathBuf>,
    links: BTreeMap<String, String>,
    left_out: Vec<PathBuf>,
}

impl Packer {
    /// Adds a file, if it is where files are taken from.
    fn file(&mut self, path: &Path) -> Result<(), ArchiveError> {
        if let Some(inside) = inside(&self.moved, &text(path)?)
            && path.is_file()
        {
            self.files.insert(inside, path.to_owned());
        }
        Ok(())
    }

    /// Adds all that is in a folder, but what can be made again.
    fn folder(&mut self, folder: &Path) -> Result<(), ArchiveError> {
        let is_wanted = |entry: &walkdir::DirEntry| {
            let is_version = VERSIONS
                .iter()
                .any(|name| entry.file_name() == OsStr::new(name));
            let is_cache = || entry.file_type().is_dir() && entry.path().join(CACHE_TAG).exists();
            !is_version && !is_cache()
        };
        for entry in WalkDir::new(folder)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(is_wanted)
        {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(folder).to_owned();
                ArchiveError::Access(path, error.into())
            })?;
            let path = entry.path();
            if entry.file_type().is_symlink() {
                self.link(path)?;
            } else if entry.file_type().is_file() && path != self.archive {
                self.file(path)?;
            }
        }
        Ok(())
    }

    /// Adds a link that stays in the archive.
    fn link(&mut self, path: &Path) -> Result<(), ArchiveError> {
        let access = |error| ArchiveError::Access(path.to_owned(), error);
        let to = fs::read_link(path).map_err(access)?;
        let inside = inside(&self.moved, &text(path)?);
        let kept = inside.filter(|inside| {
            let folder = Path::new(inside).parent().unwrap_or(Path::new(""));
            to.is_relative() && stays_inside(&folder.join(&to))
        });
        match kept {
            Some(inside) => drop(self.links.insert(inside, text(&to)?)),
            None => self.left_out.push(path.to_owned()),
        }
        Ok(())
    }

    /// Adds a test executable, and what it is told of.
    fn executable(&mut self, executable: &Executable) -> Result<(), ArchiveError> {
        self.file(&executable.path)?;
        self.file(&executable.path.with_extension("dwp"))?;
        self.file(&executable.origins)?;
        let mut loading = vec![executable.path.clone()];
        let mut folders = Vec::new();
        for (name, value) in &executable.env {
            match name.as_str() {
                "LD_LIBRARY_PATH" => folders.extend(std::env::split_paths(value)),
                "OUT_DIR" => self.folder(Path::new(value))?,
                _ if name.starts_with("CARGO_BIN_EXE_") => {
                    self.file(Path::new(value))?;
                    loading.push(value.into());
                }
                _ => {}
            }
        }
        // A test may load what is built beside it.
        for folder in executable.path.ancestors().skip(1).take(2) {
            for library in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = library.path();
                if path.extension() == Some(OsStr::new("so")) {
                    self.file(&path)?;
                    loading.push(path);
                }
            }
        }
        needed(&loading, &folders)
            .iter()
            .try_for_each(|library| self.file(library))
    }

    fn manifest(&self, contents: &Contents<'_>) -> Result<Manifest, ArchiveError> {
        let workspace = contents.workspace;
        let from_root = |path: &Path| text(path.strip_prefix(&workspace.root).unwrap_or(path));
        let executables = contents.executables.iter().map(packed);
        let files = self.files.iter().map(|(inside, path)| {
            let access = |error| ArchiveError::Access(path.clone(), error);
            let about = fs::metadata(path).map_err(access)?;
            Ok(File {
                path: inside.clone(),
                size: about.len(),
                executable: about.permissions().mode() & 0o100 != 0,
                sha256: digest::of_file(path).map_err(access)?,
            })
        });
        let links = self.links.iter().map(|(path, to)| Link {
            path: path.clone(),
            to: to.clone(),
        });
        Ok(Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            engine: sysroot::engine(),
            host: contents.toolchain.host.clone(),
            rustc: contents.toolchain.release().to_owned(),
            seed: contents.seed,
            settings: contents.settings.lines(),
            config: workspace.config.lines(),
            root: text(&workspace.root)?,
            manifest: from_root(&workspace.manifest)?,
            folder: from_root(&workspace.folder)?,
            selection: contents.selection.clone(),
            chosen: contents.chosen.clone(),
            moved: self.moved.clone(),
            executables: executables.collect::<Result<_, _>>()?,
            files: files.collect::<Result<_, _>>()?,
            links: links.collect(),
        })
    }

    fn write(&self, manifest: &Manifest, path: &Path) -> io::Result<()> {
        let file = io::BufWriter::new(fs::File::create(path)?);
        let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
        let text = serde_json::to_vec(manifest)?;
        tar.append_data(&mut header(text.len() as u64, 0o644), NAME, &text[..])?;
        for file in &manifest.files {
            let mut header = header(file.size, if file.executable { 0o755 } else { 0o644 });
            tar.append_data(
                &mut header,
                &file.path,
                fs::File::open(&self.files[&file.path])?,
            )?;
        }
        let mut file = tar.into_inner()?.finish()?;
        file.flush()?;
        file.into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .sync_all()
    }
}

fn header(size: u64, mode: u32) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(mode);
    header.set_mtime(0);
    header
}

fn packed(executable: &Executable) -> Result<Packed, ArchiveError> {
    let env = executable
        .env
        .iter()
        .map(|(name, value)| Ok((name.clone(), text(Path::new(value))?)));
    Ok(Packed {
        path: text(&executable.path)?,
        package: executable.package.clone(),
        kind: executable.kind.clone(),
        target: executable.target.clone(),
        label: executable.label.clone(),
        linked: executable.linked.left_out,
        looks_at_counts: executable.linked.looks_at_counts,
        code: executable.linked.code,
        marker: executable.marker.as_ref().map(Marker::text),
        folder: text(&executable.folder)?,
        env: env.collect::<Result<_, _>>()?,
        config: executable.config.lines(),
        origins: text(&executable.origins)?,
    })
}
