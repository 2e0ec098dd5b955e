// report.xlsx has every table of its report, cell by cell, and is listed in the manifest.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workbookChunks } from '../../../jobs/report/files/xlsx-report.ts';
import { tableColumns, writeFolders } from '../../../jobs/report/write-report.ts';
import { type ReportTableName, reportTables } from '../../../src/tracker/report-tables.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { startProvider } from '../../helpers/provider.ts';
import { readCsv } from '../../report/csv-reader.ts';
import { type ReadCell, readWorkbook, readZip } from '../../report/xlsx-reader.ts';

const start = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
const formula = '=HYPERLINK("http://evil.example","x")';

async function twoDays(): Promise<World> {
  let rank = 4;
  const provider = await startProvider({ results: () => resultsWith('https://acme.example/', rank) });
  const one = project({
    competitors: [{ match: 'domain', value: 'site2.example' }],
    keywords: [keyword('shoes', { tags: ['a|b', 'c'] }), keyword(formula)],
  });
  const world = new World({ reports: true, provider, projects: [one] });
  for (const at of [start, start + dayMs]) {
    world.clock.set(at);
    await world.runSlot(at);
    rank = 9;
  }
  return world;
}

/** A cell as the CSV has it. */
function shown(cell: ReadCell | undefined): string {
  if (cell === undefined) return '';
  if (cell.type === 'day') return new Date(Number(cell.value)).toISOString().slice(0, 10);
  return cell.type === 'date' ? new Date(Number(cell.value)).toISOString() : String(cell.value);
}

it('the workbook has every table of the report, and the report has the workbook', async () => {
  const world = await twoDays();
  const [report] = writeFolders(world.context, { ...world.settings().reports, xlsx: true }, 2);
  const folder = report?.directory ?? '';
  const bytes = readFileSync(join(folder, 'report.xlsx'));
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  expect(files).toContainEqual({
    name: 'report.xlsx',
    rows: null,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  const tables = files.map(({ name }: { name: string }) => name).filter((name: string) => name.endsWith('.csv'));
  expect(tables).toEqual(
    readdirSync(folder)
      .filter((name) => name.endsWith('.csv'))
      .sort((a, b) => tables.indexOf(a) - tables.indexOf(b)),
  );
  const [about, ...sheets] = readWorkbook(bytes);
  expect(sheets.map(({ name }) => `${name}.csv`)).toEqual(tables);
  expect(about?.rows.map((cells) => cells.map(({ value }) => value))).toContainEqual(['project', 'acme']);
  for (const { name, rows, formulas } of sheets) {
    const [, ...lines] = readCsv(readFileSync(join(folder, `${name}.csv`), 'utf8').replace(/^\uFEFF/, ''));
    const cells = rows.slice(1).map((row) => new Map(row.map((cell) => [cell.ref.replace(/\d+/, ''), cell])));
    const columns = rows[0]?.map(({ ref }) => ref.replace(/\d+/, '')) ?? [];
    expect(cells.map((row) => columns.map((column) => shown(row.get(column))))).toEqual(
      lines.map((line) => line.map((cell) => cell.replace(/^'(?=[=+\-@])/, ''))),
    );
    expect(formulas).toBe(0);
  }
  const numbers = new Map(
    about?.rows.map((cells) => [String(cells[0]?.value), cells.map(({ value }) => value).slice(1)]),
  );
  expect(numbers.get('rows in the top 10')).toEqual(['acme.example', 2, 0]);
  expect(numbers.get('rank 4 to 10')).toEqual(['acme.example', 2]);
  expect(numbers.get('average rank of ranked rows')).toEqual(['acme.example', 9, -5]);
  const chart = readZip(bytes).get('xl/charts/chart1.xml') ?? '';
  const [, first = '', last = ''] = /'report'!\$C\$(\d+):\$C\$(\d+)/.exec(chart) ?? [];
  expect(about?.rows.slice(Number(first) - 1, Number(last)).map((cells) => cells[0]?.value)).toEqual([
    ...['rank 1', 'rank 2 to 3', 'rank 4 to 10', 'rank 11 to 20', 'rank 21 to 50', 'rank 51 and lower'],
    ...['not found', 'unknown'],
  ]);
  const [changes] = sheets;
  const types = new Map(changes?.rows[0]?.map(({ value }, at) => [value, changes.rows[1]?.[at]?.type]));
  expect(types.get('keyword')).toBe('text');
  expect(changes?.rows.flat().some((cell) => cell.type === 'text' && cell.value === formula)).toBe(true);
  expect(changes?.rows.flat().filter(({ type }) => type === 'date').length).toBe(4);
});

it('the workbook knows the column types of every table of a report', async () => {
  const world = await twoDays();
  const [report] = writeFolders(world.context, { ...world.settings().reports, xlsx: true }, 2);
  const tables = report?.files.filter((name) => name.endsWith('.csv')) ?? [];
  // of a period, and of a project with prompts, clicks or a grid
  expect(reportTables.map((name) => `${name}.csv`).sort()).toEqual(
    [
      ...tables,
      ...['click-changes', 'period', 'answers', 'local-pack', 'grid', 'grid-summary'].map((name) => `${name}.csv`),
    ].sort(),
  );
  for (const name of tables) {
    const [header] = readCsv(readFileSync(join(report?.directory ?? '', name), 'utf8').replace(/^\uFEFF/, ''));
    expect(tableColumns.get(name.replace('.csv', '') as ReportTableName)?.map((column) => column.name)).toEqual(header);
  }
});

it('the workbook is written only on request', async () => {
  const world = await twoDays();
  const [report] = writeFolders(world.context, world.settings().reports, 2);
  expect(existsSync(join(report?.directory ?? '', 'report.xlsx'))).toBe(false);
});

it('the first sheet of the workbook says that the numbers cannot be trusted', () => {
  const facts = {
    project: 'acme',
    slot: '2026-01-15T06:00',
    timezone: 'UTC',
    warning: 'suspect run: most keywords were not found',
    coverage: { checked: 3, total: 4 },
    compare: 'previous',
    ctrCurve: 'sistrix-2020',
  };
  const [about] = readWorkbook(
    Buffer.concat([...workbookChunks(facts, [], { bom: true, delimiter: ',', safe: true })]),
  );
  expect(about?.rows.slice(1, 3).map((cells) => cells.map(({ value }) => value))).toEqual([
    ['warning', 'suspect run: most keywords were not found'],
    ['project', 'acme'],
  ]);
  expect(about?.rows.flat().map(({ value }) => value)).toContain('3 of 4 rows have complete checks');
});
