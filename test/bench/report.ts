// The speed of writing a report, compared with one bare statement that reads its rows.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { loadConfig } from '../../config/load.ts';
import { openStore } from '../../db/store.ts';
import { writeFolders } from '../../jobs/report/write-report.ts';
import { answerAsChild, inChild } from './child.ts';
import { contextOf } from './context.ts';
import { timed } from './figures.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory, type HistorySize } from './history.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const ratioMax = 3;
const rounds = 4;

/** What rank-changes.csv has of each row: check, rank and URL, previous rank and URL, best rank, metrics. */
export const bareRowsSql = `
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

interface Question extends HistorySize {
  readonly folder: string;
}

interface Answer {
  readonly rows: number;
  readonly bareMs: number;
  readonly oursMs: number;
}

/** One line: all of write-report.ts (rank changes, summary, manifest, synced to disk) compared with the statement. */
export async function benchReport(quick: boolean): Promise<BenchRow[]> {
  const size = { keywords: quick ? 20_000 : 100_000, days: 30 };
  return inFolder(async (folder) => {
    writeConfig(folder, size.keywords);
    buildHistory(join(folder, 'rankledger.sqlite'), size);
    const question: Question = { ...size, folder };
    const { rows, bareMs, oursMs, rssMax } = await inChild<Answer>(import.meta.url, question);
    const ratio = oursMs / bareMs;
    const rankings = (size.keywords * size.days).toLocaleString('en');
    return [
      {
        name: `report: rank-changes.csv of ${size.keywords.toLocaleString('en')} keywords, ${rankings} rankings, against the bare SQL`,
        target: `under ${ratioMax}x`,
        ratio,
        detail: `${(oursMs / 1000).toFixed(2)} s against ${(bareMs / 1000).toFixed(2)} s, ${Math.round(rssMax / mebibyte)} MB at most`,
        ok: rows === size.keywords && ratio < ratioMax,
      },
    ];
  });
}

await answerAsChild(import.meta.url, async ({ folder, days }: Question): Promise<Answer> => {
  const config = await loadConfig({ file: join(folder, 'rankledger.yaml'), cwd: folder, env: {} });
  const store = openStore(config.databaseFile);
  const context = contextOf(store, config.projects, Date.now(), new Map());
  const settings = { ...config.reports, comparison: { kind: 'previous' } } as const;
  const database = new Database(config.databaseFile, { readonly: true });
  database.pragma('cache_size = -16384');
  const bareStatement = database.prepare(bareRowsSql).raw();
  const bare: number[] = [];
  const ours: number[] = [];
  let rows = 0;
  for (let round = 0; round < rounds; round += 1) {
    bare.push(
      await timed(() => Array.from(bareStatement.iterate({ run: days, target: 1, month: '2026-01' }), () => 0)),
    );
    ours.push(await timed(() => (rows = writeFolders(context, settings, days)[0]?.rows ?? 0)));
  }
  database.close();
  store.close();
  // the fastest counts, because other load only adds
  return { rows, bareMs: Math.min(...bare), oursMs: Math.min(...ours) };
});
