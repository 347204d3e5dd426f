//! Names of calls in many languages, grouped by effect. They are searched in code without blanks, where `·` is a blank
//! between two names. `^` marks names that are only meant without a module or an object before them.

use crate::words::words;

pub(super) type Names = &'static [&'static str];

/// Start a program or a shell.
pub(super) const STARTS: Names = words!(
    r#"system( system" system' system$ system· popen( shell_exec( passthru( proc_open pcntl_exec ^exec( exec" exec'
     exec$ exec· execl execv execSync execFile execa( spawn( spawnSync spawnl spawnv child_process subprocess
     os.system Open3 check_output check_call Popen( getoutput pty. qx" %x" do·shell·script |getline |"" $"" $`` "".!
     sh"" os:cmd System.cmd System.shell callCommand callProcess readProcess runCommand run-program run-process
     shell-command call-process start-process shell/sh process/shell uiop: Command::new exec.Command ProcessBuilder
     Runtime.getRuntime Process.Start Process.run launchPath executableURL Deno.Command Bun.$ execute_process
     Start-Process Invoke-Expression system2( execShellCmd execCmd Sys.command Unix.system Unix.exec jobstart( termopen( vim.system
     io.popen os.execute "".execute() syscmd( Process.spawn posix_spawn WScript.Shell"#
);

/// Start one in some languages.
pub(super) const MAY_START: Names =
    words!("exec( execute( sh( run( call( shell( cmd( spawn :system :exec");

/// Delete folders with their contents.
pub(super) const DELETES_TREES: Names = words!(
    "rmtree rmSync rmdir rm_rf rm_r( rm_r· remove_dir removedirs rimraf fs.rm ^rm( ^rm· remove_tree remove_entry
     emptyDirSync removeSync promises.rm( deltree deldir delete_dir delete-directory delete-tree del_dir ]::Delete
     deleteRecursively deleteDir( deleteDirectory FileUtils.delete removeItem RemoveAll remove_all Directory.Delete
     file·delete to·delete REMOVE_RECURSE call·delete( vim.fn.delete( Remove-Item removeRecursively
     removePathForcibly removeDirectoryRecursive rm_rf! deleteTree"
);

pub(super) const DELETES: Names = words!(
    "os.remove ^remove( unlink File.delete Files.delete File.Delete FileUtils.rm .deleteIfExists File.rm delete-file
     truncate( Deno.remove .delete() file.remove removeFile deleteFile remove_file"
);

pub(super) const WRITES: Names = words!(
    "writeFile appendFile createWriteStream write_text write_bytes file_put_contents File.write shutil.copy
     shutil.move copyFile renameSync os.rename os.replace symlink os.makedirs os.mkdir mkdirSync outputFile
     FileUtils.cp FileUtils.mv FileUtils.touch os.link( File.open openSync Bun.write Deno.write copytree cpSync
     touch( write-file write-region append-to-file writefile( File.write! Files.write Files.copy Files.move WriteAll
     writeLines write.table write.csv ^spit FileWriter PrintWriter WriteFile os.Create writeTextFile file·rename
     file·copy file·mkdir Set-Content Out-File Add-Content Copy-Item Move-Item New-Item ^copy( ^move( ^rename( ^cp(
     ^mv("
);

/// The last of their paths is the one that they write.
pub(super) const COPIES: Names =
    words!("copy rename move cpSync symlink os.replace cp( mv( Copy Move");

pub(super) const CHANGES_MODES: Names = words!("chmod chown setPosixFilePermissions");

/// The name of the function is itself a string.
pub(super) const BY_NAME: Names =
    words!("getattr( array_map( call_user_func .send( [\"\"]( __send__ public_send(");

pub(super) const HOME: Names = words!(
    "expanduser homedir Path.home Dir.home process.env.HOME $HOME user.home UserHomeDir env(HOME) of·home
     NSHomeDirectory userprofile System.user_home"
);
pub(super) const ENVIRONMENT: Names = words!("environ process.env ENV getenv get_env");

pub(super) const EVALUATES: Names = words!(
    "^eval( ^eval· ^eval$ ^eval\" ^eval' ^eval{ ^eval) builtins.eval globalThis.eval ^exec( ^exec· Function( vm.runIn
     ^compile( __import__( loadstring( ^load( instance_eval class_eval Code.eval_string parse(text= Invoke-Expression
     iex( runpy. load-string create_function"
);
pub(super) const SOCKETS: Names = words!(
    r#"socket Socket net.connect fsockopen createConnection "net" 'net' /inet/tcp /inet/udp TCPServer net.Dial
     TCPClient Deno.connect gen_tcp"#
);
pub(super) const SHELLS: Names = words!(
    r#"/bin/sh /bin/bash dup2 pty.spawn "sh" 'sh' 'bash' "bash" cmd.exe /bin/zsh getline io.popen( [exec `$_`"#
);
pub(super) const DECODES: Names = words!(
    r#"b64decode fromhex unhexlify atob( 'base64' "base64" codecs.decode rot13 rot_13 pack( marshal.load
     zlib.decompress fromCharCode decode_base64 base64_decode unpack chr( 'hex' "hex" bytes([ decode64 [::-1]
     reverse() FromBase64String base64decode Base64.decode getDecoder hex2bin intToUtf8 gzinflate str_rot13 strrev("#
);
pub(super) const READS: Names = words!(
    "open( readFile read_text File.read file_get_contents( read_bytes IO.read `cat Files.read readLines slurp ReadAll
     readTextFile io.lines ReadFile Get-Content"
);
pub(super) const SENDS: Names = words!(
    "data= json= files= POST .post( post( method: sendall( .send( .write( sendto( sendmail( storbinary(
     gethostbyname( .end( print{ .request( ?"
);
pub(super) const NETWORK: Names = words!(
    r#""net" 'net' "tls" 'tls' HttpClient HTTPoison httpc: reqwest http.Get Invoke-WebRequest DownloadString URLSession
     slurp("http slurp"http"#
);
pub(super) const IMPORTS: Names =
    words!(r#"import'http import"http from'http from"http import('http import("http"#);
pub(super) const SWITCHES_USER: Names =
    words!("setuid(0 setreuid(0 $<=0 $>=0 setgid(0 Process::UID seteuid(0");

pub(super) const ENDLESS: Names = words!(
    "while·True while·1 while(true) for(;;) while(1) loop{ loop·do while·true·do for{ while·true{ forever{ repeat{
     while·True: while·1:"
);
pub(super) const ENDS: Names = words!("sleep break exit last return read input");
pub(super) const FORKS: Names = words!("fork·while fork()while fork·until fork;fork");
pub(super) const MULTIPLIES: Names = words!("fork spawn( Popen( Thread( Process(");
pub(super) const GROWS: Names = words!("append( .push( += write(");
pub(super) const LARGE: Names = words!("10** 1e9 1e10 <<30 1024*1024*");

/// Whether code without blanks has one of these names.
pub(super) fn has(code: &str, names: &[&str]) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_.-:$@".contains(c);
    let is_start = |before: &str| !before.ends_with("->") && !before.ends_with(is_part);
    names.iter().any(|name| match name.strip_prefix('^') {
        Some(name) => code.match_indices(name).any(|(at, _)| is_start(&code[..at])),
        None => code.contains(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_names_are_not_the_end_of_longer_ones() {
        assert!(has("x=1;rm(\"\")", DELETES_TREES));
        assert!(!has("self.rm(\"\")", DELETES_TREES));
    }
}
