// What changed, in a headline, sentences, numbers, lines and movers: for the home of a project and its report.

import type { ReactNode } from 'react';
import type { CompetitorSeries, KeywordRow, SeriesAnswer } from '../../../read/records.ts';
import type { WholeSums } from '../../../read/row-sums.ts';
import type { ChangeSummary } from '../../../tracker/causes/change-summary.ts';
import { changed, pathTo, useAddress } from '../address.ts';
import { isFile } from '../api.ts';
import { rivalSeries, withColours } from '../chart-line.ts';
import { Change } from '../columns.tsx';
import { creditUnit } from '../money.ts';
import { useKeywordPath, useProject, useProjectAnswer } from '../project.tsx';
import {
  bucketText,
  counted,
  marketWords,
  missing,
  number,
  percent,
  percentText,
  percentTick,
  points,
  shortUrl,
  signed,
  weighedText,
} from '../words.ts';
import { Chart, sharedDomain } from './chart.tsx';
import { FindingList } from './finding-list.tsx';
import { Delta, Figure } from './numbers.tsx';
import { PageTitle } from './page-title.tsx';
import { EffectsBar } from './share-bar.tsx';
import { Failed, Unread, Waiting } from './states.tsx';
import { CauseLink, useFirstCauses, WhySentence } from './why.tsx';

const moversMax = 10;
const competitorsMax = 5;

export function Headline({
  summary: { visibility, visibilityChange, averageRank, checked, total, comparable },
}: {
  readonly summary: WholeSums;
}): ReactNode {
  const { period } = useProject();
  const moved = visibilityChange === null ? 0 : Number(visibilityChange.toFixed(1));
  const verb = moved === 0 ? 'Visibility stayed at' : moved > 0 ? 'Visibility rose to' : 'Visibility fell to';
  return (
    <>
      <PageTitle>
        <span id="headline">
          {visibility === null ? `Average rank ${number(averageRank, 1)}` : `${verb} ${percent(visibility)} %`}
        </span>
      </PageTitle>
      <p className="sub">
        {moved !== 0 && `${moved > 0 ? 'up' : 'down'} ${points(moved)} at equal searches a month `}
        {comparable > 0 && `vs. ${period.comparedWith} · `}checked {number(checked)} of {number(total)} ·{' '}
        {comparable > 0 ? `compared on ${number(comparable)}` : 'nothing to compare with'}
      </p>
    </>
  );
}

interface FindingProps {
  readonly summary: WholeSums;
  /** Of the rows that moved beyond their noise; null: not of all rows, as in a file without some of them. */
  readonly beyond: WholeSums['changes'] | null;
  readonly max?: number;
}

/** At most five sentences, each a finding with its number and a link to its rows: why it changed, then how much. */
export function Findings({ summary, beyond, max = 5 }: FindingProps): ReactNode {
  const { name } = useProject();
  const { query } = useAddress();
  const why = useWhy();
  const ofChange = (change: string, text: string) => (
    <a href={pathTo(name, 'keywords', changed(query, { change, significance: 'likely|certain' }))}>{text}</a>
  );
  const { improved: better, declined: worse, entered, dropped } = beyond ?? none;
  const beyondNoise = better + worse + entered + dropped;
  const quiet = beyond === null ? 0 : summary.comparable - beyondNoise;
  const quietText =
    beyondNoise > 0
      ? `${counted(quiet, 'other row')} of ${number(summary.comparable)} did not move beyond ${quiet === 1 ? 'its' : 'their'} noise`
      : quiet === 1
        ? 'The row did not move beyond its noise'
        : `None of the ${number(quiet)} rows moved beyond its noise`;
  const counts: ReactNode[] = [
    better + worse > 0 && (
      <>
        {better > 0 && <>{ofChange('improved', counted(better, 'row'))} better</>}
        {better > 0 && worse > 0 && ' and '}
        {worse > 0 && <>{ofChange('declined', counted(worse, 'row'))} worse</>}, beyond the usual noise of each.
      </>
    ),
    entered + dropped > 0 && (
      <>
        {entered > 0 && <>{ofChange('entered', counted(entered, 'row'))} entered the checked pages</>}
        {entered > 0 && dropped > 0 && ', '}
        {dropped > 0 && (
          <>
            {ofChange('dropped', counted(dropped, 'row'))} dropped out{entered === 0 && ' of the checked pages'}
          </>
        )}
        .
      </>
    ),
    quiet > 0 && <>{quietText}.</>,
  ];
  if (why.value === undefined) return <Unread shape="rows" rows={4} error={why.error} />;
  const reasons = why.value.sentences.map((sentence) => <WhySentence key={sentence.text} sentence={sentence} />);
  return <FindingList sentences={[...reasons, ...counts.filter(Boolean)].slice(0, max)} />;
}

const none = { improved: 0, declined: 0, entered: 0, dropped: 0 };

const useWhy = () => useProjectAnswer<ChangeSummary>('why', 'table');

/** What the change of clicks is made of, and where the rows stand now. */
export function Breakdown({ summary }: { readonly summary: WholeSums }): ReactNode {
  return (
    <div className="breakdown stack gap-4">
      <ChangeEffects changes={summary.changes} />
      <Buckets summary={summary} />
    </div>
  );
}

function ChangeEffects({ changes }: Pick<WholeSums, 'changes'>): ReactNode {
  const { value, error } = useWhy();
  if (value === undefined) return error === null ? <Waiting shape="rows" rows={4} /> : null;
  const found = clickEffects(value, changes);
  return found && <EffectsBar title="Clicks a month, by effect" {...found} />;
}

/** Null: clicks are not known, or did not change. */
function clickEffects({ total }: ChangeSummary, { improved, declined }: WholeSums['changes']) {
  if (total === null || total.clicksBefore === null || total.clicksAfter === null) return null;
  const effect = (name: string, value: number, colour: string, label: string) => ({ name, value, colour, label });
  const ranks = `ranks: ${counted(improved, 'row')} better, ${number(declined)} worse`;
  const effects = [
    effect('rank', total.rankEffect, 'var(--series-1)', ranks),
    effect('feature', total.featureEffect, 'var(--series-4)', 'SERP features beside the results'),
    effect('demand', total.demandEffect, 'var(--series-2)', 'demand: more and fewer searches'),
    effect('tracking', total.trackingEffect, 'var(--outline)', 'rows that came, went or do not compare'),
  ].filter(({ value }) => Math.round(value) !== 0);
  return effects.length === 0 ? null : { before: total.clicksBefore, after: total.clicksAfter, effects };
}

/** How the rows are spread over the ranks; a click leads to them. */
function Buckets({ summary: { buckets, total } }: { readonly summary: WholeSums }): ReactNode {
  const { name } = useProject();
  const { query } = useAddress();
  const shown = Object.entries(buckets).filter(([, count]) => count > 0);
  return (
    <div className="buckets">
      <h2>Where the rows stand</h2>
      <p className="cover">{counted(total, 'row')}, by rank</p>
      <div className="parts-bar" aria-hidden="true">
        {shown.map(([bucket, count]) => (
          <i key={bucket} className={`bucket bucket-${bucket}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {shown.map(([bucket, count]) => (
          <li key={bucket}>
            <a href={pathTo(name, 'keywords', changed(query, { bucket }))}>
              <i className={`swatch bucket bucket-${bucket}`} aria-hidden="true" />
              <b>{number(count)}</b> {bucketText(bucket)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Numbers({ summary }: { readonly summary: WholeSums }): ReactNode {
  const {
    visibility,
    visibilityChange,
    visibilityOver,
    averageRank,
    averageRankChange,
    top3,
    top10,
    top10Change,
    estimatedClicks,
    estimatedClicksChange,
    checked,
    total,
    comparable,
  } = summary;
  const { name, overview, scope } = useProject();
  const { query } = useAddress();
  // where effects explain how clicks changed, searches included, the change at equal searches is another number
  const { value: why, error } = useWhy();
  const isExplained = why === undefined ? error === null : clickEffects(why, summary.changes) !== null;
  const spent = overview?.ownSpend.find(({ currency }) => currency === 'serp_credit')?.spent;
  return (
    <div className="figures">
      <Figure
        label="Visibility"
        value={percent(visibility)}
        unit="%"
        change={<Delta value={visibilityChange} digits={1} />}
        cover={
          visibility === null
            ? 'needs searches a month'
            : `${number(comparable)} of ${number(checked)} comparable${weighedText(visibilityOver, checked)}`
        }
      />
      <Figure
        label="Average rank"
        value={number(averageRank, 1)}
        change={<Delta value={averageRankChange} digits={1} />}
        cover={`checked ${number(checked)} of ${number(total)}`}
      />
      <Figure
        label="In the top 3 / top 10"
        value={`${number(top3)} / ${number(top10)}`}
        change={<Delta value={top10Change} />}
        cover={`of ${counted(checked, 'row')}`}
        href={pathTo(name, 'keywords', changed(query, { rank: '1..10' }))}
      />
      <Figure
        label="Clicks a month"
        value={number(estimatedClicks)}
        change={isExplained ? undefined : <Delta value={estimatedClicksChange} />}
        cover={
          estimatedClicks === null
            ? 'needs searches a month'
            : `estimated from ranks and searches${weighedText(visibilityOver, checked)}`
        }
      />
      {!isFile() && scope === null && (
        <Figure
          label="Spent this month"
          value={number(spent)}
          unit={creditUnit(spent)}
          cover={budgetText(overview?.spend.find(({ currency }) => currency === 'serp_credit'))}
          href={pathTo(name, 'runs')}
        />
      )}
    </div>
  );
}

function budgetText(spend: { readonly spent: number; readonly cap: number | null } | undefined): string {
  if (spend === undefined || spend.cap === null) return 'without a cap';
  return `${number(spend.spent)} of ${number(spend.cap)} with all projects`;
}

/** Visibility of our target against the strongest competitors, with notes and suspected updates. */
export function Standings(): ReactNode {
  const { name, facts, asked } = useProject();
  const { value, error } = useProjectAnswer<CompetitorSeries>(
    'competitors',
    // a file holds the lines of all its rows
    isFile() ? 'nothing' : 'chart',
  );
  if (error !== null || value === undefined) return <Unread error={error} shape="chart" />;
  if (value.targets.every(({ visibility }) => visibility.every((of) => of === null))) return <AverageRanks />;
  const strength = (values: readonly (number | null)[]) => values.findLast((of) => of !== null) ?? 0;
  const [own, others] = [
    value.targets.filter(({ isOwn }) => isOwn).slice(0, 1),
    value.targets.filter(({ isOwn }) => !isOwn),
  ];
  const strongest = others.toSorted((a, b) => strength(b.visibility) - strength(a.visibility)).slice(0, competitorsMax);
  return (
    <section aria-labelledby="standings">
      <h2 id="standings">
        Visibility{' '}
        {strongest.length > 0 && (
          <a className="aside" href={pathTo(name, 'competitors', asked)}>
            against {counted(others.length, 'competitor')}
          </a>
        )}
      </h2>
      <Chart
        label="Visibility, percent"
        hasLegend
        dates={value.dates}
        lines={withColours(
          [...own, ...strongest].map(({ target, isOwn, visibility, visibilityOver }) => ({
            name: shortUrl(target),
            isOwn,
            values: visibility,
            over: visibilityOver,
            series: rivalSeries(facts.competitors, target),
          })),
        )}
        marks={value.notes ?? []}
        format={percentText}
        tick={percentTick}
        domain={sharedDomain(
          [...own, ...strongest].flatMap(({ visibility }) => visibility),
          false,
          100,
        )}
        height={220}
      />
    </section>
  );
}

/** Instead of visibility, where searches a month are not known. */
function AverageRanks(): ReactNode {
  const { value, error } = useProjectAnswer<SeriesAnswer>(isFile() ? null : 'series', 'chart');
  if (error !== null) return <Failed error={error} />;
  if (value === undefined || value.averageRank.every((of) => of === null)) return null;
  return (
    <section aria-labelledby="standings">
      <h2 id="standings">
        Average rank <span className="aside">visibility needs searches a month</span>
      </h2>
      <Chart
        label="Average rank"
        dates={value.dates}
        lines={[{ name: 'average rank', isOwn: true, values: value.averageRank, over: value.checked }]}
        marks={value.notes}
        isRank
        format={(of) => number(of, 1)}
        tick={(of) => number(of)}
        height={220}
      />
    </section>
  );
}

const moverTitles = { improved: 'Winners', declined: 'Losers', entered: 'Entered', dropped: 'Dropped' } as const;
type MoverClass = keyof typeof moverTitles;
const moverClasses = Object.keys(moverTitles) as MoverClass[]; // of a literal

interface MoverProps {
  /** The largest changes of clicks first. */
  readonly rows: readonly KeywordRow[];
  /** Of all rows, those of the tables among them. */
  readonly counts: WholeSums['changes'];
}

export function Movers({ rows, counts }: MoverProps): ReactNode {
  return (
    <div className="movers">
      {moverClasses.map((change) => (
        <MoverTable
          key={change}
          change={change}
          count={counts[change]}
          rows={rows.filter(({ changeClass }) => changeClass === change)}
        />
      ))}
    </div>
  );
}

function MoverTable({
  change,
  count,
  rows,
}: {
  readonly change: MoverClass;
  readonly count: number;
  readonly rows: readonly KeywordRow[];
}): ReactNode {
  const { name } = useProject();
  const { query } = useAddress();
  return (
    <section className="card">
      <h2>
        {moverTitles[change]}{' '}
        {count > 0 && (
          <a className="aside" href={pathTo(name, 'keywords', changed(query, { change }))}>
            {number(count)}
          </a>
        )}
      </h2>
      {rows.length === 0 ? <p className="cover">None in this period.</p> : <MoverRows change={change} rows={rows} />}
    </section>
  );
}

function MoverRows({ change, rows }: { readonly change: MoverClass; readonly rows: readonly KeywordRow[] }): ReactNode {
  const causes = useFirstCauses(change);
  const keywordPath = useKeywordPath();
  // what is certain first: a large move inside the noise is no news
  const shown = rows
    .toSorted((a, b) => Number(a.significance === 'noise') - Number(b.significance === 'noise'))
    .slice(0, moversMax);
  const hasCauses = shown.some((row) => causes.of(row) !== null);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">Keyword</th>
            <th scope="col" className="right">
              Rank
            </th>
            <th scope="col" className="right">
              Change
            </th>
            <th scope="col" className="right">
              Clicks
            </th>
            {hasCauses && (
              <th scope="col" className="unseen">
                First cause
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => {
            const cause = causes.of(row);
            return (
              <tr key={row.id} className={row.significance === 'noise' ? 'quiet-row' : undefined}>
                <td className="wide">
                  <a href={keywordPath(row.id)}>
                    <bdi>{row.keyword}</bdi> <span className="aside">{marketWords(row)}</span>
                  </a>
                </td>
                <td className="right">
                  <span className="quiet">{row.previousRank ?? missing}</span> → <b>{row.rank ?? missing}</b>
                </td>
                <td className="right">
                  <Change row={row} />
                </td>
                <td className="right">
                  {row.estimatedClicksChange === null ? missing : signed(row.estimatedClicksChange)}
                </td>
                {cause !== null && (
                  <td className="mover-cause">
                    <CauseLink cause={cause} />
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {causes.error !== null && <p className="cover">Their causes could not be read: {causes.error.message}</p>}
    </>
  );
}
