// The overview section: headline numbers of each own target with change and coverage, and charts over time.
import { type Bucket, buckets } from '../../../tracker/changes/visibility.ts';
import { mean, type Sums } from '../../rows/sums.ts';
import type { Series, TargetSeries } from '../data/page-data.ts';
import type { PageFacts } from '../data/page-facts.ts';
import type { Content, Markup } from '../text/markup.ts';
import { html } from '../text/markup.ts';
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
  const targets = facts.summary.filter(({ scope }) => scope === 'project');
  const [first, ...others] = targets.map(({ target, sums }) => headline(target, sums, targets.length > 1, facts));
  return html`${first ?? null}${others.length > 0 && collapsed(others)}${charts(facts)}`;
}

/** Folded on the screen, so that the charts are in sight; paper folds nothing. */
function collapsed(others: readonly Markup[]): Markup {
  return html`<details class="others"><summary>${others.length === 1 ? '1 more target' : `${others.length} more targets`}</summary>${others}</details>
<div class="print-only others">${others}</div>`;
}

/** A headline number with its change and coverage. */
interface Card {
  readonly title: string;
  readonly value: Content;
  readonly change: Content;
  readonly note: string;
}

function headline(target: string, sums: Sums, isOneOfSeveral: boolean, facts: PageFacts): Markup {
  const title = `Headline numbers of ${target}`;
  return html`<div class="totals" role="group" aria-label="${title}">
${isOneOfSeveral && html`<h3><bdi>${target}</bdi></h3>`}
<dl class="headline">${buildCards(target, sums, facts).map(
    (card) =>
      html`<div class="tile"><dt class="tile-label">${card.title}</dt><dd><span class="tile-value">${card.value}</span> <span class="tile-change">${card.change}</span><span class="note">${card.note}</span></dd></div>`,
  )}</dl></div>`;
}

function buildCards(target: string, sums: Sums, { competitors }: PageFacts): Card[] {
  const ofChecked = `of ${number(sums.checked)} checked`;
  const ranked = sums.checked === 0 ? null : sums.checked - (sums.buckets.get('not_found') ?? 0);
  const voice = competitors.find((line) => line.isOwn && line.target === target);
  const cards: Card[] = [
    {
      title: 'Visibility',
      value: maybe(sums.visibility.percent(), 2, ' %'),
      change: delta(difference(sums.comparableNow.percent(), sums.comparableBefore.percent()), {
        digits: 2,
        unit: ' pts',
      }),
      note: `${number(sums.visibility.count())} of ${number(sums.total)} keywords, those with a known volume${changeCoverage(sums)}`,
    },
    {
      title: 'Estimated clicks',
      value: maybe(sums.visibility.count() === 0 ? null : sums.visibility.clicks()),
      change: delta(clicksChange(sums)),
      note: 'a month',
    },
    {
      title: 'Average rank',
      value: maybe(mean(sums.ranked), 1),
      change: delta(mean(sums.rankedChange), { digits: 1 }),
      note: `of ${number(sums.ranked.count)} ranked; ${trendWord(mean(sums.capped))} incl. not found`,
    },
    { title: 'Top 3', value: maybe(inTop(sums, 3)), change: topChange(sums, 3), note: ofChecked },
    { title: 'Top 10', value: maybe(inTop(sums, 10)), change: topChange(sums, 10), note: ofChecked },
    { title: 'Ranked', value: maybe(ranked), change: rankedChange(sums), note: ofChecked },
    {
      title: 'Coverage',
      value: `${number(sums.checked)}`,
      change: '',
      note: `of ${number(sums.total)} keywords checked; ${number(sums.comparable)} comparable`,
    },
  ];
  if (voice !== undefined && voice.shareOfVoice !== null) {
    cards.splice(1, 0, {
      title: 'Share of voice',
      value: maybe(voice.shareOfVoice, 2, ' %'),
      change: delta(voice.shareOfVoiceChange, { digits: 2, unit: ' pts' }),
      note: `of the clicks of all domains seen, over ${number(voice.shareCount)} keywords${changeCoverage(voice)}`,
    });
  }
  return cards;
}

/** How many rows a change covers, if not all checked ones: one row that moved is not the whole project. */
function changeCoverage({ comparable, checked }: Pick<Sums, 'comparable' | 'checked'>): string {
  return comparable === checked || comparable === 0 ? '' : `; change over ${number(comparable)}`;
}

const inTop3: readonly Bucket[] = ['1', '2-3'];
const inTop10: readonly Bucket[] = [...inTop3, '4-10'];

/** Null if nothing was checked. */
export function inTop({ checked, buckets: counts }: Sums, top: 3 | 10): number | null {
  return checked === 0
    ? null
    : (top === 3 ? inTop3 : inTop10).reduce((sum, bucket) => sum + (counts.get(bucket) ?? 0), 0);
}

function topChange({ comparable, bucketChanges }: Sums, top: 3 | 10): Markup {
  const change = (top === 3 ? inTop3 : inTop10).reduce((sum, bucket) => sum + (bucketChanges.get(bucket) ?? 0), 0);
  return delta(comparable === 0 ? null : change);
}

function rankedChange({ comparable, bucketChanges }: Sums): Markup {
  return delta(comparable === 0 ? null : -(bucketChanges.get('not_found') ?? 0));
}

export function clicksChange({ comparableNow, comparableBefore }: Sums): number | null {
  return comparableNow.count() === 0 ? null : comparableNow.clicks() - comparableBefore.clicks();
}

export function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

function trendWord(value: number | null): string {
  return value === null ? 'none' : number(value, 1);
}

/** How many other lines the summary names; the table has them all. */
const namedMax = 5;

function charts({ data: { axis, charts: drawn, marks }, ctrCurve }: PageFacts): Markup | null {
  if (axis.dates.length === 0) return null;
  const [first] = drawn.visibility;
  return html`<div class="figures">
${figure(
  'chart-visibility',
  'Visibility over time',
  `Percent of the estimated clicks of rank 1 for every keyword (${ctrCurve}), at today's volumes. ${linesWords(drawn.visibility, drawn.total)}`,
  linesTable('Visibility in percent', axis.dates, drawn.visibility, drawn.total),
)}
${
  drawn.shareOfVoice.length > 0 &&
  figure(
    'chart-share',
    'Share of voice over time',
    `Percent of the estimated clicks of all domains on the same pages. ${linesWords(drawn.shareOfVoice, drawn.total)}`,
    linesTable('Share of voice in percent', axis.dates, drawn.shareOfVoice, drawn.total),
  )
}
${figure(
  'chart-distribution',
  'Rank distribution over time',
  `Keywords of ${first?.target ?? 'the target'} by rank, ${number(drawn.total)} tracked now. Incomplete checks count as unknown, not as lost.`,
  table(
    'Keywords by rank',
    [{ title: 'Date' }, ...buckets.map((bucket) => ({ title: bucketWords[bucket], isNumber: true }))],
    newestFirst(axis.dates, (index) => drawn.distribution.map((line) => maybe(line[index] ?? null))),
  ),
)}
</div>${noteList(marks)}`;
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

/** Describes the first target with its coverage, and the last value of the others. */
function linesWords([first, ...others]: readonly TargetSeries[], total: number): string {
  if (first === undefined) return '';
  const known = first.values.filter((value) => value !== null);
  const [start, end] = [known[0], known.at(-1)];
  if (start === undefined || end === undefined) return `No data for ${first.target}.`;
  const rows = first.of.findLast((count) => count !== null) ?? 0;
  const of = `over ${number(rows)} of ${number(total)} keywords`;
  const words = `${first.target}: from ${number(start, 2)} % to ${number(end, 2)} %, ${of}${gapWords(first.values)}.`;
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
