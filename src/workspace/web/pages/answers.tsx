// Do AI answers cite us? Shares with intervals by engine and prompt over periods, cited pages, and the answers.

import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AnswerRecord } from '../../../read/records.ts';
import { sumOf } from '../../../tracker/figures.ts';
import { changed, pathTo, useAddress } from '../address.ts';
import {
  type CitedPage,
  citedPages,
  engineName,
  enginesOf,
  isCertain,
  newestRows,
  overviews,
  periodDaysMax,
  placeOf,
  promptMarket,
  reaching,
  shareText,
} from '../answers.ts';
import { apiPath, isFile, type List } from '../api.ts';
import { exactKeyword } from '../filters.ts';
import { answersText, Certain, Interval, ShareChart, TargetShares } from '../parts/answer-shares.tsx';
import { AnswerTexts, CitedUrl } from '../parts/answer-texts.tsx';
import { SharedCursor } from '../parts/chart.tsx';
import { ExportMenu } from '../parts/export-menu.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { type PlainColumn, PlainTable } from '../parts/plain-table.tsx';
import { Section } from '../parts/section.tsx';
import { Empty, Unread } from '../parts/states.tsx';
import { Switch, useChoice } from '../parts/switch.tsx';
import { daysBefore } from '../period.ts';
import { usePagePath, useProject, useProjectAnswer } from '../project.tsx';
import { counted, day, number, shortUrl } from '../words.ts';

export function Answers(): ReactNode {
  const { facts, period } = useProject();
  const { query } = useAddress();
  // a week or month that began before the period may reach into it
  const from = period.from === null ? null : daysBefore(period.from, periodDaysMax);
  const { value, error } = useProjectAnswer<List<AnswerRecord>>('answers', 'period', { limit: 'all', from });
  const rows = reaching(value?.data ?? [], period.from ?? '');
  const us = facts.targets.find((target) => target === query.get('target')) ?? facts.targets[0];
  const [engine, prompt] = [query.get('engine'), query.get('prompt')];
  if (error !== null || value === undefined) return <Unread error={error} shape="page" />;
  if (rows.every(({ answers }) => answers === 0)) return <NoAnswers rows={rows} />;
  return (
    <SharedCursor>
      {engine !== null && prompt !== null ? (
        <OnePrompt rows={rows} us={us} engine={engine} prompt={prompt} market={query.get('in') ?? ''} />
      ) : (
        <AllPrompts rows={rows} us={us} />
      )}
    </SharedCursor>
  );
}

function NoAnswers({ rows }: { readonly rows: readonly AnswerRecord[] }): ReactNode {
  const checks = newestRows(rows)[0]?.asked ?? 0;
  return (
    <Empty heading="AI answers" title="No AI answer was seen in this period">
      <p>
        {checks > 0 && `None of ${counted(checks, 'check')} showed an AI overview with links. `}
        Assistants answer the <code>prompts</code> of the config: name engines and questions there, and the next run
        asks them.
      </p>
      <p>
        <code>{'prompts: { engines: [chatgpt, perplexity], texts: [best running shoes for flat feet] }'}</code>
      </p>
    </Empty>
  );
}

interface Props {
  readonly rows: readonly AnswerRecord[];
  readonly us: string | undefined;
}

/** The newest period of each engine. */
function newestOfEngines(rows: readonly AnswerRecord[]): readonly AnswerRecord[] {
  return enginesOf(rows).flatMap((engine) => newestRows(rows.filter((row) => row.engine === engine)));
}

function AllPrompts({ rows, us }: Props): ReactNode {
  const engines = enginesOf(rows);
  const newest = newestOfEngines(rows);
  return (
    <>
      <Lead newest={newest} us={us} />
      <ul className={engines.length === 1 ? 'answers-engines answers-one' : 'answers-engines'}>
        {engines.map((engine) => (
          <Engine
            key={engine}
            engine={engine}
            rows={rows.filter((row) => row.engine === engine && row.prompt === null)}
            us={us}
            isOnly={engines.length === 1}
          />
        ))}
      </ul>
      <NewAndLost newest={newest} />
      <Prompts newest={newest} us={us} />
      <CitedPages newest={newest} />
    </>
  );
}

function Lead({
  newest,
  us,
}: {
  readonly newest: readonly AnswerRecord[];
  readonly us: string | undefined;
}): ReactNode {
  const totals = newest.filter(({ prompt, target }) => prompt === null && target === us);
  const assistants = totals.filter(({ engine }) => engine !== overviews);
  const counting = assistants.some(({ answers }) => answers > 0) ? assistants : totals;
  const what = counting === assistants ? 'AI answers' : 'AI overviews';
  const sum = (of: (row: AnswerRecord) => number) => sumOf(counting, of);
  const prompts = new Set(
    newest.flatMap(({ engine, prompt }) => (engine === overviews || prompt === null ? [] : [prompt])),
  );
  const best = newest
    .filter(({ prompt, isOwn, engine }) => prompt === null && !isOwn && (engine !== overviews || counting === totals))
    .toSorted((a, b) => (b.citedShare ?? 0) - (a.citedShare ?? 0))[0];
  return (
    <div>
      <PageTitle>
        {shortUrl(us ?? '')} is cited in {number(sum(({ cited }) => cited ?? 0))} of{' '}
        {number(sum(({ answers }) => answers))} {what}
      </PageTitle>
      <p className="sub">
        newest period of {counting.map(({ engine }) => engineName(engine)).join(', ')}
        {prompts.size > 0 && ` · ${counted(prompts.size, 'prompt')}`}
        {best?.citedShare != null && best.citedShare > 0 && (
          <>
            {' '}
            · strongest other: <bdi>{shortUrl(best.target)}</bdi> in {Number(best.citedShare.toFixed(1))} % of{' '}
            {engineName(best.engine)}
          </>
        )}
        {' · '}intervals are those of 95 %
      </p>
    </div>
  );
}

interface EngineProps extends Props {
  readonly engine: string;
  readonly isOnly: boolean;
}

function Engine({ engine, rows, us, isOnly }: EngineProps): ReactNode {
  const newest = newestRows(rows);
  const own = newest.find(({ target }) => target === us) ?? newest[0];
  if (own === undefined) return null;
  return (
    <li className="stack gap-1">
      <div>
        <h2>{engineName(engine)}</h2>
        <p className="answers-number">
          <b>{own.citedShare === null ? '–' : Number(own.citedShare.toFixed(1))}</b>
          {own.citedShare !== null && <span className="unit"> %</span>} <Certain row={own} />
        </p>
        <p className="cover">{answersText(own)}</p>
        <ShareChart
          isSmall={!isOnly}
          rows={rows}
          us={us}
          label={`Share of ${engine === overviews ? 'overviews' : 'answers'} of ${engineName(engine)} that cite each site, percent`}
        />
      </div>
      <TargetShares rows={newest} us={us} />
    </li>
  );
}

function NewAndLost({ newest }: { readonly newest: readonly AnswerRecord[] }): ReactNode {
  const columns = useShareColumns();
  const changes = newest.filter(isCertain);
  const compared = newest.find(({ previousPeriod }) => previousPeriod !== null);
  return (
    <Section
      title="New and lost citations"
      cover={changes.length > 0 ? 'more than chance explains, compared with the period before' : undefined}
    >
      {compared === undefined ? (
        <p className="soft">There is no earlier period of the same source to compare with.</p>
      ) : changes.length === 0 ? (
        <p className="soft">
          No share differs from that of the period from {day(compared.previousPeriod)} by more than chance explains.
        </p>
      ) : (
        <PlainTable
          caption="New and lost citations"
          columns={columns}
          rows={changes}
          keyOf={keyOf}
          name="sort2"
          shownMax={20}
        />
      )}
    </Section>
  );
}

const keyOf = (row: AnswerRecord): string => `${row.engine} ${row.prompt} ${promptMarket(row)} ${row.target}`;

function usePromptPath(): (row: AnswerRecord) => string {
  const { project, page, query } = useAddress();
  return (row) =>
    pathTo(project, page, changed(query, { engine: row.engine, prompt: row.prompt, in: promptMarket(row) }));
}

/** A prompt, engine and target in the newest period. */
function useShareColumns(): readonly PlainColumn<AnswerRecord>[] {
  const promptPath = usePromptPath();
  return [
    {
      name: 'prompt',
      label: 'Prompt or keyword',
      value: ({ prompt }) => prompt,
      cell: (row) =>
        row.prompt === null ? (
          'all prompts'
        ) : (
          <a href={promptPath(row)}>
            <bdi>{row.prompt}</bdi> <span className="aside">{placeOf(row)}</span>
          </a>
        ),
    },
    { name: 'engine', label: 'Engine', value: ({ engine }) => engineName(engine) },
    {
      name: 'site',
      label: 'Site',
      value: ({ target }) => target,
      cell: ({ target, isOwn }) => (
        <>
          <bdi>{shortUrl(target)}</bdi>
          {isOwn && <span className="aside"> ours</span>}
        </>
      ),
    },
    { name: 'answers', label: 'Answers', isNumber: true, value: ({ answers }) => answers },
    {
      name: 'cited',
      label: 'Cited in',
      isNumber: true,
      value: ({ citedShare }) => citedShare,
      cell: ({ citedShare, citedLow, citedHigh }) => shareText(citedShare, citedLow, citedHigh),
    },
    {
      name: 'interval',
      label: '0 to 100 %',
      value: ({ citedLow }) => citedLow,
      cell: (row) => <Interval row={row} colour={row.isOwn ? 'var(--series-1)' : 'var(--soft)'} />,
    },
    {
      name: 'change',
      label: 'Change',
      value: ({ citationChange }) => citationChange,
      cell: (row) =>
        row.citationChange === null ? (
          <span className="quiet">–</span>
        ) : (
          <>
            {isCertain(row) && <Certain row={row} />}{' '}
            <span className="cover">
              {isCertain(row) ? 'from' : 'was'} {row.previousCitedShare ?? '–'} %
            </span>
          </>
        ),
    },
  ];
}

function Prompts({
  newest,
  us,
}: {
  readonly newest: readonly AnswerRecord[];
  readonly us: string | undefined;
}): ReactNode {
  const { name, asked } = useProject();
  const columns = useShareColumns();
  const engines = enginesOf(newest);
  const options = [{ value: 'all', label: 'All' }, ...engines.map((value) => ({ value, label: engineName(value) }))];
  const sites = [
    { value: 'ours', label: 'Ours' },
    { value: 'every', label: 'Every site' },
  ] as const;
  const engine = useChoice('engine', options) ?? 'all';
  const site = useChoice('sites', sites) ?? 'ours';
  const rows = newest.filter(
    (row) =>
      row.prompt !== null && (engine === 'all' || row.engine === engine) && (site === 'every' || row.target === us),
  );
  return (
    <Section
      title="Prompts"
      cover="newest period; keywords with AI overviews among them"
      end={
        <>
          <Switch name="sites" label="Sites" options={sites} clears={['rows4']} />
          {engines.length > 1 && <Switch name="engine" label="Engine" options={options} clears={['rows4']} />}
          {!isFile() && (
            <ExportMenu name="answer-shares" path={(more) => apiPath(name, 'answers', asked, 'period', more)} />
          )}
        </>
      }
    >
      {rows.length === 0 ? (
        <p className="soft">No answers of this kind in the newest period.</p>
      ) : (
        <PlainTable
          caption="Prompts in the newest period"
          columns={columns}
          rows={rows}
          keyOf={keyOf}
          name="sort4"
          initial="-cited"
          shownMax={25}
        />
      )}
    </Section>
  );
}

const pageColumns: readonly PlainColumn<CitedPage>[] = [
  { name: 'page', label: 'Page', isWide: true, value: ({ url }) => url, cell: ({ url }) => <CitedUrl url={url} /> },
  {
    name: 'site',
    label: 'Site',
    value: ({ target }) => target,
    cell: ({ target, isOwn }) => (
      <>
        <bdi>{shortUrl(target)}</bdi>
        {isOwn && <span className="aside"> ours</span>}
      </>
    ),
  },
  { name: 'engines', label: 'Engines', value: ({ engines }) => [...engines].map(engineName).join(', ') },
  { name: 'prompts', label: 'Prompts', isNumber: true, value: ({ prompts }) => prompts.size },
];

function CitedPages({ newest }: { readonly newest: readonly AnswerRecord[] }): ReactNode {
  const pages = citedPages(newest);
  return (
    <Section
      title="Cited pages"
      cover={pages.length > 0 ? 'of sites that are followed; at most ten of each site, engine and prompt' : undefined}
    >
      {pages.length === 0 ? (
        <p className="soft">No answer of the newest period cites a page of a site that is followed.</p>
      ) : (
        <PlainTable
          caption="Cited pages"
          columns={pageColumns}
          rows={pages}
          keyOf={({ target, url }) => `${target} ${url}`}
          name="sort3"
          initial="-prompts"
          shownMax={20}
        />
      )}
    </Section>
  );
}

interface PromptProps extends Props {
  readonly engine: string;
  readonly prompt: string;
  readonly market: string;
}

function OnePrompt({ rows, us, engine, prompt, market }: PromptProps): ReactNode {
  const { project, page, query } = useAddress();
  const pagePath = usePagePath();
  const own = rows.filter((row) => row.engine === engine && row.prompt === prompt && promptMarket(row) === market);
  const [first] = newestRows(own);
  const back = pathTo(project, page, changed(query, { engine: null, prompt: null, in: null }));
  return (
    <>
      <div>
        <a className="answers-back" href={back}>
          <ChevronLeft size={14} aria-hidden="true" /> All prompts
        </a>
        <PageTitle>
          <bdi>{prompt}</bdi>
        </PageTitle>
        <p className="sub">
          {engineName(engine)}
          {first !== undefined && ` · ${placeOf(first)} · ${answersText(first)}`}
        </p>
      </div>
      {first === undefined ? (
        <Empty title="No answers to this prompt in this period">
          <p>Choose a longer one above.</p>
        </Empty>
      ) : (
        <div className="answers-prompt lead">
          <div>
            <ShareChart rows={own} us={us} label="Share of answers that cite each site, percent" />
          </div>
          <TargetShares rows={newestRows(own)} us={us} />
        </div>
      )}
      {first !== undefined && engine === overviews && (
        <p>
          The pages that the overviews cite are in the results of{' '}
          <a href={pagePath('keywords', { q: exactKeyword(prompt) })}>
            <bdi>{prompt}</bdi>
          </a>
          .
        </p>
      )}
      {first !== undefined && engine !== overviews && (
        <AnswerTexts
          row={first}
          since={own.reduce((least, { period }) => (period < least ? period : least), first.period)}
        />
      )}
    </>
  );
}
