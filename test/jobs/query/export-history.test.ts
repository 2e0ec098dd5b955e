// An export read back equals the database: each table in each format, read by other programs' parsers.
import { createHash } from 'node:crypto';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../../../db/connection/statement.ts';
import { type ExportQuery, exportHistory } from '../../../jobs/query/export-history.ts';
import type { ColumnNote } from '../../../src/report/formats/csv.ts';
import {
  csvLines,
  type Encoder,
  type ExportTable,
  exportTable,
  jsonLines,
} from '../../../src/report/formats/export.ts';
import { exportColumns } from '../../../src/report/formats/export-columns.ts';
import { parquetChunks } from '../../../src/report/formats/parquet.ts';
import { unguardFormulas } from '../../../src/tracker/formula-guard.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';
import { listItems, readCsv } from '../../report/csv-reader.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const nasty = '=SUM(A1), "x" | \\ \u202E🚀';

type Cells = Record<string, unknown>;

const acme = project({
  competitors: [{ match: 'domain', value: 'site3.example' }],
  keywords: [keyword('shoes', { depth: 2 }), keyword(nasty, { depth: 1, devices: ['desktop', 'mobile'] })],
  volumes: { schedule: '0 4 * * *', limit: 33 },
});
const globex = project({
  id: 'globex',
  targets: [{ match: 'prefix', value: 'https://site5.example/page' }],
  keywords: [keyword('shoes', { depth: 2 }), keyword('hats', { depth: 1 })],
});

let provider: Provider;
let world: World;

beforeAll(async () => {
  let day = 0;
  provider = await startProvider({
    results: ({ keyword: asked }) => (asked === 'hats' ? [] : resultsWith('https://acme.example/a?b=c|d', 3 + day)),
  });
  world = new World({ provider, projects: [acme, globex] });
  for (day = 0; day < 4; day += 1) {
    world.clock.set(start + day * dayMs);
    if (day === 2) provider.next({ status: 400 }, 'reset-after-sale');
    await world.runSlot(start + day * dayMs);
    await world.run({ kind: 'due' });
  }
  expect(world.broken()).toEqual([]);
});

const formats: readonly (readonly [
  string,
  Encoder,
  (bytes: Buffer, columns: readonly ColumnNote[]) => Promise<Cells[]>,
])[] = [
  ['csv', csvLines, readBackCsv],
  ['jsonl', jsonLines, readBackJson],
  ['parquet', parquetChunks, readBackParquet],
];

async function readBackCsv(bytes: Buffer, columns: readonly ColumnNote[]): Promise<Cells[]> {
  const [header, ...lines] = readCsv(bytes.toString('utf8'));
  expect(header).toEqual(columns.map(({ name }) => name));
  return lines.map((cells) =>
    Object.fromEntries(
      columns.map(({ name, kind }, at) => [name, fromText(kind, unguardFormulas(cells[at] ?? '', ','))]),
    ),
  );
}

function fromText(kind: ColumnNote['kind'], cell: string): unknown {
  if (kind === 'list') return listItems(cell);
  if (cell === '') return null;
  if (kind === 'number') return Number(cell);
  if (kind === 'boolean') return cell === 'true';
  return kind === 'date' ? Date.parse(cell) : cell;
}

async function readBackJson(bytes: Buffer, columns: readonly ColumnNote[]): Promise<Cells[]> {
  const dates = new Set(columns.filter(({ kind }) => kind === 'date').map(({ name }) => name));
  const lines = bytes.toString('utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) =>
    Object.fromEntries(
      Object.entries(JSON.parse(line) as Cells).map(([name, value]) => [
        name,
        dates.has(name) && value !== null ? Date.parse(String(value)) : value,
      ]),
    ),
  );
}

async function readBackParquet(bytes: Buffer, columns: readonly ColumnNote[]): Promise<Cells[]> {
  const file = Uint8Array.from(bytes).buffer;
  expect(parquetMetadata(file).schema[0]?.num_children).toBe(columns.length);
  const rows = await parquetReadObjects({ file });
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, fromParquet(value)])));
}

function fromParquet(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Date ? value.getTime() : (value ?? null);
}

function bytesOf(table: ExportTable, encode: Encoder): Buffer {
  return Buffer.concat(
    [...table.encoded(encode)].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece))),
  );
}

/** The export in all formats, whose contents must be equal. */
async function exported(query: ExportQuery, only: Project | null = null): Promise<Cells[]> {
  const read: Cells[][] = [];
  for (const [, encode, readBack] of formats) {
    const table = exportHistory(world.context, only, query);
    const rows = await readBack(bytesOf(table, encode), table.columns);
    expect(table.count()).toBe(rows.length);
    read.push(rows);
  }
  expect(read[1]).toEqual(read[0]);
  expect(read[2]).toEqual(read[0]);
  return read[0] ?? [];
}

const picked = (rows: readonly Cells[], ...names: string[]): unknown[][] =>
  rows.map((row) => names.map((name) => row[name]));
const rawOf = (sql: string): unknown[][] => world.rows(sql).map((row: Row) => Object.values(row));
const inOrder = (rows: readonly unknown[][]): string[] => rows.map((row) => JSON.stringify(row)).sort();
const searched =
  'JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id';

describe('an export read back', () => {
  it('has every ranking of the database, and every check that has none', async () => {
    const rows = await exported({ what: 'rankings' });
    const proven = rows.filter(({ status, url }) => status === 'ranked' || status === 'not_found' || url !== null);
    expect(
      inOrder(
        picked(
          proven,
          'target',
          'keyword',
          'device',
          'run_id',
          'check_id',
          'rank',
          'absolute_rank',
          'page',
          'url',
          'depth',
        ),
      ),
    ).toEqual(
      inOrder(
        rawOf(`SELECT t.value, k.text, m.device, c.run_id, c.id, r.rank, r.absolute_rank, r.page, u.scheme || '://' || h.name || u.rest, r.depth
          FROM rankings r JOIN targets t ON t.id = r.target_id JOIN checks c ON c.id = r.check_id ${searched}
          LEFT JOIN urls u ON u.id = r.url_id LEFT JOIN hosts h ON h.id = u.host_id`),
      ),
    );
    const unproven = rows.filter(({ reason }) => reason !== null);
    expect(unproven.length).toBeGreaterThan(0);
    expect(unproven.map(({ rank }) => rank)).toEqual(unproven.map(() => null));
    expect(new Set(rows.map((row) => row['competitor']))).toEqual(new Set([true, false]));
    expect(rows.some((row) => row['url'] === 'https://acme.example/a?b=c|d' && row['keyword'] === nasty)).toBe(true);
  });

  it('has rankings of targets and projects that the config no longer names', async () => {
    const later = new World({ provider, projects: [{ ...acme, competitors: [] }] });
    try {
      const context = { ...later.context, store: world.store };
      const table = exportHistory(context, null, { what: 'rankings' });
      const rows = await readBackJson(bytesOf(table, jsonLines), table.columns);
      const rankings = (found: readonly Cells[]) => inOrder(picked(found, 'target', 'check_id', 'rank', 'url'));
      const before = (await exported({ what: 'rankings' })).filter(
        ({ status }) => status === 'ranked' || status === 'not_found',
      );
      const now = rows.filter(({ status }) => status === 'ranked' || status === 'not_found');
      expect(new Set(rankings(now))).toEqual(new Set(rankings(before)));
      const forgotten = rows.filter((row) => row['competitor'] === null).map((row) => row['target']);
      expect(new Set(forgotten)).toEqual(new Set(['site3.example', 'https://site5.example/page']));
    } finally {
      await later.close();
    }
  });

  it('has every check', async () => {
    const rows = await exported({ what: 'checks' });
    const names = [
      'check_id',
      'run_id',
      'keyword',
      'country',
      'device',
      'state',
      'sequence',
      'depth',
      'paging',
      'fresh_for_ms',
    ];
    expect(
      inOrder(
        picked(
          rows,
          ...names,
          'pages_read',
          'pages_reused',
          'checked_at',
          'finished_at',
          'source',
          'reason',
          'remedy',
          'due_at',
        ),
      ),
    ).toEqual(
      inOrder(
        rawOf(`SELECT c.id, c.run_id, k.text, m.country, m.device, c.state, c.sequence, c.depth, c.paging, c.fresh_for_ms,
          c.pages_read, c.pages_reused, c.checked_at, c.finished_at, c.source, c.reason, c.remedy, n.moment
          FROM checks c JOIN runs n ON n.id = c.run_id ${searched}`),
      ),
    );
    expect(rows.find((row) => row['keyword'] === 'shoes')?.['projects']).toEqual(['acme', 'globex']);
    expect(rows.map((row) => (row['serp_features'] as string[]).join('|') || null).sort()).toEqual(
      rawOf('SELECT features FROM checks').flat().sort(),
    );
  });

  it('has every month of metrics', async () => {
    const rows = await exported({ what: 'volumes' });
    expect(rows.length).toBeGreaterThan(1);
    expect(inOrder(rows.map((row) => Object.values(row)))).toEqual(
      inOrder(
        rawOf(`SELECT k.text, v.service, v.country, v.language, v.month, v.observed_at, v.search_volume, v.cpc_micro_usd, v.competition,
          v.competition_level, v.intent, v.related_keywords, v.source, v.purchase_id FROM volumes v JOIN keywords k ON k.id = v.keyword_id`),
      ),
    );
    expect(new Set((await exported({ what: 'volumes' }, globex)).map((row) => row['keyword']))).toEqual(
      new Set(['shoes']),
    );
  });

  it('has every result and every link of every page, with its rank over all pages', async () => {
    const rows = await exported({ what: 'serps' });
    const stored = world.rows('SELECT id FROM checks').flatMap(({ id }) => {
      let rank = 0;
      return world.store.pages.ofCheck(Number(id)).flatMap((page, before) => {
        // after a page that was lost there are no ranks
        const isRanked = page.page === before + 1;
        const facts = [Number(id), page.id, page.page, page.observedAt, page.source, page.last, page.lastGlobalRank];
        const organic = page.organic.map(({ url, globalRank }, at) => {
          rank += 1;
          return [...facts, 'organic', at + 1, isRanked ? rank : null, globalRank, null, url];
        });
        const features = page.features.flatMap(({ type, links }, at) =>
          (links.length === 0 ? [null] : links).map((url, link) => [
            ...facts,
            ...[type, at + 1, null, null, url === null ? null : link + 1, url],
          ]),
        );
        const all = [...organic, ...features];
        return all.length === 0 ? [[...facts, null, null, null, null, null, null]] : all;
      });
    });
    const facts = ['check_id', 'page_id', 'page', 'observed_at', 'source', 'last', 'last_place'];
    expect(picked(rows, ...facts, 'element', 'number', 'organic_rank', 'place', 'link', 'url')).toHaveLength(
      stored.length,
    );
    expect(inOrder(picked(rows, ...facts, 'element', 'number', 'organic_rank', 'place', 'link', 'url'))).toEqual(
      inOrder(stored),
    );
    expect(rows.some(({ organic_rank: rank }) => Number(rank) > 10)).toBe(true);
    expect(
      rows.some(({ page, organic_rank: rank, element }) => page === 2 && rank === null && element === 'organic'),
    ).toBe(true);
  });

  it('has the whole chain of the ledger, with its purchases', async () => {
    const rows = await exported({ what: 'ledger' });
    const names = [
      'entry',
      'at',
      'kind',
      'currency',
      'amount',
      'reservation_id',
      'purchase_id',
      'hash',
      'run_id',
      'check_id',
    ];
    const ofPurchase = [
      'service',
      'request_key',
      'attempt',
      'page',
      'price',
      'charged',
      'purchase_state',
      'opened_at',
      'settled_at',
    ];
    const unhashed = rows.map((row) => ({ ...row, hash: 'below' }));
    expect(picked(unhashed, ...names, ...ofPurchase, 'error_code', 'message')).toEqual(
      rawOf(`SELECT e.id, e.at, e.kind, v.currency, e.amount, e.reservation_id, e.purchase_id, 'below' AS hash, v.run_id, v.check_id,
        q.service, q.request_key, q.attempt, q.page, q.price, q.charged, q.state, q.opened_at, q.settled_at, q.error_code, q.message
        FROM ledger e JOIN reservations v ON v.id = e.reservation_id LEFT JOIN purchases q ON q.id = e.purchase_id ORDER BY e.id`),
    );
    expect(new Set(rows.map((row) => row['currency']))).toEqual(new Set(['serp_credit', 'micro_usd']));
    // each entry has its own hash, stored or not
    const facts =
      rawOf(`SELECT e.at, e.reservation_id, coalesce(e.purchase_id, ''), e.kind, v.currency, e.amount, lower(hex(e.hash))
      FROM ledger e JOIN reservations v ON v.id = e.reservation_id ORDER BY e.id`);
    let hash = Buffer.alloc(0);
    for (const [index, fact] of facts.entries()) {
      const stored = fact.pop();
      hash = createHash('sha256').update(hash).update(fact.join('|')).digest();
      expect(rows[index]?.['hash']).toBe(hash.toString('hex'));
      expect(['', rows[index]?.['hash']]).toContain(stored);
    }
    expect(facts.length).toBeGreaterThan(10);
  });

  it('has the same hash of an entry among all rows and among some', async () => {
    const whole = new Map((await exported({ what: 'ledger' })).map((row) => [row['entry'], row['hash']]));
    const some = await exported({ what: 'ledger', from: '2026-01-17' }, globex);
    expect(some.length).toBeGreaterThan(0);
    for (const row of some) expect(row['hash']).toBe(whole.get(row['entry']));
  });

  it.each(['rankings', 'checks', 'serps', 'ledger'] as const)(
    'holds %s of the asked project and days only',
    async (what) => {
      const whole = await exported({ what });
      const oneDay = await exported({ what, from: '2026-01-16', to: '2026-01-16' });
      const other = await exported({ what, from: '2026-01-17' });
      const before = await exported({ what, to: '2026-01-15' });
      expect(oneDay.length).toBeGreaterThan(0);
      expect(oneDay.length + other.length + before.length).toBe(whole.length);
      const ofGlobex = await exported({ what }, globex);
      expect(ofGlobex.length).toBeGreaterThan(0);
      expect(ofGlobex.length).toBeLessThan(whole.length);
      expect(ofGlobex.some((row) => row['keyword'] === nasty)).toBe(false);
    },
  );

  it('has the column types of its schema, in row groups that were written as they filled', async () => {
    const rows = Array.from({ length: 25_000 }, (_, at) => ({ check_id: at, keyword: at % 3 === 0 ? null : `k${at}` }));
    const pieces = [...exportTable(exportColumns.checks, rows).encoded(parquetChunks)];
    expect(pieces).toHaveLength(4);
    const file = Uint8Array.from(bytesOf(exportTable(exportColumns.checks, rows), parquetChunks)).buffer;
    const { row_groups: groups, schema } = parquetMetadata(file);
    expect(groups.map((group) => Number(group.num_rows))).toEqual([10_000, 10_000, 5_000]);
    const types = Object.fromEntries(
      schema.map((each) => [each.name, [each.type, each.converted_type, each.repetition_type]]),
    );
    expect(types).toMatchObject({
      check_id: ['INT64', undefined, 'OPTIONAL'],
      due_at: ['INT64', 'TIMESTAMP_MILLIS', 'OPTIONAL'],
      keyword: ['BYTE_ARRAY', 'UTF8', 'OPTIONAL'],
      deep: ['BOOLEAN', undefined, 'OPTIONAL'],
      serp_features: [undefined, 'LIST', 'REQUIRED'],
    });
    const back = await parquetReadObjects({ file, columns: ['check_id', 'keyword'] });
    expect(back.map((row) => ({ check_id: Number(row['check_id']), keyword: row['keyword'] ?? null }))).toEqual(rows);
  });

  it.each(formats)('is a complete %s file where there is no row', async (_name, encode, readBack) => {
    const table = exportTable(exportColumns.ledger, []);
    expect(await readBack(bytesOf(table, encode), table.columns)).toEqual([]);
  });
});
