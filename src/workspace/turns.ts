// Work of several clients in turns: one piece at a time, and one of each client before the next of any.
import { setImmediate } from 'node:timers/promises';

export class Turns {
  /** What waits, by client: the client at the front is next. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isRunning = false;

  /** Resolves with what `work` makes, when its turn has come. Work whose signal is aborted by then is not begun. */
  take<Result>(client: string, work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const piece = async (): Promise<void> => {
        try {
          signal?.throwIfAborted();
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      };
      const own = this.#waiting.get(client);
      if (own === undefined) this.#waiting.set(client, [piece]);
      else own.push(piece);
      if (!this.#isRunning) void this.#run();
    });
  }

  /** How many pieces of the client wait. */
  waiting(client: string): number {
    return this.#waiting.get(client)?.length ?? 0;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let last: string | undefined;
    while (this.#waiting.size > 0) {
      const [first = '', second = first] = this.#waiting.keys();
      const client = first === last ? second : first;
      const pieces = this.#waiting.get(client) ?? [];
      const piece = pieces.shift();
      // to the back, behind the clients that have waited
      this.#waiting.delete(client);
      if (pieces.length > 0) this.#waiting.set(client, pieces);
      last = client;
      await piece?.();
      // requests that have arrived meanwhile take their places, and answers leave
      await setImmediate();
    }
    this.#isRunning = false;
  }
}
