//! The files that may be served: those whose real place is inside one folder, and not hidden.

use crate::descriptor::is_stdin;
use crate::status::{Failure, quoted};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tower_http::services::fs::{Backend, DefaultServeDirFallback, ServeDir};

/// For other requests to close a file, where no more may be open.
const TURN: Duration = Duration::from_secs(2);

/// Opens files and folders that are inside a folder, however symbolic links lead to them. Anything else does
/// not exist, nor do pipes and devices, even inside, nor names that begin with a dot.
#[derive(Clone, Debug)]
pub(crate) struct Inside {
    /// Without symbolic links.
    root: Arc<Path>,
    /// How many more files may be open.
    may_open: Arc<Semaphore>,
}

pub(crate) type Folder = ServeDir<DefaultServeDirFallback, Inside>;

/// Returns the folder without symbolic links.
///
/// # Errors
///
/// If there is no such folder.
pub(crate) fn root(path: &Path) -> io::Result<Arc<Path>> {
    let root = path.canonicalize()?;
    if root.is_dir() { Ok(root.into()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Serves the folder, with at most so many open files: two or more. A request waits for others to close theirs;
/// one that waits in vain fails with [`io::ErrorKind::ResourceBusy`].
pub(crate) fn open(root: Arc<Path>, most_files: usize) -> Folder {
    let may_open = Arc::new(Semaphore::new(most_files.min(Semaphore::MAX_PERMITS)));
    // Several ranges in one request are answered with the whole file.
    ServeDir::with_backend(root.clone(), Inside { root, may_open }).ignore_multi_range_requests(true)
}

/// Refuses to serve the folder if one of these secrets is in it, or would be when it is made.
pub(crate) fn refuse<'a>(root: &Path, secrets: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
    for secret in secrets {
        let path = if is_stdin(secret) { Path::new("/dev/stdin") } else { secret };
        let place = path.canonicalize().or_else(|_| match path.parent() {
            Some(parent) if parent != Path::new("") => parent.canonicalize(),
            _ => Path::new(".").canonicalize(),
        });
        // What has no place cannot be opened either, and that gets its own message, or is a link that leads
        // nowhere yet: see `is_served`.
        if place.is_ok_and(|place| place.starts_with(root)) {
            let (secret, root) = (quoted(secret), quoted(root));
            return Err(Failure::input(format_args!(
                "{secret} is secret, but would be served: it is in the folder {root}"
            )));
        }
    }
    Ok(())
}

/// Whether a file that was opened, and perhaps made, is in the folder.
pub(crate) fn is_served(root: &Path, path: &Path) -> bool {
    path.canonicalize().is_ok_and(|place| place.starts_with(root))
}

/// Whether a name below the folder begins with a dot, as `.git` and `.ssh` do. `.well-known` is public (RFC
/// 8615).
fn is_hidden(root: &Path, place: &Path) -> bool {
    let below = place.strip_prefix(root).unwrap_or(place);
    below.components().any(|component| match component {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b".") && name != ".well-known",
        _ => false,
    })
}

impl Inside {
    /// The real place of what `path` leads to. Another file may be there when it is opened.
    fn find(&self, path: &Path) -> io::Result<(PathBuf, Metadata)> {
        if is_hidden(&self.root, path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        // A name that is too long, or a link in a circle.
        let place = path.canonicalize().map_err(|_| io::ErrorKind::NotFound)?;
        let metadata = place.metadata()?;
        if place.starts_with(&self.root)
            && !is_hidden(&self.root, &place)
            && (metadata.is_file() || metadata.is_dir())
        {
            Ok((place, metadata))
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn open_file(&self, path: &Path) -> io::Result<File> {
        let (place, _) = self.find(path)?;
        let file = open_place(&self.root, &place)?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// Opens a file by names that were checked, and follows no link: one that has taken the place of a checked name
/// fails.
#[cfg(unix)]
fn open_place(root: &Path, place: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    use rustix::io::Errno;
    // Only to go through: its files may be readable where its list of them is not.
    #[cfg(target_os = "linux")]
    const FOLDER: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const FOLDER: OFlags = OFlags::RDONLY;
    let folder = FOLDER | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let no_link = |error| match error {
        // A link. On Linux, one in the place of a folder is no folder.
        Errno::LOOP => io::ErrorKind::NotFound.into(),
        error => io::Error::from(error),
    };
    let mut inside = open(root, folder, Mode::empty())?;
    for name in parent.strip_prefix(root).map_err(|_| io::ErrorKind::NotFound)? {
        inside = openat(&inside, name, folder, Mode::empty()).map_err(no_link)?;
    }
    // Not a pipe that waits for its writer.
    let file = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(&inside, name, file, Mode::empty()).map(File::from).map_err(no_link)
}

/// Between the check and this, a link may take a name's place.
#[cfg(not(unix))]
fn open_place(_: &Path, place: &Path) -> io::Result<File> {
    File::open(place)
}

/// A file, which counts as open until it is dropped. While a thread reads from it, its descriptor stays open a
/// little longer: tokio closes it when that read is done.
#[derive(Debug)]
pub(crate) struct Opened {
    file: tokio::fs::File,
    _permit: OwnedSemaphorePermit,
}

type Soon<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

impl Backend for Inside {
    type File = Opened;
    type Metadata = Metadata;
    type OpenFuture = Soon<'static, Opened>;
    type MetadataFuture = Soon<'static, Metadata>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        let inside = self.clone();
        Box::pin(async move {
            // One is for the folder through which the file is opened.
            let turn = timeout(TURN, inside.may_open.clone().acquire_many_owned(2)).await;
            let mut permits = turn.map_err(|_| io::ErrorKind::ResourceBusy)?.map_err(io::Error::other)?;
            // The thread has them, since it goes on when a client gives its request up.
            let open = move || {
                let file = inside.open_file(&path)?.into();
                drop(permits.split(1));
                Ok(Opened { file, _permit: permits })
            };
            spawn_blocking(open).await?
        })
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        let inside = self.clone();
        Box::pin(async move { Ok(spawn_blocking(move || inside.find(&path)).await??.1) })
    }
}

impl tower_http::services::fs::File for Opened {
    type Metadata = Metadata;
    type MetadataFuture<'a> = Soon<'a, Metadata>;

    fn metadata(&self) -> Self::MetadataFuture<'_> {
        Box::pin(self.file.metadata())
    }
}

impl AsyncRead for Opened {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.file).poll_read(context, buffer)
    }
}

impl AsyncSeek for Opened {
    fn start_seek(mut self: Pin<&mut Self>, position: io::SeekFrom) -> io::Result<()> {
        Pin::new(&mut self.file).start_seek(position)
    }

    fn poll_complete(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.file).poll_complete(context)
    }
}
