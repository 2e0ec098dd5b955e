// The longest time of any regular expression of the product on hostile text: a megabyte, or up to its limit.
import { bounded } from '../redos/bounded.ts';
import { expressionsOfTheProduct } from '../redos/expressions.ts';
import type { BenchRow } from './row.ts';

const msMax = 500;
const megabyte = 1_048_576;
/** What patterns repeat over, and what makes them fail at the end. */
const pieces = [
  'a',
  'A',
  '0',
  ' ',
  '\t',
  '\n',
  '/',
  '.',
  '-',
  ':',
  '(',
  '[',
  '<',
  '"',
  '=',
  '://',
  'a.',
  'a ',
  '1,',
  '..',
];
const wordy = ['http://a', 'a: ', ' · ', '\u00e9', 'zone ', 'no ', 'invalid', 'exceeded', 'plan', 'consent.google.'];

/** One line. */
export async function benchServiceRegexes(quick: boolean): Promise<BenchRow[]> {
  const limits = new Map(bounded.map(({ text, charsMax }) => [text, charsMax]));
  let worst = { ms: 0, text: '', piece: '' };
  const { literals } = expressionsOfTheProduct();
  for (const { pattern, flags, text } of literals) {
    const chars = Math.min(quick ? megabyte / 8 : megabyte, limits.get(text) ?? megabyte);
    for (const piece of [...pieces, ...wordy]) {
      const hostile = `${piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars - 1)}\0`;
      const expression = new RegExp(pattern, flags);
      const start = performance.now();
      hostile.replace(expression, '');
      const ms = performance.now() - start;
      if (ms > worst.ms) worst = { ms, text, piece };
    }
  }
  return [
    {
      name: `service: the slowest of ${literals.length} regular expressions on ${quick ? '128 KiB' : '1 MiB'} of hostile text`,
      target: `under ${msMax} ms`,
      ratio: worst.ms / msMax,
      detail: `${worst.ms.toFixed(0)} ms: ${worst.text} on ${JSON.stringify(worst.piece)}`,
      ok: worst.ms < msMax,
    },
  ];
}
