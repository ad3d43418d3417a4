//! A file that gets its name when it is whole.

#[cfg(unix)]
use signal_hook::{consts, iterator::Signals, low_level::emulate_default_handler};
use std::fs::{File, Permissions};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile, TempPath};

/// A file `.keylane-…` in the folder of the one that it will be, which its owner alone can read. It is removed when
/// it is dropped, and on SIGINT and SIGTERM; SIGKILL and a power cut leave it behind.
pub(crate) struct Draft<'a> {
    file: File,
    name: Arc<Name>,
    path: &'a Path,
    /// Of the finished file: those of the one that it replaces, or what is usual for a new one.
    permissions: Permissions,
    force: bool,
}

/// The temporary name, for as long as the file has it.
#[derive(Default)]
struct Name(Mutex<Option<TempPath>>);

impl<'a> Draft<'a> {
    /// With `force` it may take another file's place.
    pub(crate) fn of(path: &'a Path, force: bool) -> io::Result<Self> {
        let name = Arc::new(Name::default());
        #[cfg(unix)]
        remove_on_signal(Arc::clone(&name))?;
        // From here on a signal waits until it can remove the file.
        let mut slot = name.lock();
        let (file, permissions) = create(path)?;
        let (file, temporary) = file.into_parts();
        *slot = Some(temporary);
        drop(slot);
        Ok(Self { file, name, path, permissions, force })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Names the file, once its contents are safe from a power cut: whoever encrypts may then delete the text.
    pub(crate) fn publish(self) -> io::Result<()> {
        self.file.set_permissions(self.permissions.clone())?;
        self.file.sync_all()?;
        let mut slot = self.name.lock();
        match slot.take() {
            Some(temporary) if self.force => temporary.persist(self.path)?,
            Some(temporary) => temporary.persist_noclobber(self.path)?,
            None => {}
        }
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        self.name.lock().take();
    }
}

impl Name {
    /// A panic elsewhere leaves the file to be removed all the same.
    fn lock(&self) -> MutexGuard<'_, Option<TempPath>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The temporary file, and the permissions of the finished one.
#[cfg(unix)]
fn create(path: &Path) -> io::Result<(NamedTempFile, Permissions)> {
    use std::os::unix::fs::PermissionsExt;
    let owner_only = Permissions::from_mode(0o600);
    if let Ok(old) = path.metadata() {
        let file = builder().permissions(owner_only).tempfile_in(folder(path))?;
        return Ok((file, Permissions::from_mode(old.permissions().mode() & 0o777)));
    }
    // What the system makes of "everybody" is what a new file gets here.
    let file = builder().permissions(Permissions::from_mode(0o666)).tempfile_in(folder(path))?;
    let usual = file.as_file().metadata()?.permissions();
    file.as_file().set_permissions(owner_only)?;
    Ok((file, usual))
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<(NamedTempFile, Permissions)> {
    let file = builder().tempfile_in(folder(path))?;
    let permissions = file.as_file().metadata()?.permissions();
    Ok((file, permissions))
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

/// Then the signal does what it does by default.
#[cfg(unix)]
fn remove_on_signal(name: Arc<Name>) -> io::Result<()> {
    let mut signals = Signals::new([consts::SIGINT, consts::SIGTERM])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // Held to the end: nobody goes on with a file that is gone.
            let mut slot = name.lock();
            slot.take();
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}
