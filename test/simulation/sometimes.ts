// Situations that were reached: a simulation that never meets a fault proves nothing about it. Low counts fail.

/** Every situation that the simulation must meet. Provider faults are counted by their own names. */
const situations = [
  'days lived',
  'runs complete',
  'runs partial',
  'runs halted',
  'runs resumed',
  'runs of volumes',
  'checks ok',
  'checks incomplete',
  'checks failed',
  'checks unknown_paid',
  'checks deferred',
  'pages bought',
  'pages reused',
  'pages shared by projects',
  'page bought again after an unknown outcome',
  'unknown outcomes that were sold',
  'unknown outcomes that were free',
  'reconciled by asking again',
  'reconciled by the bill',
  'answers kept and not readable',
  'ranked',
  'ranked on a later page',
  'not found',
  'seen beyond a gap',
  'budget ran short',
  'slot missed',
  'slot missed because of overlap',
  'old slot not filled with pages of today',
  'slot in a clock gap',
  'changes compared',
  'crash before a commit',
  'crash inside a transaction',
  'crash after a commit',
  'stop signal',
  'second signal',
  'second process',
  'clock put forward',
  'clock put back',
  'clock put forward by a month',
  'clock put back by a month',
  'keyword added',
  'keyword removed',
  'competitor added',
  'disk full',
  'downtime',
  'ad-hoc request',
  'ad-hoc request refused or failed',
  'run by name',
] as const;

export type Situation = (typeof situations)[number] | `fault ${string}`;

export class Sometimes {
  readonly #counts = new Map<string, number>();

  count(situation: Situation, times = 1): void {
    this.#counts.set(situation, (this.#counts.get(situation) ?? 0) + times);
  }

  /** By name; every known situation is listed, reached or not. */
  get counts(): Readonly<Record<string, number>> {
    const known = situations.map((name) => [name, 0] as const);
    return Object.fromEntries([...known, ...this.#counts]);
  }

  merge(counts: Readonly<Record<string, number>>): void {
    for (const [name, times] of Object.entries(counts)) this.count(name as Situation, times);
  }

  /** Those reached less often than this. */
  below(least: number): string[] {
    return Object.entries(this.counts)
      .filter(([, times]) => times < least)
      .map(([name, times]) => `${name}: ${times}`);
  }
}
