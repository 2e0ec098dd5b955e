// Buys nothing that could not be recorded: free space on the disk of the database, and a reserve for answers in flight.
import { StoreError } from '../../db/connection/errors.ts';
import type { JobContext } from '../context.ts';

/** Beside the reserve so much must be free. */
const freeBytesMin = 4 * 1024 * 1024;
/** What one answer may take: its body, its page, and the pages of the database that its commit writes to the log. */
const answerBytes = 256 * 1024;

/** Throws StoreError DISK_FULL where there is no room for the answers of so many requests. */
export function guardDisk({ store, services, freeBytes }: JobContext, requestsMax: number): void {
  if (freeBytes() < freeBytesMin) {
    throw new StoreError(
      'DISK_FULL',
      `the disk of ${store.file} has less than ${freeBytesMin / 1_048_576} MiB free: nothing more is bought`,
      'Free some space and run again; the run resumes where it stopped.',
    );
  }
  const isPaid = [...services.values()].some(({ kind }) => kind === 'live');
  if (isPaid) store.diskReserve.hold(freeBytesMin + requestsMax * answerBytes);
}
