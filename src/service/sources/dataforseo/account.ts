// A DataForSEO account, for pages and keyword data: its config options, and its balance.
import * as z from 'zod';
import type { Fields } from '../../net/fields.ts';
import type { KeyState } from '../vendor-kit/client/probe.ts';
import type { VendorCall } from '../vendor-kit/client/vendor-client.ts';
import { numberAt, objectAt } from '../vendor-kit/values.ts';
import { findResult } from './answer.ts';
import { authorization } from './task.ts';

/** A colon would end the login in the header that proves it. */
export const login = z
  .string()
  .regex(/^[\x21-\x39\x3b-\x7e]{1,250}$/, 'a login of printable characters without spaces')
  .describe('Login of the API, as its dashboard shows it.');

export const password = z
  .string()
  .regex(/^[\x21-\x7e]{1,250}$/, 'a password of printable characters without spaces')
  .describe('Password of the API; the password of the dashboard is a different one.');

/** The balance of the account, in micro-USD. It costs nothing. */
export const probe = {
  call: (key: string): VendorCall => ({ method: 'GET', path: '/v3/appendix/user_data', headers: authorization(key) }),
  read(root: Fields): KeyState {
    const usd = numberAt(objectAt(findResult(root), 'money'), 'balance');
    return { creditsLeft: usd === undefined ? null : Math.floor(usd * 1_000_000) };
  },
};
