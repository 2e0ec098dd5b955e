// Shares of AI answers that cite a target: over periods with the interval of ours, and as bars with intervals.

import type { ReactNode } from 'react';
import type { AnswerRecord } from '../../../read/records.ts';
import { overviews, shareLines, shareText } from '../answers.ts';
import { rivalSeries, withColours } from '../chart-line.ts';
import { useProject } from '../project.tsx';
import { counted, day, number, percentTick, shortUrl } from '../words.ts';
import { Chart } from './chart.tsx';

interface Props {
  /** Of one engine and prompt. */
  readonly rows: readonly AnswerRecord[];
  readonly us: string | undefined;
  readonly label: string;
  readonly isSmall?: boolean;
}

/** Null: there is one period only. */
export function ShareChart({ rows, us, label, isSmall = false }: Props): ReactNode {
  const { competitors } = useProject().facts;
  const { dates, lines } = shareLines(rows);
  if (dates.length < 2) return null;
  return (
    <Chart
      isSmall={isSmall}
      hasNoEnds={isSmall}
      height={isSmall ? 132 : 220}
      domain={[0, 100]}
      label={label}
      dates={dates}
      lines={withColours(
        lines.map(({ target, isOwn, values, low, high, over }) => {
          const line = { name: shortUrl(target), isOwn, values, over, series: rivalSeries(competitors, target) };
          return target === us ? { ...line, low, high } : line;
        }),
      )}
      format={(value) => `${Number(value.toFixed(1))}\u00a0%`}
      tick={percentTick}
    />
  );
}

/** The colour of a target in the chart above. */
function colourOf(competitors: readonly string[], { target, isOwn }: AnswerRecord): string {
  return isOwn ? 'var(--series-1)' : `var(--series-${rivalSeries(competitors, target)})`;
}

/** How many answers there are, and each target's share of them with its interval. `rows`: of one period. */
export function TargetShares({ rows, us }: Omit<Props, 'label'>): ReactNode {
  const { competitors } = useProject().facts;
  const [first] = rows;
  if (first === undefined) return null;
  return (
    <ul className="answer-shares stack gap-3">
      {rows
        .toSorted(
          (a, b) => Number(b.target === us) - Number(a.target === us) || (b.citedShare ?? 0) - (a.citedShare ?? 0),
        )
        .map((row) => (
          <li key={row.target}>
            <span className={row.target === us ? 'answer-site cut ours' : 'answer-site cut'}>
              <i aria-hidden="true" style={{ background: colourOf(competitors, row) }} />
              <bdi>{shortUrl(row.target)}</bdi>
              {row.isOwn && row.target !== us && <span className="aside"> ours</span>}
            </span>
            <span className="answer-share">
              {shareText(row.citedShare, row.citedLow, row.citedHigh)} <Certain row={row} />
            </span>
            <Interval row={row} colour={colourOf(competitors, row)} />
            {row.mentionedShare !== null && (
              <span className="cover">
                named in {shareText(row.mentionedShare, row.mentionedLow, row.mentionedHigh)}
                {row.mentionChange !== null && row.mentionChange !== 'same' && `, ${row.mentionChange}`}
              </span>
            )}
          </li>
        ))}
    </ul>
  );
}

/** A share as a dot on its interval, from 0 to 100 percent. */
export function Interval({ row, colour }: { readonly row: AnswerRecord; readonly colour: string }): ReactNode {
  const { citedShare, citedLow, citedHigh } = row;
  if (citedShare === null || citedLow === null || citedHigh === null) return null;
  return (
    <span className="answer-interval" aria-hidden="true">
      <i style={{ left: `${citedLow}%`, width: `${citedHigh - citedLow}%`, background: colour }} />
      <b style={{ left: `${citedShare}%`, background: colour }} />
    </span>
  );
}

/** A change that chance does not explain. Those of others are neither good nor bad. */
export function Certain({ row }: { readonly row: AnswerRecord }): ReactNode {
  const { citationChange: change, previousCitedShare, previousPeriod, isOwn } = row;
  if (change === null || change === 'same') return null;
  const tone = !isOwn ? 'soft' : change === 'new' || change === 'up' ? 'good' : 'bad';
  return (
    <strong className={tone} title={`${previousCitedShare ?? '–'} % in the period from ${day(previousPeriod)}`}>
      {change}
    </strong>
  );
}

/** `23 Nov: 10 answers of 10 that were asked for`. */
export function answersText({ engine, period, answers, asked, shown, ...row }: AnswerRecord): string {
  if (engine !== overviews)
    return `${counted(answers, 'answer')} of ${number(asked)} asked for, period from ${day(period)}`;
  const change = row.presenceChange === null || row.presenceChange === 'same' ? '' : `, ${row.presenceChange}`;
  const share = shareText(row.shownShare, row.shownLow, row.shownHigh);
  return `shown in ${number(shown)} of ${counted(asked, 'check')}, ${share}${change}; ${number(answers)} with links, period from ${day(period)}`;
}
