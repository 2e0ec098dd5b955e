// Whom `view`, `mcp` and the metrics let in, by the readers of the database, and how much each may ask.
import type { Readers, ValidReader } from '../../../db/accounts/readers.ts';
import { databaseExists } from '../../../db/connection/guards.ts';
import { openStore, openStoreForReading, type Store } from '../../../db/store.ts';
import { type LimitExpressions, limitedExpressions } from '../../read/expression.ts';
import { type Clock, errorText, loadGuardedServer, TokenBuckets, tokenHash } from '../../service/index.ts';
import { hourMs } from '../../tracker/schedule/time-units.ts';
import type { ListenOptions } from '../../workspace/listen.ts';
import type { Door } from '../../workspace/readers.ts';
import type { ReaderScope } from '../../workspace/scoped-reader.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { isLoopback } from '../opening/machine.ts';

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
  readonly limitExpressions: ExpressionLimit;
}

/**
 * On an address of this machine, a token is asked for as soon as there was a reader: a proxy may then stand in front.
 * For an address that other machines reach, rejects with UsageError if there was none. `takesOthers`: a token is
 * always asked for, and not only those of readers are taken. `notesUses`: of tokens.
 */
export async function openDoor(
  app: App,
  host: string,
  { isLocal = false, takesOthers = false, notesUses = true } = {},
): Promise<DoorOptions> {
  const { clock, log } = app.context;
  const isPrivate = isLoopback(host);
  const readers = readersOf(app);
  if (!isPrivate && !takesOthers) requireReader(app, host);
  return {
    door: {
      needsToken: () => !isPrivate || takesOthers || readers().hasHadAny(),
      check: readerCheck(app, readers, notesUses),
      isLocal,
    },
    limitExpressions: expressionLimit(clock),
    createServer: await loadGuardedServer(),
    onRefused: (facts) => log.warn(facts, 'connection refused'),
  };
}

/** The readers of a database, also of one that is made after a server has begun to show that there is none. */
export function readersOf({ context: { store } }: App): () => Readers {
  let made: Store | undefined;
  return () => {
    if (made === undefined && store.missing !== null && databaseExists(store.missing))
      made = openStoreForReading(store.missing);
    return (made ?? store).readers;
  };
}

/** Whom metrics let in, which every program of a network may read until there was a reader. `now`: the app in use. */
export function metricsDoor(first: App, now: () => App = () => first): Door {
  const readers = () => now().context.store.readers;
  return { needsToken: () => readers().hasHadAny(), check: readerCheck(first, readers, true), isLocal: false };
}

/** What expressions of a client may still take, also in another thread. */
export type ExpressionLimit = LimitExpressions & {
  readonly leftMs: (client: string) => number;
  readonly spend: (client: string, ms: number) => void;
};

export function expressionLimit(clock: Clock): ExpressionLimit {
  const budgets = new TokenBuckets(clock, 'requests', expressionMs);
  const leftMs = (client: string): number => budgets.state(client).remaining;
  const spend = (client: string, ms: number): void => void budgets.spend(client, ms);
  const limit: LimitExpressions = (client, work) => limitedExpressions(leftMs(client), work, (ms) => spend(client, ms));
  return Object.assign(limit, { leftMs, spend });
}

function scopeOf({ project, tag, view }: ValidReader): ReaderScope | null {
  return project === null ? null : { project, tag: tag ?? undefined, view: view ?? undefined };
}

/**
 * Checks tokens against the database. An address that sends wrong ones is made to wait; right ones always pass. Wrong
 * ones are logged, per address and minute at most ten and one refusal: the database is open for reading only.
 */
function readerCheck(app: App, readers: () => Readers, notesUses: boolean): Door['check'] {
  const { clock, log } = app.context;
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
    const found = readers().find(tokenHash(token), clock.now());
    if (found !== null) {
      noteUse(found);
      return { isReader: true, scope: scopeOf(found), reader: `reader ${found.id}` };
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
      const store = openStore(config.databaseFile, undefined, { busyTimeoutMs: useBusyMs, isChecked: true });
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

function requireReader({ context: { log, store } }: App, host: string): void {
  if (!store.readers.hasHadAny())
    throw new UsageError(
      `--host ${host} is reached by other machines: add a reader first, with \`rankledger reader add\``,
    );
  log.warn({ host }, 'tokens are not encrypted: put an HTTPS proxy in front');
}
