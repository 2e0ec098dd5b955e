// Every example of the manual with output, run as a reader would run it: the blocks of a page in order, in one folder.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openApp } from '../src/app/app.ts';
import { SimulatedClock } from '../src/app/runs/simulation.ts';
import { invoke, TextStream } from './cli/fake-host.ts';
import { folderHere } from './cli/folder-here.ts';
import { codeBlocks, manualPages } from './helpers/documents.ts';

/** When a reader starts a page: five minutes after the slot of the starter config. */
const startedAt = Date.UTC(2026, 10, 20, 6, 5);
const quickStart = 'npm ci && npm start';
/** A line that stands for any number of lines. */
const elision = '...';

const examples = manualPages().filter((file) => codeBlocks(file).some(({ language }) => language === 'console'));

it('the manual has examples with their output', () => {
  expect(examples).toContain('README.md');
  expect(examples.length).toBeGreaterThan(8);
});

it.each(examples)('the examples of %s print what the page shows', async (file) => {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-manual-'));
  const session = { cwd: folder, now: startedAt };
  const blocks = codeBlocks(file).filter(({ language, name }) => language === 'console' || name !== null);
  // a page that does not begin with a config uses the starter config
  if (!/rankledger (init|demo|example\.com)|npm start/.test(blocks[0]?.text ?? '')) {
    await execute('npx rankledger init mysite', session);
    session.cwd = join(folder, 'mysite');
  }
  let page = readFileSync(file, 'utf8');
  for (const { text, name } of blocks) {
    if (name !== null) {
      writeFileSync(join(session.cwd, name), text);
      continue;
    }
    const printed = await play(text, session);
    page = page.replace(`\`\`\`console\n${text}\`\`\``, () => `\`\`\`console\n${printed}\`\`\``);
  }
  rmSync(folder, { recursive: true, force: true });
  await expect(page).toMatchFileSnapshot(resolve(file));
});

interface Session {
  cwd: string;
  now: number;
}

/** The block with the current output of its commands; unchanged if the block allows that output. */
async function play(text: string, session: Session): Promise<string> {
  let played = '';
  for (const part of text.split(/^(?=\$ )/m)) {
    const [command = '', ...shown] = part.split('\n');
    const output = await outputOf(command.replace(/^\$ /, ''), shown, session);
    const actual = output.split('\n').map((line) => line.trimEnd());
    while (actual.at(-1) === '') actual.pop();
    while (shown.at(-1) === '') shown.pop();
    const blank = part.endsWith('\n\n') ? [''] : [];
    played += `${[command, ...(allows(shown, actual) ? shown : actual), ...blank].join('\n')}\n`;
  }
  return played;
}

/**
 * What a command prints. Two days of the quick start must print the same kinds of lines as its 30; if they do not, the
 * 30 days run.
 */
async function outputOf(command: string, shown: readonly string[], session: Session): Promise<string> {
  if (command !== quickStart) return await execute(command, session);
  const two = await execute(`${command} --days 2`, session);
  if (kindsOf(shown) === kindsOf(two.split('\n'))) return shown.join('\n');
  return await execute(command, { ...session, cwd: join(session.cwd, 'whole') });
}

/** Lines without numbers and without the columns of the movers, which differ from day to day; how many movers, too. */
function kindsOf(lines: readonly string[]): string {
  const kinds = lines
    .map((line) => line.replace(/^ {2}\S.* [A-Z]{2} [a-z]{2} (?:desktop|mobile) .* [+-]?[\d,]+$/, '  a mover'))
    .map((line) => line.replace(/history ".*" --config/, 'history KEYWORD --config').replaceAll(/ {2,}(?=\S)/g, '  '))
    .map((line) => line.replaceAll(/\d[\d,.:T-]*/g, '#'));
  return kinds
    .filter((line, at) => line !== '  a mover' || kinds[at - 1] !== line)
    .join('\n')
    .trimEnd();
}

/** Whether a page may show these lines for that output. */
function allows(shown: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return actual.length === 0;
  if (first !== elision) return first === actual[0] && allows(rest, actual.slice(1));
  return actual.some((_, at) => allows(rest, actual.slice(at))) || rest.length === 0;
}

/** One command line of a page; each takes a minute of the reader's time. */
async function execute(line: string, session: Session): Promise<string> {
  session.now += 60_000;
  const [, folder] = /^cd (\S+)$/.exec(line) ?? [];
  if (folder !== undefined) {
    session.cwd = resolve(session.cwd, folder);
    return '';
  }
  const [command = '', file] = line.split(' > ');
  const { cwd, now } = session;
  const stdout = new TextStream();
  let interrupt = () => {};
  // a reader ends a command that serves once it says how
  const write = stdout._write.bind(stdout);
  stdout._write = (chunk, encoding, done) => {
    write(chunk, encoding, done);
    if (chunk.includes('Ctrl-C ends it.')) interrupt();
  };
  const { err, exitCode } = await invoke(argumentsOf(command), {
    cwd,
    now,
    stdout,
    withSignal: (send) => {
      interrupt = send;
    },
    openApp: (config, { log: _, ...options }) => openApp(config, { clock: new SimulatedClock(now), ...options }),
  });
  const out = stdout.text.replace(/(127\.0\.0\.1):\d+/, '$1:50080'); // a free port
  if (file !== undefined) writeFileSync(join(cwd, file), out);
  const status = exitCode === 0 ? '' : `(exit code ${exitCode})\n`;
  return (file === undefined ? out : '') + err + status;
}

function argumentsOf(line: string): string[] {
  if (line.startsWith(quickStart)) {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    return argumentsOf(
      scripts.start.replace('node src/cli/rankledger.mjs', 'rankledger') + line.slice(quickStart.length),
    );
  }
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const start = words.indexOf('rankledger');
  if (start === -1) throw new Error(`no command of rankledger: ${line}`);
  return words.slice(start + 1);
}

it('the commands and the request of docs/http-api.md sell two pages', async () => {
  const [start] = codeBlocks('docs/http-api.md').filter(({ language }) => language === 'sh');
  const lines = (start?.text ?? '').replaceAll('\\\n', '').split('\n');
  const [create = '', add = '', serve = '', request = ''] = lines.map((line) => line.replace(/\s+#.*$/, ''));
  const folder = folderHere({ 'rankledger.yaml': 'projects: []\n' });
  expect((await folder.run(...argumentsOf(create))).exitCode).toBe(0);
  const { document } = await folder.json(...argumentsOf(add));
  const { child, ended } = folder.start(...argumentsOf(serve.replace('8080', '0')), '--json');
  const url = await new Promise<string>((done) => {
    child.stdout?.once('data', (line: Buffer) => done((JSON.parse(String(line)) as { url: string }).url));
  });
  const headers = [...request.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value.replace('...', String(document['password'])),
  ]);
  const [, path = ''] = /:8080(\S+)/.exec(request) ?? [];
  const [, body = ''] = /-d '([^']+)'/.exec(request) ?? [];
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  const sold = [answer.status, answer.headers.get('x-credits-charged')];
  child.kill('SIGTERM');
  expect([sold, (await ended).exitCode]).toEqual([[200, '2'], 0]);
  folder.remove();
});
