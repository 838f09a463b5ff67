//! Launch archives: the launch they hold, the same bytes for the same input, and everything that is refused.

use crate::compiled::{clang, Folder};
use flate2::{read::GzDecoder, write::GzEncoder, Compression};
use std::io::{Read as _, Write as _};
use std::path::Path;
use warpsmith_launch::Launch;
use warpsmith_launch_file::{archive, load, named_files};

const CHIP: (&str, &str) = ("tiny", "base = \"tiny\"\n");

fn packed(launch: &Launch) -> archive::Packed {
    archive::pack(launch, CHIP).unwrap_or_else(|e| panic!("{e}"))
}

/// What a launch runs and expects, without the places that it came from.
fn held(launch: &Launch) -> Launch {
    let plain = |lines: &mut Option<usize>| *lines = None;
    let mut l = launch.clone();
    l.file = "l".into();
    l.program_file = "p".into();
    l.lines = Default::default();
    l.source = Default::default();
    l.globals.iter_mut().chain(&mut l.expects).for_each(|s| plain(&mut s.line));
    l.constants.iter_mut().for_each(|s| plain(&mut s.line));
    l
}

/// The entries of an archive.
fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut tar = tar::Archive::new(GzDecoder::new(bytes));
    let of = |e: std::io::Result<tar::Entry<'_, GzDecoder<&[u8]>>>| {
        let mut e = e.expect("an entry");
        let mut content = Vec::new();
        e.read_to_end(&mut content).expect("content");
        (String::from_utf8_lossy(&e.path_bytes()).into_owned(), content)
    };
    tar.entries().expect("entries").map(of).collect()
}

/// An archive of entries, names as they are.
fn made(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        out.extend(header.as_bytes());
        out.extend(content);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.extend([0; 1024]);
    zipped(&out)
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(bytes).expect("memory");
    gz.finish().expect("memory")
}

fn plain() -> (Folder, Launch) {
    let folder = Folder::new(&[("k.hex", "f0000001\ne0000001\n"), ("in.hex", "00000001\n")]);
    let text = "# a comment\nprogram = \"k.hex\"\ngrid = [1, 1]\nblock = [32, 1, 1]\nregisters = 4\nglobal_bytes = 256\n[[global]]\noffset = 0\nfile = \"in.hex\"\n[[expect]]\noffset = 0\nfile = \"in.hex\"\n";
    let launch = folder.load(text).unwrap_or_else(|e| panic!("{e}"));
    (folder, launch)
}

#[test]
fn an_archive_holds_the_launch() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let dir = tempfile::tempdir().expect("a folder");
    let mut files = vec!["vector_add/launch.toml"];
    if clang() {
        files.extend(["saxpy/saxpy_cu.toml", "transpose/transpose_cl.toml", "printing/printing_cl.toml"]);
    }
    for file in files {
        let file = kernels.join(file);
        let launch = load(&file).unwrap_or_else(|e| panic!("{e}"));
        let packed = packed(&launch);
        assert_eq!(packed.bytes, self::packed(&launch).bytes, "{}", file.display());
        let path = dir.path().join(&packed.name);
        std::fs::write(&path, &packed.bytes).expect("a file");
        // Everything the launch file names was read, and nothing of the archive is outside of it.
        for named in named_files(&file) {
            let named = named.canonicalize().expect("there");
            assert!(packed.inputs.iter().any(|i| i.canonicalize().is_ok_and(|i| i == named)), "{}", named.display());
        }
        assert!(named_files(&path).is_empty());
        let read = load(&path).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read.file, path);
        assert_eq!(held(&read), held(&launch), "{}", file.display());
        // Lines name sources that are there.
        assert_eq!(read.source.is_empty(), launch.source.is_empty());
        let own =
            read.source.by_file().filter(|(f, lines)| !lines.is_empty() && f.extension().is_some_and(|e| e != "h"));
        own.for_each(|(source, _)| assert!(source.is_file(), "{}", source.display()));
        // Unpacked by hand, it is a launch file as any other.
        let folder = dir.path().join("by hand");
        tar::Archive::new(GzDecoder::new(&packed.bytes[..])).unpack(&folder).expect("unpacked");
        let inner = folder.join(packed.name.trim_end_matches(".tar.gz")).join("launch.toml");
        let read = load(&inner).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(held(&read), held(&launch));
        for path in [path, inner] {
            let chip = archive::chip(&path).expect("a chip");
            assert_eq!(std::fs::read_to_string(chip).expect("text"), CHIP.1);
        }
    }
    assert_eq!(archive::chip(&kernels.join("vector_add/launch.toml")), None);
}

#[test]
fn files_outside_of_the_folder_are_packed_and_comments_stay() {
    let (folder, _) = plain();
    let other = Folder::new(&[("in.hex", "00000001\n")]);
    let outside = other.path().join("in.hex");
    let text = format!("# a comment\nprogram = \"k.hex\"\ngrid = [1]\nblock = [32]\nregisters = 4\nglobal_bytes = 256\n[[global]]\noffset = 0\nfile = \"{}\" # why\n[[global]]\noffset = 8\nfile = \"in.hex\"\n", outside.display());
    let launch = folder.load(&text).unwrap_or_else(|e| panic!("{e}"));
    let packed = packed(&launch);
    let names: Vec<&str> = packed.files.iter().map(|f| f.0.as_str()).collect();
    let wanted = ["chip/tiny.toml", "data/in.hex", "data/outside1/in.hex", "k.hex", "launch.toml", "warpsmith.toml"];
    assert_eq!(names, wanted);
    let all = entries(&packed.bytes);
    assert_eq!(all[0].0, "l/warpsmith.toml");
    let text = all.iter().find(|e| e.0 == "l/launch.toml").map(|e| String::from_utf8_lossy(&e.1).into_owned());
    let text = text.expect("a launch file");
    assert!(text.contains("# a comment") && text.contains("file = \"data/outside1/in.hex\" # why"), "{text}");
    assert!(!text.contains(&outside.display().to_string()), "{text}");
    // An archive is not packed again.
    let path = folder.path().join("l.tar.gz");
    std::fs::write(&path, &packed.bytes).expect("a file");
    let e = archive::pack(&load(&path).unwrap_or_else(|e| panic!("{e}")), CHIP).expect_err("an archive");
    assert!(e.message.contains("is an archive already"), "{e}");
}

#[test]
fn damaged_and_foreign_archives_are_refused() {
    let (folder, launch) = plain();
    let good = packed(&launch).bytes;
    let path = folder.path().join("l.tar.gz");
    let refused = |bytes: &[u8], says: &str| {
        std::fs::write(&path, bytes).expect("a file");
        let e = load(&path).expect_err(says);
        assert!(e.message.contains(says), "{says}: {e}");
        assert!(e.file.starts_with(&path), "{e}");
        assert_eq!(archive::chip(&path), None, "{says}");
    };
    // Cut anywhere, and one byte changed anywhere.
    for at in (0..good.len()).step_by(61) {
        std::fs::write(&path, &good[..at]).expect("a file");
        assert!(load(&path).is_err(), "cut at {at}");
        // Bytes 4 to 9 of gzip say what it was and when.
        if !(4..10).contains(&at) {
            let mut other = good.clone();
            other[at] ^= 0x20;
            std::fs::write(&path, &other).expect("a file");
            assert!(load(&path).is_err(), "changed at {at}");
        }
    }
    refused(b"", "is no launch archive");
    refused(b"program = \"k.hex\"\n", "is no launch archive");
    refused(&good[..good.len() - 4], "damaged");
    refused(&zipped(b"hello"), "damaged");
    let all = entries(&good);
    let with = |name: &str, content: &[u8]| made(&[&all[..], &[(name.into(), content.to_vec())]].concat());
    std::fs::write(&path, made(&all)).expect("a file");
    load(&path).unwrap_or_else(|e| panic!("{e}"));
    for name in ["/var/x", "l/../../x", "../x", "l/a\\..\\b"] {
        refused(&with(name, b"x"), "lies outside of its folder");
    }
    refused(&with("x", b"x"), "lies outside of its folder");
    refused(&with("l/x", b"x"), "is not in warpsmith.toml");
    refused(&with("l/launch.toml", b"x"), "twice");
    let without = |name: &str| made(&all.iter().filter(|e| e.0 != name).cloned().collect::<Vec<_>>());
    refused(&without("l/warpsmith.toml"), "there is no warpsmith.toml");
    refused(&without("l/data/in.hex"), "is missing");
    let changed = |name: &str, from: &str, to: &str| {
        let change = |e: &(String, Vec<u8>)| match e.0 == name {
            true => (e.0.clone(), String::from_utf8_lossy(&e.1).replace(from, to).into_bytes()),
            false => e.clone(),
        };
        made(&all.iter().map(change).collect::<Vec<_>>())
    };
    refused(&changed("l/launch.toml", "[32", "[33"), "is not what warpsmith.toml says");
    refused(&changed("l/warpsmith.toml", "format = 1", "format = 2"), "is of format 2");
    refused(&changed("l/warpsmith.toml", "format", "farmat"), "warpsmith.toml in the archive");
    // A link that leads out.
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_link(&mut link, "l/x", "/etc/passwd").expect("memory");
    refused(&zipped(&tar.into_inner().expect("memory")), "is no plain file");
    assert!(!Path::new("/var/x").exists());
}
