//! The visible part of a home: toolchains, package caches and tool settings without secrets. The rest is hidden.

use std::fs;
use std::path::{Path, PathBuf};

use crate::places::PACKAGE_CACHES;
use crate::{Access, Tools, Workplace};

/// Programs and the files that they need, relative to the home. If a tool stores a token beside its programs,
/// only the program folders are listed.
const TOOLS: &str = "
    .cargo/bin .cargo/env .rustup .local/bin .local/lib .local/pipx .local/share/claude .local/share/fnm
    .local/share/mise .local/share/pipx .local/share/pnpm .local/share/uv/python .local/share/uv/tools
    .local/share/virtualenvs .local/state/nix .nix-profile .nvm .fnm .volta .nodenv .npm-global/bin .npm-global/lib
    .yarn/bin .yarn/releases .bun/bin .bun/install .deno/bin .asdf .pyenv .virtualenvs .conda/envs .conda/pkgs
    miniconda3 miniforge3 anaconda3 .rbenv .rvm .gem/ruby .goenv go/bin sdk .jenv .sdkman .jdks .gradle/wrapper
    .konan .dotnet .ghcup .stack/programs .stack/snapshots .stack/pantry .cabal/bin .cabal/packages .cabal/store .opam
    .elan .julia/packages .julia/artifacts .julia/registries .julia/compiled .julia/juliaup .juliaup .mix .kerl
    .pub-cache/bin .pub-cache/global_packages .pub-cache/git .swiftly .wasmer .wasmtime .foundry/bin
    .cache/ms-playwright .cache/puppeteer .cache/Cypress .cache/pre-commit .cache/selenium .config/git/attributes
    .config/git/ignore .tool-versions Library/Caches/ms-playwright Library/Python
";

/// Tool settings, which are hidden if they contain a password.
const SETTINGS: &str = "
    .gitconfig .config/git/config .cargo/config.toml .cargo/config .npmrc .yarnrc .yarnrc.yml .bunfig.toml
    .config/pip/pip.conf .pip/pip.conf .config/uv/uv.toml .config/pypoetry/config.toml .config/mise/config.toml
    .config/go/env .condarc .m2/settings.xml .gradle/gradle.properties .gemrc .mavenrc
";

/// Variables that name a tool's folder.
const TOOL_VARIABLES: &str = "
    ASDF_DATA_DIR ASDF_DIR BUN_INSTALL CONDA_PREFIX DOTNET_ROOT FNM_DIR GEM_HOME GHCUP_INSTALL_BASE_PREFIX
    GOENV_ROOT GOROOT GRADLE_HOME JAVA_HOME MISE_DATA_DIR NIX_PROFILES NPM_CONFIG_PREFIX NVM_DIR OPAMROOT
    PLAYWRIGHT_BROWSERS_PATH PNPM_HOME POETRY_HOME PYENV_ROOT RBENV_ROOT RUSTUP_HOME SDKMAN_DIR
    UV_PYTHON_INSTALL_DIR VIRTUAL_ENV VOLTA_HOME rvm_path
";

/// Variables that name a package cache.
const CACHE_VARIABLES: &str = "
    DENO_DIR GOCACHE GOMODCACHE NUGET_PACKAGES PIP_CACHE_DIR POETRY_CACHE_DIR PUB_CACHE SCCACHE_DIR UV_CACHE_DIR
    YARN_CACHE_FOLDER npm_config_cache npm_config_store_dir
";

/// Visible parts of `CARGO_HOME`, which also holds registry tokens.
const CARGO_HOME: [(&str, Access); 6] = [
    ("bin", Access::ReadOnly),
    ("registry", Access::Writable),
    ("git", Access::Writable),
    (".package-cache", Access::Writable),
    (".package-cache-mutate", Access::Writable),
    (".global-cache", Access::Writable),
];

/// Larger than any file written by hand.
const LARGEST_SETTINGS: u64 = 256 * 1024;

/// Rules for existing paths below the home or named by a variable. `home` has no links.
pub(crate) fn home_rules(home: &Path, workplace: &Workplace) -> Vec<(PathBuf, Access)> {
    let variables = &workplace.variables;
    let named = |names: &str| -> Vec<PathBuf> {
        let of = |name: &str| variables.iter().find(|(each, _)| each == name).map(|(_, it)| it);
        let paths = names.split_whitespace().filter_map(of).map(PathBuf::from);
        paths.filter(|path| path.is_absolute()).collect()
    };
    let path = variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value);
    let programs = path.into_iter().flat_map(std::env::split_paths).filter(|it| it.is_absolute());
    let of_cargo = named("CARGO_HOME")
        .into_iter()
        .flat_map(|folder| ["config.toml", "config"].map(|name| folder.join(name)));
    let settings = SETTINGS.split_whitespace().map(|file| home.join(file)).chain(of_cargo);
    let read_only = programs
        .chain(named(TOOL_VARIABLES))
        .chain(TOOLS.split_whitespace().map(|tool| home.join(tool)))
        .chain(settings.filter(|file| !holds_secret(file)));
    let usual = PACKAGE_CACHES.split_whitespace();
    let usual = usual.filter_map(|cache| Some(home.join(cache.strip_prefix("~/")?)));
    let moved = named(CACHE_VARIABLES)
        .into_iter()
        .chain(named("GOPATH").into_iter().map(|folder| folder.join("pkg")));
    let cargo = named("CARGO_HOME")
        .into_iter()
        .flat_map(|folder| CARGO_HOME.map(|(name, access)| (folder.join(name), access)));
    let read_only = read_only.map(|path| (path, Access::ReadOnly));
    let writable = |path| (path, Access::Writable);
    let of_machine = read_only.chain(moved.map(writable)).chain(cargo);
    // With an image's tools the machine's variables do not apply.
    let of_machine = of_machine.filter(|_| workplace.tools == Tools::OfMachine);
    let all = of_machine.chain(usual.map(writable));
    all.filter(|(path, _)| path.exists()).map(|(path, access)| (resolved(&path), access)).collect()
}

/// Resolves links in the parent folders, but keeps a link at the end: its target is mounted in its place.
fn resolved(path: &Path) -> PathBuf {
    let parts = path.parent().zip(path.file_name());
    let real = parts.and_then(|(above, name)| Some(above.canonicalize().ok()?.join(name)));
    real.unwrap_or_else(|| path.to_path_buf())
}

/// Whether the text of a settings file shows a token or a password. An unreadable file counts as secret.
pub fn holds_secret(file: &Path) -> bool {
    const SIGNS: &str =
        "token password _auth secret extraheader credential apikey api_key ghp_ /t/";
    // It names git's signing key, but does not contain it.
    let is_of_git = file.ends_with(".gitconfig") || file.ends_with("git/config");
    let is_short = fs::metadata(file).is_ok_and(|found| found.len() <= LARGEST_SETTINGS);
    let text = fs::read(file).ok().filter(|_| is_short);
    text.is_none_or(|text| {
        let text = String::from_utf8_lossy(&text).to_lowercase();
        let has_key = text.contains("key") && !is_of_git;
        has_key || SIGNS.split_whitespace().any(|sign| text.contains(sign)) || has_login(&text)
    })
}

/// Finds an address such as `https://me:1234@example.com`.
fn has_login(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let host = rest.split(['/', '"', '\'', '\n', ' ', '<']).next().unwrap_or_default();
        host.contains('@')
    })
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use assert_fs::prelude::*;

    use super::*;

    fn rules(home: &TempDir, variables: &[(&str, &Path)]) -> Vec<(String, Access)> {
        let home = home.path().canonicalize().unwrap();
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let workplace = Workplace { variables: variables.collect(), ..Workplace::default() };
        let below = |(path, access): (PathBuf, Access)| {
            (path.strip_prefix(&home).unwrap().display().to_string(), access)
        };
        home_rules(&home, &workplace).into_iter().map(below).collect()
    }

    #[test]
    fn programs_can_be_read_and_package_caches_written_and_nothing_else_is_named() {
        let home = TempDir::new().unwrap();
        for file in [".rustup/toolchain", ".cargo/registry/x", ".ssh/id", ".cargo/credentials.toml"]
        {
            home.child(file).touch().unwrap();
        }
        let expected = [(".rustup", Access::ReadOnly), (".cargo/registry", Access::Writable)];
        let expected = expected.map(|(path, access)| (path.to_owned(), access));
        assert_eq!(rules(&home, &[]), expected);
    }

    #[test]
    fn folders_of_path_and_of_tools_are_found_by_their_variables() {
        let home = TempDir::new().unwrap();
        for file in ["own/bin/x", "cargo/bin/x", "cargo/registry/x", "cargo/credentials.toml"] {
            home.child(file).touch().unwrap();
        }
        let (bin, cargo) = (home.path().join("own/bin"), home.path().join("cargo"));
        let names: Vec<String> = rules(&home, &[("PATH", &bin), ("CARGO_HOME", &cargo)])
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert_eq!(names, ["own/bin", "cargo/bin", "cargo/registry"]);
    }

    #[test]
    fn settings_with_a_secret_are_left_out() {
        let home = TempDir::new().unwrap();
        let shown = |text: &str| {
            home.child(".npmrc").write_str(text).unwrap();
            rules(&home, &[]) == [(".npmrc".to_owned(), Access::ReadOnly)]
        };
        assert!(shown("registry=https://registry.example.com/npm/\n"));
        assert!(!shown("//registry.example.com/:_authToken=npm_x\n"));
        assert!(!shown("registry=https://me:1234@registry.example.com/\n"));
        assert!(shown("email=me@example.com\nregistry=https://registry.example.com/\n"));
    }
}
