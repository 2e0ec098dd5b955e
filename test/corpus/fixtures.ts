// The anonymised pages of `fixtures`: engine, device, year, language and number of the recorded page in each name.
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { PageOutcome } from '../../src/service/engines/anonymise.ts';
import type { Row } from './recorded-pages.ts';

export const fixtures = new URL('fixtures/', import.meta.url);

const engineNames: Readonly<Record<string, string>> = { google: 'google', bing: 'bing', ddg: 'duckduckgo' };

export function engineOf({ engine }: Pick<Row, 'engine'>): string {
  return engineNames[engine] ?? engine;
}

/** `google-2019-mobile-en-0de000`: without any word of the query in the recorded page's name. */
export function nameOf(row: Row): string {
  const [, year] = /(\d{4})-\d\d-\d\d/.exec(row.file) ?? [];
  const [, number] = /_([0-9a-f]{6})\.html$/.exec(row.file) ?? [];
  const language = row.language.replace('_', '-') || 'xx';
  return `${engineOf(row)}-${year}-${row.device}-${language}-${number}`.toLowerCase();
}

export interface Fixture {
  readonly name: string;
  readonly engine: string;
  readonly device: string;
  readonly year: number;
}

export function fixtureList(): Fixture[] {
  const names = readdirSync(fixtures).filter((name) => name.endsWith('.html.gz'));
  return names.map((file) => {
    const name = file.replace('.html.gz', '');
    const [engine = '', year = '', device = ''] = name.split('-');
    return { name, engine, device, year: Number(year) };
  });
}

export function fixtureHtml(name: string): string {
  return gunzipSync(readFileSync(new URL(`${name}.html.gz`, fixtures))).toString('utf8');
}

/** One line per result, question or ad, so that a change of the reader appears as changed lines. */
export function outcomeJson(outcome: PageOutcome): string {
  return `${JSON.stringify(outcome, null, 1).replace(/\n {4,}/g, ' ')}\n`;
}
