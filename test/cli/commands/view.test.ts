// `view`: the workspace served from a command line, and opened in a browser where there is one.
import { chmodSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { browserCommand } from '../../../src/cli/subcommands/open-workspace.ts';
import { invoke, type Outcome, TextStream } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder();
});

/** Serves with these arguments, calls `work` with the first line, and ends. */
async function served(argv: readonly string[], work: (line: string) => Promise<void> | void): Promise<Outcome> {
  const stdout = new TextStream();
  let interrupt = () => {};
  const [path, env] = [process.env['PATH'], { PATH: `${folder.path}${delimiter}${process.env['PATH']}` }];
  process.env['PATH'] = env.PATH;
  try {
    const ended = invoke(['view', '--port', '0', ...argv], {
      ...{ cwd: folder.path, env, now: Date.now(), stdout, openApp },
      withSignal: (send) => {
        interrupt = send;
      },
    });
    while (!stdout.text.includes('\n')) await new Promise((next) => setImmediate(next));
    await work(stdout.text);
    interrupt();
    return { ...(await ended), out: stdout.text };
  } finally {
    process.env['PATH'] = path;
  }
}

/** Nothing has run yet in the folder. */
const empty =
  'data/rankledger.sqlite does not exist yet: it is shown as empty until this starts again after the first run.\n';

it('shows the other projects while the config of one is broken, and says so', async () => {
  const project = (id: string, depth: number) => `  - id: ${id}
    targets: [acme.com]
    schedule: "0 5 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: ${depth}
    keywords: [running shoes]
`;
  folder = projectFolder(`projects:\n${project('sound', 1)}${project('broken', 1000)}`);
  const { err } = await served([], async (line) => {
    const url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0] ?? 'none';
    const { data } = (await (await fetch(`${url}/v1/projects`)).json()) as { data: { project: string }[] };
    expect(data.map((of) => of.project)).toEqual(['sound']);
  });
  expect(err).toContain('BROKEN CONFIG: broken cannot run until this is repaired; other projects continue\n');
});

function browser(script: string): void {
  chmodSync(folder.write(browserCommand(process.platform)[0], `#!/bin/sh\n${script}\n`), 0o755);
}

describe.runIf(process.platform === 'linux')('view --open', () => {
  it('opens the page with the program of the system', async () => {
    browser(`echo "$1" > "${folder.path}/opened"`);
    const { err, out, exitCode } = await served(['--open'], async () => {
      while (true) {
        const opened = read('opened');
        if (opened.endsWith('\n')) return;
        await new Promise((next) => setImmediate(next));
      }
    });
    expect([exitCode, err]).toEqual([0, empty]);
    expect(out).toContain(`at ${read('opened').trim()},`);
  });

  it('prints the address if no browser can be opened', async () => {
    browser('exit 3');
    const { err, out, exitCode } = await served(['--open'], () => {});
    expect(exitCode).toBe(0);
    const url = /http:\/\/[\d.]+:\d+/.exec(out)?.[0] ?? 'none';
    expect(err).toBe(`${empty}No browser could be opened. Open ${url}\n`);
  });
});

it('each system has a program that opens addresses', () => {
  expect((['linux', 'darwin', 'win32'] as const).map((platform) => browserCommand(platform)[0])).toEqual([
    'xdg-open',
    'open',
    'cmd',
  ]);
});

function read(name: string): string {
  try {
    return readFileSync(`${folder.path}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
