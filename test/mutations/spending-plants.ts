// Planted bugs of bookings: stated prices, and the windows in which purchases count.
import type { Plant } from './plants.ts';

export const spending: readonly Plant[] = [
  {
    invariant: 'a price that a provider states above the agreed one is booked',
    file: 'db/ledger/price-disputes.ts',
    find: 'if (stated <= agreed) return null;',
    replace: 'if (stated <= price * 1000) return null;',
    tests: ['test/jobs/purchase/price-disputes.test.ts'],
  },
  {
    invariant: 'a service whose stated price exceeds the budget is halted',
    file: 'jobs/purchase/settlement.ts',
    find: 'return exceeded > 0 ? stopForPrice(dispute) : null;',
    replace: 'return null;',
    tests: ['test/jobs/purchase/price-disputes.test.ts'],
  },
  {
    invariant: 'a refusal that states a charge is paid, and not requested again',
    file: 'src/service/client/client.ts',
    find: 'if (stated === undefined || stated === 0) throw error;',
    replace: 'throw error;',
    tests: ['test/jobs/purchase/price-disputes.test.ts'],
  },
  {
    invariant: 'a provider that refuses keyword metrics with 429 is paused, and given up in the end',
    file: 'jobs/volumes/metrics-request.ts',
    find: 'verdictOn(failure, this.#waits)',
    replace: 'verdictOn(failure)',
    tests: ['test/jobs/volumes/refresh-volumes.test.ts'],
  },
  {
    invariant: 'a purchase counts in the window in which it is opened',
    file: 'jobs/purchase/page-buyer.ts',
    find: 'return keys.day === day && keys.month === month;',
    replace: 'return true;',
    tests: ['test/jobs/purchase/window-turns.test.ts'],
  },
  {
    invariant: 'only a Redis that syncs each write proves that a request was never sent',
    file: 'jobs/queue/bullmq/durability.ts',
    find: "const always = (await readSetting(redis, 'appendfsync')) === 'always';",
    replace: 'const always = true;',
    tests: ['test/jobs/queue/bullmq/power-cut.test.ts'],
  },
  {
    invariant: 'a report that cannot be written is retried',
    file: 'jobs/run/closing/run-reports.ts',
    find: 'else store.reportFailures.record({ ...failure, reason, at: clock.now() }, retryDelayMs);',
    replace: '',
    tests: ['test/jobs/run/run-reports.test.ts'],
  },
  {
    invariant: 'a report that cannot be written stops nothing else',
    file: 'jobs/run/closing/run-reports.ts',
    find: 'if (error instanceof StoreError) throw error;',
    replace: 'throw error;',
    tests: ['test/jobs/run/run-reports.test.ts'],
  },
  {
    invariant: 'a service that cannot be opened stops only its own projects',
    file: 'src/app/opening/services.ts',
    find: 'failures.set(name, error);',
    replace: 'throw error;',
    tests: ['test/cli/broken-config.test.ts'],
  },
  {
    invariant: 'a run that fails does not stop other runs',
    file: 'jobs/run/pipeline.ts',
    find: 'failures.push(error);',
    replace: 'throw error;',
    tests: ['test/jobs/run/run-reports.test.ts'],
  },
  {
    invariant: 'a changed row is detected in every table',
    file: 'db/connection/row-sums.ts',
    find: 'if (table !== undefined && before !== after) this.#add(table.name, before, after);',
    replace: 'if (table !== undefined && before === null) this.#add(table.name, before, after);',
    tests: ['test/db/connection/row-sums.test.ts'],
  },
  {
    invariant: 'a price that is stated for a repeated request of a lost answer is booked',
    file: 'jobs/query/reconcile.ts',
    find: "as === 'free' || stated === undefined",
    replace: "as === 'free' || stated !== undefined || stated === undefined",
    tests: ['test/jobs/query/reconcile.test.ts'],
  },
];
