// The report of a client: one column from the finding to the evidence, printed as a document.
import { type ReactNode, useEffect } from 'react';
import type { KeywordRow, Summary } from '../../../read/records.ts';
import type { PageSums } from '../../../report/html/data/page-data.ts';
import type { ReportFacts } from '../../../report/html/data/page-facts.ts';
import { reportSections } from '../../../tracker/changes/client-reports.ts';
import { pathTo, useAddress } from '../address.ts';
import type { List } from '../api.ts';
import { SharedCursor } from '../parts/chart.tsx';
import { Breakdown, Findings, Headline, Movers, Numbers, Standings } from '../parts/overview.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { ThemeButton } from '../parts/theme-button.tsx';
import { useProjectAnswer } from '../project.tsx';
import { counted, day, days } from '../words.ts';
import { KeywordRows } from './keyword-rows.tsx';
import { AnswersOfFile, ClicksOfFile, MapOfFile } from './measured-sections.tsx';
import { About, Features, PeriodRows, Problems, Spend } from './run-sections.tsx';
import { Competitors, Distribution, Segments, TargetNumbers } from './standing-sections.tsx';
import { type ReportProps, TableLink } from './table-link.tsx';

/** A client reads no more; the sections below have the rest. */
const sentencesMax = 5;

/** With fewer rows the parts of a report share pages of paper. */
const shortMax = 12;

interface Section {
  readonly id: (typeof reportSections)[number];
  /** Null: the section has none, and the first one needs none. */
  readonly title: string | null;
  readonly hasContent: boolean;
  readonly body: (props: ReportProps) => ReactNode;
}

/** In the order of the template; without one in their usual order. */
function sectionsOf(props: ReportProps): readonly Section[] {
  const { facts, data } = props;
  const hasRows = facts.rowsTotal > 0;
  const { standings, sums } = data.project;
  const all: Readonly<Record<(typeof reportSections)[number], Omit<Section, 'id'>>> = {
    overview: { title: null, hasContent: true, body: hasRows ? Overview : NoRows },
    movers: { title: 'Winners and losers', hasContent: hasRows, body: MoversOfFile },
    competitors: {
      title: standings.some(({ isOwn }) => !isOwn) ? 'Against competitors' : 'Own targets',
      hasContent: standings.length > 1,
      body: Competitors,
    },
    period: { title: 'Over the period', hasContent: facts.period !== null, body: PeriodRows },
    keywords: { title: 'Keywords', hasContent: hasRows, body: KeywordRows },
    segments: {
      title: 'Markets and tags',
      hasContent: sums.filter(({ by }) => by !== 'project').length > 1,
      body: Segments,
    },
    features: { title: 'SERP features', hasContent: facts.features.length > 0, body: Features },
    map: { title: 'On the map', hasContent: data.project.grid !== undefined, body: MapOfFile },
    clicks: { title: 'Measured clicks', hasContent: data.clicks !== undefined, body: ClicksOfFile },
    answers: { title: 'AI answers', hasContent: hasAnswers(data), body: AnswersOfFile },
    spend: { title: 'What it cost', hasContent: facts.spend.length > 0, body: Spend },
    problems: { title: 'What was not checked', hasContent: true, body: Problems },
    about: { title: 'How these numbers are made', hasContent: true, body: About },
  };
  return (facts.template.sections ?? reportSections)
    .map((id) => ({ id, ...all[id] }))
    .filter(({ hasContent }) => hasContent);
}

/** Projects without prompts have the AI overviews of their keywords, of which some show links. */
function hasAnswers({ answers }: ReportProps['data']): boolean {
  return answers?.rows.some((row) => row.answers > 0) ?? false;
}

export function ReportDocument(props: ReportProps): ReactNode {
  const { facts } = props;
  const sections = sectionsOf(props);
  // paper has the rows once: those of the period
  const hasPeriod = facts.template.sections === null && facts.period !== null;
  const { project, page, query } = useAddress();
  // later pages are those of links, which scroll, and of the browser's history, which knows where it was
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the first address only
  useEffect(() => document.getElementById(page)?.scrollIntoView(), []);
  // printing waits for this
  useEffect(() => {
    document.fonts.ready.then(() => setTimeout(() => (document.documentElement.dataset['ready'] = ''), 100));
  }, []);
  return (
    <div className={facts.rowsTotal < shortMax ? 'report report-short' : 'report'}>
      <a className="screen-only skip" href={`#${sections[0]?.id ?? 'app'}`}>
        Skip to content
      </a>
      <Cover facts={facts} isTitle={sections.every(({ id }) => id !== 'overview')} />
      <nav className="report-nav" aria-label="Sections">
        {sections.map(({ id, title }) => (
          <a key={id} href={pathTo(project, id, query)}>
            {title ?? 'Overview'}
          </a>
        ))}
      </nav>
      <SharedCursor>
        <main id="main">
          {facts.warning !== null && (
            <p className={facts.isSuspect ? 'notice bad-notice' : 'notice'} role="note">
              <strong>Please note:</strong> {facts.warning}.
            </p>
          )}
          {facts.introduction.length > 0 && (
            <section id="introduction" className="prose">
              {facts.introduction.map((paragraph) => (
                <p key={paragraph}>{paragraph}</p>
              ))}
            </section>
          )}
          {sections.map(({ id, title, body: Body }) => (
            <section
              key={id}
              id={id}
              className={`stack gap-4 report-${id}${id === 'keywords' && hasPeriod ? ' screen-only' : ''}`}
              aria-labelledby={`${id}-title`}
            >
              {title !== null && <h2 id={`${id}-title`}>{title}</h2>}
              <Body {...props} />
            </section>
          ))}
        </main>
      </SharedCursor>
      <footer className="report-foot cover">
        Made by {facts.template.name ?? 'rankledger'} on {day(facts.generatedAt)}.{' '}
        <span className="screen-only">This file is self-contained and loads nothing from the network.</span>
      </footer>
    </div>
  );
}

interface CoverProps {
  readonly facts: ReportFacts;
  /** No other title is on the page. */
  readonly isTitle: boolean;
}

function Cover({ facts: { template, project, run, period, sources, warning }, isTitle }: CoverProps): ReactNode {
  const Kicker = isTitle ? 'h1' : 'p';
  const { logo, name } = template;
  return (
    <header className="report-cover">
      <div>
        {logo !== null && (
          <img className="report-logo" src={`data:${logo.type};base64,${logo.base64}`} alt={name ?? 'Logo'} />
        )}
        <Kicker className="report-kicker">
          {name ?? 'Rank report'} <span aria-hidden="true">·</span> <bdi>{project}</bdi>
        </Kicker>
        <p className="sub" title={`run ${run.id}, ${run.state}; ${sources.join(', ')}`}>
          {period === null
            ? `${day(run.slot)}, ${run.slot.slice(11, 16)} ${run.timezone}`
            : days(period.from, period.to)}
          {warning === null && sources.some((source) => /\/sandbox\b/.test(source)) && ' · simulated data'}
        </p>
      </div>
      <ThemeButton />
    </header>
  );
}

function NoRows(): ReactNode {
  return <PageTitle>No keyword was tracked</PageTitle>;
}

function Overview({ facts, data }: ReportProps): ReactNode {
  const beyond = useProjectAnswer<Summary>('summary', 'nothing', { significance: '!noise' }).value;
  const holdsAll = data.rows.length === facts.rowsTotal;
  const [summary, ...others] = data.project.sums.filter(({ by }) => by === 'project');
  if (summary === undefined) return null;
  // places and keywords without known searches have ranks only
  const hasVisibility = data.charts.visibility.some(({ values }) => values.some((value) => value !== null));
  return (
    <>
      <div className="lead">
        <div>
          <Headline summary={summary} />
          <Findings
            summary={summary}
            beyond={holdsAll && beyond !== undefined ? beyond.changes : null}
            max={sentencesMax}
          />
          <Older summary={summary} />
        </div>
        <Breakdown summary={summary} />
      </div>
      <Numbers summary={summary} />
      {hasVisibility && <Standings />}
      <Distribution data={data} />
      {others.length > 0 && <TargetNumbers sums={[summary, ...others]} />}
    </>
  );
}

/** Rows whose check is not due yet are in no number. */
function Older({ summary: { older, olderDaysMax } }: { readonly summary: PageSums }): ReactNode {
  if (older === 0) return null;
  return (
    <p className="cover">
      {counted(older, 'row')} {older === 1 ? 'was' : 'were'} not due: the newest checks are up to{' '}
      {counted(olderDaysMax ?? 0, 'day')} old and in no number.
    </p>
  );
}

function MoversOfFile({ facts, data }: ReportProps): ReactNode {
  const changes = useProjectAnswer<List<KeywordRow>>('changes', 'nothing').value;
  const summary = data.project.sums.find(({ by }) => by === 'project');
  if (changes === undefined || summary === undefined) return null;
  return (
    <>
      <Movers rows={changes.data} counts={summary.changes} />
      {changes.data.length > 0 && (
        <p className="cover">
          What moved beyond its noise comes first, then the most clicks.{' '}
          <TableLink facts={facts} table="movers">
            has a hundred of each.
          </TableLink>
        </p>
      )}
    </>
  );
}
