// Exactly what will be written to the keyword file, and what a month costs then.
import type { ReactNode } from 'react';
import type { CostChange, FileChange } from '../../edit-records.ts';
import { moneyText } from '../money.ts';
import { counted, number, signed } from '../words.ts';
import { diffLines } from './edits.ts';

export function FilePreview({ change }: { readonly change: FileChange }): ReactNode {
  const { file, diff, isDiffCut, sharedWith } = change;
  const lines = diffLines(diff);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return (
    <section aria-label="What will be written">
      <p className="diff-file">
        <code>{file}</code>
        <span>
          <span className="good">+{number(count('+'))}</span> <span className="bad">−{number(count('-'))}</span>
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must be able to */}
      <section className="diff-lines" tabIndex={0} aria-label={`Changes of ${file}`}>
        <ol>
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
            <li key={at} className={lineClass(line)}>
              {line}
            </li>
          ))}
        </ol>
      </section>
      {isDiffCut && <p className="cover">The change is longer: this is its beginning.</p>}
      {sharedWith.length > 0 && (
        <p className="notice">
          {sharedWith.join(', ')} {sharedWith.length === 1 ? 'tracks' : 'track'} the same file, and change with it.
        </p>
      )}
    </section>
  );
}

function lineClass(line: string): string | undefined {
  if (line.startsWith('+')) return 'diff-added';
  if (line.startsWith('-')) return 'diff-removed';
  return line.startsWith('@@') ? 'quiet' : undefined;
}

export function MonthCost({ cost: { before, after } }: { readonly cost: CostChange }): ReactNode {
  if (before === null || after === null) return null;
  const credits = after.creditsPerMonth - before.creditsPerMonth;
  const micros = after.microUsdPerMonth - before.microUsdPerMonth;
  return (
    <p className="cover">
      A month costs at most <b>{moneyText('serp_credit', after.creditsPerMonth)}</b>
      {credits === 0 ? ', as before' : ` (${signed(credits)})`} for {counted(after.searches, 'search', 'searches')}
      {after.microUsdPerMonth > 0 && (
        <>
          , and {moneyText('micro_usd', after.microUsdPerMonth)} of keyword data
          {micros !== 0 && ` (${micros > 0 ? '+' : '−'}${moneyText('micro_usd', Math.abs(micros))})`}
        </>
      )}
      .
    </p>
  );
}
