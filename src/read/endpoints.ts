// Every path of the read API: the table for routing, the OpenAPI document, /docs, the tools of assistants, and files.
import type * as z from 'zod/mini';
import { attributionGroupings } from '../tracker/causes/attribution.ts';
import { sumOf } from '../tracker/figures.ts';
import { InvalidQuery, type KeywordHistoryQuery, NotFound, type ProjectReader, segmentKinds } from './contract.ts';
import { document, type Endpoint, fieldsOf, keywordQuery, list, type ReadRequest } from './endpoint.ts';
import { apiValue } from './fields.ts';
import {
  chartShape,
  day,
  filterOf,
  filterShape,
  flag,
  maybe,
  oneOf,
  periodShape,
  preset,
  rowsMax,
  searchShape,
  serpShape,
  sortShape,
  stateShape,
  tableShape,
  text,
  whole,
} from './queries.ts';
import * as records from './records.ts';
import { competitorTable, historyTable, seriesTable, turnRows } from './row-fields.ts';

const ofProject = { project: maybe(text(), 'only this project'), ...periodShape };
const clickChangeShape = {
  by: preset(oneOf(records.clickKinds), 'query', records.clickKinds.join(', ')),
  days: preset(whole(1, 240), 28, 'days of each period, 1 to 240'),
  to: maybe(day(), 'last day; default: the newest final one'),
};
const answerEngines = ['ai-mode', 'chatgpt', 'perplexity', 'gemini', 'copilot'] as const;
/** Of a document; the list has all. */
const documentRowsMax = 500;
const rankingsMax = 200_000;

export const endpoints: readonly Endpoint[] = [
  list({
    path: '/v1/projects',
    about: 'Every project with its headline numbers',
    parameters: {},
    row: records.projectOverview,
    read: (reader) => reader.projects(),
  }),
  document({
    path: '/v1/projects/{project}',
    about: 'Targets, markets, tags, dates and saved views of a project',
    parameters: {},
    answer: records.projectFacts,
    read: (reader) => reader.facts(),
  }),
  list({
    path: '/v1/projects/{project}/keywords',
    about: 'The keyword table: one row per keyword, market and own target',
    parameters: { ...tableShape, ...sortShape },
    row: records.keywordRow,
    sometimes: ['last', 'incomplete', 'trend'],
    read: (reader, request) => reader.keywords(keywordQuery(request)),
    withPage: (reader, request, rows) => reader.withTrends(keywordQuery(request), rows),
  }),
  list({
    path: '/v1/projects/{project}/changes',
    about: 'Rows of the keyword table that moved, by their change in estimated clicks',
    parameters: tableShape,
    row: records.keywordRow,
    sometimes: ['last', 'incomplete', 'trend'],
    read(reader, request) {
      const query = keywordQuery(request);
      const moved = { any: ['improved', 'declined', 'entered', 'dropped'], none: [] };
      return reader
        .keywords({ ...query, filter: { changeClass: moved, ...query.filter } })
        .toSorted((a, b) => Math.abs(b.estimatedClicksChange ?? 0) - Math.abs(a.estimatedClicksChange ?? 0));
    },
  }),
  list({
    path: '/v1/projects/{project}/rankings',
    about: 'The rank of each row on each date of a period; default: the newest date',
    parameters: { ...periodShape, ...filterShape },
    row: records.ranking,
    read: rankings,
  }),
  document({
    path: '/v1/projects/{project}/summary',
    about: 'Sums of the rows of a filter: averages, buckets, visibility and their changes',
    parameters: tableShape,
    answer: records.summary,
    read: (reader, request) => reader.summary(keywordQuery(request)),
  }),
  list({
    path: '/v1/projects/{project}/segments',
    about: 'The same sums for each tag, market, device, country, target, intent or saved view',
    parameters: { by: preset(oneOf(segmentKinds), 'tag', segmentKinds.join(', ')), ...tableShape },
    row: records.segment,
    read: (reader, request) => reader.segments(keywordQuery(request), request.query.by),
  }),
  document({
    path: '/v1/projects/{project}/series',
    about: 'Average rank, visibility, clicks and buckets over time',
    parameters: chartShape,
    answer: records.series,
    ...seriesTable,
    read: (reader, request) => reader.series(seriesQuery(request)),
  }),
  document({
    path: '/v1/projects/{project}/competitors',
    about: 'Own targets and competitors over the same searches',
    parameters: {
      ...chartShape,
      share: preset(flag(), false, 'true: share of voice as well, which reads stored pages'),
    },
    answer: records.competitors,
    ...competitorTable,
    read: (reader, request) => reader.competitors({ ...seriesQuery(request), hasShare: request.query.share }),
  }),
  list({
    path: '/v1/projects/{project}/discovered',
    about: 'Domains on the same pages that are neither targets nor competitors, by estimated clicks',
    parameters: tableShape,
    row: records.discovered,
    read: (reader, request) => reader.discovered(keywordQuery(request)),
  }),
  list({
    path: '/v1/projects/{project}/landing-pages',
    about: 'The own pages that rank, with their keywords',
    parameters: tableShape,
    row: records.landingPage,
    read: (reader, request) => reader.landingPages(keywordQuery(request)),
  }),
  document({
    path: '/v1/projects/{project}/cannibalization',
    about: 'Rows for which several own pages took turns over the dates, with the pages by date',
    parameters: chartShape,
    answer: records.cannibalization,
    read(reader, request) {
      const answer = reader.cannibalization(seriesQuery(request));
      return { ...answer, rows: answer.rows.slice(0, documentRowsMax) };
    },
  }),
  list({
    path: '/v1/projects/{project}/cannibalization/pages',
    about: 'The same rows as a table, one line per keyword and page: all of them',
    parameters: chartShape,
    row: records.turnRow,
    read: (reader, request) => turnRows(reader.cannibalization(seriesQuery(request))),
  }),
  document({
    path: '/v1/projects/{project}/keywords/{id}',
    about: 'The history of one row: ranks, competitors, features, volumes and notes',
    parameters: { ...periodShape, ...stateShape },
    answer: records.keywordHistory,
    ...historyTable,
    read: (reader, request) => reader.keyword(historyQuery(request)),
  }),
  document({
    path: '/v1/projects/{project}/keywords/{id}/causes',
    about: 'Why one row changed: causes with their numbers, strongest first; their places add up to the change',
    parameters: stateShape,
    answer: records.causes,
    read: (reader, request) => reader.causes(historyQuery(request)),
  }),
  list({
    path: '/v1/projects/{project}/causes',
    about:
      'Why rows changed: those that moved beyond their noise, by their change in estimated clicks, with their causes',
    parameters: tableShape,
    row: records.causes,
    read: (reader, request) => reader.changeCauses(keywordQuery(request)),
  }),
  document({
    path: '/v1/projects/{project}/why',
    about:
      'What made the rows of the filter change: at most five sentences, each with the page that shows it, and the effects on clicks and visibility (`total`)',
    parameters: tableShape,
    answer: records.changeSummary,
    read: (reader, request) => reader.changeSummary(keywordQuery(request)),
  }),
  document({
    path: '/v1/projects/{project}/attribution',
    about:
      'What a change is made of: clicks and visibility from one date to another, as effects of ranks, features, demand and tracking that add up',
    parameters: {
      by: preset(oneOf(attributionGroupings), 'keyword', attributionGroupings.join(', ')),
      from: maybe(day(), 'local date; default: the one that the config compares with'),
      to: maybe(day(), 'local date; default: the newest'),
      limit: preset(whole(1, rowsMax), 100, `rows, 1 to ${rowsMax}`),
      ...filterShape,
    },
    answer: records.attribution,
    columns: fieldsOf(records.attributionLine),
    rows: ({ rows }) => rows,
    read(reader, { query }) {
      const { by, from, to, limit } = query;
      const answer = reader.attribution({ by, from, to, filter: filterOf(query) });
      return { ...answer, rows: answer.rows.slice(0, limit) };
    },
  }),
  list({
    path: '/v1/projects/{project}/keywords/{id}/checks',
    about: 'The checks of one row with what was bought for them',
    parameters: periodShape,
    row: records.check,
    read: (reader, request) => reader.checks(historyQuery(request)),
  }),
  document({
    path: '/v1/projects/{project}/serp',
    about: 'Stored results of a search, as seen on or before a date; null if none are stored',
    parameters: serpShape,
    answer: records.serp,
    columns: fieldsOf(records.serpResult),
    rows: ({ serp }) => serp?.results ?? [],
    read: (reader, { query }) => ({ serp: reader.serp(query) }),
  }),
  document({
    path: '/v1/projects/{project}/serp/dates',
    about: 'Dates on which results of a search are stored, newest first',
    parameters: searchShape,
    answer: records.serpDates,
    read: (reader, { query }) => ({ dates: reader.serpDates(query) }),
  }),
  list({
    path: '/v1/projects/{project}/volumes',
    about: 'Search volumes by keyword and month',
    parameters: {},
    row: records.volume,
    read: (reader) => reader.volumes(),
  }),
  list({
    path: '/v1/projects/{project}/answers',
    about:
      'How often AI answers cite and mention each target, by period, engine and prompt, with 95 % intervals; of AI overviews without `from` those of the newest hundred days',
    parameters: periodShape,
    row: records.answerRecord,
    read: (reader, { query }) => reader.answers(query),
  }),
  list({
    path: '/v1/projects/{project}/answer-texts',
    about: 'AI answers with their texts, citations and the targets that they name, newest period first',
    parameters: {
      ...periodShape,
      engine: maybe(oneOf(answerEngines), `${answerEngines.join(', ')}; default: all`),
      prompt: maybe(text(), 'tracked prompt; default: all'),
      country: maybe(text(), 'of the prompt'),
      language: maybe(text(), 'of the prompt'),
    },
    row: records.answerSample,
    read: (reader, { query }) => reader.answerTexts(query),
  }),
  document({
    path: '/v1/projects/{project}/click-changes',
    about:
      'Clicks gained or lost against the period before, split into demand, rank and rate, with the largest changes',
    parameters: clickChangeShape,
    answer: records.clickChanges,
    read(reader, { query }) {
      const { rows, ...answer } = reader.clickChanges(query);
      return { rowsTotal: rows.length, ...answer, rows: rows.slice(0, documentRowsMax) };
    },
  }),
  list({
    path: '/v1/projects/{project}/click-changes/rows',
    about: 'All of these changes, largest first',
    parameters: clickChangeShape,
    row: records.clickChange,
    read: (reader, { query }) => reader.clickChanges(query).rows,
  }),
  list({
    path: '/v1/projects/{project}/click-hours',
    about: 'Clicks and impressions of the newest 24 hours in Pacific time, incomplete ones included, and a week before',
    parameters: {},
    row: records.clickHour,
    read: (reader) => reader.clickHours(),
  }),
  list({
    path: '/v1/projects/{project}/untracked-queries',
    about: 'Queries with impressions that are not tracked, with what tracking each would cost a month',
    parameters: { minImpressions: preset(whole(0, 1_000_000_000), 10, 'in 28 days') },
    row: records.untrackedQuery,
    read: (reader, { query }) => reader.untrackedQueries(query.minImpressions),
  }),
  list({
    path: '/v1/projects/{project}/without-impressions',
    about: 'Tracked keywords for which no impressions are reported, with what they cost a month',
    parameters: {},
    row: records.silentKeyword,
    read: (reader) => reader.silentKeywords(),
  }),
  list({
    path: '/v1/projects/{project}/grids',
    about: 'Every map of the grid with its sums: one per keyword, device and own target',
    parameters: tableShape,
    row: records.gridSums,
    read: (reader, request) => reader.gridSums(keywordQuery(request)),
  }),
  document({
    path: '/v1/projects/{project}/grids/{id}',
    about: 'The map with the row of this id: its points, with estimates for those not checked, and its sums by date',
    parameters: stateShape,
    answer: records.gridMap,
    columns: fieldsOf(records.gridPoint).filter((name) => name !== 'last'),
    rows: ({ mapPoints }) => mapPoints,
    read(reader, request) {
      const map = reader.gridMap(historyQuery(request));
      if (map === null) throw new NotFound(`no map of "${request.id}" in ${request.project}`);
      return map;
    },
  }),
  list({
    path: '/v1/projects/{project}/grid-points',
    about: 'The points of all maps, one row per keyword, device, own target and point',
    parameters: tableShape,
    row: records.gridPoint,
    sometimes: ['last'],
    read: (reader, request) => reader.gridPoints(keywordQuery(request)),
  }),
  list({
    path: '/v1/runs',
    about: 'Runs, newest first',
    parameters: ofProject,
    row: records.run,
    sometimes: ['confirms'],
    read: (reader, { query }) => reader.runs(query),
  }),
  list({
    path: '/v1/spend',
    about: 'What was spent by day, service and currency (SERP credits, or micro-USD)',
    parameters: ofProject,
    row: records.spendDay,
    read: (reader, { query }) => reader.spend(query),
  }),
  list({
    path: '/v1/alerts',
    about: 'Alerts, newest first',
    parameters: ofProject,
    row: records.alert,
    read: (reader, { query }) => reader.alerts(query),
  }),
  list({
    path: '/v1/notes',
    about: 'Notes by date',
    parameters: ofProject,
    row: records.note,
    sometimes: ['keyword', 'tag', 'confirmed', 'until'],
    read: (reader, { query }) => reader.notes(query),
  }),
];

type Query<Shape extends Readonly<Record<string, z.ZodMiniType>>> = z.output<z.ZodMiniObject<Shape>>;

function seriesQuery(request: ReadRequest<Query<typeof chartShape>>) {
  const { from, to, granularity } = request.query;
  return { ...keywordQuery(request), from, to, granularity };
}

function historyQuery({ id, query }: ReadRequest<Omit<KeywordHistoryQuery, 'id'>>) {
  return { id, ...query };
}

type Ranking = z.output<typeof records.ranking>;

/**
 * Only of dates on which the row was checked, failed checks included. Throws InvalidQuery for more rows than memory is
 * meant to hold: before they are read, where the complete checks alone are too many.
 */
function rankings(
  reader: ProjectReader,
  { query }: ReadRequest<Query<typeof periodShape & typeof filterShape>>,
): readonly Ranking[] {
  const { from = '', to = '9999' } = query;
  const { dates } = reader.facts();
  const isNewest = query.from === undefined && query.to === undefined;
  const meant = isNewest ? dates.slice(-1) : dates.filter((date) => date >= from && date <= to);
  const asked = { filter: filterOf(query), sort: [] };
  const [first, last] = [meant[0], meant.at(-1)];
  const over = first === last ? null : reader.series({ ...asked, from: first, to: last, granularity: 'day' });
  const found: Ranking[] = [];
  refuseMany(sumOf(over?.checked ?? [], (rows) => rows));
  for (const date of meant) {
    for (const row of reader.keywords({ ...asked, date }))
      if (row.date === date && row.runId !== null) found.push(rankingOf(row));
    refuseMany(found.length);
  }
  return found;
}

function refuseMany(rows: number): void {
  if (rows > rankingsMax)
    throw new InvalidQuery(
      `from, to: more than ${rankingsMax} ranks; shorten the period, add a filter, or use rankledger export`,
    );
}

const rankingFields = fieldsOf(records.ranking) as readonly (keyof Ranking)[]; // its own

function rankingOf(row: records.KeywordRow) {
  const written = rankingFields.map((field) => [field, apiValue(row, field) ?? null]);
  return Object.fromEntries(written) as Ranking; // of these fields
}
