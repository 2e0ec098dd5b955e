// One preflight check within a time limit: its subject, state, problems and remedies.
import { ServiceError, type SourcePrice, type SourceProbe } from '../../service/index.ts';

/**
 * `refused`: it answers, but would refuse a run because of credentials, credits or an address. `failed`: it does not
 * answer, or cannot be used.
 */
export type PreflightState = 'ok' | 'not-asked' | 'refused' | 'failed';

export interface PreflightProblem {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
}

/** The subject of a check. */
export interface PreflightSubject {
  readonly what: 'database' | 'queue' | 'pages' | 'keyword-data' | 'pages-and-keyword-data' | 'answers' | 'account';
  /** Name of the service in the config; null for other subjects. */
  readonly service: string | null;
  /** Name of the source behind it, or of the account; null where there is none. */
  readonly source: string | null;
}

/** List price of pages or keyword data, for the method that the config chooses. */
export interface PreflightPrice {
  readonly unit: SourcePrice['unit'];
  /**
   * Pages: the first of a search, and each further one. Keyword data: a request for one keyword, and each related
   * keyword in its answer.
   */
  readonly first: number;
  readonly further: number;
  /** Keyword data: each further tracked keyword in the same request. Pages: null. */
  readonly together: number | null;
  /** Micro-USD of a unit, over the plans that are sold. */
  readonly unitMicroUsd: SourcePrice['unitMicroUsd'];
  readonly asOf: string;
}

export interface PreflightCheck extends PreflightSubject {
  readonly state: PreflightState;
  /** A sentence for people. */
  readonly says: string;
  readonly problems: readonly PreflightProblem[];
  /** Warnings: it works now, but may soon fail. */
  readonly warnings: readonly string[];
  /** Credits left, in the unit of the source; null if unknown. */
  readonly creditsLeft: number | null;
  readonly unit: SourceProbe['unit'] | null;
  readonly plan: string | null;
  /** Null if its price is unknown or it is free. */
  readonly price: PreflightPrice | null;
  /** Of a chain, each source of it. */
  readonly parts: readonly PreflightCheck[];
}

/** The result of a check that did not fail. */
export type PreflightResult = Partial<Omit<PreflightCheck, keyof PreflightSubject>> & { readonly says: string };

/** `timeoutMs`: for each check. `signal`: cancels all of them. */
export interface PreflightLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs the check. Errors are part of the result; only the signal of the limits rejects, with its reason. */
export async function runPreflightCheck(
  subject: PreflightSubject,
  { timeoutMs, signal }: PreflightLimits,
  work: (signal: AbortSignal) => Promise<PreflightResult>,
): Promise<PreflightCheck> {
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => deadline.abort(tooLong(timeoutMs)), timeoutMs);
  try {
    return preflightCheck(subject, await orAborted(work(deadline.signal), deadline.signal));
  } catch (error) {
    signal.throwIfAborted();
    const problem = toProblem(error);
    return preflightCheck(subject, { says: problem.message, state: summariseState([problem]), problems: [problem] });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

export function preflightCheck(subject: PreflightSubject, result: PreflightResult): PreflightCheck {
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
    ...result,
  };
}

/** Turns the answer of a source to its probe into a finding. */
export function toPreflightResult(probe: SourceProbe): PreflightResult {
  const problems = (probe.problems ?? []).map(toProblem);
  const isUnclear = probe.answers === false && problems.length === 0;
  return {
    says: probe.message,
    state: isUnclear ? 'failed' : probe.answers === null ? 'not-asked' : summariseState(problems),
    problems,
    creditsLeft: probe.creditsLeft,
    unit: probe.unit,
    plan: probe.plan ?? null,
  };
}

/** How long cancelled work may take to return its result. */
const graceMs = 500;

const refusals: ReadonlySet<string> = new Set([
  'INVALID_API_KEY',
  'INVALID_CREDENTIALS',
  'CREDENTIALS_EXPIRED',
  'INSUFFICIENT_CREDITS',
  'IP_NOT_WHITELISTED',
]);

/** A refusal outranks a failure: it needs an operator. */
export function summariseState(problems: readonly PreflightProblem[]): PreflightState {
  if (problems.some(({ code }) => refusals.has(code))) return 'refused';
  return problems.length > 0 ? 'failed' : 'ok';
}

function toProblem(error: unknown): PreflightProblem {
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
    hint: 'Check its address and the network, or raise --timeout.',
  });
}

/** Work may still return its result shortly after its time is over. Work that ignores the signal is abandoned. */
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
