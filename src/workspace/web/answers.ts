// What the page of AI answers shows of the rows of the read API: engines, lines over periods, changes, cited pages.

import type { AnswerRecord } from '../../read/records.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import { pageIdentity } from '../../tracker/targets/target.ts';
import { marketWords } from './words.ts';

/** The AI overviews on results pages: no assistant that is asked. */
export const overviews = 'ai-overview';

const engineNames: Readonly<Record<string, string>> = {
  'ai-mode': 'AI Mode',
  [overviews]: 'AI overviews',
  chatgpt: 'ChatGPT',
  copilot: 'Copilot',
  gemini: 'Gemini',
  perplexity: 'Perplexity',
};

export function engineName(engine: string): string {
  return engineNames[engine] ?? engine;
}

/** The market of a prompt; of an overview that of its keyword. */
export function placeOf({ country, language, device, location }: AnswerRecord): string {
  return marketWords({ country: country ?? '', language: language ?? '', device: device ?? '', location });
}

/** Names the prompt in the address, with its market. */
export function promptMarket({ country, language, device, location }: AnswerRecord): string {
  return [country, language, device, location].filter(Boolean).join(' ');
}

export function enginesOf(rows: readonly AnswerRecord[]): readonly string[] {
  const engines = [...new Set(rows.map(({ engine }) => engine))];
  // assistants first: overviews are no answers to prompts
  return engines.toSorted((a, b) => Number(a === overviews) - Number(b === overviews));
}

/** Rows of the newest period that these rows have. */
export function newestRows(rows: readonly AnswerRecord[]): readonly AnswerRecord[] {
  const newest = rows.reduce((latest, { period }) => (period > latest ? period : latest), '');
  return rows.filter(({ period }) => period === newest);
}

/** Longer than any period. */
export const periodDaysMax = 31;

/** Rows of the periods that reach into the dates from `from` on: a period is named by its first date. */
export function reaching(rows: readonly AnswerRecord[], from: string): readonly AnswerRecord[] {
  return [...Map.groupBy(rows, ({ engine }) => engine).values()].flatMap((of) => {
    const starts = [...new Set(of.map(({ period }) => period))].sort();
    const dayOf = (date: string) => Date.parse(date) / dayMs;
    const kept = new Set(
      starts.filter((start, index) => {
        const [before, next] = [starts[index - 1], starts[index + 1]];
        const days = before === undefined ? periodDaysMax : dayOf(start) - dayOf(before);
        return start >= from || (next === undefined ? dayOf(start) + days > dayOf(from) : next > from);
      }),
    );
    return of.filter(({ period }) => kept.has(period));
  });
}

interface ShareLine {
  readonly target: string;
  readonly isOwn: boolean;
  readonly values: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  readonly over: readonly (number | null)[];
}

/** Shares of citations by period, one line a target. `rows`: of one engine and prompt. */
export function shareLines(rows: readonly AnswerRecord[]): {
  readonly dates: readonly string[];
  readonly lines: readonly ShareLine[];
} {
  const dates = [...new Set(rows.map(({ period }) => period))].sort();
  const lines = [...Map.groupBy(rows, ({ target }) => target)].map(([target, own]) => {
    const byPeriod = new Map(own.map((row) => [row.period, row]));
    const valuesOf = (name: 'citedShare' | 'citedLow' | 'citedHigh' | 'answers') =>
      dates.map((date) => byPeriod.get(date)?.[name] ?? null);
    return {
      target,
      isOwn: own[0]?.isOwn === true,
      values: valuesOf('citedShare'),
      low: valuesOf('citedLow'),
      high: valuesOf('citedHigh'),
      over: valuesOf('answers'),
    };
  });
  return { dates, lines };
}

const tenth = (value: number | null): string => `${Number((value ?? 0).toFixed(1))}`;

/** `20 %, 3.6–62`: a share with its interval. */
export function shareText(share: number | null, low: number | null, high: number | null): string {
  return share === null ? '–' : `${tenth(share)} % (${tenth(low)}–${tenth(high)} %)`;
}

/** A change that chance does not explain. */
export function isCertain({ citationChange }: AnswerRecord): boolean {
  return citationChange !== null && citationChange !== 'same';
}

export interface CitedPage {
  readonly url: string;
  readonly target: string;
  readonly isOwn: boolean;
  readonly engines: ReadonlySet<string>;
  readonly prompts: ReadonlySet<string>;
}

/** The cited pages of targets, and by which prompts. `rows`: of one period of each engine. */
export function citedPages(rows: readonly AnswerRecord[]): readonly CitedPage[] {
  const pages = new Map<string, CitedPage & { engines: Set<string>; prompts: Set<string> }>();
  for (const { citedPages: urls, target, isOwn, engine, prompt, ...row } of rows)
    for (const url of urls) {
      const key = `${target} ${pageIdentity(url)}`;
      const known = pages.get(key);
      const page = known ?? { url, target, isOwn, engines: new Set<string>(), prompts: new Set<string>() };
      page.engines.add(engine);
      if (prompt !== null)
        page.prompts.add(
          `${engine} ${prompt} ${promptMarket({ ...row, citedPages: urls, target, isOwn, engine, prompt })}`,
        );
      pages.set(key, page);
    }
  return [...pages.values()];
}
