import { mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from '/work/w/cluster/node_modules/better-sqlite3/lib/index.js';
import { writeProjectsConfig } from '/work/w/cluster/test/bench/folder.ts';
import { buildHistory } from '/work/w/cluster/test/bench/history.ts';
import { loadConfig } from '/work/w/cluster/config/load.ts';
import { App } from '/work/w/cluster/src/app/app.ts';
import { pricedReader } from '/work/w/cluster/src/app/workspace/workspace.ts';
const [keywords, days] = process.argv.slice(2).map(Number);
const root = `/tmp/prof-${keywords}-${days}`;
const configs = Array.from({ length: 10 }, (_, at) => join(root, `c${at}`));
for (const [at, home] of configs.entries()) {
  if (existsSync(home)) continue;
  mkdirSync(home, { recursive: true });
  const config = writeProjectsConfig(home, 20, keywords);
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll('id: project', `id: c${at}-project`));
  const file = join(home, 'rankledger.sqlite');
  buildHistory(file, { keywords: keywords * 20, days, projects: 20, rival: 'rival.example' });
  const database = new Database(file);
  database.prepare("UPDATE projects SET name = ? || '-' || name").run(`c${at}`);
  database.close();
}
for (const home of configs) {
  let t = performance.now();
  const config = await loadConfig({ file: join(home, 'rankledger.yaml'), env: {}, cwd: home });
  const app = new App(config, { isReading: true });
  const reader = await pricedReader(app);
  console.log('open', performance.now() - t); t = performance.now();
  const cpu = process.cpuUsage();
  const p = reader.projects();
  const c = process.cpuUsage(cpu);
  console.log('projects', p.length, performance.now() - t, 'cpu', (c.user + c.system)/1000); t = performance.now();
  reader.projects();
  console.log('again', performance.now() - t);
  await app.close();
}
{
  const { combinedReader } = await import('/work/w/cluster/src/app/workspace/portfolio.ts');
  const apps = [];
  for (const home of configs) apps.push(new App(await loadConfig({ file: join(home, 'rankledger.yaml'), env: {}, cwd: home }), { isReading: true }));
  const reader = await combinedReader(apps as never);
  const cpuOf = (work: () => void) => { const a = process.cpuUsage(); const t = performance.now(); work(); const { user, system } = process.cpuUsage(a); return [Math.round((user + system) / 1000), Math.round(performance.now() - t)]; };
  console.log('warm', cpuOf(() => { for (const _ of reader.warm?.() ?? []); }));
  console.log('all', cpuOf(() => reader.projects()));
  console.log('all again', cpuOf(() => reader.projects()));
  console.log('version', cpuOf(() => reader.version()));
}
