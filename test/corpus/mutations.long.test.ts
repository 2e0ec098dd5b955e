// Recorded pages with a changed layout or false content. All pages: `npm run torture -- --only truth`.
import { describe, expect, it } from 'vitest';
import { mutations } from './mutations.ts';
import { isCorpusHere, Markup, recordedPage, recordedRows } from './recorded-pages.ts';

/** The newest pages of each engine and layout. */
const files = [
  'google/2016-04-22_desktop_es_alarmas-para-casa_bb0c0a.html',
  'google/2024-08-05_desktop_en_salvador-dal_af6c9e.html',
  'google/2025-02-06_desktop_en_tesla-manifesto_052072.html',
  'google/2025-11-12_desktop_en-es_billie-eilish_3e014b.html',
  'google/2026-02-06_desktop_en_donald-trump_7d76d3.html',
  'google/2023-04-21_mobile_en_things-to-do-in-paris_ff9c8b.html',
  'google/2024-08-04_nojs_en_salvador-dal_31a35c.html',
  'bing/c2020-10-14_mobile_fr_vegan-near-me_bbb755.html',
  'bing/c2026-04-04_desktop_en_javascript-tutorial_483b3c.html',
  'ddg/c2020-01-15_desktop_en_us_test-keyword-at-duckduckgo_7d522e.html',
  'ddg/c2026-03-13_desktop_xx_plumber-dubai-at-duckduckgo_9215a7.html',
];

/** By file: a result that changes in everything at once reads like content between results. */
const knownWrong: Readonly<Record<string, readonly string[]>> = {
  'google/2016-04-22_desktop_es_alarmas-para-casa_bb0c0a.html': [
    'wrong: one result has another heading, names, address and place at once',
  ],
  'google/2025-11-12_desktop_en-es_billie-eilish_3e014b.html': [
    'wrong: one result has another heading, names, address and place at once',
  ],
};

describe.skipIf(!isCorpusHere)('a recorded page with a changed layout or false content', () => {
  it.each(files)('%s has the same results or is refused', async (file) => {
    const row = recordedRows().find((each) => each.file === file);
    const page = row && (await recordedPage(row));
    if (page === undefined) throw new Error(`${file} is not read`);
    const markup = new Markup(page.html);
    const verdicts = mutations.flatMap(({ name, judge }) =>
      judge(page, markup).map((verdict) => `${verdict}: ${name}`),
    );
    expect(verdicts.filter((each) => /^(?:wrong|believed)/.test(each))).toEqual(knownWrong[file] ?? []);
    // Refusing everything would be easy.
    expect(verdicts.filter((each) => each.startsWith('right')).length).toBeGreaterThan(5);
  });
});
