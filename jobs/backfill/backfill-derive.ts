// Derives rankings of new targets from the pages of old checks. It buys nothing and overwrites nothing.
import { setImmediate } from 'node:timers/promises';
import type { OldCheck } from '../../db/reads/backfill.ts';
import type { Store } from '../../db/store.ts';
import { expandSearches, type Project, type Target } from '../../src/tracker/project.ts';
import {
  type CompiledTargets,
  classifyDestination,
  compileTargets,
  hostInKey,
  hostInUrl,
  targetKey,
} from '../../src/tracker/targets/target.ts';
import { proveOutcomes } from '../check/evidence.ts';

export interface DeriveScope {
  readonly projects: readonly Project[];
  /** As configured; empty: every target and competitor. */
  readonly targets: readonly string[];
  /** Only counts. */
  readonly dryRun: boolean;
}

/** Why a check gave nothing. */
type SkipReason = 'imported' | 'no page was read' | 'under way';

export interface DeriveReport {
  /** Checks of the projects' searches. */
  readonly checks: number;
  /** Of them, those with known rankings of every target. */
  readonly known: number;
  readonly added: {
    readonly ranked: number;
    readonly notFound: number;
    readonly notFollowed: number;
    readonly seen: number;
  };
  /** Rankings that stay open: of checks that lost a page, or did not read all of them. */
  readonly unproven: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
  /** A signal ended it before the last check; the next call continues with the rest. */
  readonly interrupted: boolean;
}

/** Of all checks in the store. */
interface DeriveProgress {
  readonly done: number;
  readonly total: number;
}

/** A batch holds the write lock for some tens of milliseconds. */
const checksPerTransaction = 1000;

/**
 * Processes all checks, oldest first, one batch per transaction: after a kill, finished batches stay, and the next call
 * adds what is missing. A check concerns the projects that wanted it, and those that track its search today. Rejects if
 * the store fails.
 */
export async function deriveRankings(
  store: Store,
  scope: DeriveScope,
  signal: AbortSignal,
  onProgress: (progress: DeriveProgress) => void,
): Promise<DeriveReport> {
  const derivation = new Derivation(store, scope);
  const total = store.derivations.count();
  let done = 0;
  let lastId = 0;
  for (;;) {
    if (signal.aborted) return { ...derivation.report, interrupted: true };
    const batch = store.derivations.checksAfter(lastId, checksPerTransaction);
    const last = batch.at(-1);
    if (last === undefined) return { ...derivation.report, interrupted: false };
    if (scope.dryRun) derivation.take(batch);
    else store.transaction(() => derivation.take(batch));
    lastId = last.id;
    done += batch.length;
    onProgress({ done, total: Math.max(done, total) });
    await setImmediate(); // room for a signal
  }
}

/** The targets of all projects that a check concerns, compiled once for all such checks. */
interface TargetSet {
  readonly list: readonly Target[];
  readonly keys: readonly string[];
  /** Null: not stored yet; a dry run does not store it. */
  readonly ids: (number | null)[];
  readonly compiled: CompiledTargets;
  readonly urls: WantedUrls;
}

class Derivation {
  readonly #store: Store;
  readonly #scope: DeriveScope;
  /** One a project of the scope: the searches it tracks today. */
  readonly #tracked: readonly { readonly project: Project; readonly searchIds: ReadonlySet<number> }[];
  readonly #sets = new Map<string, TargetSet>();
  readonly #counts = { checks: 0, known: 0, ranked: 0, notFound: 0, notFollowed: 0, seen: 0, unproven: 0 };
  readonly #skipped: Record<SkipReason, number> = { imported: 0, 'no page was read': 0, 'under way': 0 };

  constructor(store: Store, scope: DeriveScope) {
    this.#store = store;
    this.#scope = scope;
    this.#tracked = scope.projects.map((project) => ({ project, searchIds: trackedSearches(store, project) }));
  }

  get report(): Omit<DeriveReport, 'interrupted'> {
    const { checks, known, ranked, notFound, notFollowed, seen, unproven } = this.#counts;
    return { checks, known, added: { ranked, notFound, notFollowed, seen }, unproven, skipped: { ...this.#skipped } };
  }

  take(checks: readonly OldCheck[]): void {
    for (const check of checks) this.#takeCheck(check);
  }

  #takeCheck(check: OldCheck): void {
    const targets = this.#findTargets(check);
    if (targets === null) return;
    this.#counts.checks += 1;
    const skip = skipReason(check);
    if (skip !== null) {
      this.#skipped[skip] += 1;
      return;
    }
    const unknown = targets.list.flatMap((_, index) => (this.#isKnown(check, targets, index) ? [] : [index]));
    if (unknown.length === 0) {
      this.#counts.known += 1;
      return;
    }
    const pages = this.#store.derivations.pagesOf(check.id, targets.urls.of);
    const { outcomes, owned } = proveOutcomes(pages, targets, check.depth, check.state === 'incomplete');
    for (const index of unknown) {
      const outcome = outcomes[index] ?? { kind: 'unproven' };
      this.#counts[outcome.kind] += 1;
      if (outcome.kind === 'unproven' || this.#scope.dryRun) continue;
      this.#store.rankings.insert({
        targetId: this.#idOf(targets, index),
        searchId: check.searchId,
        moment: check.moment,
        checkId: check.id,
        depth: check.depth,
        outcome,
        ownedFeatures: owned[index] ?? [],
      });
    }
  }

  /** Null if no project of the scope shares the check, or if none has a target of the scope. */
  #findTargets({ searchId, projects }: OldCheck): TargetSet | null {
    const concerned = this.#tracked.filter(
      ({ project, searchIds }) => searchIds.has(searchId) || projects.includes(project.id),
    );
    if (concerned.length === 0) return null;
    const key = concerned.map(({ project }) => project.id).join('\u001f');
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = this.#compile(concerned.map(({ project }) => project));
      this.#sets.set(key, set);
    }
    return set.list.length === 0 ? null : set;
  }

  #compile(projects: readonly Project[]): TargetSet {
    const wanted = new Set(this.#scope.targets);
    const byKey = new Map<string, Target>();
    for (const target of projects.flatMap(({ targets, competitors }) => [...targets, ...competitors])) {
      if (wanted.size > 0 && !wanted.has(target.value)) continue;
      const key = targetKey(target);
      if (!byKey.has(key)) byKey.set(key, target);
    }
    const list = [...byKey.values()];
    const compiled = compileTargets(list);
    const ids = list.map(() => null);
    const keys = [...byKey.keys()];
    return { list, keys, ids, compiled, urls: new WantedUrls(this.#store, compiled, keys) };
  }

  /** Another process may meet the target meanwhile, so that one without an id is looked up each time. */
  #isKnown(check: OldCheck, { ids, keys }: TargetSet, index: number): boolean {
    const id = ids[index] ?? this.#store.names.knownTargetId(keys[index] ?? '');
    ids[index] = id;
    return id !== null && this.#store.derivations.isKnown(check, id);
  }

  /** The id of a target, which is stored with its first ranking. */
  #idOf({ list, keys, ids }: TargetSet, index: number): number {
    const known = ids[index];
    const [target, identity] = [list[index], keys[index]];
    if (known !== null && known !== undefined) return known;
    if (target === undefined || identity === undefined) throw new Error(`there is no target ${index}`);
    const id = this.#store.names.targetId({ identity, match: target.match, value: target.value });
    ids[index] = id;
    return id;
  }
}

/**
 * The texts of the URLs that belong to a target, or hide their owner. The others only keep their positions, so that
 * ranks stay the same.
 */
class WantedUrls {
  readonly #store: Store;
  readonly #compiled: CompiledTargets;
  readonly #wanted = new Map<number, string>();
  /** Later ones, of runs that go on meanwhile, are looked up one by one. */
  readonly #highestId: number;

  constructor(store: Store, compiled: CompiledTargets, keys: readonly string[]) {
    this.#store = store;
    this.#compiled = compiled;
    this.#highestId = store.derivations.highestUrlId();
    const hosts = new Set(keys.map(hostInKey).flatMap((host) => [host, host.replace(/^www\./, '')]));
    for (const [id, url] of store.derivations.urlsOfHosts((host) => isWithin(host, hosts))) {
      if (this.#isWanted(url)) this.#wanted.set(id, url);
    }
    for (const [id, url] of store.derivations.urlsOfPath('/goto')) if (this.#isWanted(url)) this.#wanted.set(id, url);
  }

  readonly of = (urlId: number): string => {
    if (urlId <= this.#highestId) return this.#wanted.get(urlId) ?? '';
    const url = this.#store.names.url(urlId);
    return this.#isWanted(url) ? url : '';
  };

  #isWanted(url: string): boolean {
    const { matchingIndexes, possibleIndexes } = this.#compiled;
    return matchingIndexes(url).length > 0 || possibleIndexes(url).length > 0 || classifyDestination(url) === 'hidden';
  }
}

/** Whether a host as a URL has it, port and all, is one of these or below one. */
function isWithin(written: string, hosts: ReadonlySet<string>): boolean {
  let host = hostInUrl(`http://${written}/`) ?? '';
  while (host !== '') {
    if (hosts.has(host)) return true;
    const dot = host.indexOf('.');
    host = dot === -1 ? '' : host.slice(dot + 1);
  }
  return false;
}

function skipReason({ origin, state }: OldCheck): SkipReason | null {
  if (origin === 'import') return 'imported';
  if (state === 'ok' || state === 'incomplete') return null;
  return state === 'planned' || state === 'running' ? 'under way' : 'no page was read';
}

function trackedSearches(store: Store, project: Project): Set<number> {
  const ids = new Set<number>();
  for (const keyword of project.keywords) {
    for (const search of expandSearches(project, keyword)) {
      const id = store.names.knownSearchId(search);
      if (id !== null) ids.add(id);
    }
  }
  return ids;
}
