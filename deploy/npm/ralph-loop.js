#!/usr/bin/env node
// Starts the native ralph-loop with the same arguments, standard streams and exit code. The program and
// its hooks are in the npm package for this platform. This script downloads nothing.
'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const tty = require('node:tty');
const { name, version, optionalDependencies } = require('./package.json');

const isWindows = process.platform === 'win32';

// The same format as errors of ralph-loop.
function fail(problem, hint) {
  console.error(`error: ${problem}\nhint: ${hint}`);
  process.exit(2);
}

function findProgram() {
  const wanted = `${name}-${process.platform}-${process.arch}`;
  // A version in the registry, or the address of a file.
  const source = optionalDependencies[wanted];
  const hint = source
    ? `install it: npm install -g ${source.includes('://') ? source : `${wanted}@${source}`}`
    : 'install it beside this package, or install ralph-loop without npm (docs/install.md)';
  let manifest;
  try {
    manifest = require.resolve(`${wanted}/package.json`);
  } catch {
    fail(`the npm package ${wanted} with the programs for this platform is not installed`, hint);
  }
  const found = require(manifest).version;
  if (found !== version) fail(`the npm package ${wanted} is version ${found}, not ${version}`, hint);
  return path.join(path.dirname(manifest), isWindows ? 'ralph-loop.exe' : 'ralph-loop');
}

// A terminal sends these signals to the program too, and a second Ctrl-C would mean "stop now", so they are
// not forwarded. Windows sends all of them to every process of a console.
const fromTerminal = ['SIGINT', 'SIGQUIT', 'SIGHUP'];
const inTerminal = isWindows || [0, 1, 2].some((stream) => tty.isatty(stream));

const program = findProgram();
let child;
for (const signal of [...fromTerminal, 'SIGTERM']) {
  process.on(signal, () => {
    if (!inTerminal || !fromTerminal.includes(signal)) child.kill(signal);
  });
}
child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => {
  fail(`cannot start ${program}: ${error.message}`, 'remove ralph-loop and its npm packages, and install it again');
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  // End by the same signal, so that the shell sees it.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
