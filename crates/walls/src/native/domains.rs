//! Where packages come from.

/// An agent that cannot fetch a dependency cannot build. They are hosts that serve what others have
/// published. Hosts on which anybody can leave something to be picked up (code hosting, upload servers
/// of registries, object stores) are not among them: a secret could leave through those.
pub const PACKAGE_DOMAINS: [&str; 28] = [
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
    // The Java world
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
