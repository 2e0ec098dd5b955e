// A second thread that reads the same databases: what takes long is made there, so that this one answers others.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { JobContext } from '../../../jobs/context.ts';
import type { StoredHistory } from '../../../jobs/read/history-reader.ts';
import type { Clock } from '../../service/terms.ts';
import { RefusedAside } from '../../workspace/heavy.ts';
import type { Refusal } from '../../workspace/readers.ts';
import type { ReaderScope } from '../../workspace/scoped-reader.ts';
import type { AddOptions } from '../import/add-keywords.ts';
import type { Addition } from './addition.ts';
import type { ExpressionLimit } from './door.ts';
import type { Apps } from './portfolio.ts';

/** What the other thread makes: an answer of the read API, or of a tool of the MCP server. */
type SideWork =
  | {
      readonly kind: 'read';
      readonly pathname: string;
      readonly search: string;
      readonly accept: string;
    }
  | { readonly kind: 'call'; readonly tool: string; readonly input: unknown };

/** A preview for an editor. `config`: without keyword files. */
interface AdditionJob {
  readonly config: ResolvedConfig;
  readonly options: AddOptions;
}

export interface SideJob {
  readonly scope: ReaderScope | null;
  /** For limits. */
  readonly client: string;
  readonly work: SideWork;
}

/** To the thread. `more`: another piece of the answer. `drop`: no more. */
export type ToThread =
  | ({ readonly kind: 'job'; readonly id: number; readonly now: number; readonly expressionMs: number } & SideJob)
  | ({ readonly kind: 'add'; readonly id: number; readonly now: number } & AdditionJob)
  | { readonly kind: 'adopt'; readonly projects: JobContext['projects'] }
  | { readonly kind: 'more'; readonly id: number }
  | { readonly kind: 'drop'; readonly id: number };

/** From the thread. A piece of null: it was the last. */
export type FromThread =
  | { readonly kind: 'made'; readonly id: number; readonly type: string; readonly expressionMs: number }
  | { readonly kind: 'planned'; readonly id: number; readonly addition: Addition }
  | { readonly kind: 'refused'; readonly id: number; readonly refusal: Refusal; readonly expressionMs: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: string }
  | { readonly kind: 'piece'; readonly id: number; readonly bytes: Uint8Array | null };

interface MadeAside {
  readonly type: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** It holds what it has read, as much as this thread: it ends when nothing was asked for so long. */
const idleMs = 60_000;

/** Undefined: a database does not exist yet, and is shown as empty. `own`: the history of the first. */
export function sideThread(
  apps: Apps,
  own: StoredHistory,
  expressions: Pick<ExpressionLimit, 'leftMs' | 'spend'>,
): SideThread | undefined {
  const isThere = apps.every(({ context: { store } }) => store.missing === null);
  return isThere ? new SideThread(apps, own, expressions) : undefined;
}

interface Waiting {
  readonly resolve: (message: FromThread) => void;
  readonly reject: (error: Error) => void;
}

class SideThread {
  readonly #apps: Apps;
  readonly #own: StoredHistory;
  readonly #expressions: Pick<ExpressionLimit, 'leftMs' | 'spend'>;
  readonly #clock: Clock;
  /** Of a running thread; undefined: it begins with the next job. */
  #worker: Worker | undefined;
  #sent: JobContext['projects'] | undefined;
  readonly #waiting = new Map<number, Waiting>();
  /** Answers of which pieces are left. */
  readonly #open = new Set<number>();
  #idle: NodeJS.Timeout | undefined;
  #newest = 0;

  constructor(apps: Apps, own: StoredHistory, expressions: Pick<ExpressionLimit, 'leftMs' | 'spend'>) {
    this.#apps = apps;
    this.#own = own;
    this.#expressions = expressions;
    this.#clock = apps[0].context.clock;
  }

  /** Rejects with RefusedAside. */
  async answer(job: SideJob, signal: AbortSignal): Promise<MadeAside> {
    const worker = this.#started();
    const id = ++this.#newest;
    this.#open.add(id);
    const end = () => {
      if (!this.#open.delete(id)) return;
      signal.removeEventListener('abort', drop);
      this.#rest();
    };
    const drop = () => {
      this.#send(worker, { kind: 'drop', id });
      this.#waiting.get(id)?.reject(new Error('the client has gone'));
      this.#waiting.delete(id);
      end();
    };
    signal.addEventListener('abort', drop);
    try {
      const made = await this.#asked(worker, {
        kind: 'job',
        id,
        now: this.#clock.now(),
        expressionMs: this.#expressions.leftMs(job.client),
        ...job,
      });
      if ('expressionMs' in made) this.#expressions.spend(job.client, made.expressionMs);
      if (made.kind === 'refused') throw new RefusedAside(made.refusal);
      if (made.kind !== 'made') throw new Error(made.kind === 'failed' ? made.error : 'the thread said nothing');
      return { type: made.type, chunks: this.#pieces(worker, id, end) };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Rejects with RefusedAside. */
  async planAddition(job: AdditionJob): Promise<Addition> {
    const worker = this.#started();
    const id = ++this.#newest;
    this.#open.add(id);
    try {
      const planned = await this.#asked(worker, { kind: 'add', id, now: this.#clock.now(), ...job });
      if (planned.kind === 'refused') throw new RefusedAside(planned.refusal);
      if (planned.kind !== 'planned') throw new Error(planned.kind === 'failed' ? planned.error : 'no plan was made');
      return planned.addition;
    } finally {
      this.#open.delete(id);
      this.#rest();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  async *#pieces(worker: Worker, id: number, end: () => void): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const piece = await this.#asked(worker, { kind: 'more', id });
        if (piece.kind === 'failed') throw new Error(piece.error);
        if (piece.kind !== 'piece' || piece.bytes === null) return;
        yield piece.bytes;
      }
    } finally {
      end();
    }
  }

  #asked(worker: Worker, message: ToThread & { readonly id: number }): Promise<FromThread> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      this.#send(worker, message);
    });
  }

  #send(worker: Worker, message: ToThread): void {
    worker.postMessage(message);
  }

  #started(): Worker {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    const { adopted } = this.#own;
    if (this.#sent !== adopted) this.#send(worker, { kind: 'adopt', projects: adopted });
    this.#sent = adopted;
    return worker;
  }

  #start(): Worker {
    // TypeScript in a checkout, and compiled in a package
    const file = new URL(`./side-thread-main${extname(import.meta.filename)}`, import.meta.url);
    // a copy of a config has no secrets: they are no data
    const worker = new Worker(file, { workerData: this.#apps.map(({ config }) => config) });
    worker.on('message', (message: FromThread) => {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      waiting?.resolve(message);
    });
    const failed = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on('error', failed);
    worker.on('exit', () => failed(new Error('the side thread ended')));
    worker.unref();
    this.#worker = worker;
    this.#sent = this.#apps[0].context.projects;
    return worker;
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#open.size > 0) return;
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, idleMs).unref();
  }
}
