// The words that the engine parsers match on, from literals in their code, and names of HTML: what fixtures may keep.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { html } from 'parse5';

/** Files of the engines that match no words of a page: contracts, CSS, URLs to request, engines without a parser. */
const noReader =
  /engines\/(?:engine|names|links|registry|anonymise|aliases|vocabulary|relevance|(?:brave|naver|yahoo|yandex)\/urls)\.ts$|(?:style-sheet|other-market|duckduckgo\/regions)\.ts$/;

/** Strings and patterns of formatted code, and comments, which are skipped. */
const literal =
  /\/\*[\s\S]*?\*\/|\/\/.*|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`(?:\\.|[^`\\])*`|(?<=[(=:,!?&|[]\s*|return )(\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/)/g;
/** Names in our own output, and imported files. */
const ownNames = /\btype: '\w+'|\bname: '\w+'|\badd\(\s*'\w+'|(?<!\|)\| '\w+'|'\w+' \|(?!\|)|from '[^']+'/g;

/** Labels of hosts that name no site. */
const noSite = new Set(['', 'ad', 'com', 'm', 'mobile', 'www']);

/** Lower-case words of letters and digits, and host labels in patterns; in alphabetical order. */
async function readerWords(): Promise<{ vocabulary: string[]; sites: string[] }> {
  const words = new Set(Object.values(html.TAG_NAMES).flatMap(wordsOf));
  const sites = new Set<string>();
  for await (const file of glob('src/service/engines/**/*.ts')) {
    if (noReader.test(file)) continue;
    const source = readFileSync(file, 'utf8').replace(ownNames, ' ');
    for (const [, single, double, pattern = ''] of source.matchAll(literal)) {
      const text = single ?? double ?? plain(pattern);
      const isMessage = /^[A-Z].* .*[.:"]$/.test(text);
      for (const word of isMessage ? [] : wordsOf(text)) words.add(word);
      for (const [labels] of pattern.matchAll(/(?<![A-Za-z\\/])[a-z|]+(?=\)?\\\.)/g))
        for (const label of labels.split('|')) sites.add(label);
    }
  }
  return { vocabulary: [...words].sort(), sites: [...sites].filter((label) => !noSite.has(label)).sort() };
}

/** A pattern without its escapes, classes of characters and flags. */
function plain(pattern: string): string {
  return pattern
    .replace(/\\[pP]\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\[(?:\\.|[^\]\\])*\]/g, ' ')
    .replace(/\\[a-zA-Z]/g, ' ')
    .replace(/\{[\d,]*\}/g, ' ');
}

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase()).filter((word) => word.length > 1);
}

/** The generated file. */
export async function vocabularyFile(): Promise<string> {
  const { vocabulary, sites } = await readerWords();
  const set = (words: readonly string[]) =>
    `new Set(\n  \`\n${lines(words)}\n\`\n    .trim()\n    .split(/\\s+/),\n);\n`;
  return `// Words that \`parse --anonymise\` keeps. Generated: npx vitest run test/service/engines/vocabulary.test.ts --update

/** Words of names, addresses and texts. */
export const vocabulary: ReadonlySet<string> = ${set(vocabulary)}
/** Sites that have a meaning for the readers. */
export const sites: ReadonlySet<string> = ${set(sites)}`;
}

function lines(words: readonly string[]): string {
  const all: string[] = [];
  for (const word of words) {
    const last = all.at(-1);
    if (last === undefined || last.length + word.length > 110) all.push(`  ${word}`);
    else all[all.length - 1] = `${last} ${word}`;
  }
  return all.join('\n');
}
