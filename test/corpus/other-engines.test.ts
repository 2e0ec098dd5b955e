// The recorded pages of Bing and DuckDuckGo: results, refusals, every field, and the link to the next page.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bingEngine } from '../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../src/service/engines/duckduckgo/index.ts';
import type { Engine, SearchAsked } from '../../src/service/engines/engine.ts';
import { tidy } from '../../src/service/engines/page/text.ts';
import { ServiceError } from '../../src/service/model/errors.ts';
import type { ReadPage } from '../../src/service/model/results/serp.ts';
import { corpus, emptyPaths, isCorpusHere, type Row, recordedRows } from './recorded-pages.ts';

const engines: Readonly<Record<string, Engine>> = { bing: bingEngine, ddg: duckDuckGoEngine };

const rows: readonly Row[] = isCorpusHere ? recordedRows().filter((row) => engines[row.engine] !== undefined) : [];

/** The CAPTCHA page that asks for ducks. */
const blocked = 'ddg/c2026-02-17_desktop_en_duckduckgo_04625a.html';
/** Pages on which the engine states that it found nothing. */
const empty = [
  'bing/c2021-01-22_nojs_en_sfl234dsf14sfj323jjjjjfa345fdf45_45d4e3.html',
  'ddg/c2026-01-21_desktop_xx_ddg-debug-html_449d11.html',
];

/** URLs in the truths that are the engine's redirects, and their destinations (README.md). */
const redirects: Readonly<Record<string, (link: string) => string>> = {
  'bing/c2020-10-14_desktop_en_buy-iphone-11_e36326.html': (link) =>
    (link.includes('/rebates/') && new URL(link).searchParams.get('url')) || link,
};

const asked: SearchAsked = { keyword: 'k', country: 'US', language: 'en', mobile: false, page: 2 };

function textOf(path: string): string {
  return readFileSync(new URL(path, corpus), 'utf8');
}

function read(row: Row, keyword?: string): ReadPage {
  const context = { mobile: row.device === 'mobile', ...(keyword !== undefined && { keyword }) };
  return engines[row.engine]!.parse(textOf(row.file), context);
}

function reasonOf(read: () => ReadPage): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.reason;
    throw error;
  }
}

const serps = rows.filter((row) => row.file !== blocked);
const named = (file: string): Row => rows.find((row) => row.file === file)!;

describe.skipIf(!isCorpusHere)('the recorded pages of Bing and DuckDuckGo', () => {
  it('are complete', () => {
    const files = ['bing', 'ddg'].flatMap((folder) =>
      readdirSync(new URL(`${folder}/`, corpus)).filter((name) => name.endsWith('.html')),
    );
    expect(rows.length).toBe(files.length);
    expect(rows.length).toBeGreaterThan(15);
  });

  it.each(serps.filter((row) => row.truth !== null))('$file lists the organic results that a person sees', (row) => {
    const truth = JSON.parse(textOf(row.truth ?? '')) as { organic: { link: string; title: string }[] };
    const unwrap = redirects[row.file] ?? ((link: string) => link);
    const ours = read(row).serp.organic ?? [];
    expect(ours.map(({ link, title }) => [link, title])).toEqual(
      truth.organic.map(({ link, title }) => [unwrap(link), tidy(title)]),
    );
    expect(ours.length).toBe(row.organics);
  });

  it.each(empty)('%s is an empty SERP, because the engine states it', (file) => {
    expect(read(named(file)).serp.organic).toBeUndefined();
  });

  it('the CAPTCHA page that asks for ducks is refused as blocked', () => {
    expect(reasonOf(() => read(named(blocked)))).toBe('blocked');
  });

  it.each(serps)('$file is refused as the page of another query', (row) => {
    expect(reasonOf(() => read(row, 'another query altogether'))).toBe('wrong_query');
  });

  it.each(serps)('$file is read into fields that have a value', (row) => {
    const { serp, features } = read(row);
    expect(emptyPaths(serp, 'serp')).toEqual([]);
    for (const list of [serp.organic, serp.people_also_ask, serp.related, serp.top_ads, serp.bottom_ads])
      expect((list ?? []).map((each) => each.rank)).toEqual((list ?? []).map((_, index) => index + 1));
    for (const { link, global_rank } of serp.organic ?? []) {
      expect(link).toMatch(/^https?:\/\/[^/]+/);
      expect(link).not.toMatch(/bing\.com\/(?:ck|aclk|aclick|rebates)|duckduckgo\.com\/(?:l|y\.js)/);
      expect(global_rank).toBeGreaterThan(0);
    }
    const types = features.map((feature) => feature.type);
    expect(new Set(types).size).toBe(types.length);
  });

  it('show every field that these engines have', () => {
    const seen = new Set(serps.flatMap((row) => Object.keys(read(row).serp)));
    expect([...seen].sort()).toEqual(
      'bottom_ads knowledge navigation organic people_also_ask related top_ads'.split(' '),
    );
  });

  it.each([
    ['bing/c2021-01-22_nojs_en_coffee_b9889e.html', '5'],
    ['bing/c2020-01-08_desktop_en_test-keyword_445ada.html', '7'],
    ['bing/c2026-04-04_desktop_en_javascript-tutorial_483b3c.html', '11'],
    // without a link to the next page: counted
    ['bing/c2020-10-14_mobile_fr_vegan-near-me_bbb755.html', '5'],
  ])('%s links to the page that begins with result %s', (file, first) => {
    const { url } = bingEngine.nextOf!(textOf(file), asked, 0);
    expect(new URL(url).searchParams.get('first')).toBe(first);
  });

  it('a DuckDuckGo page links to the next page by its form, including the token', () => {
    const { form } = duckDuckGoEngine.nextOf!(
      textOf('ddg/c2026-03-13_desktop_xx_plumber-dubai-at-duckduckgo_9215a7.html'),
      asked,
      0,
    );
    expect(form).toMatchObject({ q: 'Plumber Dubai', s: '10', dc: '13', kl: 'wt-wt' });
    expect(form?.['vqd']).toMatch(/^4-\d+/);
  });
});
