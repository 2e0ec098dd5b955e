// Reads how durable a Redis is: after a restart it proves only what it had synced to disk.
import type { Redis } from 'ioredis';

/**
 * `log`: every write is on disk before it is answered. `unsynced`: in a log whose last writes a crash of the machine
 * may lose.
 */
export type Persistence = 'log' | 'unsynced' | 'snapshots' | 'none';

/** Null where Redis keeps no log and does not say what else it keeps. */
export async function readPersistence(redis: Redis): Promise<Persistence | null> {
  const isLogged = readFact(await redis.info('persistence'), 'aof_enabled');
  if (isLogged === '1') return (await isSynced(redis)) ? 'log' : 'unsynced';
  const rule = await readSetting(redis, 'save');
  if (rule === null) return isLogged === undefined ? null : 'none';
  return rule === '' ? 'none' : 'snapshots';
}

/** The value of a fact in an answer of INFO. */
export function readFact(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

/** A replica that took over may lack the last writes of the Redis before it, however well it syncs. */
async function isSynced(redis: Redis): Promise<boolean> {
  const before = readFact(await redis.info('replication'), 'master_replid2') ?? '';
  const always = (await readSetting(redis, 'appendfsync')) === 'always';
  return always && (await readSetting(redis, 'no-appendfsync-on-rewrite')) === 'no' && /^0*$/.test(before);
}

/** Null where Redis does not say: some hosts forbid CONFIG. */
async function readSetting(redis: Redis, name: string): Promise<string | null> {
  try {
    const answer: unknown = await redis.config('GET', name);
    return Array.isArray(answer) ? String(answer[1] ?? '') : null;
  } catch {
    return null;
  }
}
