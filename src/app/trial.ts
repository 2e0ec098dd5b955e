// One thing tried for real, within a bounded time: what it is, how it stands, what is wrong and what to do. What is tried is left to others.
import { ServiceError, type SourcePrice, type SourceProbe } from '../service/index.ts';

/** `refused`: it answers, and would refuse a run for credentials, credits or an address. `failed`: it does not answer, or cannot be used. */
export type TrialState = 'ok' | 'not-asked' | 'refused' | 'failed';

export interface TrialProblem {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
}

/** What a trial is of. */
export interface TrialSubject {
  readonly what: 'database' | 'queue' | 'pages' | 'keyword-data' | 'pages-and-keyword-data' | 'account';
  /** Name of the service in the config; null for what is none. */
  readonly service: string | null;
  /** Name of the source behind it, or of the account; null where there is none. */
  readonly source: string | null;
}

/** What pages or keyword data cost there, of the way that the config chooses. */
export interface TrialPrice {
  readonly unit: SourcePrice['unit'];
  /** Of pages: the first of a search, and each further one. Of keyword data: a request for a keyword, and each related one that it brings besides. */
  readonly first: number;
  readonly further: number;
  /** Of keyword data: each further tracked keyword that the same request asks for; null of pages. */
  readonly together: number | null;
  /** Micro-USD of a unit, over the plans that are sold. */
  readonly unitMicroUsd: SourcePrice['unitMicroUsd'];
  readonly asOf: string;
}

export interface Trial extends TrialSubject {
  readonly state: TrialState;
  /** A sentence for people. */
  readonly says: string;
  readonly problems: readonly TrialProblem[];
  /** What works, and may not for long. */
  readonly warnings: readonly string[];
  /** What is left there, in its unit; null where it is not told. */
  readonly creditsLeft: number | null;
  readonly unit: SourceProbe['unit'] | null;
  readonly plan: string | null;
  /** Null where nothing is known of its price: it is free, or only its operator knows. */
  readonly price: TrialPrice | null;
  /** Of a chain, each source of it. */
  readonly parts: readonly Trial[];
}

/** What a trial found, where it did not fail. */
export type Finding = Partial<Omit<Trial, keyof TrialSubject>> & { readonly says: string };

/** How long each trial may take, and who may end all of them. */
export interface TrialLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Tries it. Whatever goes wrong is part of the result; only the signal of the limits rejects, with its reason. */
export async function tried(
  subject: TrialSubject,
  { timeoutMs, signal }: TrialLimits,
  work: (signal: AbortSignal) => Promise<Finding>,
): Promise<Trial> {
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => deadline.abort(tooLong(timeoutMs)), timeoutMs);
  try {
    return trialOf(subject, await orAborted(work(deadline.signal), deadline.signal));
  } catch (error) {
    signal.throwIfAborted();
    const problem = problemOf(error);
    return trialOf(subject, { says: problem.message, state: stateOf([problem]), problems: [problem] });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

export function trialOf(subject: TrialSubject, finding: Finding): Trial {
  return {
    ...subject,
    state: 'ok',
    problems: [],
    warnings: [],
    creditsLeft: null,
    unit: null,
    plan: null,
    price: null,
    parts: [],
    ...finding,
  };
}

/** What a source says of itself, as a finding. */
export function findingOf(probe: SourceProbe): Finding {
  const problems = (probe.problems ?? []).map(problemOf);
  const isUnclear = probe.answers === false && problems.length === 0;
  return {
    says: probe.message,
    state: isUnclear ? 'failed' : probe.answers === null ? 'not-asked' : stateOf(problems),
    problems,
    creditsLeft: probe.creditsLeft,
    unit: probe.unit,
    plan: probe.plan ?? null,
  };
}

/** How long work that was given up may take to say what it found. */
const graceMs = 500;

const refusals: ReadonlySet<string> = new Set([
  'INVALID_API_KEY',
  'INVALID_CREDENTIALS',
  'CREDENTIALS_EXPIRED',
  'INSUFFICIENT_CREDITS',
  'IP_NOT_WHITELISTED',
]);

/** A refusal weighs more than a failure: it does not go away by itself. */
export function stateOf(problems: readonly TrialProblem[]): TrialState {
  if (problems.some(({ code }) => refusals.has(code))) return 'refused';
  return problems.length > 0 ? 'failed' : 'ok';
}

function problemOf(error: unknown): TrialProblem {
  if (!(error instanceof Error)) return { code: 'UNEXPECTED', message: String(error), remedy: null };
  const { code, hint } = error as { readonly code?: unknown; readonly hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'UNEXPECTED',
    message: error.message,
    remedy: typeof hint === 'string' ? hint : null,
  };
}

function tooLong(timeoutMs: number): ServiceError {
  return new ServiceError('TIMEOUT', `There was no answer within ${timeoutMs / 1000} s.`, {
    charged: 'no',
    hint: 'Check its address and the network, or give it more time with --timeout.',
  });
}

/** Work may still tell what it knows when its time is over; what ignores the signal is left to end unseen. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      grace = setTimeout(() => reject(signal.reason), graceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(grace);
      signal.removeEventListener('abort', giveUp);
    });
  });
}
