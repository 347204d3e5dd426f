//! Paths in the home that matter to a sandbox, with `~` for the home.

/// Caches of package managers. Narrow folders: their siblings are on the PATH or run by the next build
/// (`~/.cargo/bin`, `~/.gradle/init.d`). Missing ones are skipped and cannot be created from inside.
pub const PACKAGE_CACHES: [&str; 41] = [
    // Rust
    "~/.cargo/registry",
    "~/.cargo/git",
    "~/.cargo/.package-cache",
    "~/.cargo/.package-cache-mutate",
    "~/.cargo/.global-cache",
    // JavaScript
    "~/.npm/_cacache",
    "~/.npm/_logs",
    "~/.npm/_npx",
    "~/.cache/yarn",
    "~/.yarn/berry/cache",
    "~/.cache/pnpm",
    "~/.local/share/pnpm/store",
    "~/.bun/install/cache",
    "~/.cache/deno",
    "~/.cache/node-gyp",
    // Python
    "~/.cache/pip",
    "~/.cache/uv",
    "~/.cache/pypoetry",
    // Go
    "~/go/pkg",
    "~/.cache/go-build",
    "~/.cache/golangci-lint",
    // JVM
    "~/.m2/repository",
    "~/.gradle/caches",
    "~/.gradle/daemon",
    "~/.gradle/native",
    "~/.gradle/notifications",
    "~/.gradle/wrapper/dists",
    // Others
    "~/.bundle/cache",
    "~/.cache/composer",
    "~/.nuget/packages",
    "~/.cache/rebar3",
    "~/.hex/packages",
    "~/.pub-cache/hosted",
    // macOS
    "~/Library/Caches/Yarn",
    "~/Library/Caches/pnpm",
    "~/Library/pnpm/store",
    "~/Library/Caches/deno",
    "~/Library/Caches/pip",
    "~/Library/Caches/pypoetry",
    "~/Library/Caches/go-build",
    "~/Library/Caches/golangci-lint",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    File(&'static str),
    Folder(&'static str),
}

/// Credentials that neither builds nor commits need; the runner pushes from outside the sandbox. Files that
/// hold a registry's address beside its token (`~/.npmrc`, `~/.m2/settings.xml`) are missing, because builds read them.
pub const CREDENTIALS: [Credential; 24] = [
    Credential::Folder("~/.ssh"),
    Credential::Folder("~/.gnupg"),
    Credential::Folder("~/.aws"),
    Credential::Folder("~/.azure"),
    Credential::Folder("~/.config/gcloud"),
    Credential::Folder("~/.kube"),
    Credential::File("~/.docker/config.json"),
    Credential::File("~/.netrc"),
    Credential::File("~/.git-credentials"),
    Credential::File("~/.config/git/credentials"),
    Credential::Folder("~/.config/gh"),
    Credential::Folder("~/.config/glab-cli"),
    Credential::File("~/.cargo/credentials.toml"),
    Credential::File("~/.pypirc"),
    Credential::File("~/.gem/credentials"),
    Credential::File("~/.terraform.d/credentials.tfrc.json"),
    Credential::File("~/.claude/.credentials.json"),
    Credential::Folder("~/.codex"),
    Credential::Folder("~/.password-store"),
    Credential::Folder("~/.local/share/keyrings"),
    Credential::Folder("~/.mozilla"),
    Credential::Folder("~/.config/google-chrome"),
    Credential::Folder("~/.config/chromium"),
    Credential::Folder("~/Library/Keychains"),
];

/// Hosts that serve published packages, which builds need. Hosts with public uploads (code hosting, upload
/// servers of registries, object stores) are missing, because a secret could leave through them.
pub const PACKAGE_HOSTS: [&str; 28] = [
    // Rust
    "index.crates.io",
    "static.crates.io",
    "static.rust-lang.org",
    // JavaScript
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "repo.yarnpkg.com",
    "nodejs.org",
    "jsr.io",
    "npm.jsr.io",
    // Python
    "pypi.org",
    "files.pythonhosted.org",
    // Go
    "proxy.golang.org",
    "sum.golang.org",
    // JVM
    "repo.maven.apache.org",
    "repo1.maven.org",
    "plugins.gradle.org",
    "plugins-artifacts.gradle.org",
    "services.gradle.org",
    "downloads.gradle.org",
    // Ruby
    "rubygems.org",
    "index.rubygems.org",
    // PHP
    "repo.packagist.org",
    // .NET
    "api.nuget.org",
    "globalcdn.nuget.org",
    // Elixir and Erlang
    "repo.hex.pm",
    "builds.hex.pm",
    // Dart
    "pub.dev",
    "pub.dartlang.org",
];
