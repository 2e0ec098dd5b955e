// Logins are cached, and the next call sees a change from any process.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Logins } from '../../../db/accounts/accounts.ts';
import { openConnection } from '../../../db/connection/client.ts';
import { openStore } from '../../../db/store.ts';
import { account, apiUser } from '../../contract/account-store.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

async function setUp() {
  const file = join(temporaryFolder(), 'db.sqlite');
  const [here, elsewhere] = [openStore(file), openStore(file)];
  await here.accounts.createAccount(account('acme', { serpCredits: 9 }));
  await here.accounts.createUser(apiUser('ann', 'acme'));
  const close = () => {
    here.close();
    elsewhere.close();
  };
  return { file, here: here.accounts, elsewhere: elsewhere.accounts, close };
}

it('a revocation, an expiry, a rule and a new user take effect at once, from this process or another', async () => {
  const { here, elsewhere, close } = await setUp();
  for (const [index, writer] of [here, elsewhere].entries()) {
    const find = async () => {
      await here.findLogin('ann');
      return await here.findLogin('ann');
    };
    expect((await find())?.user.revokedAt).toBeUndefined();
    await writer.expireUser('ann', 70 + index);
    expect((await find())?.user.expiresAt).toBe(70 + index);
    await writer.setWhitelist('acme', [`10.0.0.${index}`]);
    expect((await find())?.whitelist).toEqual([`10.0.0.${index}`]);
    expect(await here.findLogin(`new ${index}`)).toBeUndefined();
    await writer.createUser(apiUser(`new ${index}`, 'acme'));
    expect((await here.findLogin(`new ${index}`))?.user.account).toBe('acme');
  }
  await here.findLogin('ann');
  await elsewhere.revokeUser('ann', 99);
  const [first, second] = await Promise.all([here.findLogin('ann'), here.findLogin('ann')]);
  expect([first?.user.revokedAt, second?.user.revokedAt]).toEqual([99, 99]);
  close();
});

it('the second call of a turn sees a change that commits after the first call', async () => {
  const { file, here, close } = await setUp();
  await here.findLogin('ann');
  const other = openConnection(file);
  const first = here.findLogin('ann');
  other.transaction(() => other.sql("UPDATE api_users SET revoked_at = 5 WHERE username = 'ann'").run());
  expect((await here.findLogin('ann'))?.user.revokedAt).toBe(5);
  await first;
  other.close();
  close();
});

it('accounts are not read again if only charges of this process were written', async () => {
  const { file, close } = await setUp();
  const db = openConnection(file);
  const logins = new Logins(db);
  const login = await logins.find('ann');
  db.transaction(() => db.sql('UPDATE accounts SET serp_credits = serp_credits - 1').run());
  expect(await logins.find('ann')).toBe(login);
  logins.forget();
  expect(await logins.find('ann')).not.toBe(login);
  db.close();
  close();
});
