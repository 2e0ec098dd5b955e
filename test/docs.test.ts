// The manual against the product, both ways: what the product has is documented, and what is documented exists.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandTable } from '../src/cli/command-table.ts';
import { exitCodes } from '../src/cli/exit-codes.ts';
import { reportTables } from '../src/tracker/report-tables.ts';
import { commandHelp, commandSections, commonOptions } from './helpers/command-reference.ts';
import {
  anchors,
  codeBlocks,
  documents,
  generatedSections,
  manualPages,
  prose,
  withSections,
} from './helpers/documents.ts';
import { productFiles, projectFiles } from './helpers/files.ts';
import { referenceTables } from './helpers/reference.ts';
import { sourceTables } from './helpers/source-reference.ts';

const tables = new Map([
  ...referenceTables(),
  ...(await sourceTables()),
  ['common-options', await commonOptions()],
  ['command-help', await commandSections()],
]);
const help = await commandHelp();
const pages = manualPages();
const readme = readFileSync('README.md', 'utf8');
const architecture = readFileSync('ARCHITECTURE.md', 'utf8');
const read = (file: string): string => readFileSync(file, 'utf8');

describe('the reference', () => {
  const sections = pages.flatMap((file) =>
    [...generatedSections(read(file))].map(([name, content]) => ({ name, content })),
  );

  it('has one section for each generated table, and no other generated section', () => {
    expect(sections.map(({ name }) => name).sort()).toEqual([...tables.keys()].sort());
  });

  it.each([...tables])('has exactly the table of %s that the product has', (name, table) => {
    expect(sections.find((section) => section.name === name)?.content).toBe(table);
  });

  it.each(pages.filter((file) => generatedSections(read(file)).size > 0))(
    '%s has its tables from their generators: `npx vitest run test/docs.test.ts --update` writes them anew',
    async (file) => {
      await expect(withSections(read(file), tables)).toMatchFileSnapshot(resolve(file));
    },
  );

  it('lists every exit code of the program', () => {
    const listed = [...read('docs/reference/commands.md').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    const launcher = [...read('src/cli/rankledger.mjs').matchAll(/^const cannotRun = (\d+)/gm)].map(([, code]) =>
      Number(code),
    );
    expect(listed.sort((one, other) => one - other)).toEqual(
      [...Object.values(exitCodes), ...launcher].sort((one, other) => one - other),
    );
  });
});

describe('the error codes of the command line', () => {
  const section =
    /## Error codes of the command line\n([\s\S]*?)\n## /.exec(read('docs/reference/errors.md'))?.[1] ?? '';
  const listed = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, codes = '']) => codes.match(/[A-Z_]{4,}/g) ?? []);
  const source = productFiles().map(read).join('\n');

  it('exist in the program', () => {
    expect(listed.length).toBeGreaterThan(25);
    expect(listed.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
  });

  it('include each code that the program raises', () => {
    const patterns = [
      /new (?:Command|Store|Queue)Error\(\s*'([A-Z_]+)'/g,
      /foreseen\([\w.]+, '([A-Z_]+)'\)/g,
      /readonly code(?:: [^;=]*)? = '([A-Z_]+)'/g,
      /^ {2}\| '((?:DATABASE|DISK|RUN|BACKUP)_[A-Z_]+)'/gm,
    ];
    const raised = patterns.map((pattern) => [...source.matchAll(pattern)].map(([, code = '']) => code));
    for (const codes of raised) expect(codes.length).toBeGreaterThan(0);
    expect([...new Set(raised.flat())].filter((code) => !listed.includes(code))).toEqual([]);
  });
});

describe('the README', () => {
  it('begins with the two commands', () => {
    const commands = readme.split('\n').slice(0, 25).join('\n');
    expect(commands).toContain('npm ci && npm start');
    expect(commands).toContain('npm ci && npm test');
  });

  it('has at most 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(151);
  });
});

describe('the manual', () => {
  it('shows only commands and options that exist', () => {
    const shown = pages.flatMap(commandLines);
    expect(shown.length).toBeGreaterThan(60);
    expect(shown.filter((line) => !exists(line, help))).toEqual([]);
  });

  it('shows every command in an example', () => {
    const shown = new Set(pages.flatMap(commandLines).map(({ words: [name] }) => name));
    expect(commandTable.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });

  it('names only options of commands that exist', () => {
    const known = new Set([...help.values()].flatMap((text) => text.match(/--[a-z][a-z-]*/g) ?? []));
    // of npm, Docker and the benchmarks
    const foreign = new Set(['--ignore-scripts', '--network', '--omit', '--only', '--save-dev', '--scale']);
    const named = pages.flatMap((file) =>
      [...prose(file).matchAll(/`[^`]*`/g)].flatMap(([code]) => options(code, file)),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(({ option }) => !known.has(option) && !foreign.has(option))).toEqual([]);
  });

  it('names only config keys that exist', () => {
    const keys = [...(tables.get('config') ?? '').matchAll(/^\| `([^`]+)`/gm)].map(([, key = '']) => key);
    const roots = new Set(keys.map((key) => /^[A-Za-z]+/.exec(key)?.[0] ?? ''));
    const plain = new Set(keys.map((key) => key.replaceAll(/\[\]/g, '').replaceAll('<name>.', '')));
    const named = pages.flatMap((file) =>
      [...prose(file).matchAll(/`([A-Za-z]+(?:\[\])?(?:\.[A-Za-z<>[\]]+)+)`/g)].map(([, key = '']) => ({ file, key })),
    );
    const wanted = named.filter(({ key }) => roots.has(/^[A-Za-z]+/.exec(key)?.[0] ?? '') && !isFileName(key));
    expect(wanted.length).toBeGreaterThan(7);
    expect(wanted.filter(({ key }) => !plain.has(key.replaceAll(/\[\]/g, '').replaceAll('<name>.', '')))).toEqual([]);
  });

  it('describes every table of a report, in the reference and in the list', () => {
    const written = reportTables.map((name) => `${name}.csv`);
    const sections = [...read('docs/reference/csv-columns.md').matchAll(/^## (.*\.csv)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual([...written, 'all-projects-long.csv', 'all-projects-wide.csv'].sort());
    const listed = [...read('docs/reports.md').matchAll(/^\| `(.*\.csv)` \|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(written.sort());
  });

  it('names only tables that a report has', () => {
    const known = new Set([...tables.keys()].map((name) => `${name}.csv`));
    const names = pages
      .filter((file) => /docs\/(reports|glossary|reference\/csv-columns)\.md/.test(file))
      .flatMap((file) => [...prose(file).matchAll(/`([a-z-]+\.csv)`/g)].map(([, name = '']) => name));
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it('has every page in its index, docs/README.md', () => {
    const index = read('docs/README.md');
    const others = pages.filter((file) => /^docs\/(?!README|decisions)/.test(file));
    expect(others.filter((file) => !index.includes(`](${relative('docs', file)})`))).toEqual([]);
  });
});

describe('the decisions', () => {
  const records = documents().filter((file) => /^docs\/decisions\/\d/.test(file));

  it('are short dated records of one shape, numbered without gaps', () => {
    expect(records.map((file) => Number(/\/(\d{4})-/.exec(file)?.[1]))).toEqual(records.map((_, index) => index + 1));
    const shape =
      /^# (\d+)\. .+\n\nDate: 20\d\d-\d\d-\d\d\n\n## Context\n\n[^#]+\n\n## Decision\n\n[^#]+\n\n## Consequences\n\n[^#]+$/;
    const wrong = records.filter((file, index) => shape.exec(read(file))?.[1] !== String(index + 1));
    expect(wrong).toEqual([]);
    expect(records.filter((file) => read(file).split('\n').length > 26)).toEqual([]);
  });

  it('are in their index', () => {
    const index = read('docs/decisions/README.md');
    expect(records.filter((file) => !index.includes(`](${relative('docs/decisions', file)})`))).toEqual([]);
  });
});

describe('links', () => {
  const links = documents().flatMap((file) =>
    [...prose(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => ({ file, link })),
  );

  it('lead to files and headings that exist', () => {
    expect(links.length).toBeGreaterThan(50);
    const broken = links.filter(({ file, link }) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : normalize(join(dirname(file), path));
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchors(target).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('of the program and its settings lead to pages that exist', () => {
    const files = projectFiles().filter((file) =>
      /^(src|jobs|db|config|test\/bench)\/.*\.(ts|yaml|service)$/.test(file),
    );
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/[a-z/-]+\.md/g)].map(([page]) => ({ file, page })),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ page }) => !existsSync(page))).toEqual([]);
    // the README is a front page: its sections may be removed at any time
    expect(files.filter((file) => /\bREADME\b/.test(read(file)))).toEqual([]);
  });

  it('of documents in the package lead to files in the package', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const isShipped = (path: string) => files.some((shipped) => path === shipped || path.startsWith(`${shipped}/`));
    const targets = links
      .filter(({ file }) => isShipped(file))
      .map(({ file, link }) => normalize(join(dirname(file), link.split('#')[0] || file.replace(/.*\//, ''))));
    expect(targets.length).toBeGreaterThan(50);
    expect(targets.filter((target) => !isShipped(target.replace(/\/$/, '')))).toEqual([]);
  });
});

describe.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s', (file) => {
  it('names only files and folders that exist', () => {
    const named = [...read(file).matchAll(/`((?:src|jobs|db|config|test)\/[A-Za-z0-9./_-]*)`/g)].map(
      ([, path]) => path ?? '',
    );
    expect(named.length).toBeGreaterThan(20);
    // NAME stands for what a contributor adds
    expect(named.filter((path) => !existsSync(path) && !path.includes('NAME'))).toEqual([]);
  });

  it('has at most 150 lines', () => {
    expect(read(file).split('\n').length).toBeLessThanOrEqual(151);
  });
});

describe('ARCHITECTURE.md', () => {
  it('has every subject of the product in its map', () => {
    const folders = new Set(productFiles().map((file) => dirname(file)));
    const [, map = ''] = /## Folders\n([\s\S]*?)\n## /.exec(architecture) ?? [];
    const named = new Set([...map.matchAll(/`((?:src|jobs|db|config)\b[a-z/-]*)`/g)].map(([, folder = '']) => folder));
    // the map has subjects, not their folders of parts
    const mapped = [...folders].map((folder) => {
      const levels = folder.startsWith('config') ? 1 : folder.startsWith('src/service/') ? 3 : 2;
      return folder.split('/').slice(0, levels).join('/');
    });
    expect([...new Set(mapped)].filter((folder) => !named.has(folder))).toEqual([]);
    expect([...named].filter((folder) => !existsSync(folder))).toEqual([]);
  });

  it('gives a purpose for every package', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).filter((name) => !architecture.includes(`\`${name}\``))).toEqual([]);
  });
});

interface CommandLine {
  readonly file: string;
  /** Without the name of the program. */
  readonly words: readonly string[];
}

/** Command lines of rankledger in blocks of code and in `code` of the text. */
function commandLines(file: string): CommandLine[] {
  const blocks = codeBlocks(file)
    .filter(({ language }) => ['sh', 'console', 'cron'].includes(language))
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, ''));
  const inline = [...prose(file).matchAll(/`(?:npx )?(rankledger [a-z][^`]*)`/g)].map(([, line = '']) => line);
  return [...blocks, ...inline].flatMap((line) => {
    const [, command] = /(?:^|\s|\$ )rankledger ([a-z].*)$/.exec(line) ?? [];
    if (command === undefined || /^docker |image/.test(line)) return [];
    return [{ file, words: (command.match(/"[^"]*"|\S+/g) ?? []).slice(0, stop(command)) }];
  });
}

/** How many words of a line are arguments, and not what the shell does with the output. */
function stop(line: string): number {
  const words = line.match(/"[^"]*"|\S+/g) ?? [];
  const end = words.findIndex((word) => /^(>>?|2>&1|\||&&|;)$/.test(word));
  return end === -1 ? words.length : end;
}

function exists({ words: [name = '', ...rest] }: CommandLine, help: ReadonlyMap<string, string>): boolean {
  // a domain is short for `start`
  const own = help.get(name === 'example.com' ? 'start' : name);
  if (own === undefined) return false;
  const subcommand = rest.find((word) => !word.startsWith('-')) ?? '';
  const text = own + (help.get(`${name} ${subcommand}`) ?? '');
  return rest
    .filter((word) => word.startsWith('--') && word !== '--')
    .every((word) => text.includes(word.split('=')[0] ?? word));
}

function options(code: string, file: string): { file: string; option: string }[] {
  return (code.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []).map((option) => ({ file, option }));
}

function isFileName(text: string): boolean {
  return /\.(html|csv|yaml|yml|json|xlsx|sqlite|ts|md|log|jsonl|parquet)$/.test(text);
}
