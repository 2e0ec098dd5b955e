// The log of a run in which everything fails: each credit can be followed, and no output has a secret.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../../src/cli/terminal/log.ts';
import { Printer } from '../../../src/cli/terminal/printer.ts';
import { type Fault, startProvider } from '../../helpers/provider.ts';
import { folderOf } from '../child.ts';
import { TextStream } from '../fake-host.ts';

const canary = 'canary-9b2c7e-never-shown';
const keywords = ['well', 'lost', 'broken', 'cut', 'refused', 'html', 'limited', 'bare', 'late'];

const faults: Readonly<Record<string, Fault>> = {
  lost: 'reset-after-sale',
  broken: { status: 502, sold: true, error: `The supplier at https://ann:${canary}@supplier.example/p?x=1 failed.` },
  cut: 'truncated',
  refused: { status: 400, error: `Not for user-${canary} with password-${canary}.` },
  html: 'html',
  limited: { status: 429, retryAfter: '0', error: `Too many of user-${canary}.` },
  bare: 'empty',
};

test('at debug level, the log opens and settles each purchase under its run and check, unknown ones as warnings, without secrets', async () => {
  const asked = new Map<string, number>();
  const provider = await startProvider({
    user: `user-${canary}`,
    password: `password-${canary}`,
    fault: (_nth, body) => {
      const name = String(body['keyword']);
      asked.set(name, (asked.get(name) ?? 0) + 1);
      return name === 'limited' && (asked.get(name) ?? 0) > 1 ? 'ok' : (faults[name] ?? 'ok');
    },
  });
  const folder = folderOf(
    {
      'rankledger.yaml': `services:
  default: { mode: remote, baseUrl: "${provider.url}", user: "\${U}", password: "\${P}", concurrency: 4, requestsPerSecond: 500 }
projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [${keywords.join(', ')}] }
`,
    },
    { U: provider.user, P: provider.password },
  );
  try {
    const ended = await folder.run('run', '--all', '--verbose');
    expect(ended.exitCode).toBe(3);
    const audit = await folder.run('audit', '--json', '--verbose');
    const purchases = ended.log.filter((line) => 'purchaseId' in line);
    const first = ended.log.findIndex(({ msg }) => msg === 'run opened');
    expect(ended.log.at(-1)?.['msg']).toBe('run closed');
    for (const line of ended.log.slice(first)) expect({ line, runId: line['runId'] }).toMatchObject({ runId: 1 });
    const opened = purchases.filter(({ msg }) => msg === 'purchase opened');
    const settled = purchases.filter(({ state }) => state !== undefined);
    expect(opened.length).toBe(provider.requests.length);
    for (const line of opened) {
      expect(line).toMatchObject({
        checkId: expect.any(Number),
        page: 1,
        service: 'default',
        attempt: expect.any(Number),
      });
      const end = settled.filter(({ purchaseId }) => purchaseId === line['purchaseId']);
      expect(end).toMatchObject([{ checkId: line['checkId'], requestKey: line['requestKey'] }]);
      expect(end[0]?.['level']).toBe(end[0]?.['state'] === 'unknown' ? 40 : 20);
    }
    const unknown = (JSON.parse(audit.out) as { unknownPurchases: { purchaseId: number }[] }).unknownPurchases;
    const warned = settled.filter(({ level }) => level === 40).map(({ purchaseId }) => purchaseId);
    expect(warned.sort()).toEqual(unknown.map(({ purchaseId }) => purchaseId).sort());
    expect(unknown.length).toBeGreaterThan(6);
    expect(ended.log.filter(({ msg }) => msg === 'check ended').length).toBe(keywords.length);
    const files = readdirSync(join(folder.path, 'reports'), { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const written = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
    const all = [ended.out, ended.err, audit.out, audit.err, JSON.stringify([ended.log, audit.log])].join('\n');
    expect(all).not.toContain(canary);
    expect(files.length).toBeGreaterThan(2);
    expect(written.filter((text) => text.includes(`user-${canary}`) || text.includes(`password-${canary}`))).toEqual(
      [],
    );
  } finally {
    folder.remove();
    await provider.close();
  }
});

test('a log line hides a secret that a caller passes, and logins in addresses', () => {
  const stream = new TextStream();
  const log = openLog(new Printer(stream), true, false);
  log.warn(
    { password: canary, service: { token: canary }, url: `redis://ann:${canary}@127.0.0.1:6379/0` },
    `see https://x:${canary}@a.example/b`,
  );
  expect(stream.text).not.toContain(canary);
  expect(JSON.parse(stream.text)).toMatchObject({
    password: '***',
    url: 'redis://***@127.0.0.1:6379/0',
    msg: 'see https://***@a.example/b',
  });
});
