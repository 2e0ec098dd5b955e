// Who passed whom: a row a target, in how many searches it passed each other one.
import type { ReactNode } from 'react';
import type { CompetitorSeries } from '../../../read/records.ts';
import { usePagePath } from '../project.tsx';
import { number, shortUrl } from '../words.ts';
import { Delta } from './numbers.tsx';

interface Props {
  readonly series: CompetitorSeries;
  /** The target whose passes have lists of keywords. */
  readonly us: string | undefined;
}

/** In how many searches one site passed another. */
export function passedSearches(passes: CompetitorSeries['passes'], by: string, over: string): number {
  return passes.find(({ target, passed }) => target === by && passed === over)?.searches ?? 0;
}

export function PassTable({ series: { targets, passes }, us }: Props): ReactNode {
  const pagePath = usePagePath();
  const filterOf = (by: string, over: string): Readonly<Record<string, string>> | undefined =>
    isOwn(by) === isOwn(over) ? undefined : over === us ? { passedBy: by } : by === us ? { passed: over } : undefined;
  const isOwn = (of: string) => targets.find(({ target }) => target === of)?.isOwn === true;
  const net = (of: string) =>
    passes.reduce(
      (sum, pass) => sum + (pass.target === of ? pass.searches : 0) - (pass.passed === of ? pass.searches : 0),
      0,
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on narrow screens
    <section className="plain-scroll" aria-label="Table of passes" tabIndex={0}>
      <table className="plain-table">
        <caption className="unseen">Searches in which the site of the row passed that of the column</caption>
        <thead>
          <tr>
            <th scope="col">passed</th>
            {targets.map(({ target }) => (
              <th key={target} scope="col" className="right">
                <bdi>{shortUrl(target)}</bdi>
              </th>
            ))}
            <th scope="col" className="right">
              Net
            </th>
          </tr>
        </thead>
        <tbody>
          {targets.map(({ target }) => (
            <tr key={target}>
              <th scope="row">
                <bdi>{shortUrl(target)}</bdi>
              </th>
              {targets.map(({ target: other }) => (
                <td key={other} className="right" data-label={shortUrl(other)}>
                  {other !== target && (
                    <Count
                      value={passedSearches(passes, target, other)}
                      filter={filterOf(target, other)}
                      pagePath={pagePath}
                    />
                  )}
                </td>
              ))}
              <td className="right main" data-label="Net">
                <Delta value={net(target)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface CountProps {
  readonly value: number;
  readonly filter: Readonly<Record<string, string>> | undefined;
  readonly pagePath: ReturnType<typeof usePagePath>;
}

function Count({ value, filter, pagePath }: CountProps): ReactNode {
  if (value === 0) return <span className="quiet">0</span>;
  // own targets are no competitors: only passes between us and others can be listed
  return filter === undefined ? number(value) : <a href={pagePath('keywords', filter)}>{number(value)}</a>;
}
