// Attribution over a real imported history: 368 keywords, two devices, four dates with gaps.
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AttributedRow,
  Attribution,
  attributionGroupings,
  clickUnits,
  type EffectSums,
  type RowOnDate,
} from '../../src/tracker/causes/attribution.ts';
import { ctr } from '../../src/tracker/changes/visibility.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { commandAt } from '../cli/real-app.ts';
import { corpus, isCorpusHere } from './recorded-pages.ts';

const curve = 'sistrix-2020';
const now = Date.UTC(2026, 10, 27);
const dates = ['2026-01-27', '2026-02-02', '2026-02-16', '2026-04-09'] as const;
/** Earlier and later, with what lies between. */
const spans = dates.flatMap((from, at) => dates.slice(at + 1).map((to) => ({ from, to })));
const halves = spans.flatMap(({ from, to }) =>
  dates.filter((middle) => from < middle && middle < to).map((middle) => ({ from, middle, to })),
);

/** Cells as the tool exported them: empty is unknown, and 0 is no rank. */
let cells: readonly string[][] = [];
/** Ranks by keyword, device and date, as history has them. */
let imported: ReadonlyMap<string, number>;
let importedByHalves: ReadonlyMap<string, number>;

const keyOf = (keyword: string, device: string, date: string): string => [keyword, device, date].join(' | ');

async function ranksAfter(files: readonly (readonly (readonly string[])[])[]): Promise<Map<string, number>> {
  const folder: ProjectFolder = projectFolder(
    JSON.stringify({
      timezone: 'UTC',
      services: { default: { mode: 'embedded', source: 'sandbox' } },
      projects: [
        {
          ...{ id: 'tiles', targets: ['tiles.example'], depth: 10 },
          market: { country: 'GB', language: 'en', devices: ['mobile', 'desktop'] },
          keywords: cells.slice(1).map(([, keyword]) => keyword),
        },
      ],
    }),
  );
  for (const [index, table] of files.entries()) {
    const file = folder.write(`ranks-${index}.csv`, Papa.unparse(table as string[][]));
    const { exitCode, out, err } = await commandAt(folder, now, 'backfill', 'import', file);
    // 3: cells with 0 are left out
    if (exitCode !== 3 && exitCode !== 0) throw new Error(out + err);
  }
  const { out } = await commandAt(folder, now, 'export', '--project', 'tiles', '--format', 'jsonl');
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { keyword: string; device: string; local_date: string; rank: number });
  return new Map(rows.map(({ keyword, device, local_date, rank }) => [keyOf(keyword, device, local_date), rank]));
}

beforeAll(async () => {
  if (!isCorpusHere) return;
  const text = readFileSync(new URL('history/semrush_postracking_uk_2026-01_04_JamesLukeD.csv', corpus), 'utf8');
  cells = Papa.parse<string[]>(text, { skipEmptyLines: true }).data;
  imported = await ranksAfter([cells]);
  // the later half first
  const half = (...columns: readonly number[]) => cells.map((row) => [0, 1, 2, ...columns].map((at) => row[at] ?? ''));
  importedByHalves = await ranksAfter([half(7, 8, 9, 10), half(3, 4, 5, 6)]);
});

const devices = ['mobile', 'desktop'] as const;

function rowsBetween(ranks: ReadonlyMap<string, number>, from: string, to: string): AttributedRow[] {
  return cells.slice(1).flatMap(([tag = '', keyword = '', searches]) =>
    devices.map((device): AttributedRow => {
      const on = (date: string): RowOnDate => {
        const rank = ranks.get(keyOf(keyword, device, date)) ?? null;
        return { isChecked: rank !== null, rank, volume: Number(searches), featureRatio: null };
      };
      const [before, after] = [on(from), on(to)];
      return {
        ...{ keyword, device, tags: [tag], market: `GB en ${device}`, page: null, isPlace: false },
        ...{ before, after, isComparable: before.isChecked && after.isChecked },
      };
    }),
  );
}

const attributionOf = (from: string, to: string): Attribution =>
  new Attribution(rowsBetween(imported, from, to), curve);

const add = (sums: readonly EffectSums[]): EffectSums => {
  const total = { before: 0, rank: 0, feature: 0, demand: 0, tracking: 0, after: 0 };
  for (const each of sums) for (const name of Object.keys(total) as (keyof EffectSums)[]) total[name] += each[name];
  return total;
};

describe.skipIf(!isCorpusHere)('attribution over an imported history', () => {
  it('has the ranks of the file, and none where the file knows none', () => {
    const known = cells.slice(1).flatMap((row) =>
      dates.flatMap((date, at) =>
        devices.flatMap((device, column) => {
          const cell = row[3 + 2 * at + column] ?? '';
          return cell === '' || cell === '0' ? [] : [[keyOf(row[1] ?? '', device, date), Number(cell)] as const];
        }),
      ),
    );
    expect(imported).toEqual(new Map(known));
    expect(known.length).toBeLessThan(devices.length * dates.length * (cells.length - 1));
  });

  it('is the same whether the history came as one file or as two halves, the later one first', () => {
    expect(importedByHalves).toEqual(imported);
  });

  it.each(spans)('adds up from $from to $to, in each line and over the lines of every grouping', ({ from, to }) => {
    const attribution = attributionOf(from, to);
    const total = attribution.total();
    expect(total.rows).toBeGreaterThan(600);
    for (const grouping of attributionGroupings) {
      const groups = attribution.by(grouping);
      // each keyword has one tag: even lines of tags do not overlap
      for (const measure of ['clicks', 'visibility'] as const)
        expect(add(groups.map((group) => group[measure] as EffectSums))).toEqual(total[measure]);
    }
  });

  it.each(spans)('has from $from to $to the effects that the cells of the file have', ({ from, to }) => {
    let [before, rank, tracking] = [0, 0, 0];
    for (const row of cells.slice(1))
      for (const column of [3, 4]) {
        const [then = 0, later = 0] = [from, to].map((date) => Number(row[column + 2 * dates.indexOf(date as never)]));
        const clicks = (at: number): number => Number(row[2]) * (at === 0 ? 0 : ctr(curve, at));
        before += clicks(then);
        if (then > 0 && later > 0) rank += clicks(later) - clicks(then);
        else tracking += clicks(later) - clicks(then);
      }
    const { clicks } = attributionOf(from, to).total();
    const units = (value: number): number => Math.round(value * clickUnits);
    expect(clicks).toEqual({
      ...{ before: units(before), after: units(before + rank + tracking) },
      ...{ rank: units(rank), feature: 0, demand: 0, tracking: units(tracking) },
    });
  });

  it.each(halves)('from $from to $to is the sum of its halves, parted on $middle, in every line', (span) => {
    const { from, middle, to } = span;
    const [whole, first, second] = [attributionOf(from, to), attributionOf(from, middle), attributionOf(middle, to)];
    const linesOf = (attribution: Attribution, grouping: (typeof attributionGroupings)[number]) =>
      new Map(attribution.by(grouping).map(({ name, clicks }) => [name, clicks]));
    for (const grouping of attributionGroupings.filter((each) => each !== 'competitor')) {
      const [ofFirst, ofSecond] = [linesOf(first, grouping), linesOf(second, grouping)];
      for (const [name, clicks] of linesOf(whole, grouping)) {
        const [one, other] = [ofFirst.get(name), ofSecond.get(name)];
        expect([name, one?.before ?? 0, other?.after ?? 0]).toEqual([name, clicks.before, clicks.after]);
        expect(one?.after ?? 0).toBe(other?.before ?? 0);
      }
    }
    const ends = [first, second].map((half) => half.total().visibility as EffectSums);
    expect(ends[0]?.after).toBe(ends[1]?.before);
    expect([ends[0]?.before, ends[1]?.after]).toEqual([
      whole.total().visibility?.before,
      whole.total().visibility?.after,
    ]);
  });
});
