// The period section: of each row with much volume where it began, where it ended, and how it went between.

import type { PeriodDay, PeriodRow } from '../../tables/period.ts';
import type { PageFacts } from '../data/page-facts.ts';
import { type Content, html, type Markup } from '../text/markup.ts';
import { longDate, marketText, maybe, number, rankChange, siteText } from '../text/words.ts';
import { table } from './tables.ts';

export function periodSection({ period, data, rowsTotal }: PageFacts): Markup | null {
  if (period === null) return null;
  const hasTargets = data.targets.length > 1;
  return html`<p class="lead">${longDate(period.from)} to ${longDate(period.to)}, from the complete checks of each day. ${
    rowsTotal > period.rows.length && html`The ${number(period.rows.length)} rows with the largest search volume. `
  }<a href="period.csv">period.csv</a> has all ${number(rowsTotal)}.</p>
${table(
  'Ranks over the period',
  [
    { title: 'Keyword' },
    ...['Start', 'End', 'Change', 'Best', 'Worst', 'Average', 'Days in top 10', 'Volume'].map((title) => ({
      title,
      isNumber: true,
    })),
  ],
  period.rows.map((row) => toCells(row, hasTargets)),
  { hasTitle: false },
)}`;
}

function toCells(row: PeriodRow, hasTargets: boolean): Content[] {
  return [
    html`<bdi>${row.keyword}</bdi> <span class="sub">${marketText(row)}${hasTargets && html` · <bdi>${siteText(row.target)}</bdi>`}</span>`,
    dayCell(row.start),
    dayCell(row.end),
    rankChange(row.change.changeClass, row.change.change),
    dayCell(row.best),
    dayCell(row.worst),
    maybe(row.averageRank, 1),
    row.daysChecked === 0
      ? maybe(null)
      : html`${number(row.daysInTop10)} <span class="flat">of ${number(row.daysChecked)}</span>`,
    maybe(row.searchVolume),
  ];
}

function dayCell(day: PeriodDay | null): Content {
  if (day === null) return maybe(null);
  return html`${day.rank === null ? 'not found' : number(day.rank)} <span class="sub">${day.date}</span>`;
}
