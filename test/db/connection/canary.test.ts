// Secrets appear in no row: every account operation is used, and every column of the database is searched.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import type { Row } from '../../../db/connection/statement.ts';
import { openStore } from '../../../db/store.ts';
import { Accounts, createSearchDataService, ServiceError, startServer } from '../../../src/service/index.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { cheapScrypt } from '../../helpers/customers.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { memorySource, pageOf } from '../../helpers/memory-source.ts';

const canary = 'canary-5f1e2d-never-stored';

/** All values of all tables as text, except password hashes; outcomes unpacked. */
function valuesOf(file: string): string[] {
  const db = openConnection(file);
  const tables = db.sql("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) => db.sql(`SELECT * FROM "${String(name)}"`).all());
  const texts = rows.flatMap((row: Row) =>
    Object.entries(row).map(([column, value]) => {
      if (column === 'password_hash') return '';
      if (column === 'outcome' && value instanceof Buffer) return zstdDecompressSync(value).toString();
      return value instanceof Buffer ? value.toString('latin1') : String(value);
    }),
  );
  db.close();
  return texts;
}

it('passwords, guessed passwords and upstream details are in no column of the database and in none of its files', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'db.sqlite');
  const opened = openStore(file);
  const store = opened.accounts;
  const clock = new FakeClock();
  const accounts = new Accounts(store, clock, cheapScrypt);
  await accounts.create('acme', { serpCredits: 50, microUsd: 1_000_000 });
  const [ann, bob] = [await accounts.addUser('acme'), await accounts.addUser('acme')];
  await store.expireUser(bob.username, clock.now());
  const source = memorySource({
    page: (request) => {
      if (request.keyword !== 'fails') return pageOf(request);
      throw new ServiceError('SERP_FAILED', `The supplier at https://${canary}@supplier.example refused.`);
    },
  });
  const often = { count: 1e6, windowMs: 60_000 };
  const logins = { perUsername: often, perAddress: often };
  const service = createSearchDataService({ source, clock, accounts: store, scryptCost: cheapScrypt, logins });
  const server = await startServer({ service, accounts: store, clock });
  const statuses: number[] = [];
  for (const [user, password] of [
    [ann.username, ann.password],
    [ann.username, canary],
    [canary, canary],
    [bob.username, bob.password],
  ] as const) {
    const login = { 'content-type': 'application/json', 'service-api-user': user, 'service-api-password': password };
    for (const path of ['serp', 'keyword-data']) {
      for (const keyword of ['shoes', 'fails', 'shoes', '']) {
        const init = { method: 'POST', headers: { ...login, 'idempotency-key': `${path} ${keyword}.` } };
        const response = await fetch(`${server.url}/v1/${path}`, { ...init, body: JSON.stringify({ keyword }) });
        await response.text();
        statuses.push(response.status);
      }
    }
  }
  await store.revokeUser(bob.username, clock.now());
  await accounts.credit('acme', { serpCredits: 5, microUsd: 0 });
  await server.close();
  await service.close();

  const texts = valuesOf(file);
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  opened.close();
  expect(new Set(statuses)).toContain(200);
  expect(new Set(statuses)).toContain(401);
  for (const seen of [ann.username, bob.username, 'site1.example', 'serp shoes.'])
    expect(texts.some((text) => text.includes(seen))).toBe(true);
  for (const secret of [canary, ann.password, bob.password])
    expect([...texts, ...bytes].filter((text) => text.includes(secret)).length).toBe(0);
});
