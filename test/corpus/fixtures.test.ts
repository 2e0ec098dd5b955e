// The anonymised pages: their parsed results, and a comparison with the recorded pages if these are present.
import { readFileSync, statSync } from 'node:fs';
import { parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { loadAnonymiser, loadEngine } from '../../src/service/engines/registry.ts';
import { sites, vocabulary } from '../../src/service/engines/vocabulary.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import { engineOf, type Fixture, fixtureHtml, fixtureList, fixtures, nameOf, outcomeJson } from './fixtures.ts';
import { corpus, isCorpusHere, type Row, recordedRows } from './recorded-pages.ts';

const { anonymisePage, differences, outcomeOf } = await loadAnonymiser();
const list = fixtureList();

/** The parsed page, or the reason of its refusal. */
async function read(html: string, { engine, device }: Pick<Fixture, 'engine' | 'device'>, keyword?: string) {
  const context = { mobile: device === 'mobile', ...(keyword !== undefined && { keyword }) };
  return outcomeOf(await loadEngine(engine), html, context);
}

function outcomeText(name: string): string {
  return readFileSync(new URL(`${name}.json`, fixtures), 'utf8');
}

describe('the anonymised pages', () => {
  it('cover every engine, device and year, and are small', () => {
    expect(list.length).toBeGreaterThanOrEqual(60);
    expect([...new Set(list.map(({ engine }) => engine))].sort()).toEqual(['bing', 'duckduckgo', 'google']);
    expect([...new Set(list.map(({ device }) => device))].sort()).toEqual(
      'block desktop mobile nojs tablet'.split(' '),
    );
    const years = new Set(list.map(({ year }) => year));
    expect([...years].sort()).toEqual([2016, 2018, 2019, 2020, 2021, 2023, 2024, 2025, 2026]);
    const bytes = list.flatMap(({ name }) =>
      ['html.gz', 'json'].map((end) => statSync(new URL(`${name}.${end}`, fixtures)).size),
    );
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(5_000_000);
  });

  it.each(list)('$name is read as before', async (fixture) => {
    const outcome = await read(fixtureHtml(fixture.name), fixture);
    await expect(outcomeJson(outcome)).toMatchFileSnapshot(`fixtures/${fixture.name}.json`);
  });

  it.each(list.filter(({ name }) => !outcomeText(name).includes('"refused"')).filter((_, nth) => nth % 5 === 0))(
    "$name is refused as another query's page",
    async (fixture) => {
      const outcome = await read(fixtureHtml(fixture.name), fixture, 'another query altogether');
      expect(outcome).toEqual({ refused: 'wrong_query' });
    },
  );
});

const rows: readonly Row[] = isCorpusHere ? recordedRows() : [];
const recorded = (row: Row): string => decodeText(readFileSync(new URL(row.file, corpus)));

describe.skipIf(!isCorpusHere)('the recorded pages', () => {
  it('have a fixture each', () => {
    const names = list.map(({ name }) => name);
    expect(rows.map((row) => nameOf(row)).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(rows.filter((_, nth) => nth % 10 === 0))(
    '$file is read as its fixture is, and none of its text is in the fixture',
    async (row) => {
      const [html, fixture] = [recorded(row), fixtureHtml(nameOf(row))];
      const made = { engine: engineOf(row), device: row.device };
      expect(differences(await read(html, made), await read(fixture, made))).toEqual([]);
      expect(remains(html, fixture)).toEqual([]);
    },
  );

  it.each(rows.filter((_, nth) => nth % 30 === 0))(
    '$file becomes a fixture that is read in the same way',
    async (row) => {
      const html = recorded(row);
      const fixture = anonymisePage(html).html;
      const made = { engine: engineOf(row), device: row.device };
      expect(differences(await read(html, made), await read(fixture, made))).toEqual([]);
      expect(remains(html, fixture)).toEqual([]);
    },
  );
});

/** Words of a page's texts, and its long numbers, tokens and hosts, that are in its fixture and belong to no engine. */
function remains(html: string, fixture: string): string[] {
  const words = new Set(wordsOf(visibleText(html)).filter((word) => !vocabulary.has(word) && !kept.has(word)));
  const tokens = new Set(tokensOf(html));
  const hosts = new Set(hostsOf(html).filter((host) => !host.split('.').some((label) => sites.has(label))));
  return [
    ...wordsOf(decoded(fixture)).filter((word) => words.has(word)),
    ...tokensOf(fixture.replace(names, '')).filter((token) => tokens.has(token) && !isOwnPath(token)),
    ...hostsOf(fixture).filter((host) => hosts.has(host)),
  ];
}

/** Attributes whose values may be names that many pages have. */
const names = / (?:class|id|jsname|aria-controls|data-ti)="[^"]*"/g;

/** Numbers of five digits, and letters and digits by turns. */
function tokensOf(html: string): string[] {
  const all = decoded(html).match(/[A-Za-z0-9]{5,}/g) ?? [];
  return all.filter(
    (token) => /^\d+$|[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d/.test(token) && !vocabulary.has(token.toLowerCase()),
  );
}

/** A path of Bing itself in a redirect. */
function isOwnPath(token: string): boolean {
  return token.startsWith('a1') && Buffer.from(token.slice(2), 'base64url').toString().startsWith('/');
}

/** The scheme of URLs, and the suffix that replaces long ones. */
const kept = new Set(['http', 'info']);

/** Texts between tags, and those of readable attributes. */
function visibleText(html: string): string {
  const texts: string[] = [];
  const rest: Node[] = [parseDocument(html.replace(/<(script|style|noscript)\b[\s\S]*?<\/\1/gi, '')) as Node];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (node.type === 'text') texts.push(node.data ?? '');
    for (const name of ['alt', 'title', 'aria-label', 'value']) texts.push(node.attribs?.[name] ?? '');
    for (const child of node.children ?? []) rest.push(child);
  }
  return texts.join(' ');
}

interface Node {
  readonly type: string;
  readonly data?: string;
  readonly attribs?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

/** Words of four letters at least. */
function wordsOf(text: string): string[] {
  const all = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return all.filter((word) => /^[\p{L}\p{M}]{4,}$/u.test(word));
}

function hostsOf(html: string): string[] {
  return [...decoded(html.toLowerCase()).matchAll(/\/\/((?:[a-z0-9-]+\.)+[a-z]+)/g)].map(([, host = '']) => host);
}

/** Percent signs and escapes decoded once: `%3Dword` is not a word "dword". */
function decoded(text: string): string {
  const plain = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return plain.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return ' ';
    }
  });
}
