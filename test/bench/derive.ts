// The speed of deriving rankings of a new competitor, compared with a bare loop that reads the archives of the checks.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { encodePage } from '../../db/connection/serp-archive.ts';
import { openStore } from '../../db/store.ts';
import { deriveRankings } from '../../jobs/backfill/backfill-derive.ts';
import { answerAsChild, inChild } from './child.ts';
import { timed } from './figures.ts';
import { inFolder } from './folder.ts';
import { buildHistory, type HistorySize } from './history.ts';
import { benchProject } from './project.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const rssMaxMb = 400;
const resultsPerPage = 10;
/** Other sites, each with its own page for one keyword in a hundred. */
const hosts = 2_000;
const urlsPerHost = 100;
const rival = 'site7.example';

const bareSql = `SELECT c.id, c.search_id, c.depth, c.state, r.moment, p.page, p.observed_at, p.last, p.archive
  FROM checks c JOIN runs r ON r.id = c.run_id JOIN check_pages cp ON cp.check_id = c.id JOIN pages p ON p.id = cp.page_id ORDER BY c.id, cp.page`;

interface Question extends HistorySize {
  readonly folder: string;
}

interface Answer {
  readonly added: number;
  readonly bareMs: number;
  readonly oursMs: number;
  readonly againMs: number;
}

/** One line: every check's pages read, matched and recorded, compared with the statement stepped to its end. */
export async function benchDerive(quick: boolean): Promise<BenchRow[]> {
  const size = { keywords: quick ? 2_000 : 10_000, days: quick ? 10 : 30 };
  const checks = size.keywords * size.days;
  return inFolder(async (folder) => {
    const file = join(folder, 'rankledger.sqlite');
    buildHistory(file, size);
    addPages(file, size);
    const { added, bareMs, oursMs, againMs, rssMax } = await inChild<Answer>(import.meta.url, { ...size, folder });
    const rssMb = Math.round(rssMax / mebibyte);
    const perSecond = (ms: number) => Math.round(checks / (ms / 1000)).toLocaleString('en');
    return [
      {
        name: `derive: a new competitor in ${checks.toLocaleString('en')} checks, against a bare loop over their archives`,
        target: `a ranking each, under ${rssMaxMb} MB`,
        ratio: oursMs / bareMs,
        detail: `${perSecond(oursMs)} rankings/s against ${perSecond(bareMs)} checks/s read; ${perSecond(againMs)} checks/s a second time, ${rssMb} MB at most`,
        ok: added === checks && rssMb < rssMaxMb,
      },
    ];
  });
}

/** Gives every check of the history the one page that it was read from. */
function addPages(file: string, { keywords, days }: HistorySize): void {
  const database = new Database(file);
  database.pragma('foreign_keys = OFF');
  database.pragma('synchronous = OFF');
  const addHost = database.prepare('INSERT INTO hosts (id, name) VALUES (?, ?)');
  const addUrl = database.prepare("INSERT INTO urls (id, host_id, scheme, rest) VALUES (?, ?, 'https', ?)");
  const addPage = database.prepare(
    "INSERT INTO pages (id, search_id, moment, page, purchase_id, observed_at, source, last, archive) VALUES (?, ?, ?, 1, 0, ?, 'default/sandbox', 0, ?)",
  );
  const attach = database.prepare('INSERT INTO check_pages (check_id, page, page_id) VALUES (?, 1, ?)');
  const firstUrl = 2 * keywords + 1;
  database.transaction(() => {
    for (let host = 0; host < hosts; host += 1) {
      addHost.run(host + 2, `www.site${host}.example`);
      for (let url = 0; url < urlsPerHost; url += 1)
        addUrl.run(firstUrl + host * urlsPerHost + url, host + 2, `/p/${url}`);
    }
    database
      .prepare("INSERT INTO feature_types (id, name) VALUES (1, 'people_also_ask'), (2, 'featured_snippet')")
      .run();
  })();
  const urlOf = (search: number, rank: number, day: number): number => {
    const host = (search * 7 + rank * 13 + (rank % 3 === 0 ? day : 0)) % hosts;
    return firstUrl + host * urlsPerHost + (search % urlsPerHost);
  };
  for (let day = 0; day < days; day += 1) {
    database.transaction(() => {
      for (let search = 1; search <= keywords; search += 1) {
        const check = day * keywords + search;
        const moment = Date.UTC(2026, 0, 1 + day, 6);
        const organic = Array.from({ length: resultsPerPage }, (_, at) => ({
          urlId: urlOf(search, at, day),
          globalRank: at + 1,
        }));
        const features = [
          { typeId: 1, urlIds: [] },
          { typeId: 2, urlIds: [urlOf(search, 0, day)] },
        ];
        addPage.run(
          check,
          search,
          moment,
          moment,
          encodePage({ organic, lastGlobalRank: resultsPerPage + 2, features }),
        );
        attach.run(check, check);
      }
    })();
  }
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

await answerAsChild(import.meta.url, async ({ folder, keywords }: Question): Promise<Answer> => {
  const file = join(folder, 'rankledger.sqlite');
  const database = new Database(file, { readonly: true });
  const bareStatement = database.prepare(bareSql).raw();
  let read = 0;
  const bare = () =>
    timed(() => {
      for (const _ of bareStatement.iterate()) read += 1;
    });
  // twice, because the first one warms the system's cache for both
  const bareMs = Math.min(await bare(), await bare());
  database.close();
  const store = openStore(file);
  const scope = { projects: [benchProject({ count: keywords, competitor: rival })], targets: [], dryRun: false };
  const never = new AbortController().signal;
  let added = 0;
  const derive = async () => {
    const report = await deriveRankings(store, scope, never, () => {});
    added += report.added.ranked + report.added.notFound;
  };
  const oursMs = await timed(derive);
  const againMs = await timed(derive);
  store.close();
  return { added: read > 0 ? added : 0, bareMs, oursMs, againMs };
});
