// The overview section: a place for headline numbers, and charts over time.

import { type Bucket, buckets } from '../../../tracker/changes/visibility.ts';
import type { PageData, Series, TargetSeries } from '../data/page-data.ts';
import type { PageFacts } from '../data/page-facts.ts';
import { type Content, html, type Markup } from '../text/markup.ts';
import { noteList } from '../text/note-list.ts';
import { delta, maybe, number } from '../text/words.ts';
import { figure, table } from './tables.ts';

const bucketWords: Readonly<Record<Bucket, string>> = {
  '1': 'Rank 1',
  '2-3': '2 to 3',
  '4-10': '4 to 10',
  '11-20': '11 to 20',
  '21-50': '21 to 50',
  '51-100': '51 and lower',
  not_found: 'Not found',
  unknown: 'Unknown',
};

export function overviewSection(facts: PageFacts): Markup {
  return html`<div id="headline-place">${headlineTable(facts.data.project)}</div>${charts(facts)}`;
}

/** The headline numbers for readers without scripts, one line per own target. */
function headlineTable({ sums, standings }: PageData['project']): Markup {
  const columns = ['Visibility', 'Share of voice', 'Clicks a month', 'Average rank', 'Top 3', 'Top 10'];
  const cell = (value: number | null, change: number | null, digits = 0, unit = '') =>
    html`${maybe(value, digits, unit)} ${change !== null && delta(change, { digits })}`;
  return table(
    'Headline numbers',
    [{ title: 'Target' }, ...[...columns, 'Checked'].map((title) => ({ title, isNumber: true }))],
    sums
      .filter(({ by }) => by === 'project')
      .map((of) => {
        const voice = standings.find(({ isOwn, target }) => isOwn && target === of.target);
        return [
          html`<bdi>${of.target}</bdi>`,
          cell(of.visibility, of.visibilityChange, 2, ' %'),
          cell(voice?.shareOfVoice ?? null, voice?.shareOfVoiceChange ?? null, 2, ' %'),
          cell(of.estimatedClicks, of.estimatedClicksChange),
          cell(of.averageRank, of.averageRankChange, 1),
          cell(of.top3, of.top3Change),
          cell(of.top10, of.top10Change),
          `${number(of.checked)} of ${number(of.total)}${olderWords(of)}`,
        ];
      }),
  );
}

function olderWords({ older, olderDaysMax }: PageData['project']['sums'][number]): string {
  return older === 0 ? '' : `; ${number(older)} are older, up to ${number(olderDaysMax ?? 0)} days, and not counted`;
}

/** How many other lines the summary names; the table has them all. */
const namedMax = 5;

function charts({ data: { axis, charts: drawn, marks } }: PageFacts): Markup | null {
  if (axis.dates.length === 0) return null;
  const [first] = drawn.visibility;
  return html`<div class="figures">
${
  hasValues(drawn.visibility) &&
  figure(
    'chart-visibility',
    'Visibility over time',
    linesWords(drawn.visibility, drawn.total),
    linesTable('Visibility in percent', axis.dates, drawn.visibility, drawn.total),
  )
}
${
  hasValues(drawn.shareOfVoice) &&
  figure(
    'chart-share',
    'Share of voice over time',
    linesWords(drawn.shareOfVoice, drawn.total),
    linesTable('Share of voice in percent', axis.dates, drawn.shareOfVoice, drawn.total),
  )
}
${
  drawn.total > 0 &&
  figure(
    'chart-distribution',
    'Rank distribution over time',
    `Keywords of ${first?.target ?? 'the target'} by rank, ${number(drawn.total)} tracked now. Incomplete checks count as unknown, not as lost.`,
    table(
      'Keywords by rank',
      [{ title: 'Date' }, ...buckets.map((bucket) => ({ title: bucketWords[bucket], isNumber: true }))],
      newestFirst(axis.dates, (index) => drawn.distribution.map((line) => maybe(line[index] ?? null))),
    ),
  )
}
</div>${noteList(marks)}`;
}

/** Places have no visibility, and prompts no rank: without a value there is nothing to draw. */
function hasValues(lines: readonly TargetSeries[]): boolean {
  return lines.some(({ values }) => values.some((value) => value !== null));
}

/** Each value with its number of rows. */
function linesTable(caption: string, dates: readonly string[], lines: readonly TargetSeries[], total: number): Markup {
  return table(
    `${caption}, and its number of keywords (${number(total)} are tracked)`,
    [{ title: 'Date' }, ...lines.map(({ target }) => ({ title: target, isNumber: true }))],
    newestFirst(dates, (index) =>
      lines.map(({ values, of }) => {
        const value = maybe(values[index] ?? null, 2);
        const rows = of[index] ?? null;
        return rows === null ? value : html`${value} <span class="flat">of ${number(rows)}</span>`;
      }),
    ),
  );
}

function newestFirst(dates: readonly string[], cells: (index: number) => Content[]): Content[][] {
  return dates.map((date, index) => [date, ...cells(index)]).reverse();
}

/** Describes the first target with the coverage of both ends, and the last value of the others. */
function linesWords([first, ...others]: readonly TargetSeries[], total: number): string {
  if (first === undefined) return '';
  const isKnown = (value: number | null): boolean => value !== null;
  const [start, end] = [first.values.findIndex(isKnown), first.values.findLastIndex(isKnown)];
  if (end === -1) return `No data for ${first.target}.`;
  const percentAt = (date: number): string => `${number(first.values[date] ?? 0, 2)} %`;
  const [rowsThen, rows] = [first.of[start] ?? 0, first.of[end] ?? 0];
  const then = rowsThen === rows ? percentAt(start) : `${percentAt(start)} over ${number(rowsThen)}`;
  const change = start === end ? percentAt(end) : `from ${then} to ${percentAt(end)}`;
  const words = `${first.target}: ${change}, over ${number(rows)} of ${number(total)} keywords${gapWords(first.values)}.`;
  const named = others.slice(0, namedMax).flatMap(({ target, values }) => {
    const last = values.findLast((value) => value !== null) ?? null;
    return last === null ? [] : `${target} ${number(last, 2)} %`;
  });
  return named.length === 0 ? words : `${words} Others at the end: ${named.join(', ')}.`;
}

function gapWords(values: Series): string {
  const gaps = values.filter((value) => value === null).length;
  return gaps === 0 ? '' : `, ${gaps} of ${values.length} dates without a number`;
}
