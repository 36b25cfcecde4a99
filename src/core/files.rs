//! Files of keys: written so that nobody else ever reads a secret one, read with a limit, listed. What is in them is not
//! known here.

use super::error::{Error, Result};
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The largest file that `read` takes, in bytes.
const LIMIT: u64 = 1 << 20;

/// Replaces a file in one step. A private one has mode 600 before its first byte is written.
pub fn write(path: &[u8], content: &[u8], private: bool) -> Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let path = Path::new(OsStr::from_bytes(path));
    let mut beside = path.as_os_str().to_owned();
    let count = COUNT.fetch_add(1, Relaxed);
    beside.push(format!(".{}-{count}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let mode = if private { 0o600 } else { 0o666 };
    let put = || {
        let mut file =
            (OpenOptions::new().write(true).create_new(true).mode(mode)).open(&beside)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    put().map_err(|error| {
        // Nothing of ours stays behind; a file that was there already is not ours.
        if error.kind() != io::ErrorKind::AlreadyExists {
            let _ = fs::remove_file(&beside);
        }
        explain(&error, path)
    })
}

/// The content of a regular file. EFBIG beyond 1 MiB, EINVAL for a pipe or device; for the rest the system's errors.
pub fn read(path: &[u8]) -> Result<Vec<u8>> {
    let path = Path::new(OsStr::from_bytes(path));
    let mut content = Vec::new();
    let mut get = || {
        // Opening a pipe would wait for its writer.
        let kind = fs::metadata(path)?;
        if kind.is_dir() {
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        if !kind.is_file() {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        fs::File::open(path)?
            .take(LIMIT + 1)
            .read_to_end(&mut content)
    };
    match get() {
        Ok(_) if content.len() as u64 > LIMIT => {
            Err(explain(&io::Error::from_raw_os_error(libc::EFBIG), path))
        }
        Ok(_) => Ok(content),
        Err(error) => Err(explain(&error, path)),
    }
}

/// The names of a directory's regular files, sorted.
pub fn list(path: &[u8]) -> Result<Vec<Vec<u8>>> {
    let path = Path::new(OsStr::from_bytes(path));
    let get = || {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if fs::metadata(entry.path()).is_ok_and(|kind| kind.is_file()) {
                names.push(entry.file_name().into_vec());
            }
        }
        names.sort();
        Ok(names)
    };
    get().map_err(|error| explain(&error, path))
}

fn explain(error: &io::Error, path: &Path) -> Error {
    // The one error without a number is a path that holds a NUL byte.
    let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
    Error::new(errno, path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_private_file_is_private_even_where_a_public_one_was() {
        let folder = std::env::temp_dir().join(format!("rzmq-files-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("key");
        let bytes = path.as_os_str().as_bytes();
        write(bytes, b"old", false).unwrap();
        write(bytes, b"new", true).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(read(bytes).as_deref(), Ok(&b"new"[..]));
        assert_eq!(
            list(folder.as_os_str().as_bytes()),
            Ok(vec![b"key".to_vec()])
        );
        // A directory in the way: nothing is left beside it.
        let taken = folder.join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(write(taken.as_os_str().as_bytes(), b"x", true).is_err());
        assert_eq!(
            list(folder.as_os_str().as_bytes()),
            Ok(vec![b"key".to_vec()])
        );
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let errno = |path: &[u8]| read(path).map_err(|error| error.errno);
        assert_eq!(errno(b"/"), Err(libc::EISDIR));
        assert_eq!(errno(b"/dev/zero"), Err(libc::EINVAL));
        assert_eq!(errno(b"/nowhere/x"), Err(libc::ENOENT));
        assert_eq!(errno(b"/etc/passwd\0.key"), Err(libc::EINVAL));
        assert_eq!(
            list(b"/nowhere").map_err(|error| error.errno),
            Err(libc::ENOENT)
        );
    }
}
