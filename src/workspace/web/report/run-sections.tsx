// The sections about the run: features of its pages, its cost, its problems, and what the numbers mean.
import type { ReactNode } from 'react';
import type { PeriodRow } from '../../../report/tables/period.ts';
import { isAmountKnown, type SpendRow } from '../../../report/tables/spend.ts';
import { FeatureIcon } from '../parts/features.tsx';
import { Delta } from '../parts/numbers.tsx';
import { counted, day, featureName, marketWords, missing, number, plain, statusText } from '../words.ts';
import { type ReportProps, TableLink } from './table-link.tsx';

/** A table that may be wider than the page. */
function ScrollBox({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on narrow screens
    <section className="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** On paper, which they fill a page of. */
const printedMax = 40;

export function PeriodRows({ facts: { period, rowsTotal } }: ReportProps): ReactNode {
  if (period === null) return null;
  return (
    <>
      <p className="cover">
        From the complete checks of each day.{' '}
        {rowsTotal > period.rows.length && `The ${number(period.rows.length)} rows with the most searches. `}
        <a href="period.csv">period.csv</a> has all {number(rowsTotal)}.
      </p>
      <ScrollBox label="Rows over the period">
        <table>
          <thead>
            <tr>
              <th scope="col">Keyword</th>
              {['Start', 'End', 'Change', 'Best', 'Worst', 'Average', 'Days in top 10', 'Searches'].map((title) => (
                <th key={title} scope="col" className="right">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {period.rows.map((row, index) => (
              <PeriodLine
                key={`${row.keyword} ${marketWords(row)} ${row.target}`}
                row={row}
                isPrinted={index < printedMax}
              />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}

function PeriodLine({ row, isPrinted }: { readonly row: PeriodRow; readonly isPrinted: boolean }): ReactNode {
  const rank = (of: PeriodRow['start']) =>
    of === null ? missing : <span title={day(of.date)}>{of.rank ?? 'not found'}</span>;
  return (
    <tr className={isPrinted ? undefined : 'screen-only'}>
      <td>
        <bdi>{row.keyword}</bdi> <span className="aside">{marketWords(row)}</span>
      </td>
      <td className="right">{rank(row.start)}</td>
      <td className="right">
        <b>{rank(row.end)}</b>
      </td>
      <td className="right">
        {row.change.change === null ? plain(row.change.changeClass) : <Delta value={row.change.change} />}
      </td>
      <td className="right">{rank(row.best)}</td>
      <td className="right">{rank(row.worst)}</td>
      <td className="right">{number(row.averageRank, 1)}</td>
      <td className="right">
        {row.daysInTop10} <span className="unit">of {row.daysChecked}</span>
      </td>
      <td className="right">{number(row.searchVolume)}</td>
    </tr>
  );
}

export function Features({ facts: { features } }: ReportProps): ReactNode {
  const share = (part: number, whole: number) => (part === 0 ? '' : `${((100 * part) / whole).toFixed(0)} %`);
  return (
    <table className="report-features-table">
      <thead>
        <tr>
          <th scope="col">Feature</th>
          <th scope="col" className="right">
            On the page of
          </th>
          <th scope="col" className="right">
            Ours in
          </th>
        </tr>
      </thead>
      <tbody>
        {features.map(({ name, shown, owned, of }) => (
          <tr key={name}>
            <td>
              <FeatureIcon feature={name} state={owned > 0 ? 'owned' : 'shown'} hasName={false} /> {featureName(name)}
            </td>
            <td className="right">
              {counted(shown, 'row')} <span className="unit">{share(shown, of)}</span>
            </td>
            <td className="right">
              {owned === 0 ? missing : number(owned)} <span className="unit">{share(owned, shown)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const scopeWords: Readonly<Record<SpendRow['scope'], string>> = {
  project: 'This project',
  market: 'One market',
  other_projects: 'Other projects of the run',
  run: 'The whole run',
  source: 'One source of the run',
};

const amounts = [
  ['planned', 'Planned'],
  ['spent', 'Spent'],
  ['unknown', 'Perhaps spent'],
  ['savedBySharing', 'Shared'],
  ['savedByFreshness', 'Fresh enough'],
  ['savedByEarlyStop', 'Found early'],
  ['notBought', 'Not bought'],
  ['failures', 'Failures'],
] as const;

/** More have no lines on paper: the points of a grid are many. */
const marketsPrinted = 6;

export function Spend({ facts }: ReportProps): ReactNode {
  const { spend } = facts;
  const markets = spend.filter(({ scope }) => scope === 'market').length;
  const money = ({ unit, scope }: SpendRow, name: (typeof amounts)[number][0], value: number) => {
    if (!isAmountKnown(scope, name)) return missing;
    // small amounts keep their decimals: a shared request costs less than a cent, not $0.00
    return unit === 'usd' ? `$${(value / 1_000_000).toFixed(value % 10_000 === 0 ? 2 : 4)}` : number(value);
  };
  return (
    <>
      <p className="cover">
        SERP credits, and US dollars for keyword data. Planned is the cost of all pages at full depth; what was not
        spent was saved, or not bought.{' '}
        <TableLink facts={facts} table="spend">
          has every line.
        </TableLink>
      </p>
      <ScrollBox label="Cost by market and source">
        <table>
          <thead>
            <tr>
              <th scope="col">Of</th>
              <th scope="col" className="right">
                Checks
              </th>
              {amounts.map(([name, title]) => (
                <th key={name} scope="col" className="right">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {spend.map((line) => (
              <tr
                className={line.scope === 'market' && markets > marketsPrinted ? 'screen-only' : undefined}
                key={`${line.scope} ${line.unit} ${line.source} ${line.country} ${line.language} ${line.device} ${line.location}`}
              >
                <td>{spendName(line)}</td>
                <td className="right">{number(line.checks)}</td>
                {amounts.map(([name]) => (
                  <td key={name} className="right">
                    {money(line, name, line.amounts[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}

function spendName({ scope, country, language, device, location, source, requests }: SpendRow): string {
  if (scope === 'market')
    return marketWords({ country: country ?? '', language: language ?? '', device: device ?? '', location });
  if (scope !== 'source') return scopeWords[scope];
  const counts =
    requests === null
      ? []
      : [`${number(requests.charged)} charged`, `${number(requests.unknown)} perhaps`, `${number(requests.free)} free`];
  return [source, ...counts].join(', ');
}

export function Problems({ facts }: ReportProps): ReactNode {
  const { problems } = facts;
  if (problems.length === 0) return <p>Nothing: every check of the run is complete.</p>;
  return (
    <>
      <ul className="lines">
        {problems.map(({ state, count, reason, remedy, examples }) => (
          <li key={`${state} ${reason} ${remedy}`}>
            <b>{counted(count, 'check')}</b> {statusText(state)}: {reason}
            {remedy !== null && `; ${remedy}`}
            <br />
            <span className="cover">
              <bdi>{examples.join(', ')}</bdi>
            </span>
          </li>
        ))}
      </ul>
      <p className="cover">
        <TableLink facts={facts} table="problems">
          has every check.
        </TableLink>
      </p>
    </>
  );
}

export function About({ facts: { ctrCurve, sources, run }, data }: ReportProps): ReactNode {
  const terms: readonly (readonly [string, string])[] = [
    [
      'Rank',
      'Among the organic results of all pages read. “Not found” means on none of the pages down to the depth of the check.',
    ],
    [
      'Change',
      'Between two complete checks with comparable depth and the same source only. A grey change lies inside the usual noise of its keyword.',
    ],
    [
      'Clicks a month',
      `Estimated: monthly searches times the click-through rate of the rank, by the curve ${ctrCurve}.`,
    ],
    [
      'Visibility',
      'Estimated clicks in percent of those of rank 1 for every keyword. Keywords without a complete check or known searches count in neither number.',
    ],
    ['Share of voice', 'Estimated clicks in percent of those of all domains on the same pages.'],
    ['Over time', 'Past dates use today’s searches, so that only ranks move a line. A dotted stretch was not checked.'],
    ['Average rank', 'Over ranked keywords.'],
    ...(data.project.competitors.length === 0
      ? []
      : [
          [
            'Competitors',
            'Searched on the pages that were read for our targets: one that ranks only below them has no rank. A line begins when its competitor was added.',
          ] as const,
        ]),
    ['Pages', `From ${sources.join(', ')}, run ${run.id}, ${run.state}.`],
  ];
  return (
    <dl className="report-terms">
      {terms.map(([term, meaning]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
