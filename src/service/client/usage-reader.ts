// Reads the response to `GET /v1/usage`.
import type { UsageResponse } from '../access/usage.ts';
import { boundedJson } from '../net/bounded-json.ts';
import { Fields } from '../net/fields.ts';

/** Throws ShapeError for another shape. */
export function readUsage(text: string): UsageResponse {
  const root = new Fields(boundedJson(text), 'answer');
  const balance = required(root.object('balance'), root, 'balance');
  return {
    account: required(root.text('account'), root, 'account'),
    balance: readAmounts(balance),
    days:
      root.list('days', (day) => ({
        date: required(day.text('date'), day, 'date'),
        user: day.text('user') ?? null,
        requests: required(day.integer('requests'), day, 'requests'),
        ...readAmounts(day),
      })) ?? [],
  };
}

function readAmounts(fields: Fields): UsageResponse['balance'] {
  return {
    serp_credits: required(fields.integer('serp_credits'), fields, 'serp_credits'),
    usd: required(fields.number('usd'), fields, 'usd'),
  };
}

function required<T>(value: T | undefined, fields: Fields, name: string): T {
  if (value === undefined) throw fields.problem(name, 'is missing');
  return value;
}
