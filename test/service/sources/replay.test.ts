import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/service/engines/engine.ts';
import { type PageRequest, ServiceError } from '../../../src/service/index.ts';
import { createReplaySource, type ReplayOptions, replayOptions } from '../../../src/service/sources/replay.ts';
import { failureOf } from '../../helpers/memory-source.ts';

/** Reads the page's text as the title of its only result, and refuses other pages. */
const plainEngine: Engine = {
  name: 'plain',
  request: ({ keyword }) => ({ url: `https://plain.example/?q=${keyword}` }),
  parse(html, { keyword }) {
    if (html === 'blocked') throw new ServiceError('SERP_FAILED', 'Blocked.', { reason: 'blocked' });
    return { serp: { organic: [{ rank: 1, title: `${keyword}: ${html}`, link: 'https://a.example/' }] }, features: [] };
  },
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'replay-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const create = (options: Partial<ReplayOptions> = {}) =>
  createReplaySource(replayOptions.parse({ dir, ...options }), async (name) => ({ ...plainEngine, name }));

function write(files: Record<string, unknown>): void {
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content);
    writeFileSync(join(dir, name), text);
  }
}

const request = (changes: Partial<PageRequest> = {}): PageRequest => ({
  keyword: 'shoes',
  country: 'US',
  language: 'en',
  mobile: false,
  page: 1,
  ...changes,
});

const row = (changes: Record<string, unknown> = {}) => ({
  keyword: 'shoes',
  device: 'desktop',
  page: 1,
  file: 'a.html',
  ...changes,
});

const context = (at = Date.UTC(2026, 1, 20)) => ({ at, signal: new AbortController().signal });
const fileAt = async (source: Awaited<ReturnType<typeof create>>, at: number, changes: Partial<PageRequest> = {}) =>
  (await source.serp!.fetchPage(request(changes), context(at))).body.text;

describe('the recording that is shown', () => {
  const day = (text: string) => Date.parse(text);

  it('is the latest up to the moment, or an undated one if none is old enough', async () => {
    write({
      'a.html': 'January',
      'b.html': 'February',
      'c.html': 'undated',
      'd.html': 'February, later',
      'index.json': [
        row({ file: 'b.html', date: '2026-02-05' }),
        row({ file: 'a.html', date: '2026-01-20' }),
        row({ file: 'c.html' }),
        row({ file: 'd.html', date: '2026-02-05T09:30:00Z' }),
      ],
    });
    const source = await create();
    expect(await fileAt(source, day('2026-01-19T23:59:59.999Z'))).toBe('undated');
    expect(await fileAt(source, day('2026-01-20'))).toBe('January');
    expect(await fileAt(source, day('2026-02-04T23:00Z'))).toBe('January');
    expect(await fileAt(source, day('2026-02-05'))).toBe('February');
    expect(await fileAt(source, day('2027-01-01'))).toBe('February, later');
    const { observedAt } = await source.serp!.fetchPage(request(), context(day('2026-02-04')));
    expect(observedAt).toBe(day('2026-01-20'));
  });

  it('is found in any case and spacing of the keyword', async () => {
    write({ 'a.html': 'here', 'index.json': [row({ keyword: ' Trail  SHOES' }), row({ keyword: '__proto__' })] });
    const source = await create();
    expect(await fileAt(source, 0, { keyword: 'trail shoes' })).toBe('here');
    expect(await fileAt(source, 0, { keyword: '__PROTO__' })).toBe('here');
  });

  it('matches country, language, device and page, if the recording names them', async () => {
    write({
      'a.html': 'any market',
      'b.html': 'Britain',
      'c.html': 'mobile',
      'd.html': 'page 2',
      'index.csv': [
        '\ufeffKeyword,Country,language,device,page,file,note',
        'shoes,,,desktop,1,a.html,"a, b"',
        'shoes,gb,EN,desktop,1,b.html,',
        '',
        'shoes,,,mobile,1,c.html,',
        'shoes,,,desktop,2,d.html,',
      ].join('\r\n'),
    });
    const source = await create();
    expect(await fileAt(source, 0)).toBe('any market');
    expect(await fileAt(source, 0, { country: 'GB' })).toBe('Britain');
    expect(await fileAt(source, 0, { country: 'GB', language: 'fr' })).toBe('any market');
    expect(await fileAt(source, 0, { mobile: true })).toBe('mobile');
    expect(await fileAt(source, 0, { page: 2 })).toBe('page 2');
  });

  it('is absent for a search that was not recorded: given up, free, and reported with index, keyword and remedy', async () => {
    write({ 'a.html': 'here', 'index.json': [row({ date: '2026-02-05' })] });
    const source = await create();
    const tooEarly = await failureOf(source.serp!.fetchPage(request(), context(Date.UTC(2026, 0, 1))));
    const unknown = await failureOf(source.serp!.fetchPage(request({ keyword: 'boots' }), context()));
    for (const failure of [tooEarly, unknown]) {
      expect(failure).toMatchObject({
        code: 'SERP_FAILED',
        reason: 'no_recording',
        disposition: 'abandon',
        charged: 'no',
      });
      expect(failure.message).toContain(join(dir, 'index.json'));
      expect(failure.message).toContain('add its row');
    }
    expect(unknown.message).toContain('"boots" (US, en, desktop, page 1)');
  });

  it('causes a failure that names the file if the listed file is missing', async () => {
    write({ 'index.json': [row()] });
    const failure = await failureOf((await create()).serp!.fetchPage(request(), context()));
    expect(failure).toMatchObject({ reason: 'no_recording', disposition: 'abandon', charged: 'no' });
    expect(failure.message).toContain(join(dir, 'a.html'));
  });
});

describe('a recorded page', () => {
  it('is never read through a link out of the folder, and is through one inside', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'replay-outside-'));
    writeFileSync(join(outside, 'secret.txt'), 'a secret');
    symlinkSync(join(outside, 'secret.txt'), join(dir, 'link.html'));
    symlinkSync(outside, join(dir, 'folder'));
    write({ 'page.html': 'inside' });
    symlinkSync('page.html', join(dir, 'inside.html'));
    const rows = ['link.html', 'folder/secret.txt', 'inside.html'].map((file, index) => ({
      ...{ keyword: `shoes ${index}`, device: 'desktop', page: 1, file },
    }));
    write({ 'index.json': rows });
    const { serp } = await create();
    const fetch = (index: number) => serp!.fetchPage(request({ keyword: `shoes ${index}` }), context(0));
    for (const index of [0, 1]) {
      expect(await failureOf(fetch(index))).toMatchObject({ reason: 'no_recording', charged: 'no' });
    }
    expect((await fetch(2)).body.text).toBe('inside');
    rmSync(outside, { recursive: true });
  });

  it('is read by the engine of the index, at no cost and without a retry', async () => {
    write({ 'a.html': 'blocked', 'index.json': [row({ engine: 'plain' })] });
    const { serp } = await create();
    const body = { contentType: 'text/html', text: 'Hello' } as const;
    expect(serp!.readPage(body, request()).serp.organic?.[0]?.title).toBe('shoes: Hello');
    const failure = await failureOf(() => serp!.readPage({ ...body, text: 'blocked' }, request()));
    expect(failure).toMatchObject({ reason: 'blocked', disposition: 'abandon' });
  });

  it('is UTF-8, or Latin-1 if its bytes are not UTF-8, in spite of its declared encoding', async () => {
    write({
      'a.html': new TextEncoder().encode('Zürich'),
      'b.html': Uint8Array.from([0x5a, 0xfc, 0x72, 0x69, 0x63, 0x68]),
      'index.json': [row(), row({ page: 2, file: 'b.html' })],
    });
    const source = await create();
    expect(await fileAt(source, 0)).toBe('Zürich');
    expect(await fileAt(source, 0, { page: 2 })).toBe('Zürich');
  });
});

describe('an index', () => {
  it.each([
    ['{', 'index.json is not valid JSON'],
    ['{}', 'index.json must hold an array'],
    ['[]', 'index.json lists no recording'],
    [[row(), 7], 'index.json, row 2: must be an object'],
    [[row(), row({ file: '' })], 'index.json, row 2: "file" is missing'],
    [[row({ keyword: null })], 'row 1: "keyword" is missing'],
    [[row({ keyword: ['a'] })], 'row 1: "keyword" must be text'],
    [[row({ device: 'tablet' })], 'row 1: "device" must be desktop or mobile'],
    [[row({ page: 0 })], 'row 1: "page"'],
    [[row({ page: '1.5' })], 'row 1: "page"'],
    [[row({ country: 'UK' })], 'row 1: "country" must be an ISO 3166-1 code, not "UK"'],
    [[row({ language: 'english' })], 'row 1: "language"'],
    [[row({ date: '05/02/2026' })], 'row 1: "date"'],
    [[row({ date: '2026-02-30' })], 'row 1: "date"'],
    [[row(), row({ engine: 'other' })], 'row 2: "engine" is other'],
    [[row({ file: '../secret.html' })], 'row 1: "file" must lie inside'],
    [[row({ file: 'a/../../secret.html' })], 'row 1: "file" must lie inside'],
    [[row({ file: '/etc/passwd' })], 'row 1: "file" must lie inside'],
    [[row({ file: '.' })], 'row 1: "file" must lie inside'],
  ])('is refused with file and row: %j', async (content, message) => {
    write({ 'index.json': content });
    await expect(create()).rejects.toThrow(message);
  });

  it('is refused if a column is missing', async () => {
    write({ 'index.csv': 'keyword,page,file\nshoes,1,a.html\n' });
    await expect(create()).rejects.toThrow('index.csv lacks the column device');
  });

  it('is refused if its quotes do not end', async () => {
    write({ 'index.csv': 'keyword,device,page,file\n"shoes,desktop,1,a.html\n' });
    await expect(create()).rejects.toThrow(/index\.csv, row \d/);
  });

  it('must exist', async () => {
    await expect(create()).rejects.toThrow(`${dir} holds no index.json or index.csv`);
    await expect(create({ index: 'other.json' })).rejects.toThrow('other.json cannot be read');
  });

  it('may have another name and another folder than the pages', async () => {
    mkdirSync(join(dir, 'pages'));
    write({ 'pages/a.html': 'here', 'recorded.json': [row()] });
    const source = await create({ dir: join(dir, 'pages'), index: '../recorded.json' });
    expect(await fileAt(source, 0)).toBe('here');
  });

  it('needs a known engine', async () => {
    write({ 'index.json': [row({ engine: 'altavista' })] });
    await expect(createReplaySource({ dir })).rejects.toThrow('Unknown engine "altavista". Known engines: google');
  });
});

describe('recorded keyword metrics', () => {
  const ask = { keyword: 'Shoes', country: 'US', language: 'en', limit: 10 };

  it('are absent without their file', async () => {
    write({ 'index.json': [row()] });
    expect((await create()).metrics).toBeUndefined();
  });

  it('are the requested row and the recorded related ones', async () => {
    write({
      'index.json': [row()],
      'keywords.csv': [
        'keyword,search_volume,cpc,competition,intent,related_keywords,country',
        'shoes,1000,1.25,70,commercial,boots | clogs|sandals,',
        'boots,,,,,,us',
        'clogs,5,0,0,informational,,DE',
      ].join('\n'),
    });
    const { metrics } = await create();
    expect(await metrics!.fetchMetrics(ask, context())).toEqual([
      {
        keyword: 'shoes',
        search_volume: 1000,
        cpc: 1.25,
        competition: 70,
        competition_level: 'high',
        intent: 'commercial',
        related_keywords: ['boots', 'clogs', 'sandals'],
        country: 'us',
        language: 'en',
      },
      expect.objectContaining({
        keyword: 'boots',
        search_volume: null,
        competition_level: null,
        related_keywords: null,
      }),
    ]);
    expect(await metrics!.fetchMetrics({ ...ask, limit: 1 }, context())).toHaveLength(1);
    expect(await metrics!.fetchMetrics({ ...ask, keyword: 'hats' }, context())).toEqual([]);
  });

  it.each([
    [{ keyword: 'a', search_volume: -1 }, 'row 1: "search_volume" must be a number'],
    [{ keyword: 'a', competition: 101 }, 'row 1: "competition"'],
    [{ keyword: 'a', intent: 'other' }, 'row 1: "intent"'],
    [{ keyword: 'a', country: 'UK' }, 'row 1: "country"'],
    [{ search_volume: 1 }, 'row 1: "keyword" is missing'],
  ])('are refused with file and row: %j', async (metrics, message) => {
    write({ 'index.json': [row()], 'keywords.json': [metrics] });
    await expect(create()).rejects.toThrow(`keywords.json, ${message}`);
  });
});
