// History as `view` and `mcp` serve it, and whom they let in.

import type { ValidReader } from '../../../db/accounts/readers.ts';
import { databaseExists } from '../../../db/connection/guards.ts';
import { openStore } from '../../../db/store.ts';
import type { JobContext } from '../../../jobs/context.ts';
import { StoredHistory } from '../../../jobs/workspace/history-reader.ts';
import {
  type Clock,
  errorText,
  loadGuardedServer,
  sourceKindOf,
  TokenBuckets,
  tokenHash,
} from '../../service/index.ts';
import type { DollarRange } from '../../tracker/page-price.ts';
import { hourMs } from '../../tracker/schedule/time-units.ts';
import type { HistoryReader } from '../../workspace/contract.ts';
import { type LimitExpressions, limitedExpressions } from '../../workspace/expression.ts';
import type { ListenOptions } from '../../workspace/listen.ts';
import type { Door } from '../../workspace/readers.ts';
import { isPart, type ReaderScope, ScopedReader } from '../../workspace/scoped-reader.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { pagePrices } from '../opening/list-prices.ts';
import { isLoopback } from '../opening/machine.ts';
import { servicesForSale } from '../opening/services.ts';

/** History as the read API gives it, with what its pages cost. */
export async function pricedReader(app: App): Promise<StoredHistory> {
  return historyReader(app, await pagePrices(app.config), await servicesForSale(app.config));
}

/** The same without prices. */
export function historyReader(
  { config, context }: App,
  pagePrices?: ReadonlyMap<string, DollarRange>,
  services: JobContext['services'] = context.services,
): StoredHistory {
  const { ctrCurve, compare, toleranceMs } = config.reports;
  return new StoredHistory(
    { ...context, services },
    {
      ctrCurve,
      comparison: compare,
      toleranceMs,
      notes: config.notes,
      formerProjects: config.formerly.projects,
      viewsOf: (project) => config.views.get(project) ?? [],
      pagePrices,
      isSimulated: (name) => {
        const service = config.services.get(name);
        return service?.mode === 'embedded' && sourceKindOf(service.source) !== 'live';
      },
    },
  );
}

/** History for the scope of a reader; null: `everything`, perhaps also of other databases. */
export function readerFor(
  history: StoredHistory,
  everything: HistoryReader = history,
): (scope: ReaderScope | null) => HistoryReader {
  return (scope) => {
    if (scope === null) return everything;
    const project = history.projectNamed(scope.project);
    const seen = isPart(scope) ? history.part(scope) : history;
    return new ScopedReader(seen, { ...scope, project }, (name) => history.isNameOf(name, project));
  };
}

/** Uses of a token within this time are noted once. */
const useMs = hourMs;
/** Longer, no request waits for a run that writes. */
const useBusyMs = 200;

/** Wrong tokens of one address. */
const wrongTokens = { count: 10, windowMs: 60_000 };
/** Milliseconds of the processor that regular expressions of a client may take. */
const expressionMs = { count: 5_000, windowMs: 60_000 };

/** Whom a server lets in, and how much each may ask of it. */
interface DoorOptions extends Pick<ListenOptions, 'createServer' | 'onRefused'> {
  readonly door: Door;
  readonly limitExpressions: LimitExpressions;
}

/**
 * On an address of this machine, a token is asked as soon as there is a reader: a proxy may then stand in front. For an
 * address that other machines reach, rejects with UsageError if there is no reader. `takesOthers`: a token is always
 * asked, and not only those of readers are taken. `notesUses`: of tokens.
 */
export async function openDoor(
  app: App,
  host: string,
  { isLocal = false, takesOthers = false, notesUses = true } = {},
): Promise<DoorOptions> {
  const { clock, log, store } = app.context;
  const isPrivate = isLoopback(host);
  if (!isPrivate && !takesOthers) requireReader(app, host);
  return {
    door: {
      needsToken: () => !isPrivate || takesOthers || store.readers.hasAny(),
      check: readerCheck(app, notesUses),
      isLocal,
    },
    limitExpressions: expressionLimit(clock),
    createServer: await loadGuardedServer(),
    onRefused: (facts) => log.warn(facts, 'connection refused'),
  };
}

export function expressionLimit(clock: Clock): LimitExpressions {
  const budgets = new TokenBuckets(clock, 'requests', expressionMs);
  return (client, work) => limitedExpressions(budgets.state(client).remaining, work, (ms) => budgets.spend(client, ms));
}

function scopeOf({ project, tag, view }: ValidReader): ReaderScope | null {
  return project === null ? null : { project, tag: tag ?? undefined, view: view ?? undefined };
}

/**
 * Checks tokens against the database. An address that sends wrong ones is made to wait; right ones always pass. Wrong
 * ones are logged, per address and minute at most ten and one refusal: the database is open for reading only.
 */
function readerCheck(app: App, notesUses: boolean): Door['check'] {
  const { store, clock, log } = app.context;
  const noteUse = notesUses ? noteUses(app) : () => {};
  /** Of addresses that wait: when their refusal was logged. */
  const logged = new Map<string, number>();
  const logRefusal = (address: string, resetMs: number): void => {
    const until = logged.get(address) ?? 0;
    if (until > clock.now()) return;
    for (const [other, end] of logged) if (end <= clock.now()) logged.delete(other);
    logged.set(address, clock.now() + resetMs);
    log.warn({ address, reason: 'too-many-failures' }, 'reader refused');
  };
  const failures = new TokenBuckets(clock, 'logins', wrongTokens);
  return (token, address) => {
    const found = store.readers.find(tokenHash(token), clock.now());
    if (found !== null) {
      noteUse(found);
      return { isReader: true, scope: scopeOf(found) };
    }
    if (failures.take(address)) {
      log.warn({ address, reason: 'wrong-token' }, 'reader refused');
      return { isReader: false, retryAfterMs: null };
    }
    const retryAfterMs = failures.state(address).resetMs;
    logRefusal(address, retryAfterMs);
    return { isReader: false, retryAfterMs };
  };
}

/** Writes through a connection that is open for this alone. A database that cannot be written is read all the same. */
function noteUses({ config, context: { clock, log } }: App): (reader: ValidReader) => void {
  /** By the id of a reader. */
  const tried = new Map<number, number>();
  return (reader) => {
    const now = clock.now();
    if (now - Math.max(reader.lastUsedAt ?? 0, tried.get(reader.id) ?? 0) < useMs) return;
    tried.set(reader.id, now);
    try {
      if (!databaseExists(config.databaseFile)) return; // it would be made anew
      const store = openStore(config.databaseFile, undefined, { busyTimeoutMs: useBusyMs });
      try {
        store.transaction(() => store.readers.noteUse(reader, now));
      } finally {
        store.close();
      }
    } catch (error) {
      log.warn({ reader: reader.name, error: errorText(error) }, 'use of a token could not be noted');
    }
  };
}

function requireReader({ context }: App, host: string): void {
  const { log, store } = context;
  if (!store.readers.hasAny())
    throw new UsageError(
      `--host ${host} is reached by other machines: add a reader first, with \`rankledger reader add\``,
    );
  log.warn({ host }, 'tokens are not encrypted: put an HTTPS proxy in front');
}
