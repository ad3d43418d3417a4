//! The files that may be served: those whose real place is inside one folder.

use std::io;
use std::path::{Component, Path, PathBuf};
use tokio::fs::{self, File};

#[derive(Debug)]
pub(crate) struct Folder {
    /// Without symbolic links.
    root: PathBuf,
}

/// What a request's path names.
pub(crate) enum Found {
    File {
        content: File,
        len: u64,
        media_type: &'static str,
    },
    /// A folder without the final `/`, which relative links need.
    Folder,
    /// There is no such file, or it is outside the folder: the answer is the same.
    Nothing,
    /// The path is not well-formed.
    Malformed,
}

impl Folder {
    /// # Errors
    ///
    /// If there is no such folder.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let root = path.canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { root })
    }

    /// Finds what the path of a URL means, `/` and what follows up to `?`.
    pub(crate) async fn find(&self, path: &str) -> Found {
        let Some(path) = path.strip_prefix('/') else { return Found::Malformed };
        let mut segments: Vec<_> = path.split('/').collect();
        let is_folder = segments.last() == Some(&"");
        if is_folder {
            segments.pop();
        }
        let mut place = self.root.clone();
        for segment in segments {
            let Some(name) = percent_decoded(segment) else { return Found::Malformed };
            // No name of a file: empty, `..`, or with a separator that was percent-encoded.
            let mut components = Path::new(&name).components();
            if components.next() != Some(Component::Normal(name.as_ref())) || components.next().is_some() {
                return Found::Nothing;
            }
            place.push(name);
        }
        if is_folder {
            place.push("index.html");
        }
        match self.read(&place).await {
            Ok(Found::Folder) if is_folder => Found::Nothing,
            found => found.unwrap_or(Found::Nothing),
        }
    }

    async fn read(&self, place: &Path) -> io::Result<Found> {
        let place = fs::canonicalize(place).await?;
        if !place.starts_with(&self.root) {
            return Ok(Found::Nothing);
        }
        // Checked before it is opened: opening a pipe would wait for its writer.
        let metadata = fs::metadata(&place).await?;
        if metadata.is_dir() {
            return Ok(Found::Folder);
        }
        if !metadata.is_file() {
            return Ok(Found::Nothing);
        }
        let content = File::open(&place).await?;
        let len = content.metadata().await?.len();
        Ok(Found::File { content, len, media_type: media_type(&place) })
    }
}

/// `None` if it is not percent-encoded UTF-8, or has a NUL.
fn percent_decoded(segment: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(segment.len());
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? << 4 | digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok().filter(|name| !name.contains('\0'))
}

fn media_type(place: &Path) -> &'static str {
    let extension = place.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("html" | "htm") => "text/html",
        Some("css") => "text/css",
        Some("js" | "mjs") => "text/javascript",
        Some("json") => "application/json",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn percent_encoding() {
        assert_eq!(percent_decoded("a%20b+%C3%A9%2f").as_deref(), Some("a b+é/"));
        for malformed in ["%", "%4", "%g0", "%+1", "%00", "%ff", "%c3"] {
            assert_eq!(percent_decoded(malformed), None, "{malformed}");
        }
    }
}
