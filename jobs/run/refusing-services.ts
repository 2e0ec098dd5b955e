// Remembers which services refused during one request: they get no more requests, and their slots stay due.

import type { RunKind } from '../../db/history/runs/run-kind.ts';
import type { JobContext } from '../context.ts';
import type { ServiceStop } from '../purchase/service-states.ts';
import type { ExecutedRun } from './executed-run.ts';

/** An account without money for one thing may have some for another; refused credentials are refused for all. */
export class RefusingServices {
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

  /** Whether a run of this kind may not be opened for a project. Remembers it for `addProblems`. */
  blocks(kind: RunKind, project: string): boolean {
    const service = this.#context.projects.get(project)?.service ?? '';
    const isRefused = this.#refused.has(service) || this.#refused.has(`${kind} ${service}`);
    if (isRefused) this.#left.add(`${kind} of ${project} wait: service "${service}" is halted`);
    return isRefused;
  }

  /** Adds the runs that were not opened to the problems of the last run. */
  addProblems(executed: readonly ExecutedRun[]): ExecutedRun[] {
    const last = executed.at(-1);
    if (last === undefined || this.#left.size === 0) return [...executed];
    return [...executed.slice(0, -1), { ...last, problems: [...last.problems, ...this.#left] }];
  }
}
