// The speed of exports and of a workbook, compared with a bare statement that reads the same rows.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { loadConfig } from '../../config/load.ts';
import { openStore } from '../../db/store.ts';
import { exportHistory } from '../../jobs/query/export-history.ts';
import { type CsvColumn, csvChunks, defaultCsvOptions } from '../../src/report/formats/csv.ts';
import { csvRows } from '../../src/report/formats/csv-rows.ts';
import { csvLines, type Encoder, jsonLines } from '../../src/report/formats/export.ts';
import { parquetChunks } from '../../src/report/formats/parquet.ts';
import { xlsxChunks } from '../../src/report/formats/workbook/xlsx.ts';
import { answerAsChild, inChild } from './child.ts';
import { contextOf } from './context.ts';
import { worked } from './figures.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory } from './history.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const bytesMax = 500 * mebibyte;
const rounds = 3;

const ratioMax = 3;
const piecesOfRows = 500;

/** Parquet splits, counts and compresses columns in JavaScript; a workbook is CSV that is read back and deflated. */
const formats = {
  csv: { encode: csvLines, isPacked: false },
  jsonl: { encode: jsonLines, isPacked: false },
  parquet: { encode: parquetChunks, isPacked: true },
  xlsx: { encode: workbook, isPacked: true },
} as const satisfies Record<string, { readonly encode: Encoder; readonly isPacked: boolean }>;

/** The rows of the export without any work on them. */
const bareSql = `
SELECT p.name, k.text, m.service, m.country, m.language, m.device, l.slot, l.local_date, c.checked_at, c.state, r.rank, r.absolute_rank, r.page,
  u.scheme, h.name, u.rest, r.depth, c.features, r.owned_features, c.reason, c.source, c.run_id, c.id
FROM checks c
JOIN runs n ON n.id = c.run_id
JOIN check_projects cp ON cp.check_id = c.id
JOIN projects p ON p.id = cp.project_id
JOIN slots l ON l.run_id = c.run_id AND l.project_id = p.id
JOIN searches s ON s.id = c.search_id
JOIN keywords k ON k.id = s.keyword_id
JOIN markets m ON m.id = s.market_id
LEFT JOIN rankings r ON r.target_id = 1 AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
LEFT JOIN urls u ON u.id = r.url_id
LEFT JOIN hosts h ON h.id = u.host_id`;

interface Question {
  readonly folder: string;
  readonly format: keyof typeof formats;
}

interface Answer {
  readonly rows: number;
  readonly bytes: number;
  readonly bareMs: number;
  readonly oursMs: number;
}

export async function benchExport(quick: boolean): Promise<BenchRow[]> {
  const size = { keywords: quick ? 10_000 : 100_000, days: 5 };
  return inFolder(async (folder) => {
    writeConfig(folder, size.keywords);
    buildHistory(join(folder, 'rankledger.sqlite'), size);
    const rows: BenchRow[] = [];
    for (const format of Object.keys(formats) as (keyof typeof formats)[]) {
      const { rows: count, bytes, bareMs, oursMs, rssMax } = await inChild<Answer>(import.meta.url, { folder, format });
      const against = formats[format].isPacked ? 'the bare SQL, deflated' : 'the bare SQL';
      const ratio = oursMs / bareMs;
      const perSecond = (ms: number): string => `${Math.round(count / ms)},000 rows/s`;
      rows.push({
        name: `export: ${count.toLocaleString('en')} rankings as ${format}, against ${against}`,
        target: `under ${ratioMax}x and ${bytesMax / mebibyte} MB`,
        ratio,
        detail: `${perSecond(oursMs)} against ${perSecond(bareMs)}, ${Math.round(rssMax / mebibyte)} MB at most, file ${Math.round(bytes / mebibyte)} MB`,
        ok: count === size.keywords * size.days && ratio < ratioMax && rssMax < bytesMax,
      });
    }
    return rows;
  });
}

/** The bare statement, stepped to its end; compressed: each row as text, deflated at the fastest level. */
function readBare(statement: Database.Statement, file: string | null): number {
  let rows = 0;
  let text = '';
  const handle = file === null ? null : openSync(file, 'w');
  for (const row of statement.iterate()) {
    rows += 1;
    if (handle === null) continue;
    text += `${(row as readonly unknown[]).join(',')}\n`;
    if (rows % piecesOfRows !== 0) continue;
    writeSync(handle, deflateRawSync(text, { level: 1 }));
    text = '';
  }
  if (handle !== null) {
    writeSync(handle, deflateRawSync(text, { level: 1 }));
    closeSync(handle);
  }
  return rows;
}

/** A workbook from the lines of the CSV, as in a report. */
function* workbook<Row>(columns: readonly CsvColumn<Row>[], rows: Iterable<Row>): Generator<Uint8Array<ArrayBuffer>> {
  const csv = { ...defaultCsvOptions, safe: false };
  const cells = csvRows(csvChunks(columns, rows, csv), csv);
  cells.next();
  for (const piece of xlsxChunks([{ name: 'rankings', columns, rows: cells }])) yield Uint8Array.from(piece);
}

await answerAsChild(import.meta.url, async ({ folder, format }: Question): Promise<Answer> => {
  const config = await loadConfig({ file: join(folder, 'rankledger.yaml'), cwd: folder, env: {} });
  const store = openStore(config.databaseFile);
  const context = contextOf(store, config.projects, Date.now(), new Map());
  const [project] = config.projects;
  const database = new Database(config.databaseFile, { readonly: true });
  const bareStatement = database.prepare(bareSql).raw();
  const bare: number[] = [];
  const ours: number[] = [];
  let rows = 0;
  let bytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    bare.push(worked(() => readBare(bareStatement, formats[format].isPacked ? join(folder, 'bare.gz') : null)));
    ours.push(
      worked(() => {
        const table = exportHistory(context, project ?? null, { what: 'rankings' });
        const file = openSync(join(folder, `export.${format}`), 'w');
        bytes = 0;
        for (const chunk of table.encoded(formats[format].encode)) {
          bytes += writeSync(file, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
        }
        closeSync(file);
        rows = table.count();
      }),
    );
  }
  database.close();
  store.close();
  return { rows, bytes, bareMs: Math.min(...bare), oursMs: Math.min(...ours) };
});
