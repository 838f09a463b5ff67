//! Emitted folders under several writers: tests run in threads, and beside another run of the tests.

use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::pipeline::decode::Decode;

#[test]
fn threads_may_write_the_same_folder_and_read_it_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    let emitted = emit_leaf(&Decode::new(&GpuConfig::named("tiny").expect("a known one")));
    std::thread::scope(|s| {
        for _ in 0..8 {
            s.spawn(|| {
                for _ in 0..50 {
                    emitted.write(dir.path()).unwrap_or_else(|e| panic!("{e}"));
                    emitted.check(dir.path()).unwrap_or_else(|e| panic!("{e}"));
                }
            });
        }
    });
    // Nothing is left of the parts.
    let files = std::fs::read_dir(dir.path()).expect("it is there").count();
    assert_eq!(files, emitted.files.len());
}
