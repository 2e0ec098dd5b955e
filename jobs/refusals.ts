// What services have refused in one request: they are asked no more for it, and what was to be asked there stays due.
import type { RunKind } from '../db/runs.ts';
import type { JobContext } from './context.ts';
import type { ExecutedRun } from './run-work.ts';
import type { ServiceStop } from './service-lines.ts';

/** An account without money for one thing may have some for another; refused credentials are refused for all. */
export class Refusals {
  readonly #context: JobContext;
  /** `vendor`, or `volumes vendor`. */
  readonly #refused = new Set<string>();
  readonly #left = new Set<string>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  get any(): boolean {
    return this.#refused.size > 0;
  }

  note(kind: RunKind, halts: readonly ServiceStop[]): void {
    for (const { service, code } of halts) {
      this.#refused.add(code === 'INSUFFICIENT_CREDITS' ? `${kind} ${service}` : service);
    }
  }

  /** Whether nothing of this kind is to be asked for a project any more. It is remembered, to be told. */
  concern(kind: RunKind, project: string): boolean {
    const service = this.#context.projects.get(project)?.service ?? '';
    const isRefused = this.#refused.has(service) || this.#refused.has(`${kind} ${service}`);
    if (isRefused) this.#left.add(`${kind} of ${project} wait: service "${service}" has refused us`);
    return isRefused;
  }

  /** The last run tells what was not begun. */
  told(executed: readonly ExecutedRun[]): ExecutedRun[] {
    const last = executed.at(-1);
    if (last === undefined || this.#left.size === 0) return [...executed];
    return [...executed.slice(0, -1), { ...last, problems: [...last.problems, ...this.#left] }];
  }
}
