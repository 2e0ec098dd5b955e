#!/usr/bin/env node
// Starts the CLI on the pinned Node.js, or refuses in one line. Plain JavaScript, so that any Node.js can read it.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const majorMin = 24;
const cannotRun = 78; // EX_CONFIG of sysexits.h
/**
 * By default V8 takes 96 MiB for young objects, and collects old garbage when the heap has grown to four times what
 * lives; where the heap may not exceed 2 GiB, to twice. What lives is some tens of MiB, and less than 2 KiB a keyword.
 */
const [semiSpaceMiB, oldSpaceMiB] = [8, 2047];
/**
 * Reports unpack megabytes again and again. By default the C library of Linux stops giving them back once it has seen
 * some: this many bytes are given back, as ever (mallopt(3)).
 */
const trimBytes = 131_072;
/** By default the C library keeps freed memory for each thread apart: 12 to 20 MiB in a report. */
const arenasMax = 2;
const ownLimits = /--max[-_](?:semi[-_]space|old[-_]space|heap)[-_]size/;
const longCommands = ['run', 'plan', 'report', 'schedule', 'worker', 'backfill', 'serve'];
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
  if (process.argv.some((arg) => longCommands.includes(arg))) await limitHeap();
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

/**
 * Becomes a Node.js with limits for its heap, in the same process: a heap takes its limits when it is made. Limits that
 * the user has set stay.
 */
async function limitHeap() {
  const { NODE_OPTIONS: given = '' } = process.env;
  const isLimited = ownLimits.test([given, ...process.execArgv].join(' '));
  if (isLimited || process.platform === 'win32' || process.channel !== undefined) return;
  const { default: v8 } = await import('node:v8');
  const limits = [`--max-semi-space-size=${semiSpaceMiB}`, '--expose-gc'];
  // on small machines, and in small containers, V8 has chosen less
  if (v8.getHeapStatistics().heap_size_limit > oldSpaceMiB * 1_048_576)
    limits.push(`--max-old-space-size=${oldSpaceMiB}`);
  const options = { NODE_OPTIONS: [...limits, given].join(' ').trimEnd() };
  const malloc = { MALLOC_TRIM_THRESHOLD_: `${trimBytes}`, MALLOC_ARENA_MAX: `${arenasMax}` };
  const env = { ...malloc, ...process.env, ...options };
  try {
    process.execve(process.execPath, [process.argv0, ...process.execArgv, ...process.argv.slice(1)], env);
  } catch (error) {
    if (error.code !== 'ERR_ACCESS_DENIED') throw error; // the command line of Node.js forbids it: the defaults do
  }
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
