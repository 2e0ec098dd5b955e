// Docs are tested both ways: what the product has is documented, and what is documented exists.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandTable } from '../src/cli/command-table.ts';
import { projectFiles } from './helpers/files.ts';
import { referenceTables } from './helpers/reference.ts';
import { sourceTables } from './helpers/source-reference.ts';

const readme = readFileSync('README.md', 'utf8');
const tables = new Map([...referenceTables(), ...(await sourceTables())]);
const architecture = readFileSync('ARCHITECTURE.md', 'utf8');

describe('the README', () => {
  it.each([...tables])('holds the table of %s as the product has it, no row more and no row less', (name, table) => {
    const place = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)\\n<!-- /${name} -->`).exec(readme);
    expect(place?.[1]).toBe(table);
  });

  it('has its tables from their generators: `npx vitest run test/docs.test.ts -u` writes them anew', async () => {
    let written = readme;
    for (const [name, table] of tables) {
      const place = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n<!-- /${name} -->)`);
      written = written.replace(place, (_, before: string, after: string) => before + table + after);
    }
    await expect(written).toMatchFileSnapshot('../README.md');
  });

  it('begins with the two commands', () => {
    const commands = readme.split('\n').slice(0, 25).join('\n');
    expect(commands).toContain('npm ci && npm start');
    expect(commands).toContain('npm ci && npm test');
  });

  it('shows only commands that exist', () => {
    const known = new Set(commandTable.map((command) => command.name));
    const shown = [...readme.matchAll(/(?:npx rankledger|`rankledger) ([a-z][a-z-]*)/g)].map(([, name]) => name ?? '');
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names only files and folders that exist', () => {
    const named = [...architecture.matchAll(/`((?:src|jobs|db|config|test)\/[A-Za-z0-9./_-]*)`/g)].map(
      ([, path]) => path ?? '',
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('names every file of jobs and db, the rooms in which the pipeline lives', () => {
    const files = projectFiles().filter((file) => /^(jobs|db)\/[a-z-]+\.ts$/.test(file));
    expect(files.filter((file) => !architecture.includes(file))).toEqual([]);
  });

  it('says of every package why it is there', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).filter((name) => !architecture.includes(`\`${name}\``))).toEqual([]);
  });
});
