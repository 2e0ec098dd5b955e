// A row opened beside the table: its change, chart, and the results page before and after, without leaving the rows.
import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import type { KeywordHistory } from '../../../read/records.ts';
import { useChangeQuery } from '../address.ts';
import { rankSentence } from '../keyword-story.ts';
import { useKeywordPath, useProject, useProjectAnswer } from '../project.tsx';
import { marketWords, pathOfUrl, signed } from '../words.ts';
import { FeatureIcons } from './features.tsx';
import { RankChart } from './rank-chart.tsx';
import { SerpPair } from './serp-panel.tsx';
import { Answered } from './states.tsx';
import { Why } from './why.tsx';

export function RowPanel({ id }: { readonly id: string }): ReactNode {
  const { asked } = useProject();
  const keywordPath = useKeywordPath();
  const change = useChangeQuery();
  const history = useProjectAnswer<KeywordHistory>(`keywords/${encodeURIComponent(id)}`, 'period', {
    date: asked.get('date'),
    compare: asked.get('compare'),
  });
  const close = () => change({ open: null }, { replace: true });
  useEffect(() => {
    const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && close();
    addEventListener('keydown', closeOnEscape);
    return () => removeEventListener('keydown', closeOnEscape);
  });
  return (
    <aside className="row-panel stack gap-3" aria-label="The opened row">
      <button type="button" className="quiet-button close" onClick={close} aria-label="Close the row">
        <X size={16} aria-hidden="true" />
      </button>
      <Answered answer={history} shape="chart">
        {(value) => <Opened history={value} href={keywordPath(id)} />}
      </Answered>
    </aside>
  );
}

function Opened({ history, href }: { readonly history: KeywordHistory; readonly href: string }): ReactNode {
  const { row } = history;
  const { url, urlIsPreferred, note } = row;
  return (
    <>
      <h2>
        <a href={href}>
          <bdi>{row.keyword}</bdi> <span className="aside">{marketWords(row)}</span>
        </a>
      </h2>
      <p className="soft">
        {rankSentence(row)}
        {row.estimatedClicksChange !== null && Math.round(row.estimatedClicksChange) !== 0 && (
          <> · {signed(row.estimatedClicksChange)} clicks a month</>
        )}
      </p>
      <RankChart history={history} height={170} isSmall />
      <Why row={row} max={3} />
      {url !== null && (
        <p className={urlIsPreferred === false ? 'cover bad' : 'cover'}>
          <bdi title={url}>{pathOfUrl(url)}</bdi>
          {urlIsPreferred === false && ' is not the preferred page'}
        </p>
      )}
      <SerpPair row={row} />
      <FeatureIcons {...row} />
      {note !== null && <p className="cover">{note}</p>}
      <p>
        <a className="button" href={href}>
          Open the keyword
        </a>
      </p>
    </>
  );
}
