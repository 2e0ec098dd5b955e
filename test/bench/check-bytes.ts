// Bytes of the database per check of 30 results, by what they are for.
import { loadConfig } from '../../config/load.ts';
import { sqliteDriver } from '../../db/connection/driver.ts';
import { openApp } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/opening/simulated-clock.ts';
import { run } from '../../src/app/runs/run.ts';
import { inFolder, writeProjectsConfig } from './folder.ts';
import type { BenchRow } from './row.ts';

const bytesMax = 400;
const dayMs = 86_400_000;
const firstSlot = Date.UTC(2026, 0, 1, 6);

/** What the bytes of each table and its indexes are for. Raw bodies are left out. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  results: ['pages'],
  'URLs seen for the first time': ['urls', 'hosts', 'places'],
  ranks: ['rankings', 'run_columns'],
  'the check': ['checks', 'check_projects', 'check_pages'],
  purchases: ['purchases', 'reservations', 'purchase_sources'],
  ledger: ['ledger'],
};

/** One line: the days after the first one, on pages of the sandbox, three a check, for two targets. */
export async function benchCheckBytes(quick: boolean): Promise<BenchRow[]> {
  const [keywords, days] = quick ? [300, 3] : [2_000, 6];
  return inFolder(async (folder) => {
    const config = await loadConfig({ file: writeProjectsConfig(folder, 1, keywords, 3), cwd: folder, env: {} });
    const clock = new SimulatedClock(firstSlot);
    const app = await openApp(config, { clock });
    let before = new Map<string, number>();
    try {
      for (let day = 0; day < days; day += 1) {
        clock.goTo(firstSlot + day * dayMs + 1_000);
        await run(app, {});
        if (day === 0) before = bytesByTable(config.databaseFile);
      }
    } finally {
      await app.close();
    }
    const after = bytesByTable(config.databaseFile);
    const checks = keywords * (days - 1);
    const added = (table: string): number => ((after.get(table) ?? 0) - (before.get(table) ?? 0)) / checks;
    const bytes = Object.entries(kinds).map(([kind, tables]) => ({
      kind,
      bytes: tables.reduce((sum, table) => sum + added(table), 0),
    }));
    const total = bytes.reduce((sum, each) => sum + each.bytes, 0);
    return [
      {
        name: `growth: bytes of the database per check of 30 results, without raw pages, over ${days - 1} days of ${keywords.toLocaleString('en')} checks`,
        target: `at most ${bytesMax}`,
        ratio: total / bytesMax,
        detail: `${Math.round(total)}: ${bytes.map(({ kind, bytes: each }) => `${kind} ${Math.round(each)}`).join(', ')}`,
        ok: total <= bytesMax,
      },
    ];
  });
}

/** Whole pages of the file by table, indexes with their table. */
function bytesByTable(file: string): Map<string, number> {
  const database = new (sqliteDriver())(file, { readonly: true });
  const rows = database
    .prepare<[], { name: string; bytes: number }>(
      'SELECT m.tbl_name AS name, sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_master m ON m.name = d.name GROUP BY 1',
    )
    .all();
  database.close();
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
