// One line on a terminal, overwritten as work proceeds. Silent if stderr is not a terminal.
import { amount, duration } from '../text/numbers.ts';
import type { Printer } from './printer.ts';

export interface ProgressState {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly creditsSpent: number;
  /** The service that it waits for; waiting work gets no estimate. */
  readonly note?: string;
}

const redrawMs = 100;
/** An estimate from the first moments is a guess; none is shown before. */
const estimateAfterMs = 2_000;
const eraseLine = '\r\u001B[2K';

export class Progress {
  readonly #printer: Printer;
  readonly #now: () => number;
  readonly #isShown: boolean;
  #label = '';
  #startedAt = 0;
  #doneAtStart = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isDrawn = false;
  #note = '';

  constructor(printer: Printer, now: () => number, isShown: boolean) {
    this.#printer = printer;
    this.#now = now;
    this.#isShown = isShown && printer.isTerminal;
  }

  update(state: ProgressState): void {
    if (!this.#isShown) return;
    const now = this.#now();
    if (state.label !== this.#label) {
      this.#label = state.label;
      this.#startedAt = now;
      this.#doneAtStart = state.done;
    } else if (now - this.#drawnAt < redrawMs && state.done < state.total && this.#note === (state.note ?? '')) {
      return;
    }
    this.#note = state.note ?? '';
    this.#drawnAt = now;
    this.#isDrawn = true;
    const line = this.#line(state, now).slice(0, this.#printer.columns - 1);
    this.#printer.text(`${eraseLine}${line}`);
  }

  /** Clears the line, so that results start on an empty one. */
  clear(): void {
    if (!this.#isDrawn) return;
    this.#printer.text(eraseLine);
    this.#isDrawn = false;
    this.#label = '';
  }

  #line({ label, done, total, creditsSpent, note }: ProgressState, now: number): string {
    const parts = [`${label} ${amount(done)} of ${amount(total)}`];
    if (creditsSpent > 0) parts.push(`${amount(creditsSpent)} credits`);
    if (note !== undefined) return [...parts, note].join(' | ');
    const elapsedMs = now - this.#startedAt;
    const newlyDone = done - this.#doneAtStart;
    if (elapsedMs >= estimateAfterMs && newlyDone > 0 && done < total) {
      parts.push(`about ${duration((elapsedMs / newlyDone) * (total - done))} left`);
    }
    return parts.join(' | ');
  }
}
