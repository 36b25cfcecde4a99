//! What is changed in libzmq's source before it is compiled: a row for each place, by exact text.
//! Must not know how libzmq is compiled. A row whose text is not there, or there twice, undoes all.

mod faults;
mod speed;

use std::path::{Path, PathBuf};
use std::{env, fs};

/// A row: the file under `src`, the text found there once, and what replaces it.
type Row = (&'static str, &'static str, &'static str);

/// Copies what zeromq-src brings into the folder `to`, changed by the rows; or says why it can't.
pub fn copy_source(to: &Path) -> Result<(), String> {
    let from = vendor()?;
    for folder in ["include", "src", "external/sha1"] {
        copy(&from.join(folder), &to.join(folder)).map_err(|error| error.to_string())?;
    }
    for (file, find, replace) in speed::ROWS.iter().chain(faults::ROWS) {
        let path = to.join("src").join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        if text.matches(find).count() != 1 {
            return Err(format!("{file} is not the one that the edits are for"));
        }
        fs::write(&path, text.replace(find, replace)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The source inside zeromq-src, which doesn't tell where it is: Cargo unpacks all crates into one folder. With
/// `cargo vendor` they are elsewhere, and libzmq is built as it came.
fn vendor() -> Result<PathBuf, String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let registries = home.ok_or("no HOME")?.join("registry/src");
    let folders = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten();
    folders(&registries)
        .flat_map(|registry| folders(&registry.path()))
        .find(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("zeromq-src-") && name.ends_with("+4.3.5")
        })
        .map(|entry| entry.path().join("vendor"))
        .ok_or_else(|| {
            format!(
                "{} holds no zeromq-src of libzmq 4.3.5",
                registries.display()
            )
        })
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        if path.is_file() {
            let name = path.file_name().expect("a file has a name");
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
