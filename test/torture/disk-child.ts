// Records a run while the system calls under it fail, and says what is acknowledged, sold and refused: node disk-child.ts DATABASE REPORTS
import { writeSync } from 'node:fs';
import { StoreError } from '../../db/connection/errors.ts';
import type { World } from '../helpers/jobs.ts';
import { type Acknowledged, acknowledgedIn, lostOf, recordingWorld, slotAt, watchCommits } from './recording.ts';

/** A disk that fails once is well again at the second try; one that stays broken is given up. */
const triesMax = 3;

const [, , file = '', reports = ''] = process.argv;
let last: Acknowledged | null = null;
let world: World | null = null;

const say = (line: string): void => void writeSync(1, `${line}\n`);

function open(): World {
  const opened = recordingWorld(file, reports, (requestKey) => say(`sold ${requestKey}`));
  watchCommits(opened.store, () => {
    last = acknowledgedIn(opened);
    say(`ack ${JSON.stringify(last)}`);
  });
  return opened;
}

for (let tries = 1; tries <= triesMax; tries += 1) {
  try {
    world ??= open();
    // what this process was told is durable must still be what it sees
    for (const lost of last === null ? [] : lostOf(last, world)) say(`lost ${lost}`);
    await world.runSlot(slotAt);
    say('done');
    break;
  } catch (error) {
    if (error instanceof StoreError || (error as { code?: unknown }).code === 'EIO') say(`failed ${String(error)}`);
    else say(`broken ${error instanceof Error ? error.stack?.replaceAll('\n', ' | ') : String(error)}`);
  }
}
await world?.close();
