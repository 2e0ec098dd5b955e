// Records a run while system calls fail, and prints what is durable, sold and refused: disk-child.ts DATABASE REPORTS
import { writeSync } from 'node:fs';
import { StoreError } from '../../db/connection/errors.ts';
import type { World } from '../helpers/jobs.ts';
import { type Acknowledged, acknowledgedIn, lostOf, recordingWorld, slotAt, watchCommits } from './recording.ts';

/** A disk that fails once works at the second attempt; one that stays broken is given up. */
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
    // what was acknowledged to this process as durable must still be what it reads
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
