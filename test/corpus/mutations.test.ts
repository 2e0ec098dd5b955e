// Recorded pages as they might look tomorrow: names scrambled, attributes gone, headings moved or lost. The list of results stays the same or the page is refused.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textOf as decoded } from '../../src/service/charset.ts';
import type { Engine } from '../../src/service/engines/engine.ts';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { renamed, seeded } from '../helpers/renamed-page.ts';

const corpus = new URL('../../../shared/corpus/', import.meta.url);
const isPresent = existsSync(corpus);
if (!isPresent)
  console.warn('test/corpus/mutations.test.ts: SKIPPED, the recorded pages (../shared/corpus) are not here.');

/** Of each engine and form, the newest pages. */
const files = [
  'google/2024-08-05_desktop_en_salvador-dal_af6c9e.html',
  'google/2025-02-06_desktop_en_tesla-manifesto_052072.html',
  'google/2025-11-12_desktop_en-es_billie-eilish_3e014b.html',
  'google/2026-02-06_desktop_en_donald-trump_7d76d3.html',
  'google/2023-04-21_mobile_en_things-to-do-in-paris_ff9c8b.html',
  'bing/c2020-10-14_mobile_fr_vegan-near-me_bbb755.html',
  'bing/c2026-04-04_desktop_en_javascript-tutorial_483b3c.html',
  'ddg/c2020-01-15_desktop_en_us_test-keyword-at-duckduckgo_7d522e.html',
  'ddg/c2026-03-13_desktop_xx_plumber-dubai-at-duckduckgo_9215a7.html',
];
const engines: Readonly<Record<string, string>> = { google: 'google', bing: 'bing', ddg: 'duckduckgo' };

type Random = () => number;

/** Turns one heading into a plain block. */
function withoutHeading(html: string, pick: (count: number) => number): string {
  const headings = [...html.matchAll(/<(h[23])(?=[\s>])[^>]*>/g)];
  const heading = headings[pick(headings.length)];
  const end = heading === undefined ? -1 : html.indexOf(`</${heading[1]}>`, heading.index);
  if (heading === undefined || end < 0) return html;
  const inner = html.slice(heading.index + heading[0].length, end);
  return `${html.slice(0, heading.index)}<div>${inner}</div>${html.slice(end + 5)}`;
}

const mutations: Readonly<Record<string, (html: string, random: Random) => string>> = {
  'other class names': (html, random) => renamed(html, 'class', random),
  'other ids': (html, random) => renamed(html, 'id', random),
  'other names for scripts': (html, random) => renamed(html, 'jsname', random),
  'no attributes of scripts': (html) => html.replace(/\s(?:js[a-z]+|ping|data-ved)=(?:"[^"]*"|'[^']*'|[^\s>"']+)/g, ''),
  'no roles': (html) => html.replace(/\srole=(?:"[^"]*"|'[^']*'|[^\s>"']+)/g, ''),
  'headings in blocks of their own': (html) =>
    html.replace(/<h([23])(?=[\s>])/g, '<div><h$1').replace(/<\/h([23])>/g, '</h$1></div>'),
  'another language': (html) =>
    html.replace(/(<h[12][^>]*>)([^<]+)</g, (_, tag: string, text: string) => `${tag}${text.replace(/\p{L}/gu, 'ж')}<`),
  'no headings': (html) => html.replace(/<(\/?)h[1-6](?=[\s>])/g, '<$1div'),
  'one heading less': (html, random) => withoutHeading(html, (count) => Math.floor(random() * count)),
  'the last heading less': (html) => withoutHeading(html, (count) => count - 1),
};

/** The links of the results, or why there are none. */
function linksOf(engine: Engine, html: string, file: string): readonly string[] | string {
  try {
    const page = engine.parse(html, { mobile: file.includes('_mobile_') });
    return (page.serp.organic ?? []).map(({ link }) => link);
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== undefined) return error.reason;
    throw error;
  }
}

describe.skipIf(!isPresent)('a recorded page that changes its looks', () => {
  it.each(files)('%s has the same results or is refused', async (file) => {
    const html = decoded(readFileSync(new URL(file, corpus)));
    const engine = await loadEngine(engines[file.split('/')[0] ?? ''] ?? '');
    const before = linksOf(engine, html, file);
    expect(before).toBeInstanceOf(Array);
    const kept: string[] = [];
    for (const [name, mutate] of Object.entries(mutations)) {
      const changed = mutate(html, seeded(20));
      const after = linksOf(engine, changed, file);
      if (typeof after !== 'string') {
        expect(after, name).toEqual(before);
        if (changed !== html) kept.push(name);
      } else expect(['unparseable', 'no_organic_results'], name).toContain(after);
    }
    // Refusing everything would be easy.
    expect(kept.length).toBeGreaterThan(1);
  });
});
