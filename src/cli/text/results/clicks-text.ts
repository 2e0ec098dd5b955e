// Results of `clicks` as text.
import type { ProjectCurve } from '../../../app/clicks/curve.ts';
import { ctr } from '../../../tracker/changes/visibility.ts';
import type { FittedRank } from '../../../tracker/clicks/measured-curve.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount } from '../numbers.ts';
import { type Column, factLines, printable, tableLines } from '../table.ts';

const ranksShown = 20;

/** Rates by rank of each project, beside the built-in curve. */
export function printCurves(out: Printer, curves: readonly ProjectCurve[]): void {
  for (const { project, name, prior, property, from, to, parts } of curves) {
    out.line(out.styled('bold', `${printable(project)}: ${name}`));
    if (property === null || to === null) {
      out.line('  No final day of clicks is stored: rankledger backfill clicks');
      continue;
    }
    const counted = parts.map(({ brand, device, impressions, ranks }): readonly [string, string] => [
      `${brand ? 'with' : 'without'} the brand, ${device ?? 'all devices'}`,
      `${amount(impressions)} impressions${ranks.length === 0 ? ': too few for a curve' : ''}`,
    ]);
    for (const line of factLines([['days', `${from} to ${to}, ${printable(property)}`], ...counted])) out.line(line);
    const [main] = parts;
    for (const line of tableLines(curveColumns(prior), main?.ranks.slice(0, ranksShown) ?? [])) out.line(line);
  }
}

function curveColumns(prior: string): Column<FittedRank>[] {
  return [
    { title: 'rank', align: 'right', value: ({ rank }) => `${rank}` },
    { title: 'impressions', align: 'right', value: ({ impressions }) => amount(Math.round(impressions)) },
    { title: 'clicks', align: 'right', value: ({ clicks }) => amount(Math.round(clicks)) },
    { title: 'rate', align: 'right', value: ({ rate }) => percent(rate) },
    { title: '95 % interval', value: ({ low, high }) => `${percent(low)} to ${percent(high)}` },
    { title: prior, align: 'right', value: ({ rank }) => percent(ctr(prior, rank)) },
  ];
}

function percent(rate: number): string {
  return `${(100 * rate).toFixed(2)} %`;
}
