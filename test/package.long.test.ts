// The package as it would be published, installed beside its dependencies: what a program that depends on it finds.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = `
import * as all from 'rankledger';
import * as service from 'rankledger/service';
import { openAccountStore } from 'rankledger/accounts';

const { accounts, close } = openAccountStore('accounts.sqlite');
const shop = new all.Accounts(accounts, all.systemClock);
await shop.create('acme', { serpCredits: 3, microUsd: 0 });
close();
const again = openAccountStore('accounts.sqlite');
const { serpCredits } = await again.accounts.findAccount('acme');
again.close();
const source = await all.createSource('sandbox', {}, { clock: all.systemClock });
const sold = await all.createSearchDataService({ source, clock: all.systemClock }).serp({ keyword: 'shoes' });
console.log(JSON.stringify({ isSame: all.createSearchDataService === service.createSearchDataService,
  names: Object.keys(all).length === Object.keys(service).length, serpCredits, results: sold.pages[0].serp.organic.length }));
`;
/** What a program in TypeScript writes: its types are those of the package. */
const typed = `
import { openAccountStore } from 'rankledger/accounts';
import { createSearchDataService, type SearchDataService } from 'rankledger';
import { accountStoreContract } from 'rankledger/contract/account-store';
export type Service = SearchDataService;
export const uses = [openAccountStore, createSearchDataService, accountStoreContract];
`;

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly files: readonly string[];
}

let folder: string;
let installed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-package-'));
  installed = join(folder, 'node_modules', 'rankledger');
  mkdirSync(installed, { recursive: true });
  const dist = join(installed, 'dist');
  const compiler = resolve('node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', dist], { stdio: 'pipe' });
  cpSync('db/migrations', join(dist, 'db/migrations'), { recursive: true });
  cpSync('package.json', join(installed, 'package.json'));
  const { dependencies, files } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  for (const file of files) if (file !== 'dist') cpSync(file, join(installed, file), { recursive: true });
  // a consumer has what is declared and nothing else; vitest, the optional peer, is for the contract suite
  for (const name of [...Object.keys(dependencies), 'vitest']) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(join(place, '..'), { recursive: true });
    symlinkSync(resolve('node_modules', name), place);
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'program.js'), program);
  writeFileSync(join(folder, 'typed.ts'), typed);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('opens by its name as by rankledger/service, with the accounts in SQLite beside it', () => {
    const out = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' });
    const { results, ...facts } = JSON.parse(out) as { results: number };
    expect(facts).toEqual({ isSame: true, names: true, serpCredits: 3 });
    expect(results).toBeGreaterThanOrEqual(4);
  });

  it('brings no Node of its own: scripts of its consumers run on theirs', () => {
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
    expect(Object.keys(dependencies)).not.toContain('node');
    expect(existsSync(join(folder, 'node_modules', 'node'))).toBe(false);
  });

  it('has types that compile under strict settings, with nothing but what it declares', () => {
    const compiler = resolve('node_modules/typescript/bin/tsc');
    const settings = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      'typed.ts',
    ];
    execFileSync(process.execPath, [compiler, ...settings], { cwd: folder, stdio: 'pipe' });
  });

  it('has the files for a deployment', () => {
    expect(readdirSync(join(installed, 'config/deploy'))).toContain('rankledger.service');
  });
});
