// Asks a vendor what each key has left, for free. A rejected key does not hide the others.
import { ServiceError } from '../../model/errors.ts';
import type { ChargeUnit, SourceProbe } from '../../model/source.ts';
import { type Fields, ShapeError } from '../../net/fields.ts';
import type { VendorClient } from './client.ts';
import { numberAt, wordsAt } from './values.ts';

/** The free request that tests a key, and the credits in its answer. */
export interface AccountForm<Options> {
  readonly path: string;
  /** Another base URL for it. */
  readonly baseUrl?: string;
  /**
   * Where the answer has the credits, or how they are read from it; null if the vendor does not say. Throws
   * ServiceError for a problem that prevents pages.
   */
  readonly left: readonly string[] | ((root: Fields, options: Options) => number | null);
  readonly plan?: string;
}

interface Probed<Options> {
  readonly name: string;
  readonly facts: { readonly prices: readonly { readonly unit: ChargeUnit }[] };
  readonly account: AccountForm<Options>;
}

interface KeyState {
  readonly creditsLeft: number | null;
  readonly plan?: string;
}

/** Asks with each key of the line. The vendor answers where any key is good. */
export async function probeKeys<Options>(
  line: VendorClient,
  { name, facts, account }: Probed<Options>,
  options: Options,
  signal: AbortSignal,
): Promise<SourceProbe> {
  const unit = facts.prices[0]?.unit ?? 'credit';
  const states = await Promise.all(line.keys.map((key) => askKey(line, account, options, key, signal)));
  const good = states.filter((state): state is KeyState => !(state instanceof ServiceError));
  const problems: ServiceError[] = [];
  const words: string[] = [];
  if (good.length > 0) words.push(`${name} answers${good.length === 1 ? '' : ` with ${good.length} keys`}.`);
  for (const [index, state] of states.entries()) {
    if (!(state instanceof ServiceError)) continue;
    words.push(`${states.length === 1 ? '' : `key ${index + 1}: `}${state.message} ${state.hint}`);
    problems.push(state);
  }
  const left = good.map(({ creditsLeft }) => creditsLeft).filter((credits) => credits !== null);
  const creditsLeft = left.length === 0 ? null : left.reduce((sum, credits) => sum + credits, 0);
  if (creditsLeft !== null && creditsLeft <= 0 && left.length === good.length) problems.push(nothingLeft(name));
  const plan = good.find((each) => each.plan !== undefined)?.plan;
  return {
    answers: good.length > 0,
    creditsLeft,
    unit,
    ...(plan !== undefined && { plan }),
    message: words.join(' '),
    ...(problems.length > 0 && { problems }),
  };
}

/** The outcome of a test by a source that states no credits. */
export function testOutcome(
  answers: boolean | null,
  message: string,
  problems: readonly ServiceError[] = [],
): SourceProbe {
  return { answers, creditsLeft: null, unit: 'credit', message, ...(problems.length > 0 && { problems }) };
}

/** A test whose failure is an outcome, too. */
export async function probing(probe: () => Promise<SourceProbe>): Promise<SourceProbe> {
  try {
    return await probe();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return testOutcome(false, `${error.message} ${error.hint}`, [error]);
  }
}

/** Of a vendor that cannot be asked about a key for nothing: whether its host can be reached. */
export async function probeHost(line: VendorClient, name: string, signal: AbortSignal): Promise<SourceProbe> {
  return await probing(async () => {
    await line.reach(signal);
    return testOutcome(null, `${name} can be reached. The key is tested with the first page.`);
  });
}

async function askKey<Options>(
  line: VendorClient,
  { path, left, plan }: AccountForm<Options>,
  options: Options,
  key: string,
  signal: AbortSignal,
): Promise<KeyState | ServiceError> {
  try {
    const { root } = await line.ask({ path }, key, signal);
    const creditsLeft = typeof left === 'function' ? left(root, options) : (numberAt(root, ...left) ?? null);
    return { creditsLeft, plan: plan === undefined ? undefined : wordsAt(root, plan) };
  } catch (error) {
    if (error instanceof ShapeError) return { creditsLeft: null };
    if (!(error instanceof ServiceError)) throw error;
    const isOther = error.code === 'UNREADABLE_RESPONSE';
    return isOther ? error.with({ hint: 'Check baseUrl: another server answers there.' }) : error;
  }
}

function nothingLeft(vendor: string): ServiceError {
  return new ServiceError('INSUFFICIENT_CREDITS', `No credits are left at ${vendor}.`, {
    hint: `Top up the account at ${vendor}.`,
  });
}
