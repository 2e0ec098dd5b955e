// Progress of long work: one line on a terminal, overwritten; elsewhere a line from time to time.
import type { RunProgress } from '../../app/runs/run.ts';
import { amount, counted, duration } from '../text/numbers.ts';
import { printable } from '../text/table.ts';
import type { Printer } from './printer.ts';

interface ProgressState {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  readonly creditsSpent: number;
  /** The service that it waits for; waiting work gets no estimate. */
  readonly note?: string;
  /** UTC milliseconds of the end of that wait. */
  readonly waitsUntil?: number;
  /** Off a terminal: milliseconds between two lines, for a command that a person waits for. Default: as for a log. */
  readonly everyMs?: number;
}

const redrawMs = 100;
/** An estimate from the first moments is a guess; none is shown before. */
const estimateAfterMs = 2_000;
/**
 * Off a terminal a log collects the lines: short work writes none, long work one every few minutes, and one at once for
 * each long wait.
 */
const firstLineMs = 60_000;
const longWaitMs = 30_000;
const linesApartMs = 300_000;
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
  #lineDueAt = Number.NaN;
  #reportedUntil = 0;
  #noted = '';

  constructor(printer: Printer, now: () => number, isShown: boolean) {
    this.#printer = printer;
    this.#now = now;
    this.#isShown = isShown;
  }

  update(state: ProgressState): void {
    if (!this.#isShown) return;
    const now = this.#now();
    const isNew = state.label !== this.#label;
    if (isNew) {
      this.#label = state.label;
      this.#startedAt = now;
      this.#doneAtStart = state.done;
    }
    if (!this.#printer.isTerminal) {
      this.#writeLine(state, now);
      return;
    }
    const isSoon = now - this.#drawnAt < redrawMs && state.done < state.total;
    const { note = '' } = state;
    if (!isNew && isSoon && this.#note === note) return;
    this.#note = note;
    this.#drawnAt = now;
    this.#isDrawn = true;
    const line = this.#line(state, now).slice(0, this.#printer.columns - 1);
    this.#printer.text(`${eraseLine}${line}`);
  }

  #writeLine(state: ProgressState, now: number): void {
    const { waitsUntil = 0, everyMs } = state;
    if (Number.isNaN(this.#lineDueAt)) this.#lineDueAt = now + (everyMs ?? firstLineMs);
    // answers of requests in flight move the end of a wait by seconds
    const isLongWait = waitsUntil >= Math.max(now, this.#reportedUntil) + longWaitMs;
    if (now < this.#lineDueAt && !isLongWait) return;
    this.#reportedUntil = Math.max(this.#reportedUntil, waitsUntil);
    this.#lineDueAt = now + (everyMs ?? linesApartMs);
    this.#printer.line(this.#line(state, now));
  }

  /** Writes a sentence on a line that stays; the same one again is left out. Under --verbose, the log has it. */
  note(sentence: string): void {
    if (!this.#isShown || sentence === this.#noted) return;
    this.#noted = sentence;
    this.clear();
    this.#printer.line(printable(sentence));
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
    if (creditsSpent > 0) parts.push(counted(creditsSpent, 'credit'));
    if (note !== undefined) return [...parts, note].join(' | ');
    const elapsedMs = now - this.#startedAt;
    const newlyDone = done - this.#doneAtStart;
    if (elapsedMs >= estimateAfterMs && newlyDone > 0 && done < total) {
      parts.push(`about ${duration((elapsedMs / newlyDone) * (total - done))} left`);
    }
    return parts.join(' | ');
  }
}

const phases: Readonly<Record<RunProgress['phase'], string>> = {
  planning: 'Planning',
  checking: 'Checking searches',
  volumes: 'Search volumes',
  answers: 'AI answers',
  reporting: 'Writing reports',
};

export function progressState({ phase, waits, ...state }: RunProgress): ProgressState {
  const note = waits.map(waitText).join(', ');
  const waitsUntil = Math.max(...waits.map(({ until }) => until));
  return { label: phases[phase], ...state, ...(note === '' ? {} : { note, waitsUntil }) };
}

/** Times are in the time zone of the terminal. */
function waitText({ service, until, why }: NonNullable<RunProgress['waits']>[number]): string {
  const clock = new Date(until).toTimeString().slice(0, 8);
  if (why === 'asked') return `service ${service} requires a wait until ${clock}`;
  const words = why === 'cut' ? 'requires a long wait' : 'is failing';
  return `service ${service} ${words}, next try at ${clock}`;
}
