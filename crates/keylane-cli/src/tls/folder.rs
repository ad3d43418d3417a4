//! The files that may be served: those whose real place is inside one folder, and not hidden.

use crate::status::{Failure, quoted};
use crate::stdin::is_stdin;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use tower_http::services::fs::{Backend, ServeDir, TokioBackend, TokioFile};

/// Opens files and folders that are inside a folder, however symbolic links lead to them. Anything else does
/// not exist, nor do pipes and devices, even inside, nor names that begin with a dot.
#[derive(Clone, Debug)]
pub(crate) struct Inside {
    /// Without symbolic links.
    root: Arc<Path>,
}

pub(crate) type Folder = ServeDir<tower_http::services::fs::DefaultServeDirFallback, Inside>;

/// Returns the folder without symbolic links.
///
/// # Errors
///
/// If there is no such folder.
pub(crate) fn root(path: &Path) -> io::Result<Arc<Path>> {
    let root = path.canonicalize()?;
    if root.is_dir() { Ok(root.into()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

pub(crate) fn open(root: Arc<Path>) -> Folder {
    // Several ranges in one request are answered with the whole file.
    ServeDir::with_backend(root.clone(), Inside { root }).ignore_multi_range_requests(true)
}

/// Refuses to serve the folder if one of these secrets is in it, or would be when it is made.
pub(crate) fn refuse<'a>(root: &Path, secrets: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
    for secret in secrets {
        let path = if is_stdin(secret) { Path::new("/dev/stdin") } else { secret };
        let place = path.canonicalize().or_else(|_| match path.parent() {
            Some(parent) if parent != Path::new("") => parent.canonicalize(),
            _ => Path::new(".").canonicalize(),
        });
        // What has no place cannot be opened either, and that gets its own message.
        if place.is_ok_and(|place| place.starts_with(root)) {
            let (secret, root) = (quoted(secret), quoted(root));
            return Err(Failure::input(format_args!(
                "{secret} is secret, but would be served: it is in the folder {root}"
            )));
        }
    }
    Ok(())
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
    /// The real place of what `path` leads to.
    async fn find(self, path: PathBuf) -> io::Result<(PathBuf, Metadata)> {
        let find = move || {
            if is_hidden(&self.root, &path) {
                return Err(io::ErrorKind::NotFound.into());
            }
            // A name that is too long, or a link in a circle.
            let place = path.canonicalize().map_err(|_| io::ErrorKind::NotFound)?;
            // Before it is opened: opening a pipe would wait for its writer.
            let metadata = place.metadata()?;
            if place.starts_with(&self.root)
                && !is_hidden(&self.root, &place)
                && (metadata.is_file() || metadata.is_dir())
            {
                Ok((place, metadata))
            } else {
                Err(io::ErrorKind::NotFound.into())
            }
        };
        tokio::task::spawn_blocking(find).await?
    }
}

type Soon<T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send>>;

impl Backend for Inside {
    type File = TokioFile;
    type Metadata = Metadata;
    type OpenFuture = Soon<TokioFile>;
    type MetadataFuture = Soon<Metadata>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        let found = self.clone().find(path);
        Box::pin(async {
            let (place, metadata) = found.await?;
            if metadata.is_dir() {
                return Err(io::ErrorKind::NotFound.into());
            }
            TokioBackend.open(place).await
        })
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        let found = self.clone().find(path);
        Box::pin(async { Ok(found.await?.1) })
    }
}
