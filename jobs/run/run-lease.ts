// The lease of a run: heartbeats, a signal when it is lost, and a witness of the ledger beside the database.
import { isReplaced } from '../../db/connection/disk.ts';
import type { Currency } from '../../db/ledger/budget-windows.ts';
import type { DaySpent, LedgerHead } from '../../db/ledger/ledger-head.ts';
import { isTakenOver } from '../../db/ledger/run-fence.ts';
import type { JobContext } from '../context.ts';
import type { ServiceWait } from '../purchase/service-states.ts';

/** A twelfth of the silence after which other processes take the run over: a busy disk may delay some heartbeats. */
const renewEveryMs = 5000;

interface RunLease {
  /**
   * Aborted where another process has taken the run over, or the database was replaced; its reason is the StoreError.
   */
  readonly lost: AbortSignal;
  /** Records what the run waits for with the next heartbeat, for `status`. */
  noteWaits(waits: readonly ServiceWait[]): void;
  end(): void;
}

/** Keeps a run of this process marked as alive until the lease is ended, however long it waits for a service. */
export function holdRun(context: JobContext, runId: number): RunLease {
  const { store, clock, log } = context;
  const lost = new AbortController();
  let note: string | null = null;
  let noted: string | null = null;
  const renew = (): void => {
    try {
      if (lost.signal.aborted) return;
      store.assertSameFile();
      store.transaction(() => {
        store.runs.heartbeat(runId, clock.now());
        if (note !== noted) store.runs.noteWaits(runId, note);
      });
      noted = note;
      writeWitness(context);
    } catch (error) {
      if (isTakenOver(error) || isReplaced(error)) lost.abort(error);
      // the work itself meets the same failure, and reports it
      else log.debug({ runId, error: String(error) }, 'heartbeat failed');
    }
  };
  const timer = setInterval(renew, renewEveryMs);
  timer.unref();
  return {
    lost: lost.signal,
    noteWaits(waits) {
      note = waits.length === 0 ? null : waits.map(waitText).join(', ');
    },
    end() {
      clearInterval(timer);
      if (!lost.signal.aborted) writeWitness(context);
    },
  };
}

function waitText({ service, until, why }: ServiceWait): string {
  const moment = new Date(until).toISOString();
  if (why === 'asked') return `service ${service} requires a wait until ${moment}`;
  const words = why === 'cut' ? 'requires a long wait' : 'is failing';
  return `service ${service} ${words}, next try at ${moment}`;
}

/** The service that purchases of a gap name: which one sold them is lost. */
const gapService = '(lost with the database)';

/**
 * Counts what the witness beside the database saw and the database does not hold, once. Returns the days that were
 * missing.
 */
export function countGap(context: JobContext): readonly DaySpent[] {
  const { store, log } = context;
  const gap = store.witness.gap();
  if (gap !== null) {
    const { head, days } = gap;
    store.transaction(() => {
      for (const day of days) countDay(context, head, day);
    });
    const facts = { database: store.file, days };
    log.warn(facts, 'database is older than its witness file, or another one: missing purchases count as unknown');
  }
  writeWitness(context, { counted: true });
  return gap?.days ?? [];
}

/** Where money is at stake. A witness that cannot be written stops nothing. */
function writeWitness({ store, services, log }: JobContext, options: { readonly counted?: boolean } = {}): void {
  if (![...services.values()].some(({ kind }) => kind === 'live')) return;
  try {
    store.witness.write(options);
  } catch (error) {
    log.warn({ database: store.file, error: String(error) }, 'ledger witness could not be written');
  }
}

/** As much of a day as its windows have room for: beyond that nothing more can be bought in them anyway. */
function countDay({ store, clock, owner }: JobContext, { hash }: LedgerHead, { currency, day, spent }: DaySpent): void {
  const at = clock.now();
  const keys = { day, month: day.slice(0, 7) };
  for (let left = spent, part = 1; left > 0; part += 1) {
    const requestKey = `rl-gap-${hash.slice(0, 24)}-${currency}-${day}-${part}`;
    if (store.purchaseAttempts.wasTried(requestKey)) return;
    const runId = store.runs.open({ kind: 'adhoc', moment: at, owner, at }, [])?.id ?? 0;
    const ask = { runId, checkId: null, currency: currency as Currency, at, keys };
    const asked = store.ledger.reserve({ ...ask, amount: left });
    const room = asked.ok ? left : (asked.short.cap ?? 0) - asked.short.reserved - asked.short.spent;
    const reserved = asked.ok || room <= 0 ? asked : store.ledger.reserve({ ...ask, amount: room });
    if (reserved.ok) {
      const facts = { service: gapService, requestKey, searchId: null, moment: at, page: null, price: room, at };
      const { id } = store.ledger.open({ reservationId: reserved.id, ...facts });
      const message = `of ${day}: the witness file of the ledger has it, but the database does not`;
      store.ledger.settle(id, { state: 'unknown', at, errorCode: 'LEDGER_GAP', message });
    }
    store.runs.close(runId, { state: 'partial', reason: `ledger gap of ${day}`, at });
    if (asked.ok || asked.short.scope !== 'run' || !reserved.ok) return;
    left -= room;
  }
}
