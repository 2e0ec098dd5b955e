// Warnings for people: histories that end, or go on elsewhere, with the config as it is now.

import type { ResolvedConfig } from '../../../config/resolve.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { databaseExists } from '../../../db/connection/guards.ts';
import type { LastTracked } from '../../../db/history/renames.ts';
import { openStoreForReading, type Store } from '../../../db/store.ts';
import { searchEngines, sourceEngine, sourceNames } from '../../service/terms.ts';
import { comparableSource } from '../../tracker/changes/change.ts';
import { plural } from '../../tracker/figures.ts';
import { expandSearches, marketName, type Project } from '../../tracker/project.ts';
import { foldKeyword } from '../../tracker/searches.ts';
import { targetKey } from '../../tracker/targets/target.ts';
import { pastNames } from './database.ts';

/** With how to keep them. Empty where the database cannot be read: other checks say why. */
export function nameWarnings(config: ResolvedConfig): string[] {
  if (!databaseExists(config.databaseFile)) return [];
  try {
    const { firstServiceNames } = config.formerly;
    const store = openStoreForReading(config.databaseFile, { isCurrent: true, firstServiceNames });
    try {
      return [...endingHistories(store, config)];
    } finally {
      store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}

function* endingHistories(store: Store, config: ResolvedConfig): Generator<string> {
  const { renames } = store;
  const { formerly, projects, services } = config;
  const { renamed, moved } = pastNames(store, config);
  const known = new Set([...projects.map(({ id }) => id), ...config.broken.projects, ...formerly.projects.keys()]);
  const fresh = projects.filter(({ id }) => renames.newestService(id) === null && !renamed.some(({ to }) => to === id));
  for (const id of renames.tracked().filter((name) => !known.has(name))) yield removedProject(store, id, fresh);
  for (const [from, to] of formerly.projects)
    if (renames.ranSideBySide(from, to))
      yield `project "${to}" was formerly "${from}", but both ran at the same slots: their histories stay apart.`;
  for (const { project, from, to } of moved) {
    if (formerly.services.get(from) === to) continue;
    const gone = services.has(from) ? '' : ', which the config no longer has';
    yield `project "${project}" was checked with service "${from}"${gone}. Its history goes on with "${to}": the next checks are not compared with those before.${projects.some(({ service }) => service === from) ? ` Searches that other projects still buy from "${from}" stay there, and begin anew here.` : ''} If "${to}" is a new name of the same service, write \`formerly: [${from}]\` into it, or run \`rankledger rename service ${from} ${to}\`: then nothing changes.`;
  }
  for (const project of projects) {
    const names = [project.id, ...renamed.flatMap(({ from, to }) => (to === project.id ? [from] : []))];
    const last = names.map((name) => renames.lastTracked(name)).find((found) => found !== null);
    if (last == null) continue;
    const others = projects.filter((other) => other !== project);
    yield* [...endedSites(project, last, others), ...endedMarkets(project, last)];
    if (!moved.some((move) => move.project === project.id)) yield* endedSource(store, config, project, last);
  }
}

/** A rename is only supposed where the new project has a site or a keyword of the removed one. */
function removedProject({ renames }: Store, id: string, fresh: readonly Project[]): string {
  const runs = renames.runs(id);
  const last = renames.lastTracked(id);
  const sites = new Set(last?.sites.map(({ identity }) => identity));
  const keywords = new Set(fresh.length === 0 ? [] : renames.lastKeywords(id).map(foldKeyword));
  const alike = fresh.filter(
    ({ targets, keywords: tracked }) =>
      targets.some((target) => sites.has(targetKey(target))) ||
      tracked.some(({ keyword }) => keywords.has(foldKeyword(keyword))),
  );
  const until = last === null ? '' : `, the last on ${last.localDate},`;
  const what = `project "${id}" has ${runs} ${plural(runs, 'run')} in the database${until} and is not in the config`;
  const [first] = alike;
  if (first === undefined)
    return `${what}: its history ends, and stays in the database. If the project comes back, it goes on.`;
  const quoted = alike.map((project) => `"${project.id}"`).join(', ');
  return `${what}, in which ${quoted} ${alike.length === 1 ? 'is' : 'are'} new. If it was renamed, keep its history: write \`formerly: [${id}]\` into the project, or run \`rankledger rename project ${id} ${first.id}\`. If not, its history stays in the database, and ends.`;
}

function* endedSites(
  { id, targets, competitors }: Project,
  { sites, isShared, localDate, runs }: LastTracked,
  others: readonly Project[],
): Generator<string> {
  if (sites.length === 0) return;
  const had = new Set(sites.map(({ identity }) => identity));
  const keysOf = (project: Pick<Project, 'targets' | 'competitors'>) =>
    [...project.targets, ...project.competitors].map(targetKey);
  const has = new Set([...keysOf({ targets, competitors }), ...(isShared ? others.flatMap(keysOf) : [])]);
  const ended = sites.filter(({ identity }) => !has.has(identity)).map(({ value }) => value);
  const begun = targets.filter((target) => !had.has(targetKey(target))).map(({ value }) => value);
  const after = `after ${runs} ${plural(runs, 'run')}, the last on ${localDate}`;
  const derive = `ranks of ${listed(begun)} begin with the next check, and \`rankledger backfill derive --project ${id}\` adds those that stored pages prove, at no cost`;
  if (ended.length > 0)
    yield `project "${id}" no longer tracks ${listed(ended)}: the history ends ${after}, and stays in the database.${begun.length === 0 ? '' : ` The ${derive}.`}`;
  else if (begun.length > 0 && begun.length === targets.length)
    yield `project "${id}" has other targets than ${after}: the ${derive}.`;
}

function* endedMarkets(project: Project, { markets, localDate }: LastTracked): Generator<string> {
  const had = new Set(markets.map(marketName));
  const has = new Set<string>();
  for (const keyword of project.keywords)
    for (const { market } of expandSearches(project, keyword)) has.add(marketName(market));
  const ended = [...had].filter((name) => !has.has(name));
  const begun = [...has].filter((name) => !had.has(name));
  if (ended.length === 0 || has.size === 0) return;
  const next =
    begun.length === 0
      ? ''
      : ` Searches in ${listed(begun)} are new: they begin with the next check, and stored pages prove nothing of them.`;
  yield `project "${project.id}" has no searches in ${listed(ended)} any more: their history ends with the run of ${localDate}, and stays in the database.${next}`;
}

/** Another source or engine at the same service. */
function* endedSource(
  { bridges, firstServiceName }: Store,
  { services, best, engines }: ResolvedConfig,
  { id, service: name }: Project,
  { sources, localDate }: LastTracked,
): Generator<string> {
  const service = services.get(name);
  if (service === undefined || service.mode !== 'embedded' || best.has(name)) return;
  const engine = engines.get(name);
  const now =
    engine === undefined || engine === sourceEngine(service.source) ? service.source : `${service.source}-${engine}`;
  const prefix = `${firstServiceName(name)}/`;
  const comparable = bridges.firstOf(`${prefix}${now}`);
  const before = sources.map(comparableSource).filter((label) => label.startsWith(prefix) && label !== comparable);
  const [source] = before.map((label) => label.slice(prefix.length)).filter(isNamedSource);
  if (source === undefined || before.length < sources.length) return;
  yield `project "${id}" was checked with ${source} until ${localDate}, and is checked with ${now} now: its history goes on, and the next checks are not compared with those before.`;
}

/** A source, or one with the engine that a market named. */
function isNamedSource(label: string): boolean {
  const end = searchEngines.find((engine) => label.endsWith(`-${engine}`));
  return sourceNames.includes(label) || (end !== undefined && sourceNames.includes(label.slice(0, -end.length - 1)));
}

const listedMax = 5;

function listed(names: readonly string[]): string {
  const left = names.length - listedMax;
  return `${names.slice(0, listedMax).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
