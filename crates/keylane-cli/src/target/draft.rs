//! A file that gets its name when it is complete.

use crate::signals::Watch;
use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile, TempPath};

/// A file `.keylane-…` in the folder of the finished file, which only its owner can read. It is removed when
/// it is dropped, and when a signal ends the program, but not by SIGKILL or a power cut.
pub(crate) struct Draft {
    file: File,
    temporary: TempPath,
    watch: Watch,
    path: PathBuf,
    /// The mode of the finished file: that of the file it replaces, or the default for a new one.
    permissions: Permissions,
    /// The owner of the file that it replaces. A private file belongs to whoever runs the command.
    #[cfg(unix)]
    owner: Option<u32>,
    force: bool,
}

impl Draft {
    /// With `force` it may replace another file.
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

    /// Names the file once its contents are safe from a power cut. Then the name is safe as well: whoever
    /// encrypts may delete the text afterwards.
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

/// The temporary file, and the permissions of the finished one.
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

/// A rename is in the folder, not in the file.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(folder(path)).and_then(|folder| folder.sync_all()) {
        // A folder that one may write into but not list; a file system that cannot sync one.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// No folder can be opened.
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
