// Queries with impressions that are not tracked, and tracked keywords without any.
import type { ReactNode } from 'react';
import type { SilentKeyword, UntrackedQuery } from '../../../read/records.ts';
import { type Answer, apiPath, isFile, type List } from '../api.ts';
import { exactKeyword } from '../filters.ts';
import { usePagePath, useProject, useProjectAnswer } from '../project.tsx';
import { counted, marketWords } from '../words.ts';
import { ExportMenu } from './export-menu.tsx';
import { type PlainColumn, PlainTable } from './plain-table.tsx';
import { Section } from './section.tsx';
import { Failed, Unread, Waiting } from './states.tsx';

/** In which market a query or keyword counts. */
function clickMarket({ country, language, devices }: SilentKeyword | UntrackedQuery): string {
  const place = marketWords({ country, language, device: '' });
  return `${place}, ${devices.map((device) => (device === 'mobile' ? 'phone' : device)).join(' and ')}`;
}

const untrackedColumns: readonly PlainColumn<UntrackedQuery>[] = [
  {
    name: 'query',
    label: 'Query',
    value: ({ query }) => query,
    cell: ({ query, brand }) => (
      <>
        <bdi>{query}</bdi>
        {brand && <span className="aside"> brand</span>}
      </>
    ),
  },
  { name: 'market', label: 'Market', value: clickMarket },
  { name: 'impressions', label: 'Impressions', isNumber: true, value: ({ impressions }) => impressions },
  { name: 'clicks', label: 'Clicks', isNumber: true, value: ({ clicks }) => clicks },
  {
    name: 'position',
    label: 'Average position',
    isNumber: true,
    isLowerBetter: true,
    value: ({ averagePosition }) => averagePosition,
    decimals: 1,
  },
  {
    name: 'credits',
    label: 'Credits a month',
    about: 'What tracking it would cost at most',
    isNumber: true,
    value: ({ creditsPerMonth }) => creditsPerMonth,
  },
];

export function UntrackedQueries({ answer }: { readonly answer: Answer<List<UntrackedQuery>> }): ReactNode {
  const { name, facts } = useProject();
  if (answer.error !== null) return isFile() ? null : <Failed error={answer.error} />;
  if (answer.value === undefined) return <Waiting shape="rows" />;
  const { data, total } = answer.value;
  return (
    <Section
      id="untracked"
      title="Queries that are not tracked"
      cover={`${counted(total, 'query', 'queries')} with impressions ${facts.clicks === undefined ? 'in the newest export' : 'in 28 days'}, and what tracking each would cost`}
      end={<PathExport resource="untracked-queries" name={name} />}
    >
      {data.length === 0 ? (
        <p className="soft">Every query with 10 impressions or more is tracked.</p>
      ) : (
        <PlainTable
          caption="Queries that are not tracked"
          columns={untrackedColumns}
          rows={data}
          keyOf={({ query, country }) => `${country} ${query}`}
          name="sort3"
          shownMax={20}
        />
      )}
    </Section>
  );
}

function PathExport({ resource, name }: { readonly resource: string; readonly name: string }): ReactNode {
  return (
    <ExportMenu name={resource} path={(more) => apiPath(name, resource, new URLSearchParams(), 'nothing', more)} />
  );
}

export function SilentKeywords(): ReactNode {
  const { name, facts } = useProject();
  const pagePath = usePagePath();
  const { value, error } = useProjectAnswer<List<SilentKeyword>>('without-impressions', 'nothing', { limit: 'all' });
  if (error !== null || value === undefined) return <Unread error={error} shape="rows" />;
  const columns: readonly PlainColumn<SilentKeyword>[] = [
    {
      name: 'keyword',
      label: 'Keyword',
      value: ({ keyword }) => keyword,
      cell: ({ keyword }) => (
        <a href={pagePath('keywords', { q: exactKeyword(keyword) })}>
          <bdi>{keyword}</bdi>
        </a>
      ),
    },
    { name: 'market', label: 'Market', value: clickMarket },
    { name: 'tags', label: 'Tags', value: ({ tags }) => tags.join(', ') },
    { name: 'credits', label: 'Credits a month', isNumber: true, value: ({ creditsPerMonth }) => creditsPerMonth },
  ];
  return (
    <Section
      title="Tracked keywords without impressions"
      cover={`${counted(value.total, 'keyword')} for which nothing is reported ${facts.clicks === undefined ? 'in the newest export' : 'in 28 days'}; rare queries are hidden`}
      end={<PathExport resource="without-impressions" name={name} />}
    >
      {value.data.length === 0 ? (
        <p className="soft">Search Console reports impressions of every tracked keyword.</p>
      ) : (
        <PlainTable
          caption="Tracked keywords without impressions"
          columns={columns}
          rows={value.data}
          keyOf={({ country, language, keyword }) => `${country} ${language} ${keyword}`}
          name="sort4"
          shownMax={20}
        />
      )}
    </Section>
  );
}
