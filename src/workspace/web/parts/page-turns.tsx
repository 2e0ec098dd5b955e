// Own pages that take turns for a keyword, drawn as strips over the dates: each colour is a page.

import type { ReactNode } from 'react';
import type { CannibalizationAnswer, PageTurns } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { isOtherPage } from '../../../tracker/targets/target.ts';
import { apiPath } from '../api.ts';
import { useKeywordPath, useProject } from '../project.tsx';
import { counted, day, days, number, pathOfUrl } from '../words.ts';
import { ExportMenu } from './export-menu.tsx';
import { keywordColumn } from './keyword-column.tsx';
import { type PlainColumn, PlainTable } from './plain-table.tsx';
import { Section } from './section.tsx';

/** Pages with a colour, and in the list of a row. */
const pagesMax = 6;

export function PageTurnsSection({ answer }: { readonly answer: CannibalizationAnswer }): ReactNode {
  const { name, asked } = useProject();
  const columns = useTurnColumns(answer.dates);
  const { dates, flips, ranked, total, rows } = answer;
  const [from, to] = [dates[0], dates.at(-1)];
  const sum = sumOf(flips);
  if (from === undefined || to === undefined || dates.length < 2)
    return (
      <Section id="turns" title="Pages that take turns">
        <p className="soft">One date says nothing about turns. Choose a longer period.</p>
      </Section>
    );
  if (ranked.every((rows) => rows === 0)) return null;
  if (total === 0)
    return (
      <Section id="turns" title="Pages that take turns">
        <p className="soft">
          No keyword changed its page, {days(from, to)}: {counted(ranked.at(-1) ?? 0, 'row')} ranked with the same one.
        </p>
      </Section>
    );
  return (
    <Section
      id="turns"
      title="Pages that take turns"
      cover={`${number(total)} of ${counted(ranked.at(-1) ?? 0, 'ranking row')} changed ${
        total === 1 ? 'its' : 'their'
      } page, ${number(sum)} times in all, ${days(from, to)}`}
      end={
        <ExportMenu
          name="page-turns"
          path={(parameters) => apiPath(name, 'cannibalization/pages', asked, 'chart', parameters)}
        />
      }
    >
      {flips.filter((count) => count > 0).length > 1 && <Flips dates={dates} flips={flips} />}
      <PlainTable
        caption={`Rows with several pages${rows.length < total ? `, the ${number(rows.length)} with the most changes` : ''}; each colour is a page`}
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        name="sort2"
        shownMax={20}
      />
    </Section>
  );
}

/** How often another page ranked than on the date before. */
function Flips({ dates, flips }: Pick<CannibalizationAnswer, 'dates' | 'flips'>): ReactNode {
  const most = Math.max(...flips);
  const busiest = flips.indexOf(most);
  return (
    <figure className="turn-bars stack gap-1">
      <figcaption>
        Changes of page by date, most on {day(dates[busiest], dates.at(-1))}: {number(most)}
      </figcaption>
      <svg viewBox={`0 0 ${flips.length} 1`} preserveAspectRatio="none" role="img" aria-label="Changes of page by date">
        {flips.map((count, at) => (
          <rect key={dates[at]} x={at + 0.1} width={0.8} y={1 - count / most} height={count / most}>
            <title>{`${day(dates[at])}: ${counted(count, 'change')}`}</title>
          </rect>
        ))}
      </svg>
      <p className="cover">
        <span>{day(dates[0], dates.at(-1))}</span>
        <span>{day(dates.at(-1))}</span>
      </p>
    </figure>
  );
}

function useTurnColumns(dates: readonly string[]): readonly PlainColumn<PageTurns>[] {
  const keywordPath = useKeywordPath();
  return [
    keywordColumn(keywordPath),
    { name: 'rank', label: 'Rank', isNumber: true, isLowerBetter: true, value: ({ rank }) => rank },
    { name: 'volume', label: 'Searches', isNumber: true, value: ({ searchVolume }) => searchVolume },
    {
      name: 'flips',
      label: 'Changes',
      about: 'How often another page ranked than on the date before',
      isNumber: true,
      value: ({ flips }) => flips,
    },
    {
      name: 'pages',
      label: `Pages, ${days(dates[0] ?? '', dates.at(-1) ?? '')}`,
      value: ({ pages }) => pages.length,
      cell: (row) => <Turns row={row} dates={dates} />,
      isWide: true,
    },
  ];
}

function Turns({ row, dates }: { readonly row: PageTurns; readonly dates: readonly string[] }): ReactNode {
  const { keyword, pages, turns, preferredUrl } = row;
  return (
    <div className="turns stack gap-1">
      <svg
        viewBox={`0 0 ${turns.length} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${keyword}: ${counted(pages.length, 'page')}`}
      >
        {stretchesOf(turns).map(({ page, at, length }) => (
          <rect key={dates[at]} x={at} width={length - 0.1} height={1} fill={colourOf(page)}>
            <title>{`${days(dates[at] ?? '', dates[at + length - 1] ?? '')}: ${pages[page]?.url}`}</title>
          </rect>
        ))}
      </svg>
      <ul className="stack gap-half">
        {pages.slice(0, pagesMax).map(({ url, dates: count, bestRank }, page) => (
          <li key={url}>
            <i className="swatch" aria-hidden="true" style={{ background: colourOf(page) }} />
            <a href={url} target="_blank" rel="noreferrer" title={url}>
              <bdi>{pathOfUrl(url)}</bdi>
            </a>{' '}
            <span className="cover">
              {counted(count, 'date')}, best {number(bestRank)}
              {preferredUrl !== null && isOtherPage(url, preferredUrl) === false && ', preferred'}
              {row.url !== null && isOtherPage(url, row.url) === false && ', now'}
            </span>
          </li>
        ))}
        {pages.length > pagesMax && <li className="cover">and {number(pages.length - pagesMax)} more</li>}
      </ul>
    </div>
  );
}

/** Neighbouring dates with the same page. */
function stretchesOf(turns: PageTurns['turns']): { page: number; at: number; length: number }[] {
  const stretches: ReturnType<typeof stretchesOf> = [];
  for (const [at, page] of turns.entries()) {
    const last = stretches.at(-1);
    if (page === null) continue;
    if (last?.page === page && last.at + last.length === at) last.length += 1;
    else stretches.push({ page, at, length: 1 });
  }
  return stretches;
}

function colourOf(page: number): string {
  return page < pagesMax ? `var(--series-${page + 1})` : 'var(--outline)';
}
