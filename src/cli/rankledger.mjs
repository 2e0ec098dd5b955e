#!/usr/bin/env node
// Starts the CLI on the pinned Node.js, or refuses in one line. Plain JavaScript, so that any Node.js can read it.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const majorMin = 24;
const cannotRun = 78; // EX_CONFIG of sysexits.h
/** Environment variable with the process number of the launcher that an older Node.js runs. */
const launcherKey = 'RANKLEDGER_LAUNCHER';
/** Less than the time in which the next command starts. */
const launcherPollMs = 100;
const here = dirname(fileURLToPath(import.meta.url));
/** Installed as a package; a checkout has its own runtime. */
const isInstalled = here.includes(`${sep}node_modules${sep}`);

if (Number(process.versions.node.split('.')[0]) >= majorMin) await start();
else await handOver();

async function start() {
  if (!hasFolder()) {
    refuse('the current folder does not exist any more. Change to another folder.');
    return;
  }
  // SIGHUP would end the process until the command is loaded and listens; on a terminal that is intended
  if (process.argv[2] === 'schedule' && !process.stdout.isTTY) process.on('SIGHUP', () => {});
  endWithLauncher();
  module.enableCompileCache?.();
  // In a checkout, Node strips the types. It refuses to do so under node_modules, so a package contains compiled files.
  const compiled = new URL('../../dist/src/cli/main.js', import.meta.url);
  const entry = isInstalled ? compiled : new URL('./main.ts', import.meta.url);
  if (entry === compiled && !existsSync(fileURLToPath(compiled))) {
    refuse('this installation has no compiled files (dist). Install rankledger again, or run it from a checkout.');
    return;
  }
  const loaded = await import(entry.href).catch((error) => {
    if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error;
    refuse('too many files are open. Raise the limit (ulimit -n).');
  });
  if (loaded === undefined) return;
  const { main, terminalHost } = loaded;
  process.exitCode = await main(process.argv.slice(2), terminalHost());
}

function hasFolder() {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

/** `kill -9` of the launcher gives it no time to pass the signal on: without it, nothing more may be bought. */
function endWithLauncher() {
  const launcher = Number(process.env[launcherKey]);
  delete process.env[launcherKey];
  // on Windows a process keeps the number of a parent that has ended
  if (!(launcher > 0) || process.platform === 'win32') return;
  const endIfAlone = () => {
    if (process.ppid !== launcher) process.kill(process.pid, 'SIGKILL');
  };
  endIfAlone();
  setInterval(endIfAlone, launcherPollMs).unref();
}

async function handOver() {
  const runtime = pinnedRuntime();
  if (runtime === undefined || runtime === process.execPath) {
    const remedy = isInstalled ? 'Install that version' : 'Run `npm ci` here, which brings it along';
    refuse(`needs Node.js ${majorMin} or later, and this is ${process.version}. ${remedy}.`);
    return;
  }
  const { spawn } = await import('node:child_process');
  const env = { ...process.env, [launcherKey]: `${process.pid}` };
  const child = spawn(runtime, process.argv.slice(1), { stdio: 'inherit', env });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => refuse(`cannot start ${runtime}: ${error.message}`));
  child.on('exit', (code, signal) => {
    for (const each of signals) process.off(each, forward);
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
    if (signal !== null) process.kill(process.pid, signal);
  });
}

/** npm hoists packages: the runtime is in the node_modules of this package or of a folder above it. */
function pinnedRuntime() {
  const name = join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  for (let folder = here; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return join(folder, name);
    if (folder === dirname(folder)) return undefined;
  }
}

function refuse(message) {
  process.stderr.write(`rankledger: ${message}\n`);
  process.exitCode = cannotRun;
}
