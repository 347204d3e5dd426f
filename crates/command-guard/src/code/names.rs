//! Function names of many languages, grouped by effect.

use crate::words::words;

/// Calls that start a program or a shell.
pub(super) const STARTS: &[&str] = &[
    "system(",
    "execute(",
    "popen(",
    "subprocess",
    "exec(",
    "execl",
    "execv",
    "execSync",
    "execFile",
    "spawn",
    "child_process",
    "shell_exec",
    "passthru",
    "proc_open",
    "Open3",
    "check_output",
    "check_call",
    "Popen",
    "qx",
    "system ",
    "exec ",
    "sh(",
    "run(",
    "call(",
    "getoutput",
    "%x",
    "pty.",
    "do shell script",
    "| getline",
    "| \"\"",
    "|\"\"",
    "$\"\"",
    "$``",
    "\"\".!",
    "sh \"\"",
    "os:cmd",
    "System.cmd",
    "callCommand",
    "run-program",
    "shell-command",
    "call-process",
    "start-process",
    "Command::new",
    "exec.Command",
    "ProcessBuilder",
    "Process.Start",
    "execute_process",
];

pub(super) const DELETES: &[&str] = &[
    "rmtree",
    "rmSync",
    "rmdirSync",
    "rm_rf",
    "rm_r(",
    "remove_dir",
    "rimraf",
    "removedirs",
    "fs.rm(",
    "fs.rm ",
    "rmdir(",
    "remove_tree",
    "remove_entry",
    "rm_r ",
    "emptyDirSync",
    "removeSync",
    "deltree",
    "fs.promises.rm(",
    "promises.rm(",
    "fs.rmdir(",
    "delete_dir",
    "delete-directory",
    "deleteRecursively",
    "removeItem",
    "RemoveAll",
    "Directory.Delete",
    "file delete",
    "to delete ",
    "REMOVE_RECURSE",
    "call delete(",
    "vim.fn.delete(",
];

/// Matched as whole names only, because other names end with them.
pub(super) const DELETES_BY_NAME: &[&str] = &["rm", "rmtree", "rmdir", "unlink", "remove_tree"];
pub(super) const WRITES_BY_NAME: &[&str] = &["copy", "move", "rename", "cp", "mv"];

/// Calls that traverse whole folders.
pub(super) const WALKS: &[&str] =
    words!("finddepth find( os.walk glob RecursiveDirectoryIterator readdirSync scandir listdir");

pub(super) const DELETES_ONE: &[&str] = words!(
    "os.remove( os.unlink( unlinkSync unlink File.delete FileUtils.rm File.unlink truncate(
     delete-file"
);

pub(super) const WRITES: &[&str] = words!(
    "writeFile appendFile createWriteStream write_text write_bytes file_put_contents File.write
     shutil.copy shutil.move copyFile renameSync os.rename os.replace symlink os.makedirs os.mkdir
     mkdirSync outputFile FileUtils.cp FileUtils.mv FileUtils.touch os.link( File.open openSync
     Bun.write Deno.write copytree cpSync touch( write-file write-region append-to-file writefile("
);
