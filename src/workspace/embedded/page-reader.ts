// Answers the read API from the data in report.html, by the same filters, sorting and sums.

import {
  type AnswerTextQuery,
  type ClickChangesQuery,
  type CompetitorQuery,
  type HistoryReader,
  InvalidQuery,
  type KeywordHistoryQuery,
  type KeywordQuery,
  NotFound,
  type Period,
  type ProjectReader,
  type SegmentKind,
  type SeriesQuery,
  type SerpQuery,
} from '../../read/contract.ts';
import { filterRows, sortRows, withTarget } from '../../read/keyword-filter.ts';
import type {
  AnswerRecord,
  CannibalizationAnswer,
  CompetitorSeries,
  DiscoveredDomain,
  GridMapAnswer,
  KeywordHistory,
  KeywordRow,
  LandingPage,
  NoteRecord,
  ProjectFacts,
  ProjectOverview,
  Segment,
  SeriesAnswer,
  StoredSerpView,
  Summary,
} from '../../read/records.ts';
import { gridMap, gridPoints, gridSums } from '../../read/sums/grids.ts';
import { landingPages } from '../../read/sums/landing-pages.ts';
import { pageTurns, type RowPages } from '../../read/sums/page-turns.ts';
import { chosenDates, type SeriesRow, sumSeries } from '../../read/sums/series.ts';
import { groupRows, summarize, summedRows, viewGroups } from '../../read/sums/summaries.ts';
import type { PageData } from '../../report/html/data/page-data.ts';
import type { AnswerSample } from '../../tracker/answers/answers.ts';
import type { KeywordCauses } from '../../tracker/causes/cause-text.ts';
import type { ChangeSummary } from '../../tracker/causes/change-summary.ts';
import { addCurve } from '../../tracker/changes/visibility.ts';
import type { ClickChanges } from '../../tracker/clicks/clicks.ts';
import { getOrInsert } from '../../tracker/maps.ts';
import { marketName, namedMarket } from '../../tracker/project.ts';
import { rankCodes } from '../../tracker/rank-codes.ts';
import { daysBetween } from '../../tracker/schedule/time-units.ts';
import { pageRows, rankPoints, rivalLines, searchOf, serpsOf, trailOf, volumesOf } from './page-rows.ts';

/** Columns of a template by the names that the keyword table gives them. */
const tableColumns = {
  market: ['market', 'device'],
  target: ['target'],
  rank: ['rank'],
  change: ['change'],
  trend: ['trend'],
  bestRank: ['best'],
  volume: ['volume'],
  clicks: ['clicks'],
  clicksChange: ['clicks-change'],
  url: ['url'],
} as const;

/** One project, as it stood at one date against one baseline. What the file does not hold throws InvalidQuery. */
export class PageReader implements HistoryReader, ProjectReader {
  readonly #data: PageData;
  readonly #all: readonly KeywordRow[];
  readonly #targets: readonly string[];

  constructor(data: PageData) {
    this.#data = data;
    const { ctrCurve, ctrRates } = data.project;
    if (ctrRates !== undefined) addCurve(ctrCurve, ctrRates);
    this.#all = pageRows(data);
    this.#targets = data.charts.visibility.filter(({ isOwn }) => isOwn).map(({ target }) => target);
  }

  version(): string {
    return this.#data.project.date;
  }

  projects(): ProjectOverview[] {
    return [];
  }

  of(project: string): ProjectReader {
    if (project !== this.#data.project.name) throw new NotFound(`no project "${project}" in this file`);
    return this;
  }

  facts(): ProjectFacts {
    const { project: of, histories, axis } = this.#data;
    const rows = this.#all;
    const seen = histories.flatMap(({ owned, shown }) => [...owned, ...shown].flatMap(([, names]) => names ?? []));
    const features = rows.flatMap(({ serpFeatures, lostFeatures }) => [...serpFeatures, ...lostFeatures]);
    const markets = new Map(rows.map((row) => [marketName(row), namedMarket(row)]));
    return {
      project: of.name,
      engine: of.engine,
      timezone: of.timezone,
      targets: this.#targets,
      competitors: of.competitors,
      tags: [...new Set(rows.flatMap(({ tags }) => tags))].sort(),
      markets: [...markets.values()],
      features: [...new Set([...features, ...seen])].sort(),
      dates: axis.dates,
      ctrCurve: of.ctrCurve,
      ...(this.#data.clicks === undefined ? {} : { clicks: this.#data.clicks.facts }),
      views: of.views,
      ...(of.columns !== null && { columns: ['keyword', ...of.columns.flatMap((name) => tableColumns[name])] }),
      grid: of.grid,
    };
  }

  /** Rows of a file have theirs already. */
  withTrends(_: KeywordQuery, rows: readonly KeywordRow[]): readonly KeywordRow[] {
    return rows;
  }

  keywords(query: KeywordQuery): readonly KeywordRow[] {
    return sortRows(this.#rows(query), query.sort);
  }

  summary(query: KeywordQuery): Summary {
    return this.#summarize(this.#summedRows(query));
  }

  segments(query: KeywordQuery, by: SegmentKind): Segment[] {
    // a segment of each target is the sum of one target
    const ofAll = { ...query, filter: { target: { any: ['*'], none: [] }, ...query.filter } };
    const rows = by === 'target' ? this.#rows(ofAll) : this.#summedRows(query);
    const groups = by === 'view' ? viewGroups(rows, this.#data.project.views) : groupRows(rows, by);
    return groups.map(([segment, group]) => ({ segment, ...this.#summarize(group) }));
  }

  series(query: SeriesQuery): SeriesAnswer {
    const { dates } = this.#data.axis;
    const indices = chosenDates(dates, query);
    const { ctrCurve } = this.#data.project;
    const [from = '', to = ''] = [dates[indices[0] ?? -1], dates[indices.at(-1) ?? -1]];
    return sumSeries(this.#seriesRows(this.#summedRows(query)), dates, indices, ctrCurve, this.#notes(from, to));
  }

  landingPages(query: KeywordQuery): LandingPage[] {
    const byUrl = new Map(this.#data.clicks?.pages.map((page) => [page.url, page]));
    return landingPages(this.#rows(query), (url) => byUrl.get(url) ?? null);
  }

  cannibalization(query: SeriesQuery): CannibalizationAnswer {
    const { dates } = this.#data.axis;
    const range = chosenDates(dates, { ...query, granularity: 'day' });
    const shown = chosenDates(dates, query).map((index) => range.indexOf(index));
    const shownDates = range.map((index) => dates[index] ?? '');
    return pageTurns(this.#rowPages(this.#rows(query), shownDates), shownDates, shown);
  }

  *#rowPages(rows: readonly KeywordRow[], dates: readonly string[]): Generator<RowPages> {
    for (const row of rows) {
      const points = new Map(rankPoints(this.#data, row.id).map((point) => [point.date, point]));
      const urls = dates.map((date) => points.get(date)?.url ?? null);
      yield { row, urls, ranks: dates.map((date) => points.get(date)?.rank ?? null) };
    }
  }

  competitors(query: CompetitorQuery): CompetitorSeries {
    if (Object.keys(query.filter).length > 0) refuse('competitors of some keywords only');
    const { axis, charts, project } = this.#data;
    const indices = chosenDates(axis.dates, query);
    const shares = new Map(charts.shareOfVoice.map((line) => [line.target, line]));
    const pick = (values: readonly (number | null)[]) => indices.map((index) => values[index] ?? null);
    const sums = new Map(
      project.standings.map(({ target, averageRank, top10, wins, losses }) => [
        target,
        { averageRank, top10, wins, losses },
      ]),
    );
    const none = { averageRank: null, top10: null, wins: null, losses: null };
    return {
      dates: indices.map((index) => axis.dates[index] ?? ''),
      targets: charts.visibility.map(({ target, isOwn, values, of }) => ({
        target,
        isOwn,
        visibility: pick(values),
        visibilityOver: pick(of),
        shareOfVoice: shares.size === 0 ? null : pick(shares.get(target)?.values ?? []),
        shareOver: pick(shares.get(target)?.of ?? []),
        ...(sums.get(target) ?? none),
      })),
      passes: [],
      notes: this.#notes(axis.dates[indices[0] ?? -1] ?? '', axis.dates[indices.at(-1) ?? -1] ?? ''),
    };
  }

  keyword({ id, from = '', to = '9999' }: KeywordHistoryQuery): KeywordHistory {
    const row = this.#all[Number(id)];
    if (row === undefined || row.id !== id) throw new NotFound(`no keyword "${id}" in this file`);
    const search = searchOf(row);
    const others = this.#all.filter((other) => other !== row && searchOf(other) === search);
    const own = [row, ...others].map((of) => ({
      target: of.target,
      isOwn: true,
      points: rankPoints(this.#data, of.id),
    }));
    return {
      row,
      lines: [...own, ...rivalLines(this.#data, row)].map((line) => ({
        ...line,
        points: line.points.filter(({ date }) => date >= from && date <= to),
      })),
      volumes: volumesOf(this.#data, row),
      notes: this.#notes(from, to),
    };
  }

  notes(): NoteRecord[] {
    return this.#notes('', '9999');
  }

  causes({ id }: KeywordHistoryQuery): KeywordCauses {
    const found = this.#data.causes?.find((causes) => causes.id === id);
    if (found !== undefined) return found;
    const row = this.#all[Number(id)];
    if (row === undefined) throw new NotFound(`no keyword "${id}" in this file`);
    const { keyword, target, previousDate: from, date: to, rank, previousRank, changeClass, significance } = row;
    return {
      ...{ project: this.#data.project.name, id, keyword, ...namedMarket(row), target, from, to },
      ...{ rank, previousRank, changeClass, significance },
      ...{ places: null, isAtLeast: false, causes: [] },
      unknown: ['This file has the causes of the largest changes beyond noise.'],
    };
  }

  changeCauses(query: KeywordQuery): KeywordCauses[] {
    const shown = new Set(this.#rows(query).map(({ id }) => id));
    return (this.#data.causes ?? []).filter(({ id }) => shown.has(id));
  }

  /** Of all rows of the project: those that the file leaves out are in it. */
  changeSummary({ filter }: KeywordQuery): ChangeSummary {
    const known = Object.keys(filter).length > 0 ? undefined : this.#data.changeSummary;
    return known ?? { sentences: [], total: null };
  }

  readonly attribution = () => refuse('both dates of a change');
  readonly checks = () => refuse('checks');
  readonly volumes = () => refuse('volumes by month');
  readonly runs = () => refuse('runs');
  readonly spend = () => refuse('spend by day');
  readonly alerts = () => refuse('alerts');

  serp({ date = '9999', ...search }: SerpQuery): StoredSerpView | null {
    return this.#serps(search).find((serp) => serp.date <= date) ?? null;
  }

  serpDates(search: Omit<SerpQuery, 'date'>): string[] {
    return this.#serps(search).map(({ date }) => date);
  }

  discovered(): DiscoveredDomain[] {
    return [];
  }

  /** The largest changes of the newest four weeks. */
  clickChanges({ by, days, to }: ClickChangesQuery): ClickChanges {
    const { changes } = this.#data.clicks ?? refuse('clicks by day');
    const held = by === 'query' || by === 'page' ? changes[by] : refuse(`changes by ${by}`);
    const { from, to: until } = held.period;
    if (days !== daysBetween(from, until) + 1 || (to !== undefined && to !== until)) refuse('changes of other days');
    return held;
  }

  readonly clickHours = () => this.#refuseOfClicks('clicks by the hour');
  readonly untrackedQueries = () => this.#refuseOfClicks('queries that are not tracked');
  readonly silentKeywords = () => this.#refuseOfClicks('keywords without impressions');
  readonly gridSums: ProjectReader['gridSums'] = (query) => gridSums(this.#data.project.grid, this.#rows(query));
  readonly gridPoints: ProjectReader['gridPoints'] = (query) => gridPoints(this.#data.project.grid, this.#rows(query));

  answers({ from = '', to = '9999' }: Period): AnswerRecord[] {
    const { answers } = this.#data;
    return (answers?.rows ?? []).filter(({ period }) => period >= from && period <= to);
  }

  answerTexts({ from = '', to = '9999', ...wanted }: AnswerTextQuery): AnswerSample[] {
    const names = ['engine', 'prompt', 'country', 'language'] as const;
    return (this.#data.answers?.samples ?? []).filter(
      (sample) =>
        sample.period >= from &&
        sample.period <= to &&
        names.every((name) => (wanted[name] ?? sample[name]) === sample[name]),
    );
  }

  #serps(search: Omit<SerpQuery, 'date'>): readonly StoredSerpView[] {
    return serpsOf(this.#data, searchOf(search));
  }

  #refuseOfClicks(what: string): never {
    return refuse(this.#data.clicks === undefined ? 'clicks by day' : what);
  }

  #rows({ date, compare, filter }: Omit<KeywordQuery, 'sort'>): readonly KeywordRow[] {
    if (date !== undefined && date !== this.#data.project.date) refuse(`the ranks of ${date}`);
    if (compare !== undefined && compare !== this.#data.project.compare) refuse(`the comparison ${compare}`);
    if (filter.above ?? filter.below ?? filter.passedBy ?? filter.passed) refuse('ranks of competitors by row');
    return filterRows(this.#all, withTarget(filter, this.#targets));
  }

  #summedRows(query: Omit<KeywordQuery, 'sort'>): readonly KeywordRow[] {
    return summedRows(this.#rows(query), this.#targets, this.#data.project.overlaps);
  }

  gridMap({ id, ...query }: KeywordHistoryQuery): GridMapAnswer | null {
    const { axis, project } = this.#data;
    const trails = new Map<KeywordRow, readonly number[]>();
    return gridMap(project.grid, this.#rows({ ...query, filter: {} }), id, {
      compare: project.compare,
      dates: axis.dates,
      codeAt: (entry, at) => {
        const trail = getOrInsert(trails, entry, () => trailOf(this.#data, entry.id));
        return trail[at] ?? rankCodes.none;
      },
    });
  }

  *#seriesRows(rows: readonly KeywordRow[]): Generator<SeriesRow> {
    for (const { id, searchVolume } of rows) yield { trail: trailOf(this.#data, id), searchVolume };
  }

  #summarize(rows: readonly KeywordRow[]): Summary {
    const { ctrCurve, date, compare } = this.#data.project;
    return summarize(rows, { ctrCurve, date, compare });
  }

  #notes(from: string, to: string): NoteRecord[] {
    const { marks } = this.#data;
    return marks
      .filter(({ date }) => date >= from && date <= to)
      .map(({ date, text }) => ({ date, text, project: null }));
  }
}

function refuse(what: string): never {
  throw new InvalidQuery(`This file does not hold ${what}. \`rankledger view\` shows them.`);
}
