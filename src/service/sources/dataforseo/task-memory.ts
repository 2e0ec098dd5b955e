// What is remembered of a page's task: that it is about to be posted, and its number once it is. The same page of the same purchase has one entry.
import { createHash, randomUUID } from 'node:crypto';
import { Fields, ShapeError } from '../../http/fields.ts';
import type { SourceMemory } from '../../source-memory.ts';
import type { PageRequest } from '../source.ts';
import { parseBounded } from '../vendor/bounded-json.ts';

/** A task as it is remembered. `posting`: its request may have left, and nobody knows its number. */
export type KnownTask =
  | { readonly state: 'posting'; readonly at: number }
  | { readonly state: 'posted'; readonly at: number; readonly id: string; readonly account: string };

export type PostedTask = Extract<KnownTask, { state: 'posted' }>;

/** Longer than a purchase is tried, and shorter than the vendor keeps results (30 days). */
const keptMs = 3 * 86_400_000;

/**
 * Names the task of a page: the same on every try of one purchase, over restarts too, and another one for every other purchase, such as that of the next
 * slot. Without a key nobody could ask for it again, and it is named at random. It is sent as the task's `tag`.
 */
export function tagOf(
  purchaseKey: string | undefined,
  { keyword, country, language, mobile, page }: PageRequest,
): string {
  const parts = [purchaseKey ?? randomUUID(), keyword, country, language, mobile, page];
  return `rl-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

/** Names an account without telling its login: results are given only to the account that posted their task. */
export function accountOf(key: string): string {
  const login = key.slice(0, key.indexOf(':'));
  return createHash('sha256').update(login).digest('hex').slice(0, 16);
}

export class TaskMemory {
  readonly #memory: SourceMemory;

  constructor(memory: SourceMemory) {
    this.#memory = memory;
  }

  async recall(tag: string): Promise<KnownTask | undefined> {
    const text = await this.#memory.get(keyOf(tag));
    return text === undefined ? undefined : readTask(text);
  }

  /** Durable when it resolves: only then may the request leave, and only then is its task waited for. */
  async keep(tag: string, task: KnownTask): Promise<void> {
    await this.#memory.put(keyOf(tag), JSON.stringify(task), task.at + keptMs);
  }

  async forget(tag: string): Promise<void> {
    await this.#memory.delete(keyOf(tag));
  }
}

function keyOf(tag: string): string {
  return `dataforseo:${tag}`;
}

/** Undefined for what no version of this file has written. */
function readTask(text: string): KnownTask | undefined {
  try {
    const fields = new Fields(parseBounded(text), 'task');
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
