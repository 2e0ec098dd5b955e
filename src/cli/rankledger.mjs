#!/usr/bin/env node
// Starts the CLI on the pinned Node.js, or refuses in one line. Plain JavaScript, so that any Node.js can read it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const majorMin = 24;
const cannotRun = 78; // EX_CONFIG of sysexits.h
/**
 * The live heap of a run is some tens of megabytes at any size; by default V8 lets garbage grow to hundreds before it
 * collects. V8 reads both settings at each collection: it collects old garbage after growth by two fifths, and young
 * garbage in place. That costs a tenth of the time of a long command, and would cost a short one a fifth of its start.
 * A demo is small: it keeps the time instead.
 */
const oldGrowth = '--heap-growing-percent=40';
const youngGrowth = (factor) => `--semi-space-growth-factor=${factor}`;
/** With V8's initial megabyte for young objects, collections are so frequent that reports take half as long again. */
const youngBytes = 8 * 1_048_576;
const longCommands = ['run', 'plan', 'report', 'schedule', 'worker', 'backfill', 'serve'];
const here = dirname(fileURLToPath(import.meta.url));
/** Installed as a package; a checkout has its own runtime. */
const isInstalled = here.includes(`${sep}node_modules${sep}`);

if (Number(process.versions.node.split('.')[0]) >= majorMin) await start();
else handOver();

async function start() {
  // SIGHUP would end the process until the command is loaded and listens; on a terminal that is intended
  if (process.argv[2] === 'schedule' && !process.stdout.isTTY) process.on('SIGHUP', () => {});
  module.enableCompileCache?.();
  if (process.argv.some((arg) => longCommands.includes(arg))) {
    v8.setFlagsFromString(oldGrowth);
    v8.setFlagsFromString(youngGrowth(2));
    growYoung();
    v8.setFlagsFromString(youngGrowth(1));
  }
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
 * No flag changes the size of an existing heap. It grows while many young objects survive: some milliseconds of work.
 */
function growYoung() {
  const bytes = () => v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
  let kept = [];
  for (let made = 0; made < 1_000_000 && bytes() < youngBytes; made += 1000) {
    for (let each = 0; each < 1000; each += 1) kept.push(new Array(64).fill(made));
    kept = kept.slice(-4000);
  }
}

function handOver() {
  const runtime = pinnedRuntime();
  if (runtime === undefined || runtime === process.execPath) {
    const remedy = isInstalled ? 'Install that version' : 'Run `npm ci` here, which brings it along';
    refuse(`needs Node.js ${majorMin} or later, and this is ${process.version}. ${remedy}.`);
    return;
  }
  const child = spawn(runtime, process.argv.slice(1), { stdio: 'inherit' });
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
