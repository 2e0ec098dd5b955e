// Planted bugs of ownership: who is at work, who may write, and which file is written.
import type { Plant } from './plants.ts';

export const owners: readonly Plant[] = [
  {
    invariant: 'a process whose number was given to another one has ended',
    file: 'src/service/process-liveness.ts',
    find: "(start !== '' && start !== facts.start)",
    replace: "(start === '' && start !== facts.start)",
    tests: ['test/service/process-liveness.test.ts'],
  },
  {
    invariant: 'a zombie is a process that has ended',
    file: 'src/service/process-liveness.ts',
    find: "facts.state === 'Z' || ",
    replace: '',
    tests: ['test/service/process-liveness.test.ts'],
  },
  {
    invariant: 'a process of another PID namespace is not judged by its number',
    file: 'src/service/process-liveness.ts',
    find: "if (namespace !== '' && namespace !== pidNamespace()) return 'unreachable';",
    replace: '',
    tests: ['test/service/process-liveness.test.ts', 'test/jobs/ownership.test.ts'],
  },
  {
    invariant: 'a process that runs without a heartbeat for a minute loses its runs',
    file: 'src/service/process-liveness.ts',
    find: 'return ageMs === null || Math.abs(ageMs) < silentMsMax.sameClock;',
    replace: 'return true;',
    tests: ['test/service/process-liveness.test.ts', 'test/jobs/ownership.test.ts'],
  },
  {
    invariant: 'a run that was taken over is not written by its late owner',
    file: 'db/run-fence.ts',
    find: "if (row?.['owner_epoch'] !== this.#held.get(runId)) throw takenOver",
    replace: 'if (row === undefined) throw takenOver',
    tests: ['test/jobs/fencing.test.ts', 'test/jobs/ownership.test.ts'],
  },
  {
    invariant: 'taking a run over raises its ownership epoch',
    file: 'db/runs.ts',
    find: 'UPDATE runs SET owner = ?, heartbeat_at = ?, owner_epoch = owner_epoch + 1',
    replace: 'UPDATE runs SET owner = ?, heartbeat_at = ?, owner_epoch = owner_epoch',
    tests: ['test/jobs/fencing.test.ts', 'test/db/runs.test.ts'],
  },
  {
    invariant: 'each settlement checks the ownership epoch',
    file: 'db/ledger.ts',
    find: '    this.#fence.checkPurchase(purchaseId);\n',
    replace: '',
    tests: ['test/jobs/fencing.test.ts'],
  },
  {
    invariant: 'nothing is bought once the database was deleted, renamed or replaced',
    file: 'db/file-identity.ts',
    find: 'if (inode !== this.#inode) throw',
    replace: "if (inode === '') throw",
    tests: ['test/db/file-identity.test.ts'],
  },
  {
    invariant: 'no new database is made beside the log of another one',
    file: 'db/client.ts',
    find: '      guardStaleLog(file);\n',
    replace: '',
    tests: ['test/db/file-identity.test.ts', 'test/app/schedule.test.ts'],
  },
  {
    invariant: 'an answer that was received waits for a lock of another program and is recorded then',
    file: 'db/group-commit.ts',
    find: 'if (!result.hasBegun && isLocked(result.error) && this.#mayWait()) {',
    replace: 'if (!result.hasBegun && isLocked(result.error) && this.#now() < 0) {',
    tests: ['test/db/group-commit.test.ts', 'test/jobs/lock-stall.test.ts'],
  },
  {
    invariant: 'time in which this process stood still is not the time of a request',
    file: 'src/service/deadline.ts',
    find: 'if (lateMs < stallMsMin) return;',
    replace: 'if (lateMs < stallMsMin + 1e9) return;',
    tests: ['test/service/deadline.test.ts'],
  },
  {
    invariant: 'disk space for answers in flight is set aside before they are bought',
    file: 'jobs/disk-guard.ts',
    find: 'if (isPaid) store.diskReserve.hold(',
    replace: 'if (!isPaid) store.diskReserve.hold(',
    tests: ['test/jobs/worker.test.ts'],
  },
];
