//! The files that may be served: those whose real place is inside one folder.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use tower_http::services::fs::{Backend, ServeDir, TokioBackend, TokioFile};

/// Opens files and folders that are inside a folder, however symbolic links lead to them. Anything else does
/// not exist, nor do pipes and devices, even inside.
#[derive(Clone, Debug)]
pub(crate) struct Inside {
    /// Without symbolic links.
    root: Arc<Path>,
}

pub(crate) type Folder = ServeDir<tower_http::services::fs::DefaultServeDirFallback, Inside>;

/// # Errors
///
/// If there is no such folder.
pub(crate) fn open(path: &Path) -> io::Result<Folder> {
    let root: Arc<Path> = path.canonicalize()?.into();
    if !root.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    // Several ranges in one request are answered with the whole file.
    Ok(ServeDir::with_backend(root.clone(), Inside { root }).ignore_multi_range_requests(true))
}

impl Inside {
    /// The real place of what `path` leads to.
    async fn find(self, path: PathBuf) -> io::Result<(PathBuf, Metadata)> {
        let find = move || {
            // A name that is too long, or a link in a circle.
            let place = path.canonicalize().map_err(|_| io::ErrorKind::NotFound)?;
            // Before it is opened: opening a pipe would wait for its writer.
            let metadata = place.metadata()?;
            if place.starts_with(&self.root) && (metadata.is_file() || metadata.is_dir()) {
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
