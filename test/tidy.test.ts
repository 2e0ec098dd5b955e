// Checks style: lengths, file headers, names and banned words.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { productFiles, projectFiles } from './helpers/files.ts';

const product = productFiles();
const text = (file: string): string => readFileSync(file, 'utf8');
const lines = (file: string): string[] => text(file).split('\n');

const linesMax = 800;

describe('a file', () => {
  it('begins with a line that says what it is for', () => {
    expect(product.filter((file) => !/^\/\/ \S/.test(text(file)))).toEqual([]);
  });

  it('is not longer than 800 lines', () => {
    const long = product.filter((file) => lines(file).length > linesMax + 1);
    expect(long).toEqual([]);
  });

  it('has a kebab-case name, and no folder is named after a kind of declaration', () => {
    expect(product.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.tsx?$/.test(basename(file)))).toEqual([]);
    expect(product.filter((file) => /(^|\/)(utils?|helpers?|common|types|interfaces)(\/|\.ts$)/.test(file))).toEqual(
      [],
    );
  });
});

/** Folders whose comments and messages are plain English. */
const plainFolders = ['src/', 'jobs/', 'config/', 'db/', 'test/'];

/**
 * Words that usually signal a rewrite. Lines that need one, such as a list of search words, are allowed by their text.
 */
const bannedWords =
  /\b(told|tells|telling|nobody|somebody|whoever|whatever|hands|wish|wishes|greet(ing|s)?|farewell|reckon(s|ed)?|strangers?|thereof|of its own|is one thing|by itself|has its say|heard|known to|(each|next|last|every) look|looks (once|every)|what (is (no|none|both|the same|longer|larger|known of|said)|stands|came of))\b/i;
const columnsMax = 120;

/** Word order that signals a translated message: `x is no URL` for `x is not a URL`, `could not be had`. */
const translatedMessage = /(?<!\bthere )\bis no (?!longer\b|more\b)[a-z]|\b(be|been) had\b/i;

/** Texts in which a banned word is right. */
const allowedTexts = ['poems, quotes about, wishes, pain'];

const isBanned = (line: string): boolean => bannedWords.test(line) && !allowedTexts.some((text) => line.includes(text));

/** The string literals of a line of code that have more than one word, without their placeholders. */
const messagesOf = (line: string): string =>
  (line.match(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"/g) ?? [])
    .filter((literal) => literal.includes(' '))
    .map((literal) => literal.replace(/\$\{[^}]*\}/g, ''))
    .join(' ');

describe('the language', () => {
  const plain = projectFiles().filter(
    (file) =>
      /\.(tsx?|mjs)$/.test(file) &&
      // this file quotes what it bans
      file !== 'test/tidy.test.ts' &&
      plainFolders.some((folder) => file.startsWith(folder)),
  );
  const written = plain.flatMap((file) => lines(file).map((line, index) => ({ at: `${file}:${index + 1}`, line })));
  const comments = written.filter(({ line }) => /^\s*(\/\/|\/?\*)/.test(line));
  const code = written.filter(({ line }) => !/^\s*(\/\/|\/?\*)/.test(line));
  const docs = projectFiles()
    .filter((file) => /^(docs\/.*|README|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$/.test(file))
    .flatMap((file) => lines(file).map((line, index) => ({ at: `${file}:${index + 1}`, line })));

  it('is checked in comments of each folder and in the docs', () => {
    for (const folder of plainFolders) expect(comments.some(({ at }) => at.startsWith(folder))).toBe(true);
    for (const file of ['README.md', 'docs/reports.md']) expect(docs.some(({ at }) => at.startsWith(file))).toBe(true);
  });

  it('has no word in comments that signals a translated sentence', () => {
    expect(comments.filter(({ line }) => isBanned(line))).toEqual([]);
  });

  it('has no such word in messages', () => {
    expect(messagesOf("fail('nobody is here', told, 'tells')")).toBe("'nobody is here'");
    expect(code.filter(({ line }) => isBanned(messagesOf(line)))).toEqual([]);
  });

  it('has messages that say "is not a", and not "is no"', () => {
    expect(['"x" is no URL', 'the page could not be had'].every((words) => translatedMessage.test(words))).toBe(true);
    expect(['there is no URL', 'it is no longer due'].some((words) => translatedMessage.test(words))).toBe(false);
    expect(code.filter(({ line }) => translatedMessage.test(messagesOf(line)))).toEqual([]);
  });

  it('has no such word in the docs', () => {
    expect(docs.filter(({ line }) => isBanned(line))).toEqual([]);
  });

  it('has comments of at most 120 columns', () => {
    expect(comments.filter(({ line }) => line.length > columnsMax && !line.includes('biome-ignore'))).toEqual([]);
  });

  it('has file headers of one line', () => {
    expect(plain.filter((file) => file.endsWith('.ts') && lines(file)[1]?.startsWith('//'))).toEqual([]);
  });
});

describe('no file of the project', () => {
  const own = projectFiles().filter(
    (file) =>
      /\.(ts|mjs|md|json|ya?ml|sh)$|^\.ci\/run$/.test(file) &&
      file !== 'package-lock.json' &&
      file !== 'test/tidy.test.ts',
  );

  it('contains a note about unfinished work', () => {
    expect(own.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b|not implemented/.test(text(file)))).toEqual([]);
  });

  it('disables a check', () => {
    const switched =
      /\bas any\b|: any\b|@ts-(ignore|nocheck|expect-error)|biome-ignore(?! .*: \S)|\b(it|test|describe)\.(only|todo)\(/;
    expect(own.filter((file) => file.endsWith('.ts') && switched.test(text(file)))).toEqual([]);
  });

  it('names a path of one machine or the host of a registry', () => {
    const machinePath = /(^|[\s"'`(=:])\/(work|root|home|Users)\/|registry\.npmjs\.org|npm\.pkg\.github/m;
    expect(own.filter((file) => machinePath.test(text(file)))).toEqual([]);
  });

  it('has a default export, except for the settings of tools', () => {
    expect(own.filter((file) => /^export default/m.test(text(file)) && !/^[a-z]+\.config\.ts$/.test(file))).toEqual([]);
  });
});

describe('the lock file', () => {
  it('pins every package and names no address', () => {
    expect(text('package-lock.json')).not.toContain('"resolved"');
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const loose = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });
});

describe('the runtime', () => {
  it('is the pinned version on every machine', () => {
    const pinned = (JSON.parse(text('package.json')) as { devDependencies: Record<string, string> }).devDependencies[
      'node'
    ];
    expect(process.version).toBe(`v${pinned}`);
  });
});

describe('package.json', () => {
  it('has at most eight scripts', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(8);
  });
});
