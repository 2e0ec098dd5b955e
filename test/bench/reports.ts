// All reports of a large project with a long history: time, memory, and each family of tables against a bare reading.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { loadConfig } from '../../config/load.ts';
import { encodePage } from '../../db/connection/serp-archive.ts';
import { openStore } from '../../db/store.ts';
import { type ReportScope, reportScope } from '../../jobs/read/rows/report-scope.ts';
import { writeAgencyFiles } from '../../jobs/report/files/agency-files.ts';
import { ScratchFile } from '../../jobs/report/files/report-files.ts';
import { spendTable } from '../../jobs/report/tables/outcome-tables.ts';
import { SerpPass, serpTables } from '../../jobs/report/tables/serp-tables.ts';
import { TrackedPass, trackedTables } from '../../jobs/report/tables/tracked-tables.ts';
import { volumeTable } from '../../jobs/report/tables/volume-tables.ts';
import type { ReportTable } from '../../src/report/formats/table-writer.ts';
import { answerAsChild, inChild } from './child.ts';
import { peakOf, watchedCommand } from './command-line.ts';
import { contextOf } from './context.ts';
import { fastest } from './figures.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory, type HistorySize } from './history.ts';
import type { BenchRow } from './row.ts';
import type { MemorySample } from './watch.js';

const mebibyte = 1_048_576;
const secondsMax = 60;
const rssMaxMb = 500;
const ratioMax = 3;
const agencyDays = 30;

/** Pages of a check, of the last two days; the project is deeper, and an early stop is usual. */
const pagesPerCheck = 2;
const resultsPerPage = 10;
/** Other sites, each with its own page for one keyword in a hundred. */
const hosts = 2_000;
const urlsPerHost = 100;

/** What rank-changes.csv has of each row: check, rank and URL, previous rank and URL, best rank, metrics. */
const bareRowsSql = `
SELECT k.text, m.country, m.language, m.device,
       c.id, c.state, c.reason, c.checked_at, c.depth, c.source, c.features,
       r.rank, r.absolute_rank, r.page, r.depth, r.owned_features, u.scheme, h.name, u.rest,
       p.rank, p.absolute_rank, p.page, p.depth, pc.checked_at, pc.source, pu.scheme, ph.name, pu.rest,
       (SELECT min(b.rank) FROM rankings b WHERE b.target_id = r.target_id AND b.search_id = r.search_id AND b.moment <= r.moment),
       v.month, v.search_volume, v.cpc_micro_usd, v.competition, v.competition_level, v.intent
FROM checks c
JOIN runs n ON n.id = c.run_id
JOIN searches s ON s.id = c.search_id
JOIN keywords k ON k.id = s.keyword_id
JOIN markets m ON m.id = s.market_id
JOIN rankings r ON r.target_id = @target AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
LEFT JOIN urls u ON u.id = r.url_id
LEFT JOIN hosts h ON h.id = u.host_id
LEFT JOIN rankings p ON p.target_id = r.target_id AND p.search_id = r.search_id AND (p.moment, p.check_id) = (
  SELECT q.moment, q.check_id FROM rankings q JOIN checks qc ON qc.id = q.check_id
  WHERE q.target_id = r.target_id AND q.search_id = r.search_id AND q.moment < r.moment AND qc.state = 'ok'
    AND (q.rank IS NOT NULL OR q.url_id IS NULL)
  ORDER BY q.moment DESC, q.check_id DESC LIMIT 1)
LEFT JOIN checks pc ON pc.id = p.check_id
LEFT JOIN urls pu ON pu.id = p.url_id
LEFT JOIN hosts ph ON ph.id = pu.host_id
LEFT JOIN volumes v ON v.keyword_id = k.id AND v.service = m.service AND v.country = m.country AND v.language = m.language AND v.month = @month
WHERE c.run_id = @run`;

/**
 * Each family is compared with the statements that read its data, each row once, in the shortest SQL, stepped to the
 * end: no unpacking, comparing, sorting or writing. Tables of archived pages read the pages as stored, and each URL and
 * its host once; volumes, a month with the month and the year before; spend, the sharers of each check.
 */
const bare = {
  tracked: [bareRowsSql],
  serp: [
    `SELECT c.id, c.search_id, c.state, c.checked_at, c.depth, c.source, p.page, p.last, p.archive, k.text, v.search_volume
     FROM checks c JOIN check_pages cp ON cp.check_id = c.id JOIN pages p ON p.id = cp.page_id
     JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
     LEFT JOIN volumes v ON v.keyword_id = k.id AND v.service = 'default' AND v.country = 'US' AND v.language = 'en' AND v.month = @month
     WHERE c.run_id IN (@run, @run - 1)`,
    'SELECT u.id, u.scheme, h.name, u.rest FROM urls u JOIN hosts h ON h.id = u.host_id',
    // which of our pages ranked in the last checks
    `SELECT r.search_id, r.moment, r.url_id FROM rankings r JOIN checks c ON c.id = r.check_id
     WHERE r.target_id = @target AND c.state = 'ok' AND r.moment > (SELECT moment FROM runs WHERE id = @run - 10)`,
  ],
  volumes: [
    `SELECT k.text, v.*, b.search_volume, y.search_volume FROM volumes v JOIN keywords k ON k.id = v.keyword_id
     LEFT JOIN volumes b ON b.keyword_id = v.keyword_id AND b.service = v.service AND b.country = v.country AND b.language = v.language
       AND b.month = strftime('%Y-%m', v.month || '-01', '-1 month')
     LEFT JOIN volumes y ON y.keyword_id = v.keyword_id AND y.service = v.service AND y.country = v.country AND y.language = v.language
       AND y.month = strftime('%Y-%m', v.month || '-01', '-1 year')
     WHERE v.month <= @month ORDER BY v.month DESC, v.search_volume DESC, k.text`,
  ],
  spend: [
    `SELECT m.country, m.language, m.device, c.state, c.depth, c.pages_read, sum(v.spent), sum(v.unknown), count(*),
            sum((SELECT count(*) FROM purchases p WHERE p.reservation_id = v.id AND p.state = 'paid' AND p.error_code IS NULL AND p.charged > 0)),
            (SELECT count(*) FROM check_projects cp WHERE cp.check_id = c.id) AS projects
     FROM reservations v JOIN checks c ON c.id = v.check_id JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id
     WHERE v.run_id = @run GROUP BY m.country, m.language, m.device, c.state, c.depth, c.pages_read, projects`,
  ],
  agency: [
    `SELECT k.text, n.moment, c.state, c.depth, c.checked_at, c.source, r.rank, r.absolute_rank, r.page, r.url_id
     FROM checks c JOIN runs n ON n.id = c.run_id JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
     LEFT JOIN rankings r ON r.target_id = @target AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
     WHERE c.run_id > @run - ${agencyDays}`,
  ],
} as const;
type Family = keyof typeof bare;
const families = Object.keys(bare) as Family[];

interface Question extends HistorySize {
  readonly folder: string;
  readonly what: 'bare' | Family;
}

interface Answer {
  /** Milliseconds of processor time: other processes may be working on the machine. */
  readonly cpuMs: number;
  /** Of the bare readings, by family. */
  readonly bareMs: Readonly<Record<Family, number>>;
}

/**
 * One line for all reports of a run together, those of all projects included, by the command as users start it; and one
 * for each family. Each is measured in a separate process.
 */
export async function benchReports(quick: boolean): Promise<BenchRow[]> {
  const size = { keywords: quick ? 10_000 : 100_000, days: quick ? 30 : 90 };
  return inFolder(async (folder) => {
    const file = join(folder, 'rankledger.sqlite');
    writeConfig(folder, size.keywords);
    buildHistory(file, size);
    addPurchases(file, size);
    const ask = (what: Question['what']) => inChild<Answer>(import.meta.url, { ...size, folder, what });
    const { bareMs } = await ask('bare');
    const rows = [wholeRow(size, await watchedCommand(folder, ['report', '--agency']))];
    for (const family of families) rows.push(familyRow(family, bareMs[family], await ask(family)));
    return rows;
  });
}

function wholeRow(
  { keywords, days }: HistorySize,
  { samples, seconds }: { readonly samples: readonly MemorySample[]; readonly seconds: number },
): BenchRow {
  const rssMb = Math.round(peakOf(samples) / mebibyte);
  const cpuSeconds = (samples.at(-1)?.cpuMs ?? Number.NaN) / 1000;
  return {
    name: `reports: all of ${keywords.toLocaleString('en')} keywords with ${days} days of history`,
    target: `under ${secondsMax} s and ${rssMaxMb} MB`,
    ratio: seconds / secondsMax,
    detail: `${seconds.toFixed(1)} s, of which ${cpuSeconds.toFixed(1)} s of the processor; ${rssMb} MB at most`,
    ok: seconds < secondsMax && rssMb < rssMaxMb,
  };
}

function familyRow(family: Family, bareMs: number, { cpuMs, rssMax }: Answer & { rssMax: number }): BenchRow {
  const ratio = cpuMs / bareMs;
  return {
    name: `reports: ${family} tables against the bare SQL`,
    target: `under ${ratioMax}x`,
    ratio,
    detail: `${(cpuMs / 1000).toFixed(2)} s of the processor against ${(bareMs / 1000).toFixed(2)} s, ${Math.round(rssMax / mebibyte)} MB at most`,
    ok: ratio < ratioMax,
  };
}

/** Gives the last two days their pages and their costs. */
function addPurchases(file: string, { keywords, days }: HistorySize): void {
  const database = new Database(file);
  database.pragma('foreign_keys = OFF');
  database.pragma('synchronous = OFF');
  const insert = (table: string, names: string) =>
    database.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.replace(/[^,]+/g, '?')})`);
  const addHost = insert('hosts', 'id, name');
  const addUrl = insert('urls', 'id, host_id, scheme, rest');
  const addPage = insert('pages', 'id, search_id, moment, page, purchase_id, observed_at, source, last, archive');
  const attach = insert('check_pages', 'check_id, page, page_id');
  const reserve = insert('reservations', 'id, run_id, check_id, currency_code, day_key, reserved, spent, released');
  const buy = insert(
    'purchases',
    'id, reservation_id, service, key, attempt, moment, page, price, charged, state_code, opened_at',
  );
  const firstUrl = 2 * keywords + 1;
  const urlOf = (search: number, rank: number, day: number): number =>
    firstUrl + ((search * 7 + rank * 13 + (rank % 3 === 0 ? day : 0)) % hosts) * urlsPerHost + (search % urlsPerHost);
  database.transaction(() => {
    for (let host = 0; host < hosts; host += 1) {
      addHost.run(host + 2, `www.site${host}.example`);
      for (let url = 0; url < urlsPerHost; url += 1)
        addUrl.run(firstUrl + host * urlsPerHost + url, host + 2, 'https', `/p/${url}`);
    }
    const types = insert('feature_types', 'id, name');
    types.run(1, 'people_also_ask');
    types.run(2, 'featured_snippet');
    let id = 0;
    for (const day of [days - 2, days - 1]) {
      const moment = Date.UTC(2026, 0, 1 + day, 6);
      for (let search = 1; search <= keywords; search += 1) {
        const check = day * keywords + search;
        const reservation = (days - 1 - day) * keywords + search;
        reserve.run(reservation, day + 1, check, 0, 'day', pagesPerCheck, pagesPerCheck, 0);
        for (let page = 1; page <= pagesPerCheck; page += 1) {
          id += 1;
          buy.run(id, reservation, 'default', Buffer.from(`\0key ${id}`), 1, moment, page, 1, 1, 1, moment);
          const organic = Array.from({ length: resultsPerPage }, (_, at) => ({
            urlId: urlOf(search, (page - 1) * resultsPerPage + at, day),
            globalRank: at + 1,
          }));
          const features = [
            { typeId: 1, urlIds: [] },
            { typeId: 2, urlIds: [urlOf(search, 0, day)] },
          ];
          const archive = encodePage({ organic, lastGlobalRank: resultsPerPage + 2, features });
          addPage.run(id, search, moment, page, id, moment, 'default/sandbox', 0, archive);
          attach.run(check, page, id);
        }
      }
    }
  })();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

function drain<Of, Item>(
  tables: readonly ReportTable<Of, Item>[],
  of: Of,
  items: Iterable<Item>,
  { settings: { csv } }: ReportScope,
): void {
  const started = tables.flatMap((table) => table.start(of, csv) ?? []);
  for (const item of items) {
    for (const lines of started) {
      lines.add(item);
      void lines.taken().length;
    }
  }
  for (const lines of started) for (const chunk of lines.rest()) void chunk.length;
}

const made: Readonly<Record<Exclude<Family, 'agency'>, (scope: ReportScope) => void>> = {
  tracked: (scope) => {
    const scratch = new ScratchFile(`${scope.settings.directory}.scratch`);
    const pass = new TrackedPass(scope, scratch);
    drain(trackedTables, pass, pass.items(), scope);
    scratch.remove();
  },
  serp: (scope) => {
    const pass = new SerpPass(scope);
    drain(serpTables, pass, pass.items(), scope);
  },
  volumes: (scope) => drain([volumeTable], scope, [], scope),
  spend: (scope) => drain([spendTable], scope, [], scope),
};

await answerAsChild(import.meta.url, async ({ folder, days, what }: Question): Promise<Answer> => {
  const config = await loadConfig({ file: join(folder, 'rankledger.yaml'), cwd: folder, env: {} });
  if (what === 'bare') return { cpuMs: 0, bareMs: bareReadings(config.databaseFile, days) };
  const store = openStore(config.databaseFile);
  const context = contextOf(store, config.projects, Date.UTC(2026, 0, days, 12), new Map());
  const { directory, csv, ctrCurve, html } = config.reports;
  const settings = { directory, csv, ctrCurve, html, comparison: { kind: 'previous' }, agencyDays } as const;
  const [run, [slot], [project]] = [store.runs.run(days), store.runs.slotsOf(days), config.projects];
  if (run === null || slot === undefined || project === undefined) throw new Error('there is nothing to report on');
  const cpuMs = fastest(() => {
    if (what === 'agency') writeAgencyFiles(context, settings);
    else made[what](reportScope(context, settings, run, slot, project));
  });
  store.close();
  return { cpuMs, bareMs: { tracked: 0, serp: 0, volumes: 0, spend: 0, agency: 0 } };
});

function bareReadings(file: string, days: number): Record<Family, number> {
  const database = new Database(file, { readonly: true });
  database.pragma('cache_size = -16384');
  const values = { run: days, target: 1, month: new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 7) };
  const times = { tracked: 0, serp: 0, volumes: 0, spend: 0, agency: 0 };
  for (const family of families) {
    times[family] = fastest(() => {
      for (const sql of bare[family]) {
        const names = ['run', 'target', 'month'] as const;
        const given = Object.fromEntries(names.filter((name) => sql.includes(`@${name}`)).map((n) => [n, values[n]]));
        for (const row of database.prepare(sql).raw().iterate(given)) void row;
      }
    });
  }
  database.close();
  return times;
}
