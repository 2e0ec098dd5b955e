// Planted bugs of what is booked: stated prices, and the windows in which purchases count.
import type { Plant } from './plants.ts';

export const spending: readonly Plant[] = [
  {
    invariant: 'a price that a provider states above the agreed one is booked',
    file: 'db/price-disputes.ts',
    find: 'if (stated <= agreed) return null;',
    replace: 'if (stated <= price * 1000) return null;',
    tests: ['test/jobs/price-disputes.test.ts'],
  },
  {
    invariant: 'a service whose stated price exceeds the budget is halted',
    file: 'jobs/settlement.ts',
    find: 'return exceeded > 0 ? stopForPrice(dispute) : null;',
    replace: 'return null;',
    tests: ['test/jobs/price-disputes.test.ts'],
  },
  {
    invariant: 'a refusal that states a charge is paid, and not asked for again',
    file: 'src/service/http/client.ts',
    find: 'if (stated === undefined || stated === 0) throw error;',
    replace: 'throw error;',
    tests: ['test/jobs/price-disputes.test.ts'],
  },
  {
    invariant: 'a purchase counts in the window in which it is opened',
    file: 'jobs/page-buyer.ts',
    find: 'return this.#reservationId !== null && (this.#keys?.day !== day || this.#keys.month !== month);',
    replace: 'return false;',
    tests: ['test/jobs/window-turns.test.ts'],
  },
  {
    invariant: 'only a Redis that syncs each write proves that a request was never sent',
    file: 'jobs/bullmq-durability.ts',
    find: "const always = (await settingOf(redis, 'appendfsync')) === 'always';",
    replace: 'const always = true;',
    tests: ['test/jobs/bullmq-power-cut.test.ts'],
  },
  {
    invariant: 'a report that cannot be written is tried again',
    file: 'jobs/run-reports.ts',
    find: 'else store.reportFailures.record({ ...failure, reason, at: clock.now() });',
    replace: '',
    tests: ['test/jobs/run-reports.test.ts'],
  },
  {
    invariant: 'a report that cannot be written stops nothing else',
    file: 'jobs/run-reports.ts',
    find: 'if (error instanceof StoreError) throw error;',
    replace: 'throw error;',
    tests: ['test/jobs/run-reports.test.ts'],
  },
  {
    invariant: 'a run that cannot be carried out keeps no other run from it',
    file: 'jobs/pipeline.ts',
    find: 'failures.push(error);',
    replace: 'throw error;',
    tests: ['test/jobs/run-reports.test.ts'],
  },
  {
    invariant: 'a changed row is found in every table',
    file: 'db/row-sums.ts',
    find: 'if (table !== undefined && before !== after) this.#add(table.name, before, after);',
    replace: 'if (table !== undefined && before === null) this.#add(table.name, before, after);',
    tests: ['test/db/row-sums.test.ts'],
  },
];
