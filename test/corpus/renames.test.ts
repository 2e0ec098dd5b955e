// Recorded pages of Bing and DuckDuckGo under other class names: the results stay the same, or the page is refused.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Engine } from '../../src/service/engines/engine.ts';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { ServiceError } from '../../src/service/model/errors.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import { seeded } from '../helpers/seeded.ts';
import { corpus, isCorpusHere, recordedRows } from './recorded-pages.ts';

const engines = [
  ['bing', 'bing'],
  ['duckduckgo', 'ddg'],
] as const;

/** Links and titles, or null if the page is refused. */
function listOf(engine: Engine, html: string, mobile: boolean): string[] | null {
  try {
    return (engine.parse(html, { mobile }).serp.organic ?? []).map(({ link, title }) => `${link} ${title}`);
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

it.skipIf(!isCorpusHere).each(engines)(
  '%s: at least nine of ten pages are read under other class names, and none is read wrongly',
  async (name, folder) => {
    const engine = await loadEngine(name);
    const rows = recordedRows();
    for (const share of [1, 0.5]) {
      const tally = { right: 0, refused: 0, wrong: 0 };
      for (const { file, device } of rows.filter((row) => row.engine === folder)) {
        const html = decodeText(readFileSync(new URL(file, corpus)));
        const before = listOf(engine, html, device === 'mobile');
        if (before === null || before.length === 0) continue;
        for (let seed = 1; seed <= 2; seed++) {
          const after = listOf(engine, renamed(html, 'class', seeded(77 * seed), share), device === 'mobile');
          const isRight = JSON.stringify(after) === JSON.stringify(before);
          tally[isRight ? 'right' : after === null ? 'refused' : 'wrong'] += 1;
        }
      }
      console.info(`${name}, ${100 * share} % of the class names are others: ${JSON.stringify(tally)}`);
      expect(tally.wrong).toBe(0);
      if (share === 1) expect(tally.right / (tally.right + tally.refused)).toBeGreaterThanOrEqual(0.9);
    }
  },
);

/** Other names for the values of an attribute, equal for equal values. `share`: the share replaced, 0 to 1. */
function renamed(html: string, attribute: string, random: () => number, share = 1): string {
  const names = new Map<string, string>();
  const nameOf = (value: string): string => {
    const known = names.get(value);
    if (known !== undefined) return known;
    const name = random() < share ? `x${Math.floor(random() * 2 ** 32).toString(36)}` : value;
    names.set(value, name);
    return name;
  };
  return html.replace(
    new RegExp(`(\\s${attribute}=)("[^"]*"|'[^']*'|[^\\s>"']+)`, 'g'),
    (_, start: string, raw: string) => {
      const values = raw.replace(/^["']|["']$/g, '').split(/\s+/);
      return `${start}"${values.map((value) => (value === '' ? '' : nameOf(value))).join(' ')}"`;
    },
  );
}
