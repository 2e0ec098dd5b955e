// The tool that buys: a check of named keywords now. It exists only where the operator allows spending.
import { z } from 'zod';
import type { CheckAnswer } from '../edit-records.ts';
import { project } from './tool.ts';

const keywordsMax = 20;
const charactersMax = 2_000;

export const checkNowTool = {
  name: 'check_now',
  title: 'Check keywords now',
  about: `Buys results pages of tracked keywords now, which spends credits of the operator. Call it without "buy" first:
it buys nothing and says what the check may cost. Ask the user before you call it with "buy": true and the "confirm" of
that answer, which buys once; it then waits for the pages and says what they cost. keyword_table shows the new ranks.`,
  schema: z.strictObject({
    project,
    keywords: z
      .array(z.string().max(charactersMax))
      .min(1)
      .max(keywordsMax)
      .describe('texts of tracked keywords; every market and device of each is checked'),
    buy: z.boolean().default(false).describe('false: only the price'),
    confirm: z.string().max(charactersMax).optional().describe('with "buy": of the price that the user has agreed to'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
};

export type CheckNowRequest = z.infer<typeof checkNowTool.schema>;

export interface Allowance {
  /** SERP credits that purchases may still cost, beside the budget. */
  creditsLeft: number;
  /** Who buys, for the audit trail. */
  readonly by: string;
  /** What confirms the last price, by who asked for it and what is to be checked: for requests that do not name it. */
  readonly confirms: Map<string, string>;
}

/** Throws InvalidQuery with what an assistant may read. */
export type CheckNow = (request: CheckNowRequest, signal: AbortSignal) => Promise<CheckAnswer>;
