// `view --edit` over real HTTP and a real project folder: previews, writes, refusals, undo.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { openApp } from '../../../src/app/app.ts';
import { openEdits } from '../../../src/app/workspace/editor.ts';
import { view } from '../../../src/cli/subcommands/open-workspace.ts';
import { editEndpoints } from '../../../src/workspace/editing/edit-endpoints.ts';
import { invoke, TextStream } from '../../cli/fake-host.ts';
import { copyOf, type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { runSlots } from '../../cli/real-app.ts';

const config = `budget: { serpCredits: { perMonth: 300 } }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 1
    keywords: [hats]
    keywordsFile: words.csv
`;
const words =
  'keyword,device,tags,note\r\n"red, shoes",,"shoes",first\r\n\r\nblue shoes,mobile,shoes|sale,\r\nsocks,,,"last"\r\n';
const now = Date.parse('2026-01-14T12:00:00Z');

/** With two runs; each test has a copy. */
let made: ProjectFolder;
beforeAll(async () => {
  made = projectFolder(config);
  made.write('words.csv', words);
  await runSlots(made, ['2026-01-13T06:00:00Z', '2026-01-14T06:00:00Z']);
});

let folder: ProjectFolder;
let url: string;
let end: (() => Promise<void>) | undefined;
beforeEach(() => {
  folder = copyOf(made);
});
afterEach(async () => {
  await end?.();
  end = undefined;
});

async function serve(...argv: string[]): Promise<void> {
  const stdout = new TextStream();
  let interrupt = () => {};
  const ended = invoke(['view', '--port', '0', '--api-only', '--json', ...argv], {
    ...{ cwd: folder.path, now, stdout },
    withSignal: (send) => {
      interrupt = send;
    },
  });
  await vi.waitUntil(() => stdout.text.includes('\n'), { timeout: 20_000 });
  url = JSON.parse(stdout.text).url;
  end = async () => {
    interrupt();
    expect((await ended).exitCode).toBe(0);
  };
}

interface Answered {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

const headers = { 'content-type': 'application/json', 'x-rankledger-edit': '1' };

/** Not by `fetch`, which sets headers that are tested here. */
function send(method: string, path: string, body: unknown, more: Record<string, string | undefined> = {}) {
  const given = Object.entries({ ...headers, ...more }).filter(([, value]) => value !== undefined);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise<Answered>((resolve, reject) => {
    request(`${url}${path}`, { method, headers: Object.fromEntries(given) as Record<string, string> }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (part) => {
        answer += part;
      });
      response.on('end', () => {
        const [status, body] = [response.statusCode ?? 0, JSON.parse(answer)];
        if (status === 200) expectRecord(method, path, body);
        resolve({ status, body });
      });
    })
      .on('error', reject)
      .end(method === 'GET' ? undefined : text);
  });
}

/** An answer of a path of editors has the form that is documented. */
function expectRecord(method: string, path: string, body: unknown): void {
  const isOf = (form: string) => new RegExp(`^${form.replace('{project}', '[^/]+')}$`).test(path);
  const endpoint = editEndpoints.find((each) => each.method === method && isOf(each.path));
  if (endpoint !== undefined) expect(endpoint.answer.safeParse(body).error).toBeUndefined();
}

const post = (path: string, body: unknown, more = {}) => send('POST', `/v1${path}`, body, more);
const get = async (path: string, more = {}) => (await send('GET', `/v1${path}`, null, more)).body;
const file = () => readFileSync(join(folder.path, 'words.csv'), 'utf8');
const auditTrail = async () => (await invoke(['account', 'log'], { cwd: folder.path, openApp })).out;
const change = (body: object, more = {}) => post('/projects/acme/keywords/change', body, more);

describe('a write', () => {
  it.each([
    ['without --edit', [], {}, 405, 'read-only'],
    ['by a page of another site', ['--edit'], { origin: 'https://evil.example' }, 403, 'other sites'],
    [
      'by a page of another site whose browser says that it is the same',
      ['--edit'],
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      403,
      'Only pages of this server',
    ],
    ['that no page sent, says the browser', ['--edit'], { 'sec-fetch-site': 'none' }, 403, 'Only pages'],
    ['by another name of this machine', ['--edit'], { host: 'evil.example' }, 403, 'a name of this machine'],
    ['through a proxy', ['--edit'], { 'x-forwarded-for': '203.0.113.7' }, 403, 'proxy'],
    ['by a form', ['--edit'], { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'application/json'],
    ['by a form that sends text', ['--edit'], { 'content-type': 'text/plain' }, 415, 'application/json'],
    ['without the header', ['--edit'], { 'x-rankledger-edit': undefined }, 403, 'x-rankledger-edit'],
  ] as const)('is refused %s', async (_, argv, more, status, message) => {
    await serve(...argv);
    for (const { method, path, body } of editEndpoints.filter((each) => each.method === 'POST')) {
      const valid = Object.keys(body.shape).includes('text') ? { text: 'x' } : {};
      const answered = await send(method, path.replace('{project}', 'acme'), valid, more);
      expect([path, answered.status]).toEqual([path, status]);
      expect(answered.body.error.message).toContain(message);
    }
    expect(file()).toBe(words);
    expect(await get('/notes')).toMatchObject({ total: 0 });
  });

  it('needs the token of an editor as soon as there are readers', async () => {
    const tokenOf = async (...argv: string[]) => {
      const { out } = await invoke(['reader', 'add', ...argv, '--json'], { cwd: folder.path, openApp });
      return { authorization: `Bearer ${JSON.parse(out).token}` };
    };
    const [reader, editor] = [await tokenOf('anna'), await tokenOf('ben', '--role', 'editor')];
    await serve('--edit');
    expect((await post('/notes', { text: 'x' })).status).toBe(401);
    expect((await post('/notes', { text: 'x' }, reader)).body.error.message).toContain('may read only');
    expect((await send('GET', '/v1/projects/acme/edits', null, reader)).status).toBe(403);
    expect((await post('/notes', { text: 'x' }, editor)).status).toBe(200);
    expect(await auditTrail()).toMatch(/note-add.*ben/);
    await invoke(['reader', 'revoke', 'ben'], { cwd: folder.path, openApp });
    expect((await post('/notes', { text: 'y' }, editor)).status).toBe(401);
  });

  it.each([
    ['/notes', '{', 400, 'not JSON'],
    ['/notes', { text: 'x', colour: 'red' }, 400, 'colour'],
    ['/notes', { text: 'x'.repeat(201) }, 400, 'longer than 200'],
    ['/notes', { text: 'x', padding: 'x'.repeat(70_000) }, 413, '65536 bytes'],
    ['/notes', { text: 'x', project: 'none' }, 400, 'no project "none"'],
    ['/notes/remove', { id: 7 }, 400, 'no note 7'],
    ['/projects/none/keywords', { lists: [{ text: 'a' }] }, 404, 'no project "none"'],
    ['/projects/none/keywords/change', { filter: '' }, 404, 'no project "none"'],
    ['/projects/none/checks', { keywords: ['socks'] }, 404, 'no project "none"'],
    ['/projects/acme/keywords/change', { filter: 'tags=shoes' }, 400, 'filter: tags: no such parameter'],
    ['/projects/acme/keywords/change', { addTags: ['x'] }, 400, 'either by filter or by keywords'],
    ['/projects/acme/keywords/change', { keywords: ['socks'], addTags: ['a|b'] }, 400, 'a|b'],
    ['/projects/acme/keywords', { lists: [{ text: '' }] }, 400, 'pasted.txt: it is empty'],
    ['/projects/acme/keywords', { lists: [{ text: 'a' }], columns: { word: 'a' } }, 400, '"word" is not'],
    ['/projects/acme/keywords/undo', {}, 404, 'written nothing'],
    ['/projects/acme/checks', { keywords: ['none'] }, 400, 'no keyword "none"'],
    ['/projects/acme/none', {}, 404, 'There is no POST'],
  ])('to %s of %j is refused', async (path, body, status, message) => {
    await serve('--edit');
    const answered = await post(path, body);
    expect(answered.status).toBe(status);
    expect(answered.body.error.message).toContain(message);
    expect(file()).toBe(words);
  });
});

describe('a note', () => {
  it('is shown on the charts that it is about, and removed', async () => {
    await serve('--edit');
    const texts = async (path: string): Promise<string[]> =>
      (await get(path)).notes.map(({ text }: { text: string }) => text);
    const version = (await fetch(`${url}/v1/notes`)).headers.get('etag');
    const date = '2026-01-14';
    const added = await post('/notes', { text: ' new  title ', date, project: 'acme', keyword: 'Socks' });
    expect(added.body).toEqual({
      note: { id: 1, date, text: 'new title', project: 'acme', keyword: 'Socks' },
    });
    await post('/notes', { text: 'sale', date, project: 'acme', tag: 'shoes' });
    await post('/notes', { text: 'update', date });
    expect((await fetch(`${url}/v1/notes`)).headers.get('etag')).not.toBe(version);
    const ids = new Map<string, string>(
      (await get('/projects/acme/keywords')).data.map((row: { keyword: string; id: string }) => [row.keyword, row.id]),
    );
    const history = (keyword: string) => texts(`/projects/acme/keywords/${ids.get(keyword)}`);
    expect(await history('socks')).toEqual(['new title', 'update']);
    expect(await history('blue shoes')).toEqual(['sale', 'update']);
    expect(await history('hats')).toEqual(['update']);
    expect(await texts('/projects/acme/series')).toEqual(['update']);
    expect(await texts('/projects/acme/series?tag=shoes')).toEqual(['sale', 'update']);
    expect(await texts('/projects/acme/series?q=socks')).toEqual(['new title', 'update']);
    expect(await texts('/projects/acme/competitors?tag=shoes')).toEqual(['sale', 'update']);
    const { notes } = await get('/projects/acme/edits');
    expect(notes.map(({ id, text }: { id: number; text: string }) => [id, text])).toEqual([
      [1, 'new title'],
      [2, 'sale'],
      [3, 'update'],
    ]);
    expect((await post('/notes/remove', { id: 2 })).body.note.text).toBe('sale');
    expect(await history('blue shoes')).toEqual(['update']);
    expect(await auditTrail()).toMatch(/note-remove.*sale[\s\S]*note-add.*new title/);
  });
});

it('a note of a project that was never checked is shown as well', async () => {
  folder = projectFolder(config);
  folder.write('words.csv', words);
  await serve('--edit');
  await post('/notes', { text: 'begin' });
  expect((await get('/notes')).data).toEqual([{ date: '2026-01-14', text: 'begin', project: null }]);
});

describe('keywords', () => {
  it('are tagged by a filter: previewed, written once, shown at once, and undone', async () => {
    chmodSync(join(folder.path, 'words.csv'), 0o640);
    await serve('--edit');
    const body = { filter: 'tag=shoes&device=mobile', addTags: ['mobile'], removeTags: ['sale'] };
    const { body: preview } = await change(body);
    expect(preview).toMatchObject({ isWritten: false, lines: 2, notInFile: [], file: 'words.csv', isDiffCut: false });
    expect(preview.diff).toBe(`--- a/words.csv
+++ b/words.csv
@@ -1,5 +1,5 @@
 keyword,device,tags,note\r
-"red, shoes",,"shoes",first\r
+"red, shoes",,shoes|mobile,first\r
 \r
-blue shoes,mobile,shoes|sale,\r
+blue shoes,mobile,shoes|mobile,\r
 socks,,,"last"\r
`);
    expect(file()).toBe(words);
    expect((await change({ ...body, hash: preview.hash })).body).toEqual({ ...preview, isWritten: true });
    const written = words.replace('"shoes"', 'shoes|mobile').replace('sale', 'mobile');
    expect(file()).toBe(written);
    expect(statSync(join(folder.path, 'words.csv')).mode & 0o777).toBe(0o640);
    expect((await get('/projects/acme/keywords?tag=mobile')).total).toBe(3);
    expect((await change({ ...body, hash: preview.hash })).status).toBe(409);
    expect(await auditTrail()).toMatch(/keywords-edit.*project "acme", file "words.csv", added 0, removed 0/);

    const { body: back } = await post('/projects/acme/keywords/undo', {});
    expect(back).toMatchObject({ isWritten: false, diff: expect.stringContaining('+"red, shoes",,"shoes",first') });
    expect((await post('/projects/acme/keywords/undo', { hash: back.hash })).body.isWritten).toBe(true);
    expect(file()).toBe(words);
    expect((await get('/projects/acme/keywords?tag=sale')).total).toBe(1);
    expect((await post('/projects/acme/keywords/undo', {})).status).toBe(404);
  });

  it('are undone write by write, but not beyond a change by others', async () => {
    await serve('--edit');
    const write = async (addTags: string[]) => {
      const body = { keywords: ['socks'], addTags };
      const { hash } = (await change(body)).body;
      expect((await change({ ...body, hash })).body.isWritten).toBe(true);
      return file();
    };
    const undo = async () => {
      const { status, body } = await post('/projects/acme/keywords/undo', {});
      return status === 200 ? (await post('/projects/acme/keywords/undo', { hash: body.hash })).status : status;
    };
    const one = await write(['one']);
    await write(['two']);
    expect([await undo(), file()]).toEqual([200, one]);
    expect([await undo(), file()]).toEqual([200, words]);
    expect(await undo()).toBe(404);

    await write(['one']);
    writeFileSync(join(folder.path, 'words.csv'), `${words}gloves,,,\r\n`);
    expect(await undo()).toBe(409);
    await write(['two']);
    expect([await undo(), file()]).toEqual([200, `${words}gloves,,,\r\n`]);
    expect(await undo()).toBe(404);
  });

  it('in the config itself are named, and stay', async () => {
    await serve('--edit');
    expect((await change({ filter: 'q=hats', addTags: ['x'] })).body).toMatchObject({
      ...{ lines: 0, notInFile: ['hats'], notInFileTotal: 1, diff: '' },
    });
  });

  it('are paused, resumed and removed', async () => {
    await serve('--edit');
    const write = async (body: object) => {
      const { hash } = (await change(body)).body;
      return (await change({ ...body, hash })).body;
    };
    const paused = await write({ keywords: ['socks'], state: 'paused' });
    expect(paused.cost.before.creditsPerMonth - paused.cost.after.creditsPerMonth).toBe(62);
    expect(file()).toBe(
      words
        .replace('note\r', 'note,paused\r')
        .replace('first', 'first,')
        .replace('sale,\r', 'sale,,\r')
        .replace('"last"', '"last",yes'),
    );
    expect((await get('/projects/acme/keywords?q=socks')).total).toBe(0);
    expect((await get('/projects/acme/edits')).paused).toEqual(['socks']);
    await write({ keywords: ['socks'], state: 'tracked' });
    expect((await get('/projects/acme/keywords?q=socks')).total).toBe(2);
    await write({ filter: 'q=socks', state: 'removed' });
    expect(file()).not.toContain('socks');
    expect((await change({ filter: '', state: 'removed' })).body.error.message).toContain('needs a keyword');
  });

  it('are added from a list and an export: duplicates, tags, cost and change first', async () => {
    await serve('--edit');
    const body = {
      lists: [
        { text: 'socks\ngreen shoes\ngreen shoes\n' },
        {
          name: 'ranks.csv',
          base64: Buffer.from('\uFEFFKeyword\tTags\nboots\twinter\n', 'utf16le').toString('base64'),
        },
      ],
      tags: ['new'],
      suggest: [],
    };
    const { body: preview } = await post('/projects/acme/keywords', body);
    expect(preview).toMatchObject({
      ...{ isWritten: false, found: 3, known: 1, addedTotal: 2, notTaken: 0, sharedWith: [] },
      added: [{ keyword: 'green shoes' }, { keyword: 'boots', tags: ['winter', 'new'] }],
      lists: [{ name: 'pasted.txt' }, { name: 'ranks.csv' }],
      cost: { before: { creditsPerMonth: 217 }, after: { creditsPerMonth: 341, microUsdPerMonth: 0 } },
    });
    expect(preview.diff).toContain(' socks,,,"last"\r\n+green shoes,,new,\r\n+boots,,winter|new,\r\n');
    expect((await post('/projects/acme/keywords', { ...body, hash: preview.hash })).body.isWritten).toBe(true);
    expect(file()).toBe(`${words}green shoes,,new,\r\nboots,,winter|new,\r\n`);
    const again = (await post('/projects/acme/keywords', body)).body;
    expect(again).toMatchObject({ known: 3, addedTotal: 0, diff: '' });
  });

  it('are not written where the file has changed since the preview, nor undone', async () => {
    await serve('--edit');
    const body = { keywords: ['socks'], addTags: ['x'] };
    const { hash } = (await change(body)).body;
    writeFileSync(join(folder.path, 'words.csv'), `${words}gloves,,,\r\n`);
    const refused = await change({ ...body, hash });
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('since the preview')]);
    expect(file()).toBe(`${words}gloves,,,\r\n`);
    await change({ ...body, hash: (await change(body)).body.hash });
    const undone = await post('/projects/acme/keywords/undo', { hash: 'of another preview' });
    expect([undone.status, undone.body.preview.isWritten]).toEqual([409, false]);
    writeFileSync(join(folder.path, 'words.csv'), words);
    expect((await post('/projects/acme/keywords/undo', {})).status).toBe(409);
  });

  it('of a broken config are refused with its problem', async () => {
    await serve('--edit');
    folder.write('rankledger.yaml', config.replace('depth: 1', 'depth: none'));
    const { status, body } = await change({ keywords: ['socks'], addTags: ['x'] });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('depth')]);
  });
});

/** As `serve('--edit')`, with something that happens before each write of the database. */
async function serveWith(before: () => void): Promise<void> {
  const loadConfigOf = (options = {}) =>
    loadConfig({ file: join(folder.path, 'rankledger.yaml'), env: {}, cwd: folder.path, ...options });
  const app = await openApp(await loadConfigOf(), { isReading: true });
  const host = {
    loadConfig: loadConfigOf,
    openApp(of: ResolvedConfig) {
      before();
      return openApp(of);
    },
    signal: new AbortController().signal,
  };
  const server = await view(app, { port: 0, apiOnly: true, editing: { openEdits, host } });
  end = async () => {
    await server.close();
    await app.close();
  };
  url = server.url;
}

const newestAction = async () =>
  JSON.parse((await invoke(['account', 'log', '--json'], { cwd: folder.path, openApp })).out)[0];

it('a keyword file that cannot be written stays, and the audit trail says so', async () => {
  const long = `${'w'.repeat(240)}.csv`; // the name of no file beside it is short enough
  folder.write('rankledger.yaml', config.replace('words.csv', long));
  folder.write(long, words);
  await serveWith(() => {});
  const body = { keywords: ['socks'], addTags: ['x'] };
  const failed = await change({ ...body, hash: (await change(body)).body.hash });
  expect([failed.status, failed.body.error.message]).toEqual([500, expect.stringContaining('.csv was not written')]);
  expect(readFileSync(join(folder.path, long), 'utf8')).toBe(words);
  expect((await get('/projects/acme/edits')).canUndo).toBe(false);
  expect(await newestAction()).toMatchObject({
    ...{ event: 'keywords-edit', facts: { failed: expect.stringContaining('ENAMETOOLONG') } },
  });
});

it('a keyword file that an editor saves just before a write keeps both, once the editor has seen it', async () => {
  let saves = 0;
  const saved = `${words}gloves,,,\r\n`;
  await serveWith(() => {
    saves += 1;
    if (saves === 1) writeFileSync(join(folder.path, 'words.csv'), saved);
  });
  const body = { keywords: ['socks'], addTags: ['x'] };
  const { body: preview } = await change(body);
  const refused = await change({ ...body, hash: preview.hash });
  expect([refused.status, refused.body.error.message, file()]).toEqual([
    ...[409, expect.stringContaining('another program at this moment'), saved],
  ]);
  expect(refused.body.preview).toMatchObject({ isWritten: false, diff: expect.stringContaining(' gloves,,,') });
  expect(await newestAction()).toMatchObject({ facts: { failed: expect.stringContaining('another program') } });
  expect((await change({ ...body, hash: refused.body.preview.hash })).body.isWritten).toBe(true);
  expect(file()).toBe(saved.replace('socks,,,', 'socks,,x,'));
});

it('a check is priced first, and bought for no more than its price', async () => {
  await serve('--edit');
  const { body: priced } = await post('/projects/acme/checks', { keywords: ['socks'] });
  expect(priced).toMatchObject({ bought: null, price: { searches: 2, creditsAtMost: 2 } });
  const cheap = await post('/projects/acme/checks', { keywords: ['socks'], creditsAtMost: 1 });
  expect([cheap.status, cheap.body.error.message]).toEqual([409, expect.stringContaining('Nothing was bought')]);
  expect(await auditTrail()).not.toContain('check-now');
  const { body: bought } = await post('/projects/acme/checks', { keywords: ['socks'], creditsAtMost: 2 });
  expect(bought.bought).toMatchObject({ creditsSpent: 2, runs: [{ state: 'complete' }] });
  expect((await get('/runs')).data[0].runId).toBe(bought.bought.runs[0].runId);
  expect(await auditTrail()).toContain('check-now');
  const { out } = await invoke(['audit', '--json'], { cwd: folder.path, openApp });
  expect(JSON.parse(out)).toMatchObject({ ok: true });
}, 30_000);

it('a confirmed check that is sent again buys nothing: in this server, another, at once, or after a restart', async () => {
  const path = '/projects/acme/checks';
  const asked = { keywords: ['socks', 'blue shoes'] };
  const served = async () => {
    await serve('--edit');
    return { url, end };
  };
  const [first, second] = [await served(), await served()];
  const priceAt = async (server: typeof first) => {
    url = server.url;
    const { body } = await post(path, asked);
    return { ...asked, creditsAtMost: body.price.creditsAtMost, confirm: body.confirm };
  };
  /** How many were bought of requests that are sent at once, and what the others were answered. */
  const outcomes = async (...requests: (readonly [typeof first, object])[]) => {
    const answers = requests.map(([server, body]) => {
      url = server.url;
      return post(path, body);
    });
    const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200);
    for (const { status, body } of refused)
      expect([status, body.error.message]).toEqual([409, expect.stringContaining('Ask for the price again')]);
    return requests.length - refused.length;
  };
  const { confirm, ...unnamed } = await priceAt(first);
  const named = { ...unnamed, confirm };
  // a price is confirmed where it was not asked for, too
  expect(await outcomes([first, named], [second, named], [first, unnamed], [second, unnamed])).toBe(1);
  expect(await outcomes([first, named], [second, { ...unnamed, keywords: [...asked.keywords].reverse() }])).toBe(0);
  await first.end?.();
  const restarted = await served();
  expect(await outcomes([restarted, named], [restarted, unnamed])).toBe(0);
  expect(await outcomes([second, { ...named, confirm: 'none' }])).toBe(0);
  const anew = await priceAt(second);
  expect(await outcomes([restarted, anew], [restarted, anew])).toBe(1);
  url = second.url;
  expect((await get('/runs')).data).toHaveLength(2 + 2);
  await restarted.end?.();
  end = second.end;
}, 30_000);

it('documents every path of editors, only with --edit', async () => {
  await serve('--edit');
  const page = await (await fetch(`${url}/docs`)).text();
  const { paths } = (await send('GET', '/openapi.json', null)).body;
  for (const { method, path, about } of editEndpoints) {
    expect(page).toContain(`<code>${method} ${path}</code></h3><p>${about}.</p>`);
    expect(paths[path][method.toLowerCase()].summary).toBe(about);
  }
  expect(paths['/v1/notes'].get.summary).toBe('Notes by date');
});

it('each path has a typed answer, and a typed body of each refusal', async () => {
  await serve('--edit');
  const { paths, components } = await openApi();
  const untyped: string[] = [];
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(operations))
      for (const [status, { content }] of Object.entries(responses)) {
        const schema = content?.['application/json']?.schema;
        const name = (schema?.$ref ?? schema?.properties?.['data']?.items?.$ref)?.split('/').at(-1);
        const isTyped = name !== undefined && Object.keys(components.schemas[name]?.properties ?? {}).length > 0;
        if (status !== '304' && !isTyped) untyped.push(`${method} ${path} ${status}`);
      }
  expect(Object.keys(paths).length).toBeGreaterThan(40);
  expect(untyped).toEqual([]);
});

interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

async function openApi() {
  const content = (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly paths: Record<
      string,
      Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
    >;
    readonly components: { readonly schemas: Record<string, Schema> };
  };
  return content;
}
