// Shared parts of the schema: validated texts, names, paths, counts, durations, dollars, tags.
import * as z from 'zod';
import { countryComplaint, depthMax, languageComplaint, tagComplaint } from './complaints.ts';

const unitMs = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** Also used by the JSON schema. */
const durationPattern = /^(\d{1,6})(s|m|h|d|w)$/;

/** Milliseconds of `90s`, `30m`, `12h`, `7d` or `2w`. Throws RangeError for other texts. */
export function durationMs(written: string): number {
  const match = durationPattern.exec(written);
  const unit = unitMs.get(match?.[2] ?? '');
  if (match?.[1] === undefined || unit === undefined) throw new RangeError(`not a duration: ${written}`);
  return Number(match[1]) * unit;
}

/** The largest budget in dollars; its micro-USD are far below the largest safe integer. */
export const usdMax = 1_000_000;

/**
 * Micro-USD of a dollar amount such as 1, 0.5 or 12.345678; undefined if it is negative or has more than six decimals.
 * Works on the shortest decimal text of the number, which is the written one up to 15 digits, so that nothing is
 * rounded.
 */
export function toMicroUsd(dollars: number): number | undefined {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(dollars));
  if (match?.[1] === undefined) return undefined;
  return Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'));
}

const pathCharactersMax = 4096;

/** Text that passes a validation function. */
export function text(complaint: (value: string) => string | undefined, charactersMax = 1_000) {
  return z
    .string()
    .min(1)
    .max(charactersMax)
    .check((context) => {
      const message = complaint(context.value);
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
    });
}

/**
 * A large schema of a key that most configs do not have; the key must be optional. Plain `z.lazy` makes it to learn
 * whether it has a default, also where the key is missing.
 */
export function madeWhenNeeded<T extends z.ZodType>(make: () => T): z.ZodLazy<T> {
  const schema = z.lazy(make);
  schema._zod.optin = undefined;
  return schema;
}

export const duration = z
  .string()
  .regex(durationPattern, 'is not a duration; write a whole number and s, m, h, d or w, such as 90s, 30m, 12h, 7d');

/** In double quotes, "data\runs" has a carriage return: a mistake of writers of Windows paths. */
export const path = text(
  (value) =>
    /\p{Cc}/u.test(value)
      ? 'contains a control character; write it in single quotes: in double quotes, \\ begins an escape'
      : undefined,
  pathCharactersMax,
);

/** A positive integer. */
export const count = (max: number) => z.int().min(1).max(max);

export const country = text(countryComplaint, 20);
export const language = text(languageComplaint, 20);
export const devices = z
  .array(z.enum(['desktop', 'mobile']))
  .min(1)
  .max(2);
/** Which places exist depends on the country: see rules/geo-targets.ts. */
export const location = z.string().min(1).max(200);
export const depth = count(depthMax);

export const tags = z.array(text(tagComplaint)).max(50);

/** Names of services, accounts, projects and channels. */
export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or digit',
  );

/** Earlier names of a project or a service: what they recorded in the database belongs to it. */
export const formerly = z
  .array(name)
  .max(20)
  .optional()
  .describe('Earlier names, oldest first: their history belongs to this one. `rankledger rename` writes them.');

/** For every service. */
export const retryUnreadable = z
  .int()
  .min(0)
  .max(2)
  .optional()
  .describe(
    'How often a run buys a page again if its answer is unreadable or implausible. Default: 1 if the price of a page is known or failures are free, else 0.',
  );

/** For every service that sells pages. */
export const usdPerThousand = z
  .number()
  .positive()
  .max(10_000)
  .optional()
  .describe('What 1,000 SERP credits cost with your plan, in US dollars. Default: the list price of the source.');
