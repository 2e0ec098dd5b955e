// The head of a page about one search: where it belongs, its name, what happened, and its rows in other markets beside.
import type { ReactNode } from 'react';
import { pathTo } from '../address.ts';
import { useKept, useProject } from '../project.tsx';
import { marketWords } from '../words.ts';
import { PageTitle } from './page-title.tsx';
import { useSameKeywordError } from './same-keyword.tsx';
import { Failed } from './states.tsx';

interface Props {
  readonly search: Parameters<typeof marketWords>[0] & { readonly keyword: string };
  /** Of the page above, in the keyword table; absent: it is the table. */
  readonly above?: string;
  /** Before the keyword in the title. */
  readonly what?: string;
  /** Its rows in other markets. */
  readonly beside: ReactNode;
  readonly children: ReactNode;
}

export function SearchHead({ search, above, what = '', beside, children }: Props): ReactNode {
  const { name } = useProject();
  const kept = useKept();
  const error = useSameKeywordError(search.keyword);
  return (
    <div className="search-head side-by-side">
      <div>
        <nav className="screen-only crumbs cover" aria-label="Where this page belongs">
          <a href={pathTo(name, 'keywords', kept)}>Keywords</a>
          {above !== undefined && (
            <>
              <span aria-hidden="true"> / </span>
              <a href={above}>
                <bdi>{search.keyword}</bdi>
              </a>
            </>
          )}
        </nav>
        <PageTitle>
          {what}
          <bdi>{search.keyword}</bdi> <span className="aside">{marketWords(search)}</span>
        </PageTitle>
        {children}
      </div>
      {error === null ? beside : <Failed error={error} />}
    </div>
  );
}
