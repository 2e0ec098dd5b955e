// How much a keyword is searched, and what the search engine counted for us: by month and by day.
import type { ReactNode } from 'react';
import type { KeywordHistory } from '../../../read/records.ts';
import { Chart } from '../parts/chart.tsx';
import { useProject } from '../project.tsx';
import { counted, day, missing, month, number } from '../words.ts';

export function Demand({ history }: { readonly history: KeywordHistory }): ReactNode {
  return (
    <>
      <Volumes rows={history.volumes} />
      <MeasuredClicks history={history} />
    </>
  );
}

const monthsMax = 24;

function Volumes({ rows }: { readonly rows: KeywordHistory['volumes'] }): ReactNode {
  if (rows.length === 0) return null;
  const months = rows.toSorted((a, b) => (a.month < b.month ? -1 : 1)).slice(-monthsMax);
  const hasRest = rows.some(({ source }) => source !== '');
  return (
    <section aria-labelledby="volumes">
      <h2 id="volumes">
        Searches a month <span className="cover">{counted(rows.length, 'month')}</span>
      </h2>
      <Bars
        label="Searches a month"
        bars={months.map((row) => ({
          name: month(row.month),
          value: row.searchVolume,
        }))}
        format={number}
      />
      <details className="screen-only chart-table cover">
        <summary>Values as a table</summary>
        <div className="scroll">
          <table>
            <caption>Searches by month, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Month</th>
                <th scope="col" className="right">
                  Searches
                </th>
                {hasRest && (
                  <>
                    <th scope="col" className="right">
                      Cost a click
                    </th>
                    <th scope="col" className="right">
                      Competition
                    </th>
                    <th scope="col">Source</th>
                  </>
                )}
              </tr>
            </thead>
            <tbody>
              {rows
                .toSorted((a, b) => (a.month < b.month ? 1 : -1))
                .map(({ month: of, searchVolume, cpc, competition, source }) => (
                  <tr key={of}>
                    <th scope="row">{month(of)}</th>
                    <td className="right">{number(searchVolume)}</td>
                    {hasRest && (
                      <>
                        <td className="right">{cpc === null ? missing : `$${cpc.toFixed(2)}`}</td>
                        <td className="right">{number(competition)}</td>
                        <td>{source}</td>
                      </>
                    )}
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

function MeasuredClicks({ history: { row, clicks = [] } }: { readonly history: KeywordHistory }): ReactNode {
  const { facts } = useProject();
  if (facts.clicks === undefined) return null;
  const {
    property,
    from,
    to,
    days,
    freshDays,
    hiddenClicks,
    clicks: all,
    hiddenImpressions,
    impressions,
  } = facts.clicks;
  const fresh = clicks.filter(({ isFinal }) => !isFinal);
  const dates = clicks.map(({ date }) => date);
  const format = (value: number) => number(value);
  return (
    <section aria-labelledby="measured">
      <h2 id="measured">Measured clicks by day</h2>
      {row.measuredClicks === null && (
        <p className="soft">
          Search Console reports no impressions of this query, country and device. Rare queries are hidden.
        </p>
      )}
      {clicks.length > 1 && (
        <div className="keyword-clicks">
          <h3>Clicks</h3>
          <Chart
            label="Clicks by day"
            dates={dates}
            lines={[{ name: 'clicks', isOwn: true, values: clicks.map((of) => of.clicks) }]}
            format={format}
            height={120}
          />
          <h3>Impressions</h3>
          <Chart
            label="Impressions by day"
            dates={dates}
            lines={[{ name: 'impressions', values: clicks.map((of) => of.impressions) }]}
            format={format}
            height={120}
          />
        </div>
      )}
      <p className="cover">
        {fresh.length > 0 &&
          `The last ${counted(fresh.length, 'day')}, since ${day(fresh[0]?.date)}, are not final: their numbers will grow. `}
        Search Console, <bdi>{property}</bdi>, {day(from, to)} to {day(to)}, {number(days)} of 28 days
        {freshDays > 0 && ` without ${counted(freshDays, 'day')} that ${freshDays === 1 ? 'is' : 'are'} not final`}.
        Hidden queries have {number(hiddenClicks)} of {number(all)} clicks
        {impressions !== null &&
          hiddenImpressions !== null &&
          ` and ${number(hiddenImpressions)} of ${number(impressions)} impressions`}{' '}
        and are in no row. Average positions are no ranks.
        {impressions === null && (
          <>
            {' '}
            Some of these days are stored by page only: <code>rankledger backfill clicks</code> fetches them by query.
          </>
        )}
      </p>
    </section>
  );
}

interface Bar {
  readonly name: string;
  readonly value: number | null;
}

interface BarsProps {
  /** What they show, with the unit. */
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}

const barHeight = 44;
/** More have no room for their values. */
const labelledMax = 13;

/** A few numbers as bars with their values above and their names below. */
function Bars({ label, bars, format }: BarsProps): ReactNode {
  const most = Math.max(1, ...bars.map(({ value }) => value ?? 0));
  const shown = (value: number | null) => (value === null ? missing : format(value));
  return (
    <ol className={bars.length > labelledMax ? 'bars bars-many' : 'bars'} aria-label={label}>
      {bars.map(({ name, value }) => (
        <li key={name} title={`${name}: ${shown(value)}`}>
          <span className="bar-value">{shown(value)}</span>
          <i
            className={value === null ? 'bar unproven' : 'bar'}
            style={{ height: `${((value ?? most) / most) * barHeight}px` }}
          />
          <span className="bar-name">{name}</span>
        </li>
      ))}
    </ol>
  );
}
