// The real program as a child process in its own folder, as an operator starts it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const program = resolve('src/cli/rankledger.mjs');

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  /** stderr without the lines of the log. */
  readonly err: string;
  /** The log, one object per line. */
  readonly log: readonly Record<string, unknown>[];
}

export interface Folder {
  readonly path: string;
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  run(...args: string[]): Promise<Ended>;
  json(...args: string[]): Promise<Ended & { document: Record<string, unknown> }>;
  start(...args: string[]): { child: ChildProcess; ended: Promise<Ended> };
  remove(): void;
}

/** A new folder with these files; children get `env` in their environment. */
export function folderOf(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): Folder {
  const path = mkdtempSync(join(tmpdir(), 'rankledger-outside-'));
  const write = (name: string, content: string | Uint8Array) => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const start = (...args: string[]) => startIn(path, args, env);
  const run = (...args: string[]) => start(...args).ended;
  const json = async (...args: string[]) => {
    const ended = await run(...args, '--json');
    try {
      return { ...ended, document: JSON.parse(ended.out) as Record<string, unknown> };
    } catch {
      throw new Error(`${args.join(' ')} ended with ${ended.exitCode} and no JSON: ${ended.out}${ended.err}`);
    }
  };
  const read = (name: string) => readFileSync(join(path, name), 'utf8');
  return { path, write, read, run, json, start, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function startIn(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { RANKLEDGER_CONFIG: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<Ended>((done, failed) => {
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    child.on('error', failed);
    child.on('close', (exitCode, signal) => {
      const lines = err.split('\n');
      const log = lines.filter(isLog).map((line) => JSON.parse(line) as Record<string, unknown>);
      done({ exitCode, signal, out, err: lines.filter((line) => !isLog(line)).join('\n'), log });
    });
  });
  return { child, ended };
}

const isLog = (line: string) => line.startsWith('{"level":');

/** RFC 4180 as the manual promises it: a byte order mark, CRLF, quotes doubled. One object per row. */
export function csvRows(text: string): Record<string, string>[] {
  const table: string[][] = [];
  let row: string[] = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g;
  for (const [, quoted, plain, end] of text.replace(/^\uFEFF/, '').matchAll(cells)) {
    row.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    table.push(row);
    row = [];
  }
  const [header = [], ...rows] = table;
  return rows.map((each) => Object.fromEntries(header.map((name, index) => [name, each[index] ?? ''])));
}
