// Every path of the read API with its parameters: the table for routing and the OpenAPI document.

import { apiFields, apiValue, sortFields } from '../rows/fields.ts';
import { attributionGroupings } from '../tracker/causes/attribution.ts';
import { clickEndpoints } from './click-endpoints.ts';
import {
  type Granularity,
  type HistoryReader,
  InvalidQuery,
  type KeywordHistoryQuery,
  type KeywordQuery,
  NotFound,
  type PeriodQuery,
  type SegmentKind,
  type SeriesQuery,
  type SerpQuery,
} from './contract.ts';
import { type Endpoint, given, oneOf, type ReadRequest } from './endpoint.ts';
import { filterParameters, parseFilter, parseSort } from './keyword-filter.ts';
import type { AttributionAnswer, KeywordRow } from './records.ts';
import { fields, turnRows } from './row-fields.ts';

const period = { from: 'first local date', to: 'last local date' };
const projectParameter = { project: 'only this project' };

/** The highest `limit` of runs. */
const runsMax = 10_000;

const tableParameters = {
  date: 'rows as they stood on this local date; default: the newest',
  compare: 'previous, last-month, a number of days such as 7d, or a date; default: as the config has it',
  ...filterParameters,
};
const chartParameters = {
  ...period,
  granularity: 'day, week or month; a week or month shows its last date. Default: day',
  ...tableParameters,
};
/** Rows of a document. */
const attributionLimit = 100;
const searchParameters = {
  keyword: 'tracked keyword, as the config writes it',
  country: 'country code',
  language: 'language code',
  device: 'desktop or mobile',
};
const promptParameters = {
  engine: 'ai-mode, chatgpt, perplexity, gemini or copilot; default: all',
  prompt: 'tracked prompt; default: all',
  country: 'of the prompt',
  language: 'of the prompt',
};
const locationParameter = { location: 'of the search; default: the country as a whole' };

export const endpoints: readonly Endpoint[] = [
  {
    path: '/v1/projects',
    kind: 'list',
    fields: fields.projectFields,
    about: 'Every project with its headline numbers',
    parameters: {},
    read: (reader) => reader.projects(),
  },
  {
    path: '/v1/projects/{project}',
    kind: 'document',
    about: 'Targets, markets, tags, dates and saved views of a project',
    parameters: {},
    read: (reader, { project }) => reader.project(project),
  },
  {
    path: '/v1/projects/{project}/keywords',
    kind: 'list',
    fields: apiFields,
    about: 'The keyword table: one row per keyword, market and own target',
    parameters: { ...tableParameters, sort: `columns, a leading - sorts descending: ${sortFields.join(', ')}` },
    read: (reader, request) => reader.keywords(keywordQuery(request)),
    withPage: (reader, request, rows) => reader.withTrends(keywordQuery(request), rows),
  },
  {
    path: '/v1/projects/{project}/changes',
    kind: 'list',
    fields: apiFields,
    about: 'Rows of the keyword table that moved, by their change in estimated clicks',
    parameters: tableParameters,
    read: (reader, request) => {
      const query = keywordQuery(request);
      const moved = { any: ['improved', 'declined', 'entered', 'dropped'], none: [] };
      return reader
        .keywords({ ...query, filter: { changeClass: moved, ...query.filter } })
        .toSorted((a, b) => Math.abs(b.estimatedClicksChange ?? 0) - Math.abs(a.estimatedClicksChange ?? 0));
    },
  },
  {
    path: '/v1/projects/{project}/rankings',
    kind: 'list',
    fields: fields.rankingFields,
    about: 'The rank of each row on each date of a period; default: the newest date',
    parameters: { ...period, ...filterParameters },
    read: rankings,
  },
  {
    path: '/v1/projects/{project}/summary',
    kind: 'document',
    about: 'Sums of the rows of a filter: averages, buckets, visibility and their changes',
    parameters: tableParameters,
    read: (reader, request) => reader.summary(keywordQuery(request)),
  },
  {
    path: '/v1/projects/{project}/segments',
    kind: 'list',
    fields: fields.segmentFields,
    about: 'The same sums for each tag, market, device, country, target, intent or saved view',
    parameters: { by: `${segmentKinds().join(', ')}; default: tag`, ...tableParameters },
    read: (reader, request) =>
      reader.segments(keywordQuery(request), oneOf('by', request.query.get('by') ?? 'tag', segmentKinds())),
  },
  {
    path: '/v1/projects/{project}/series',
    kind: 'document',
    fields: fields.seriesFields,
    rows: fields.seriesRows,
    about: 'Average rank, visibility, clicks and buckets over time',
    parameters: chartParameters,
    read: (reader, request) => reader.series(seriesQuery(request)),
  },
  {
    path: '/v1/projects/{project}/competitors',
    kind: 'document',
    fields: fields.competitorFields,
    rows: fields.competitorRows,
    about: 'Own targets and competitors over the same searches',
    parameters: { ...chartParameters, share: 'true: share of voice as well, which reads stored pages' },
    read: (reader, request) => reader.competitors({ ...seriesQuery(request), hasShare: isTrue('share', request) }),
  },
  {
    path: '/v1/projects/{project}/discovered',
    kind: 'list',
    fields: fields.discoveredFields,
    about: 'Domains that rank for the same searches and are neither targets nor competitors',
    parameters: tableParameters,
    read: (reader, request) => reader.discovered(keywordQuery(request)),
  },
  {
    path: '/v1/projects/{project}/landing-pages',
    kind: 'list',
    fields: fields.landingPageFields,
    about: 'The own pages that rank, with their keywords',
    parameters: tableParameters,
    read: (reader, request) => reader.landingPages(keywordQuery(request)),
  },
  {
    path: '/v1/projects/{project}/cannibalization',
    kind: 'document',
    about: 'Rows for which several own pages took turns over the dates, with the pages by date',
    parameters: chartParameters,
    read: (reader, request) => reader.cannibalization(seriesQuery(request)),
  },
  {
    path: '/v1/projects/{project}/cannibalization/pages',
    kind: 'list',
    fields: fields.turnFields,
    about: 'The same rows as a table, one line per keyword and page; the 500 rows with the most changes',
    parameters: chartParameters,
    read: (reader, request) => turnRows(reader.cannibalization(seriesQuery(request))),
  },
  {
    path: '/v1/projects/{project}/keywords/{id}',
    kind: 'document',
    fields: fields.historyFields,
    rows: fields.historyRows,
    about: 'The history of one row: ranks, competitors, features, volumes and notes',
    parameters: { ...period, date: tableParameters.date, compare: tableParameters.compare },
    read: (reader, request) => reader.keyword(keywordHistory(request)),
  },
  {
    path: '/v1/projects/{project}/keywords/{id}/causes',
    kind: 'document',
    about: 'Why one row changed: causes with their numbers, strongest first; their places add up to the change',
    parameters: { date: tableParameters.date, compare: tableParameters.compare },
    read: (reader, request) => reader.causes(keywordHistory(request)),
  },
  {
    path: '/v1/projects/{project}/causes',
    kind: 'list',
    fields: fields.causeFields,
    about:
      'Why rows changed: those that moved beyond their noise, by their change in estimated clicks, with their causes',
    parameters: tableParameters,
    read: (reader, request) => reader.changeCauses(keywordQuery(request)),
  },
  {
    path: '/v1/projects/{project}/why',
    kind: 'document',
    about:
      'What made the rows of the filter change: at most five sentences, each with the page that shows it, and the effects on clicks and visibility (`total`)',
    parameters: tableParameters,
    read: (reader, request) => reader.changeSummary(keywordQuery(request)),
  },
  {
    path: '/v1/projects/{project}/attribution',
    kind: 'document',
    fields: fields.attributionFields,
    rows: ({ rows }: AttributionAnswer) => rows,
    about:
      'What a change is made of: clicks and visibility from one date to another, as effects of ranks, features, demand and tracking that add up',
    parameters: {
      by: `${attributionGroupings.join(', ')}; default: keyword`,
      from: 'local date; default: the one that the config compares with',
      to: 'local date; default: the newest',
      limit: `rows, 1 to 10000; default: ${attributionLimit}`,
      ...filterParameters,
    },
    read(reader, { project, query }) {
      const by = oneOf('by', query.get('by') || 'keyword', attributionGroupings);
      const dates = given(query, 'from', 'to');
      const limit = Number(query.get('limit') || attributionLimit);
      if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
        throw new InvalidQuery(`limit: "${query.get('limit')}" is not a number from 1 to 10000`);
      const answer = reader.attribution({ project, by, ...dates, filter: parseFilter(query) });
      return { ...answer, rows: answer.rows.slice(0, limit) };
    },
  },
  {
    path: '/v1/projects/{project}/keywords/{id}/checks',
    kind: 'list',
    fields: fields.checkFields,
    about: 'The checks of one row with what was bought for them',
    parameters: period,
    read: (reader, request) => reader.checks(keywordHistory(request)),
  },
  {
    path: '/v1/projects/{project}/serp',
    kind: 'document',
    fields: fields.serpFields,
    rows: fields.serpRows,
    about: 'Stored results of a search, as seen on or before a date; null if none are stored',
    parameters: { ...searchParameters, ...locationParameter, date: 'default: the newest' },
    read: (reader, request) => ({ serp: reader.serp(serpQuery(request)) }),
  },
  {
    path: '/v1/projects/{project}/serp/dates',
    kind: 'document',
    about: 'Dates on which results of a search are stored, newest first',
    parameters: { ...searchParameters, ...locationParameter },
    read: (reader, request) => ({ dates: reader.serpDates(serpQuery(request)) }),
  },
  {
    path: '/v1/projects/{project}/volumes',
    kind: 'list',
    fields: fields.volumeFields,
    about: 'Search volumes by keyword and month',
    parameters: {},
    read: (reader, { project }) => reader.volumes(project),
  },
  {
    path: '/v1/projects/{project}/answers',
    kind: 'list',
    fields: fields.answerFields,
    about: 'How often AI answers cite and mention each target, by period, engine and prompt, with 95 % intervals',
    parameters: period,
    read: (reader, request) => reader.answers({ ...periodQuery(request), project: request.project }),
  },
  {
    path: '/v1/projects/{project}/answer-texts',
    kind: 'list',
    about: 'AI answers with their texts, citations and the targets that they name, newest period first',
    parameters: { ...period, ...promptParameters },
    read: (reader, { project, query }) =>
      reader.answerTexts({
        project,
        ...given(query, 'from', 'to', 'engine', 'prompt', 'country', 'language'),
      }),
  },
  ...clickEndpoints,
  {
    path: '/v1/projects/{project}/grids',
    kind: 'list',
    about: 'Every map of the grid with its sums: one per keyword, device and own target',
    parameters: tableParameters,
    fields: fields.gridSumFields,
    read: (reader, request) => reader.grids.sums(keywordQuery(request)),
  },
  {
    path: '/v1/projects/{project}/grids/{id}',
    kind: 'document',
    about: 'The map with the row of this id: its points, with estimates for those not checked, and its sums by date',
    parameters: { date: tableParameters.date, compare: tableParameters.compare },
    fields: fields.gridPointFields,
    rows: fields.gridRows,
    read(reader, { project, id, query }) {
      const asked: KeywordHistoryQuery = { project, id, ...given(query, 'date', 'compare') };
      const map = reader.grids.map(asked);
      if (map === null) throw new NotFound(`no map of "${id}" in ${project}`);
      return map;
    },
  },
  {
    path: '/v1/projects/{project}/grid-points',
    kind: 'list',
    about: 'The points of all maps, one row per keyword, device, own target and point',
    parameters: tableParameters,
    fields: fields.gridPointFields,
    read: (reader, request) => reader.grids.points(keywordQuery(request)),
  },
  {
    path: '/v1/runs',
    kind: 'list',
    fields: fields.runFields,
    about: 'Runs, newest first',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.runs({ ...periodQuery(request), limit: runsMax }),
  },
  {
    path: '/v1/spend',
    kind: 'list',
    fields: fields.spendFields,
    about: 'What was spent by day, service and currency (SERP credits, or micro-USD)',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.spend(periodQuery(request)),
  },
  {
    path: '/v1/alerts',
    kind: 'list',
    fields: fields.alertFields,
    about: 'Alerts, newest first',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.alerts(periodQuery(request)),
  },
  {
    path: '/v1/notes',
    kind: 'list',
    fields: fields.noteFields,
    about: 'Notes by date',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.notes(periodQuery(request)),
  },
];

function periodQuery({ query }: ReadRequest): PeriodQuery {
  return given(query, 'project', 'from', 'to');
}

const rankingsMax = 200_000;

/**
 * Only of dates on which the row was checked, failed checks included. Throws InvalidQuery for more rows than memory is
 * meant to hold.
 */
function rankings(reader: HistoryReader, { project, query }: ReadRequest): readonly object[] {
  const [from, to] = [query.get('from') || null, query.get('to') || null];
  const { dates } = reader.project(project);
  const isMeant = (date: string): boolean => (from === null || date >= from) && (to === null || date <= to);
  const meant = from === null && to === null ? dates.slice(-1) : dates.filter(isMeant);
  const filter = parseFilter(query);
  const found: object[] = [];
  for (const date of meant) {
    for (const row of reader.keywords({ project, date, filter, sort: [] }))
      if (row.date === date && row.runId !== null) found.push(pick(row));
    if (found.length > rankingsMax)
      throw new InvalidQuery(
        `from, to: more than ${rankingsMax} ranks; shorten the period, add a filter, or use rankledger export`,
      );
  }
  return found;
}

function pick(row: KeywordRow): object {
  return Object.fromEntries(fields.rankingFields.map((field) => [field, apiValue(row, field) ?? null]));
}

function segmentKinds(): readonly SegmentKind[] {
  return ['tag', 'market', 'device', 'country', 'target', 'intent', 'view'];
}

function keywordQuery({ project, query }: ReadRequest): KeywordQuery {
  return {
    project,
    ...given(query, 'date', 'compare'),
    filter: parseFilter(query),
    sort: parseSort(query.get('sort')),
  };
}

function seriesQuery(request: ReadRequest): SeriesQuery {
  const granularities: readonly Granularity[] = ['day', 'week', 'month'];
  return {
    ...keywordQuery(request),
    ...given(request.query, 'from', 'to'),
    granularity: oneOf('granularity', request.query.get('granularity') ?? 'day', granularities),
  };
}

function keywordHistory({ project, id, query }: ReadRequest) {
  return {
    project,
    id,
    ...given(query, 'from', 'to', 'date', 'compare'),
  };
}

function serpQuery({ project, query }: ReadRequest): SerpQuery {
  const needed = (name: string): string => {
    const value = query.get(name);
    if (!value)
      throw new InvalidQuery(`${name}: missing; it names the search, with ${Object.keys(searchParameters).join(', ')}`);
    return value;
  };
  return {
    project,
    keyword: needed('keyword'),
    country: needed('country'),
    language: needed('language'),
    device: needed('device'),
    ...given(query, 'location', 'date'),
  };
}

function isTrue(name: string, { query }: ReadRequest): boolean {
  return oneOf(name, query.get(name) || 'false', ['true', 'false']) === 'true';
}
