//! Files that get their name when they are complete.

use crate::signals::Watch;
use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, TempPath};

/// A file `.keylane-…` in the finished file's folder, which only its owner can read. It is removed when it is
/// dropped or a signal ends the program, but not after SIGKILL or a power cut.
pub(crate) struct Draft {
    file: File,
    temporary: TempPath,
    watch: Watch,
    path: PathBuf,
    /// The finished file's mode: that of the replaced file, or the default for a new one.
    permissions: Permissions,
    /// The replaced file's owner. A private file belongs to the user who runs the command.
    #[cfg(unix)]
    owner: Option<u32>,
    force: bool,
}

impl Draft {
    /// Creates a draft for `path`. With `force` it may replace another file.
    ///
    /// Only the owner can read the finished file if it is `private`.
    pub(crate) fn of(path: &Path, force: bool, private: bool) -> io::Result<Self> {
        let ((file, permissions), watch) = Watch::over(|| {
            let (file, permissions) = create(path, private)?;
            let name = file.path().to_owned();
            let undo = move || {
                let _ = fs::remove_file(name);
            };
            Ok(((file, permissions), Box::new(undo), Box::new(|| ())))
        })?;
        let (file, temporary) = file.into_parts();
        #[cfg(unix)]
        let owner = if private { None } else { path.metadata().ok() };
        Ok(Self {
            file,
            temporary,
            watch,
            path: path.to_owned(),
            permissions,
            #[cfg(unix)]
            owner: owner.map(|old| std::os::unix::fs::MetadataExt::uid(&old)),
            force,
        })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Names the file once its contents are safe from a power cut, and makes the name safe too: the user may
    /// then delete the plaintext.
    pub(crate) fn publish(self) -> io::Result<()> {
        let Self { watch, temporary, file, path, permissions, force, .. } = self;
        file.set_permissions(permissions)?;
        // Only root can change the owner, and only once the file is complete.
        #[cfg(unix)]
        if self.owner.is_some() {
            let _ = std::os::unix::fs::fchown(&file, self.owner, None);
        }
        file.sync_all()?;
        watch.end(|| {
            let named = if force { temporary.persist(&path) } else { temporary.persist_noclobber(&path) };
            named.map_err(io::Error::from)
        })?;
        sync_folder(&path)
    }
}

/// Creates the temporary file and returns the finished file's permissions.
#[cfg(unix)]
fn create(path: &Path, private: bool) -> io::Result<(NamedTempFile, Permissions)> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let owner_only = Permissions::from_mode(0o600);
    if private {
        return Ok((builder().permissions(owner_only.clone()).tempfile_in(folder(path))?, owner_only));
    }
    if let Ok(old) = path.metadata() {
        let file = builder().permissions(owner_only).tempfile_in(folder(path))?;
        let group_kept = file.as_file().metadata()?.gid() == old.gid()
            || fchown(file.as_file(), None, Some(old.gid())).is_ok();
        // The new group was not allowed to read it.
        let kept = if group_kept { 0o777 } else { 0o707 };
        return Ok((file, Permissions::from_mode(old.permissions().mode() & kept)));
    }
    // The umask decides what a new file gets.
    let file = builder().permissions(Permissions::from_mode(0o666)).tempfile_in(folder(path))?;
    let usual = file.as_file().metadata()?.permissions();
    file.as_file().set_permissions(owner_only)?;
    Ok((file, usual))
}

#[cfg(windows)]
fn create(path: &Path, private: bool) -> io::Result<(NamedTempFile, Permissions)> {
    let file = if private {
        builder().make_in(folder(path), crate::os::create_private)?
    } else {
        builder().tempfile_in(folder(path))?
    };
    let permissions = file.as_file().metadata()?.permissions();
    Ok((file, permissions))
}

/// Makes a rename, which is a change of the folder, safe from a power cut.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(folder(path)).and_then(|folder| folder.sync_all()) {
        // The folder can be written but not listed, or the file system cannot sync it.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Does nothing: folders cannot be opened here.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".keylane-");
    builder
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
