// The columns of the keyword table: what each shows, sorts by and exports.
import type { ReactNode } from 'react';
import type { KeywordRow } from '../../read/records.ts';
import { FeatureIcons, FeatureLegend } from './parts/features.tsx';
import { Delta } from './parts/numbers.tsx';
import { Sparkline } from './parts/sparkline.tsx';
import { day, marketWords, missing, number, pathOfUrl, plain, shortUrl, signed, statusText } from './words.ts';

export interface KeywordColumn {
  /** In the address. */
  readonly name: string;
  readonly label: string;
  readonly width: number;
  /** What the read API sorts by. */
  readonly sort?: string;
  /** Of the read API, for files. */
  readonly fields: readonly string[];
  readonly isNumber?: true;
  /** Shown only where it is chosen. */
  readonly isHidden?: true;
  readonly cell: (row: KeywordRow) => ReactNode;
  /** What its cells mean; its header opens it. */
  readonly legend?: ReactNode;
}

export const keywordColumns: readonly KeywordColumn[] = [
  {
    name: 'keyword',
    label: 'Keyword',
    width: 280,
    sort: 'keyword',
    fields: ['keyword', 'country', 'language', 'device', 'location'],
    cell: (row) => (
      <>
        <bdi className="keyword">{row.keyword}</bdi> <span className="aside">{marketWords(row)}</span>
      </>
    ),
  },
  {
    name: 'target',
    label: 'Target',
    width: 140,
    sort: 'target',
    fields: ['target'],
    isHidden: true,
    cell: ({ target }) => <bdi>{shortUrl(target)}</bdi>,
  },
  {
    name: 'rank',
    label: 'Rank',
    width: 100,
    sort: 'rank',
    fields: ['rank', 'status', 'bandBest', 'bandWorst'],
    isNumber: true,
    cell: (row) => <Rank row={row} />,
  },
  {
    name: 'change',
    label: 'Change',
    width: 92,
    sort: 'change',
    fields: ['change', 'changeClass', 'significance', 'previousRank'],
    isNumber: true,
    cell: (row) => <Change row={row} />,
  },
  {
    name: 'previous',
    label: 'Before',
    width: 76,
    sort: 'previousRank',
    fields: ['previousRank', 'previousDate'],
    isNumber: true,
    isHidden: true,
    cell: ({ previousRank }) => number(previousRank),
  },
  {
    name: 'trend',
    label: 'Trend',
    width: 116,
    fields: [],
    cell: ({ trend }) => (trend === undefined ? missing : <Sparkline dates={trend.dates} values={trend.ranks} />),
  },
  {
    name: 'best',
    label: 'Best',
    width: 64,
    sort: 'bestRank',
    fields: ['bestRank'],
    isNumber: true,
    cell: ({ bestRank }) => number(bestRank),
  },
  {
    name: 'days-in-top-10',
    label: 'Days in top 10',
    width: 110,
    sort: 'daysInTop10',
    fields: ['daysInTop10'],
    isNumber: true,
    isHidden: true,
    cell: ({ daysInTop10 }) =>
      daysInTop10 === null ? (
        missing
      ) : (
        <>
          {daysInTop10} <span className="unit">of 30</span>
        </>
      ),
  },
  {
    name: 'volume',
    label: 'Searches',
    width: 96,
    sort: 'searchVolume',
    fields: ['searchVolume'],
    isNumber: true,
    cell: ({ searchVolume }) => number(searchVolume),
  },
  {
    name: 'clicks',
    label: 'Clicks',
    width: 88,
    sort: 'estimatedClicks',
    fields: ['estimatedClicks'],
    isNumber: true,
    cell: ({ estimatedClicks }) => number(estimatedClicks),
  },
  {
    name: 'clicks-change',
    label: 'Clicks gained',
    width: 110,
    sort: 'estimatedClicksChange',
    fields: ['estimatedClicksChange'],
    isNumber: true,
    isHidden: true,
    cell: ({ estimatedClicksChange: change }) => (change === null ? missing : signed(change)),
  },
  {
    name: 'measured',
    label: 'Measured clicks',
    width: 124,
    sort: 'measuredClicks',
    fields: ['measuredClicks'],
    isNumber: true,
    isHidden: true,
    cell: ({ measuredClicks }) => number(measuredClicks),
  },
  {
    name: 'impressions',
    label: 'Impressions',
    width: 108,
    sort: 'impressions',
    fields: ['impressions'],
    isNumber: true,
    isHidden: true,
    cell: ({ impressions }) => number(impressions),
  },
  {
    name: 'position',
    label: 'Average position',
    width: 128,
    sort: 'averagePosition',
    fields: ['averagePosition'],
    isNumber: true,
    isHidden: true,
    cell: ({ averagePosition }) => number(averagePosition, 1),
  },
  {
    name: 'cpc',
    label: 'Cost a click',
    width: 96,
    sort: 'cpc',
    fields: ['cpc'],
    isNumber: true,
    isHidden: true,
    cell: ({ cpc }) => (cpc === null ? missing : `$${cpc.toFixed(2)}`),
  },
  {
    name: 'competition',
    label: 'Competition',
    width: 104,
    fields: ['competition'],
    isNumber: true,
    isHidden: true,
    cell: ({ competition }) => number(competition),
  },
  {
    name: 'intent',
    label: 'Intent',
    width: 120,
    fields: ['intent'],
    isHidden: true,
    cell: ({ intent }) => intent ?? missing,
  },
  {
    name: 'features',
    label: 'On the page',
    width: 164,
    fields: ['serpFeatures', 'ownedFeatures', 'lostFeatures'],
    cell: (row) => <FeatureIcons {...row} />,
    legend: <FeatureLegend />,
  },
  { name: 'url', label: 'URL', width: 220, sort: 'url', fields: ['url'], cell: (row) => <Url row={row} /> },
  {
    name: 'preferred',
    label: 'Preferred URL',
    width: 200,
    fields: ['preferredUrl', 'urlIsPreferred'],
    isHidden: true,
    cell: ({ preferredUrl }) =>
      preferredUrl === null ? missing : <bdi title={preferredUrl}>{pathOfUrl(preferredUrl)}</bdi>,
  },
  {
    name: 'tags',
    label: 'Tags',
    width: 160,
    fields: ['tags'],
    isHidden: true,
    cell: ({ tags }) => (tags.length === 0 ? missing : <bdi>{tags.join(', ')}</bdi>),
  },
  {
    name: 'status',
    label: 'Status',
    width: 120,
    sort: 'status',
    fields: ['status'],
    isHidden: true,
    cell: ({ status }) => statusText(status),
  },
  {
    name: 'checked',
    label: 'Seen on',
    width: 110,
    sort: 'checkedAt',
    fields: ['checkedAt', 'date'],
    isHidden: true,
    cell: ({ date }) => day(date),
  },
  {
    name: 'compared',
    label: 'Compared with',
    width: 116,
    fields: ['previousDate'],
    isHidden: true,
    cell: ({ previousDate }) => day(previousDate),
  },
  {
    name: 'source',
    label: 'Source',
    width: 140,
    fields: ['source'],
    isHidden: true,
    cell: ({ source }) => source ?? missing,
  },
  {
    name: 'note',
    label: 'Note',
    width: 280,
    fields: ['note'],
    isHidden: true,
    cell: ({ note }) => (note === null ? missing : <bdi title={note}>{note}</bdi>),
  },
];

/** Those of the address, else those that were chosen before, else the usual ones. The keyword is always the first. */
export function shownColumns(written: string | null, chosen: unknown, hasClicks: boolean): readonly KeywordColumn[] {
  const names = written ? written.split(',') : Array.isArray(chosen) && chosen.length > 0 ? chosen : null;
  if (names !== null) return keywordColumns.filter(({ name }) => name === 'keyword' || names.includes(name));
  return keywordColumns.filter(({ name, isHidden }) => !isHidden || (hasClicks && name === 'measured'));
}

/** A rank of an earlier check says so: it never passes for one of this date. */
export function Rank({
  row: { rank, status, last, bandBest, bandWorst, incomplete },
}: {
  readonly row: KeywordRow;
}): ReactNode {
  if (rank !== null)
    return (
      <span className={incomplete === true ? 'rank unproven' : 'rank'}>
        <b>{rank}</b>
        {bandBest !== null && bandWorst !== null && (
          <span className="band" title="Where this keyword usually stands">
            {bandBest === bandWorst ? bandBest : `${bandBest}–${bandWorst}`}
          </span>
        )}
      </span>
    );
  if (last === undefined) return <span className="quiet">{statusText(status)}</span>;
  return (
    <span className="quiet" title={`${statusText(status)}; last seen on ${day(last.date)}`}>
      {last.rank ?? statusText('not_found')} <span className="band">{last.ageDays} d ago</span>
    </span>
  );
}

export function Change({ row: { change, changeClass, significance, note } }: { readonly row: KeywordRow }): ReactNode {
  const [isQuiet, isCertain] = [significance === 'noise', significance === 'certain'];
  if (changeClass === 'entered') return <span className={isQuiet ? 'delta quiet' : 'delta good certain'}>new</span>;
  if (changeClass === 'dropped') return <span className={isQuiet ? 'delta quiet' : 'delta bad certain'}>lost</span>;
  if (change === null)
    return (
      <span className="quiet" title={note ?? plain(changeClass)}>
        {changeClass === 'first_check' ? 'first' : missing}
      </span>
    );
  return <Delta value={change} isQuiet={isQuiet} isCertain={isCertain} />;
}

function Url({ row: { url, urlIsPreferred } }: { readonly row: KeywordRow }): ReactNode {
  if (url === null) return missing;
  return (
    <bdi
      className={urlIsPreferred === false ? 'url bad' : 'url'}
      title={urlIsPreferred === false ? `${url}: not the preferred URL` : url}
    >
      {pathOfUrl(url)}
    </bdi>
  );
}
