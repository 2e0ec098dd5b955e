// The rows of one keyword in its other markets, on other devices and for other targets: is it the same everywhere?
import type { ReactNode } from 'react';
import type { KeywordRow } from '../../../read/records.ts';
import type { Answer, ApiError, List } from '../api.ts';
import { Change, Rank } from '../columns.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { marketWords, missing, shortUrl } from '../words.ts';
import { Sparkline } from './sparkline.tsx';

/** The server takes no longer search words. */
const wordsMax = 200;

function useAnswered(keyword: string | null): Answer<List<KeywordRow>> {
  const { asked } = useProject();
  return useProjectAnswer<List<KeywordRow>>(keyword === null ? null : 'keywords', 'nothing', {
    q: keyword?.slice(0, wordsMax),
    target: '*',
    date: asked.get('date'),
    compare: asked.get('compare'),
    limit: '1000',
  });
}

/** All rows of the keyword on the date of the page; undefined: they are on their way, or could not be read. */
export function useSameKeyword(keyword: string | null): readonly KeywordRow[] | undefined {
  return useAnswered(keyword).value?.data.filter((row) => row.keyword === keyword);
}

/** Why the rows of the keyword could not be read; null: they could. */
export function useSameKeywordError(keyword: string): ApiError | null {
  return useAnswered(keyword).error;
}

/** `current`: the row of the page. Nothing is drawn for a keyword with one row. */
export function SameKeyword({
  rows,
  current,
  hrefOf,
}: {
  readonly rows: readonly KeywordRow[];
  readonly current: string | null;
  readonly hrefOf: (row: KeywordRow) => string;
}): ReactNode {
  const hasTargets = new Set(rows.map(({ target }) => target)).size > 1;
  if (rows.length < 2) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="scroll same-keyword" aria-label="Other markets" tabIndex={0}>
      <table>
        <caption>The same keyword in its other markets</caption>
        <thead className="unseen">
          <tr>
            <th scope="col">Market</th>
            <th scope="col">Rank</th>
            <th scope="col">Change</th>
            <th scope="col">Trend</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className={row.id === current ? 'row-open' : undefined}>
              <td>
                <a href={hrefOf(row)} aria-current={row.id === current ? 'page' : undefined}>
                  {marketWords(row)}
                  {row.device === 'desktop' && <span className="quiet"> desktop</span>}
                  {hasTargets && <bdi className="quiet"> {shortUrl(row.target)}</bdi>}
                </a>
              </td>
              <td className="right">
                <Rank row={row} />
              </td>
              <td className="right">
                <Change row={row} />
              </td>
              <td>
                {row.trend === undefined ? missing : <Sparkline values={row.trend.ranks} width={72} height={20} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
