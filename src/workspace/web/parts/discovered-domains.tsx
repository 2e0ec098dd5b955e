// Domains on the same pages that are neither targets nor competitors.
import type { ReactNode } from 'react';
import type { DiscoveredDomain } from '../../../read/records.ts';
import { type Answer, apiPath, isFile, type List } from '../api.ts';
import { usePagePath, useProject } from '../project.tsx';
import { counted, marketNameWords, number } from '../words.ts';
import { ExportMenu } from './export-menu.tsx';
import { Percent } from './numbers.tsx';
import { type PlainColumn, PlainTable } from './plain-table.tsx';
import { Section } from './section.tsx';
import { Failed, Waiting } from './states.tsx';
import { SiteAndPath } from './url.tsx';

export function DiscoveredDomains({ answer }: { readonly answer: Answer<List<DiscoveredDomain>> }): ReactNode {
  const { name, asked } = useProject();
  const columns = useOtherColumns();
  if (answer.error !== null) return isFile() ? null : <Failed error={answer.error} />;
  if (answer.value === undefined) return <Waiting shape="rows" />;
  const { data, total } = answer.value;
  return (
    <Section
      id="others"
      title="Others on the same pages"
      cover={`${counted(total, 'domain')} not tracked${data.length < total ? `, the first ${data.length}` : ''}, by clicks a month`}
      end={<ExportMenu name="others" path={(parameters) => apiPath(name, 'discovered', asked, 'table', parameters)} />}
    >
      {data.length === 0 ? (
        <p className="soft">No other domain was seen on the stored pages.</p>
      ) : (
        <PlainTable
          caption="Domains that are not tracked"
          columns={columns}
          rows={data}
          keyOf={({ domain }) => domain}
          name="sort2"
          shownMax={20}
        />
      )}
    </Section>
  );
}

function useOtherColumns(): readonly PlainColumn<DiscoveredDomain>[] {
  const pagePath = usePagePath();
  return [
    { name: 'domain', label: 'Domain', value: ({ domain }) => domain, cell: ({ domain }) => <bdi>{domain}</bdi> },
    {
      name: 'share',
      label: 'Share of voice',
      isNumber: true,
      value: ({ shareOfVoice }) => shareOfVoice,
      cell: ({ shareOfVoice }) => <Percent value={shareOfVoice} />,
    },
    { name: 'clicks', label: 'Clicks a month', isNumber: true, value: ({ estimatedClicks }) => estimatedClicks },
    {
      name: 'searches',
      label: 'Searches',
      about: 'Searches in which it ranks',
      isNumber: true,
      value: ({ keywords }) => keywords,
    },
    { name: 'top3', label: 'Top 3', isNumber: true, isMinor: true, value: ({ top3 }) => top3 },
    { name: 'top10', label: 'Top 10', isNumber: true, value: ({ top10 }) => top10 },
    {
      name: 'rank',
      label: 'Average rank',
      isNumber: true,
      isLowerBetter: true,
      value: ({ averageRank }) => averageRank,
      decimals: 1,
    },
    {
      name: 'example',
      label: 'Best search',
      isWide: true,
      value: ({ exampleKeyword }) => exampleKeyword,
      cell: ({ exampleKeyword, exampleMarket, exampleRank, exampleUrl }) => (
        <>
          <b>{number(exampleRank)}</b>{' '}
          <a href={pagePath('keywords', { q: exampleKeyword })}>
            <bdi>{exampleKeyword}</bdi>
          </a>{' '}
          <span className="aside">{marketNameWords(exampleMarket)}</span>{' '}
          {exampleUrl !== null && (
            <a href={exampleUrl} target="_blank" rel="noreferrer" className="cover">
              <SiteAndPath url={exampleUrl} />
            </a>
          )}
        </>
      ),
    },
  ];
}
