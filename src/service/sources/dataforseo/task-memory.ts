// Remembers the task of a page: that it is about to be posted, then its number. A page of a purchase has one entry.
import { createHash, randomUUID } from 'node:crypto';
import type { PageRequest } from '../../model/source.ts';
import type { SourceMemory } from '../../model/source-memory.ts';
import { boundedJson, vendorBounds } from '../../net/bounded-json.ts';
import { Fields, ShapeError } from '../../net/fields.ts';

/** A task as it is remembered. `posting`: its request may have left, and its number is unknown. */
export type KnownTask =
  | { readonly state: 'posting'; readonly at: number }
  | { readonly state: 'posted'; readonly at: number; readonly id: string; readonly account: string };

export type PostedTask = Extract<KnownTask, { state: 'posted' }>;

/** Longer than a purchase is tried, and shorter than the vendor keeps results (30 days). */
const keptMs = 3 * 86_400_000;

/**
 * Names the task of a page: the same on every try of one purchase, over restarts too, and another one for every other
 * purchase, such as that of the next slot. Without a key it cannot be requested again, and its name is random. It is
 * sent as the task's `tag`.
 */
export function taskTag(
  purchaseKey: string | undefined,
  { keyword, country, language, mobile, page, location }: PageRequest,
): string {
  const where = location === undefined ? [] : [location];
  const parts = [purchaseKey ?? randomUUID(), keyword, country, language, mobile, page, ...where];
  return `rl-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

/** Names an account without its login: results are given only to the account that posted their task. */
export function accountHash(key: string): string {
  const login = key.slice(0, key.indexOf(':'));
  return createHash('sha256').update(login).digest('hex').slice(0, 16);
}

export class TaskMemory {
  readonly #memory: SourceMemory;

  constructor(memory: SourceMemory) {
    this.#memory = memory;
  }

  async recall(tag: string): Promise<KnownTask | undefined> {
    const text = await this.#memory.get(memoryKey(tag));
    return text === undefined ? undefined : readTask(text);
  }

  /** Durable when it resolves: only then may the request leave, and only then is its task waited for. */
  async keep(tag: string, task: KnownTask): Promise<void> {
    await this.#memory.put(memoryKey(tag), JSON.stringify(task), task.at + keptMs);
  }

  async forget(tag: string): Promise<void> {
    await this.#memory.delete(memoryKey(tag));
  }
}

function memoryKey(tag: string): string {
  return `dataforseo:${tag}`;
}

/** Undefined for what no version of this file has written. */
function readTask(text: string): KnownTask | undefined {
  try {
    const fields = new Fields(boundedJson(text, vendorBounds), 'task');
    const at = fields.integer('at');
    const id = fields.text('id');
    const account = fields.text('account');
    if (at === undefined) return undefined;
    if (fields.text('state') === 'posting') return { state: 'posting', at };
    return id === undefined || account === undefined ? undefined : { state: 'posted', at, id, account };
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
