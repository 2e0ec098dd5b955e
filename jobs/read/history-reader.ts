// Reads history for the workspace: the API, its page and the MCP server. Buys and writes nothing.

import { createHash } from 'node:crypto';
import type { Delivery } from '../../db/history/outbox.ts';
import { answerRecord } from '../../src/read/answer-row.ts';
import {
  type CompetitorQuery,
  type Dated,
  type HistoryReader,
  InvalidQuery,
  type KeywordHistoryQuery,
  type KeywordQuery,
  NotFound,
  type Period,
  type PeriodQuery,
  type ProjectReader,
  type SegmentKind,
  type SeriesQuery,
  type SerpQuery,
} from '../../src/read/contract.ts';
import { sortRows } from '../../src/read/keyword-filter.ts';
import { LazyRows, type ListRows } from '../../src/read/lazy-rows.ts';
import type {
  AlertRecord,
  AnswerRecord,
  CannibalizationAnswer,
  CheckRecord,
  CompetitorSeries,
  DiscoveredDomain,
  KeywordHistory,
  LandingPage,
  NoteRecord,
  ProjectFacts,
  ProjectOverview,
  RankPoint,
  RunRecord,
  Segment,
  SeriesAnswer,
  SpendDay,
  StoredSerpView,
  Summary,
  VolumeRow,
} from '../../src/read/records.ts';
import { parseView } from '../../src/read/saved-view.ts';
import { gridPoints, gridSums } from '../../src/read/sums/grids.ts';
import { landingPages } from '../../src/read/sums/landing-pages.ts';
import { pageTurns } from '../../src/read/sums/page-turns.ts';
import { chosenDates, sumDates } from '../../src/read/sums/series.ts';
import { groupRows, viewGroups } from '../../src/read/sums/summaries.ts';
import { alertText } from '../../src/report/alerts/alert-text.ts';
import { type DiscoveredRow, startDiscoveredCompetitors } from '../../src/report/tables/discovered-competitors.ts';
import type { KeywordCauses } from '../../src/tracker/causes/cause-text.ts';
import type { ChangeSummary } from '../../src/tracker/causes/change-summary.ts';
import type { KeptAlert } from '../../src/tracker/changes/alerts.ts';
import { goesOn, isNarrow, isNoteAbout, notesBetween } from '../../src/tracker/changes/note.ts';
import { type ClickHour, newestHours } from '../../src/tracker/clicks/clicks.ts';
import { withFaults } from '../../src/tracker/clicks/known-faults.ts';
import { byText, rounded } from '../../src/tracker/figures.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { marketName, namedMarket, type Project, type Target } from '../../src/tracker/project.ts';
import { addDays, isDate, localDate, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { ReaderScope } from '../../src/workspace/scoped-reader.ts';
import { readClickChanges } from '../clicks/click-changes.ts';
import { silentKeywords, untrackedQueries } from '../clicks/suggestions.ts';
import type { JobContext } from '../context.ts';
import { historyRows } from '../query/read-history.ts';
import { runSummaries } from '../query/status.ts';
import { readAttribution, readChangeSummary } from './attribution.ts';
import type { TableRow } from './columns/column-rows.ts';
import { trailKey } from './columns/project-searches.ts';
import { SharedColumns } from './columns/run-ranks.ts';
import { competitorSeries } from './competitor-series.ts';
import { pageTrails } from './page-trails.ts';
import { ProjectHistory } from './project-history.ts';
import { type Headline, projectOverview, readHeadline, readPresent } from './project-overview.ts';
import { answerRows } from './rows/answer-rows.ts';
import { answerTexts } from './rows/answer-texts.ts';
import type { SerpScope } from './rows/report-scope.ts';
import { serpRows } from './rows/serp-rows.ts';
import { ProjectSites } from './rows/serp-sites.ts';
import { searchIdOf, storedSerp, storedSerpDates } from './rows/stored-serps.ts';
import { allNotes } from './rows/suspected-updates.ts';
import { configDigest, type HistorySettings } from './settings.ts';

/** Each holds the tables of its keywords. */
const partsMax = 16;
const versionCharacters = 22;
const iso = (at: number): string => new Date(at).toISOString();

export class StoredHistory implements HistoryReader {
  #context: JobContext;
  readonly #settings: HistorySettings;
  readonly #projects = new Map<string, StoredProject>();
  readonly #headlines = new WeakMap<ProjectHistory, Headline>();
  /** Of readers who see only a part, the newest used last. */
  readonly #parts = new Map<string, { readonly version: string; readonly part: StoredHistory }>();
  #storeVersion = '';
  #columns: SharedColumns;
  /** Of what the config says of the projects. */
  #configDigest: string;

  constructor(context: JobContext, settings: HistorySettings) {
    this.#context = context;
    this.#settings = settings;
    this.#columns = new SharedColumns(context);
    this.#configDigest = configDigest(context.projects.values(), settings);
  }

  /** Reads history for these projects from now on: their keywords were edited. */
  adopt(projects: JobContext['projects']): void {
    const digest = configDigest(projects.values(), this.#settings);
    if (digest === this.#configDigest) return;
    this.#context = { ...this.#context, projects };
    this.#configDigest = digest;
    this.#projects.clear();
  }

  /** Those of the config, or the last that were adopted. */
  get adopted(): JobContext['projects'] {
    return this.#context.projects;
  }

  version(): string {
    const { store, clock, timezone } = this.#context;
    const version = store.history.version();
    if (version !== this.#storeVersion) {
      this.#columns = new SharedColumns(this.#context);
      for (const [id, { history: before }] of this.#projects) {
        const project = this.#context.projects.get(id) ?? before.project;
        this.#projects.set(id, this.#stored(project, before));
      }
    }
    this.#storeVersion = version;
    const named = `${version} ${this.#configDigest} ${localDate(clock.now(), timezone)}`;
    return createHash('sha256').update(named).digest('base64url').slice(0, versionCharacters);
  }

  /** Begin again when `version` changes: what has not changed is not read again. */
  *warm(): Generator<void> {
    // what the list of projects shows, then what their pages show
    for (const project of this.#context.projects.keys()) {
      this.#headline(project);
      yield;
    }
    for (const project of this.#context.projects.keys()) {
      const reader = this.of(project);
      yield* reader.history.warm();
      // one of them reads what all have in common
      reader.changeCauses({ filter: {}, sort: [] }).slice(0, 1);
      yield;
      reader.changeSummary({ filter: {}, sort: [] });
      yield;
    }
  }

  projects(project?: string): ProjectOverview[] {
    const ids = project === undefined ? [...this.#context.projects.keys()] : [this.projectNamed(project)];
    const present = readPresent(this.#context, project === undefined ? null : (ids[0] ?? null));
    this.version();
    return ids.map((id) => projectOverview(this.#context, this.#headline(id), present));
  }

  /** Call `version` before: it passes over all runs, which is too much for each of many projects. */
  #headline(id: string): Headline {
    const { history } = this.#known(id);
    return getOrInsert(this.#headlines, history, () => readHeadline(this.#settings, history));
  }

  /** Throws NotFound. */
  of(project: string): StoredProject {
    this.version();
    return this.#known(project);
  }

  /** The id of a project by its id, or an earlier one. Throws NotFound. */
  projectNamed(name: string): string {
    return this.of(name).history.project.id;
  }

  isNameOf(name: string, project: string): boolean {
    return (this.#settings.formerProjects.get(name) ?? name) === project;
  }

  /**
   * The part of a project that a reader may see, as if nothing else was tracked: its keywords are all that is read.
   * Throws NotFound for a view that the config no longer has.
   */
  part({ project: name, tag, view }: ReaderScope): HistoryReader {
    const { project } = this.of(name).history;
    const version = this.version();
    const key = JSON.stringify([project.id, tag, view]);
    const known = this.#parts.get(key);
    const part = known?.version === version ? known.part : this.#cut(project, tag, view);
    this.#parts.delete(key);
    this.#parts.set(key, { version, part });
    for (const oldest of this.#parts.keys()) if (this.#parts.size > partsMax) this.#parts.delete(oldest);
    return part;
  }

  #cut(project: Project, tag: string | undefined, view: string | undefined): StoredHistory {
    const shown = this.#settings.viewsOf(project.id).filter(({ name }) => name === view);
    if (view !== undefined && shown.length === 0) throw new NotFound(`no view "${view}"`);
    const asked = shown.map(({ query }) => parseView(query))[0] ?? { filter: {} };
    const filter = { ...asked.filter, ...(tag !== undefined && { tags: [{ any: [tag], none: [] }] }) };
    const target = view === undefined ? { target: { any: ['*'], none: [] } } : {};
    const rows = this.of(project.id).keywords({ ...asked, sort: [], filter: { ...target, ...filter } });
    const [searches, targets] = [
      new Set(rows.map((row) => trailKey(row.keyword, row))),
      new Set(rows.map((row) => row.target)),
    ];
    const { prompts: _, ...rest } = project;
    const part: Project = {
      ...rest,
      isPart: true,
      targets: project.targets.filter(({ value }, at) => targets.has(value) || (targets.size === 0 && at === 0)),
      keywords: project.keywords.flatMap((of) => {
        const devices = of.devices.filter((device) => searches.has(trailKey(of.keyword, { ...of, device })));
        return devices.length === 0 ? [] : [{ ...of, devices }];
      }),
    };
    const settings = { ...this.#settings, viewsOf: () => shown };
    return new StoredHistory({ ...this.#context, projects: new Map([[project.id, part]]) }, settings);
  }

  runs({ project, ...period }: PeriodQuery): LazyRows<Dated, RunRecord> {
    const { ledger, runs } = this.#context.store;
    const within = { project: this.#knownId(project), ...moments(this.#timezoneOf(project), period) };
    const opened = runs.openedWithin(within).map(({ id, openedAt }) => ({ id, at: openedAt }));
    return new LazyRows(opened, (shown) =>
      runSummaries(
        this.#context,
        shown.flatMap(({ id }) => runs.run(id) ?? []),
      ).map(({ slots: _, discardReason: __, ...run }) => ({
        ...run,
        creditsSpent: ledger.spentBy(run.runId, 'serp_credit'),
        microUsdSpent: ledger.spentBy(run.runId, 'micro_usd'),
      })),
    );
  }

  spend({ project, ...period }: PeriodQuery): SpendDay[] {
    const { from = null, to = null } = checkedPeriod(period);
    return this.#context.store.dailySpend.days({ project: this.#knownId(project), from, to });
  }

  alerts({ project, ...period }: PeriodQuery): LazyRows<Dated, AlertRecord> {
    const { alertDeliveries } = this.#context.store;
    const within = { project: this.#knownId(project), ...moments(this.#timezoneOf(project), period) };
    const created = alertDeliveries.createdWithin(within).map(({ id, at }) => ({ id, at }));
    return new LazyRows(created, (shown) => alertDeliveries.withIds(shown.map(({ id }) => id)).map(alertRecord));
  }

  notes({ project, ...period }: PeriodQuery): NoteRecord[] {
    return noteRecords(this.#context, this.#settings, this.#knownId(project) ?? undefined, period);
  }

  /** Null: all projects. Throws NotFound. */
  #knownId(project: string | undefined): string | null {
    return project === undefined ? null : this.projectNamed(project);
  }

  /** Of the local dates of a question. */
  #timezoneOf(project: string | undefined): string {
    return project === undefined ? this.#context.timezone : this.of(project).history.project.timezone;
  }

  #known(name: string): StoredProject {
    const id = this.#settings.formerProjects.get(name) ?? name;
    const known = this.#projects.get(id);
    if (known !== undefined) return known;
    const project = this.#context.projects.get(id);
    if (project === undefined) throw new NotFound(`no project "${id}"`);
    const stored = this.#stored(project);
    this.#projects.set(id, stored);
    return stored;
  }

  #stored(project: Project, before?: ProjectHistory): StoredProject {
    const shared = { project, columns: this.#columns, ...(before && { before }) };
    return new StoredProject(this.#context, this.#settings, new ProjectHistory(this.#context, this.#settings, shared));
  }
}

/** The history of one project, until it changes. */
class StoredProject implements ProjectReader {
  readonly history: ProjectHistory;
  readonly #context: JobContext;
  readonly #settings: HistorySettings;
  #volumes: ListRows<VolumeRow> | undefined;

  constructor(context: JobContext, settings: HistorySettings, history: ProjectHistory) {
    this.history = history;
    this.#context = context;
    this.#settings = settings;
  }

  facts(): ProjectFacts {
    const { history } = this;
    const { project, trails } = history;
    const { rows, clicks } = history.table({});
    const { store, clock } = this.#context;
    const clickExport = store.clickExports.newest(project, localDate(clock.now(), project.timezone));
    const tracked = project.keywords.flatMap((of) => of.devices.map((device) => ({ ...of, device })));
    const markets = new Map([...rows, ...tracked].map((row) => [marketName(row), namedMarket(row)]));
    return {
      project: project.id,
      engine: project.engine ?? null,
      timezone: project.timezone,
      targets: project.targets.map(({ value }) => value),
      competitors: project.competitors.map(({ value }) => value),
      tags: [...new Set([...rows, ...tracked].flatMap(({ tags }) => tags))].sort(),
      markets: [...markets.values()],
      features: [
        ...new Set(rows.flatMap(({ serpFeatures, lostFeatures }) => [...serpFeatures, ...lostFeatures])),
      ].sort(),
      dates: trails.dates,
      ctrCurve: history.ctrCurve,
      ...(clicks === null ? {} : { clicks: clicks.facts() }),
      ...(clickExport === null || project.isPart
        ? {}
        : { clickExport: { ...clickExport, ...withFaults(clickExport.from, clickExport.to) } }),
      views: this.#settings.viewsOf(project.id),
      grid: project.grid,
    };
  }

  readonly keywords: ProjectReader['keywords'] = (query) => sortRows(this.history.rows(query), query.sort);
  readonly withTrends: ProjectReader['withTrends'] = ({ date }, rows) =>
    this.history.withTrends(rows as readonly TableRow[], date); // those of `keywords`

  summary(query: KeywordQuery): Summary {
    const { history } = this;
    return history.summarize(history.summedRows(query), query);
  }

  segments(query: KeywordQuery, by: SegmentKind): Segment[] {
    const { history } = this;
    // a segment of each target is the sum of one target
    const ofAll = { ...query, filter: { target: { any: ['*'], none: [] }, ...query.filter } };
    const rows = by === 'target' ? history.rows(ofAll) : history.summedRows(query);
    const groups = by === 'view' ? viewGroups(rows, this.#settings.viewsOf(history.project.id)) : groupRows(rows, by);
    return groups.map(([segment, group]) => ({ segment, ...history.summarize(group, query) }));
  }

  series(query: SeriesQuery): SeriesAnswer {
    const { history } = this;
    const { trails } = history;
    const indices = chosenDates(trails.dates, checkedPeriod(query));
    const rows = history.summedRows(atEnd(query, trails.dates));
    const notes = this.#notesOver(rows, trails.dates, indices);
    return sumDates(history.sumsOf(rows), trails.dates, indices, history.ctrCurve, notes);
  }

  /** A note about a keyword or a tag is over rows of nothing else. */
  #notesOver(rows: readonly TableRow[], dates: readonly string[], indices: readonly number[]): NoteRecord[] {
    const [from, to] = [dates[indices[0] ?? -1], dates[indices.at(-1) ?? -1]];
    if (from === undefined || to === undefined) return [];
    const isOver = (note: NoteRecord) => rows.length > 0 && rows.every((row) => isNoteAbout(note, row));
    return this.#notes({ from, to }).filter((note) => !isNarrow(note) || isOver(note));
  }

  landingPages(query: KeywordQuery): LandingPage[] {
    const { history } = this;
    return landingPages(history.rows(query), (url) => history.table(query).clicks?.ofPage(url) ?? null);
  }

  cannibalization(query: SeriesQuery): CannibalizationAnswer {
    const { history } = this;
    const { trails } = history;
    const period = checkedPeriod(query);
    const range = chosenDates(trails.dates, { ...period, granularity: 'day' });
    const shown = chosenDates(trails.dates, period).map((index) => range.indexOf(index));
    const rows = pageTrails(this.#context, history.rows(query), trails, range);
    const dates = range.map((index) => trails.dates[index] ?? '');
    return pageTurns(rows, dates, shown);
  }

  competitors(query: CompetitorQuery): CompetitorSeries {
    const { history } = this;
    const { project, trails, rankSums, ctrCurve } = history;
    const indices = chosenDates(trails.dates, checkedPeriod(query));
    const [rows, hasShare] = [history.rows(atEnd(query, trails.dates)), query.hasShare === true];
    const question = { context: this.#context, project, rows, trails, rankSums, indices, ctrCurve, hasShare };
    const series = competitorSeries(question);
    return { ...series, notes: this.#notesOver(rows, trails.dates, indices) };
  }

  discovered(query: KeywordQuery): ListRows<DiscoveredDomain> {
    const { history } = this;
    const scope = history.serpScope(query);
    return scope === null ? [] : discoveredDomains(scope, history.rows(query), history.ctrCurve);
  }

  keyword({ id, date, compare, ...period }: KeywordHistoryQuery): KeywordHistory {
    const { history } = this;
    const { project } = history;
    const state = { date, compare };
    const found = history.row(id, state);
    const { clicks } = history.table(state);
    const within = checkedPeriod(period);
    return {
      row: found,
      lines: rankLines(this.#context, project, found, within),
      volumes: [...volumeRows(this.#context, project.service, [found])],
      notes: this.#notes(period).filter((note) => isNoteAbout(note, found)),
      clicks: clicks?.byDay(found.keyword, found, found.own, within),
    };
  }

  causes({ id, ...state }: KeywordHistoryQuery): KeywordCauses {
    const { history } = this;
    const row = history.row(id, state);
    const [causes] = history.causes([row], state);
    if (causes === undefined) throw new Error('each row is explained');
    return causes;
  }

  changeCauses(query: KeywordQuery): LazyRows<TableRow, KeywordCauses> {
    const { history } = this;
    return new LazyRows(history.movedRows(query), (rows) => history.causes(rows, query));
  }

  changeSummary(query: KeywordQuery): ChangeSummary {
    const { history } = this;
    return history.changeSummary(query, () => readChangeSummary(this.#context, history, query));
  }

  readonly attribution: ProjectReader['attribution'] = (query) => readAttribution(this.#context, this.history, query);

  checks({ id, date: _, compare: __, ...period }: KeywordHistoryQuery): ListRows<CheckRecord> {
    const { project } = this.history;
    const found = this.history.row(id, {});
    const { searchRecords } = this.#context.store;
    const searchId = searchIdOf(this.#context, project, found);
    const ids = searchId === null ? [] : searchRecords.checkIds(searchId, moments(project.timezone, period));
    return new LazyRows(ids, (shown) =>
      searchRecords.checks(shown).map(({ id: checkId, checkedAt, ...check }) => ({
        ...check,
        checkId,
        date: checkedAt === null ? null : localDate(checkedAt, project.timezone),
        purchases: check.purchases.map((purchase) => ({ ...purchase, openedAt: iso(purchase.openedAt) })),
      })),
    );
  }

  serp(query: SerpQuery): StoredSerpView | null {
    const { date } = query;
    checkedPeriod(date === undefined ? {} : { to: date });
    return storedSerp(this.#context, this.history.project, query);
  }

  readonly serpDates: ProjectReader['serpDates'] = (query) =>
    storedSerpDates(this.#context, this.history.project, query);

  answers(query: Period): AnswerRecord[] {
    const { from = '', to = '9999' } = checkedPeriod(query);
    return Array.from(answerRows(this.#context, this.history.project, { from, to }), answerRecord);
  }

  readonly answerTexts: ProjectReader['answerTexts'] = (query) =>
    answerTexts(this.#context, this.history.project, checkedPeriod(query));

  volumes(): ListRows<VolumeRow> {
    const { service, keywords } = this.history.project;
    this.#volumes ??= volumeRows(this.#context, service, keywords);
    return this.#volumes;
  }

  readonly clickChanges: ProjectReader['clickChanges'] = (query) =>
    readClickChanges(this.#context, this.history.project, query);

  clickHours(): ClickHour[] {
    const { project } = this.history;
    const { clicks } = this.#context.store;
    return newestHours(clicks.property(project) === null ? [] : clicks.hours(project.id));
  }

  readonly untrackedQueries: ProjectReader['untrackedQueries'] = (impressionsMin) =>
    untrackedQueries(this.#context, this.history.project, impressionsMin);
  readonly silentKeywords: ProjectReader['silentKeywords'] = () => silentKeywords(this.#context, this.history.project);
  readonly gridSums: ProjectReader['gridSums'] = (query) =>
    gridSums(this.history.project.grid, this.history.rows(query));
  readonly gridPoints: ProjectReader['gridPoints'] = (query) =>
    gridPoints(this.history.project.grid, this.history.rows(query));
  readonly gridMap: ProjectReader['gridMap'] = ({ id, ...query }) => this.history.gridMap(id, query);

  #notes(period: Period): NoteRecord[] {
    return noteRecords(this.#context, this.#settings, this.history.project.id, period);
  }
}

function alertRecord(delivery: Delivery): AlertRecord {
  return {
    project: delivery.project,
    rule: delivery.rule,
    subject: delivery.subject,
    text: alertText((JSON.parse(delivery.payload) as KeptAlert).alert),
    channel: delivery.channel,
    state: delivery.state,
    runId: delivery.runId,
    createdAt: new Date(delivery.createdAt).toISOString(),
  };
}

/** `project` undefined: of all. Throws InvalidQuery. */
function noteRecords(
  context: JobContext,
  { notes }: HistorySettings,
  project: string | undefined,
  period: Period,
): NoteRecord[] {
  const { from = '', to = '9999' } = checkedPeriod(period);
  return notesBetween(allNotes(context, notes, project), from, to)
    .map(({ date, text, project: of, keyword, tag, until, isConfirmed }) => ({
      ...{ date, text, project: of, keyword, tag },
      ...(isConfirmed && { confirmed: isConfirmed, ...(until !== goesOn && { until }) }),
    }))
    .sort((a, b) => byText(a.date, b.date));
}

/** Returns the period. Throws InvalidQuery for an invalid date. */
function checkedPeriod<Given extends Period>(period: Given): Given {
  for (const name of ['from', 'to'] as const) {
    const date = period[name];
    if (date !== undefined && !isDate(date))
      throw new InvalidQuery(`${name}: "${date}" is not a date such as 2026-11-20`);
  }
  return period;
}

/** Sums over time have the searches of the last date, and the rows that filters find there, as its table has. */
function atEnd(query: SeriesQuery, dates: readonly string[]): SeriesQuery {
  const { date, to } = query;
  return date !== undefined || to === undefined || to >= (dates.at(-1) ?? '') ? query : { ...query, date: to };
}

/** UTC milliseconds of local dates, both inclusive. Throws InvalidQuery. */
function moments(timezone: string, period: Period): { readonly from: number; readonly until: number } {
  const { from, to } = checkedPeriod(period);
  return {
    from: from === undefined ? 0 : startOfDay(from, timezone),
    until: to === undefined ? Number.MAX_SAFE_INTEGER : startOfDay(addDays(to, 1), timezone) - 1,
  };
}

/** A keyword in a country and language. */
interface VolumeKeyword {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
}

/** By market, keyword and month, newest month first: read for the keywords of a page. */
function volumeRows(
  { store }: Pick<JobContext, 'store'>,
  service: string,
  keywords: readonly VolumeKeyword[],
): LazyRows<VolumeKeyword, VolumeRow> {
  const { volumeSeries } = store;
  const marketOf = ({ country, language }: VolumeKeyword) => `${country}\n${language}`;
  const once = new Map(keywords.map((of) => [`${marketOf(of)}\n${of.keyword}`, of]));
  const groups = [...Map.groupBy(once.values(), marketOf).values()];
  const texts = (group: readonly VolumeKeyword[]) => group.map(({ keyword }) => keyword);
  const counts = groups.flatMap((group) => volumeSeries.counts({ service, ...marketIn(group) }, texts(group)));
  const read = (shown: readonly VolumeKeyword[]) =>
    [...Map.groupBy(shown, marketOf).values()].flatMap((group) => {
      const { country, language } = marketIn(group);
      return volumeSeries
        .history({ service, country, language }, texts(group))
        .map(({ keyword, month, searchVolume, cpcMicroUsd, competition, source }) => ({
          ...{ keyword, country, language, month, searchVolume },
          cpc: cpcMicroUsd === null ? null : cpcMicroUsd / 1_000_000,
          ...{ competition, source },
        }));
    });
  return new LazyRows(groups.flat(), read, counts);
}

/** Of a group of one market. */
function marketIn([{ country = '', language = '' } = {}]: readonly Partial<VolumeKeyword>[]) {
  return { country, language };
}

// Other domains on the pages of the filtered searches, with the numbers of discovered-competitors.csv.

/** Their pages are read in some seconds. */
const searchesMax = 20_000;

/** Throws InvalidQuery for too many searches. */
function discoveredDomains(
  scope: SerpScope,
  rows: readonly TableRow[],
  ctrCurve: string,
): LazyRows<DiscoveredRow, DiscoveredDomain> {
  const shown = new Set(rows.map((row) => trailKey(row.keyword, row)));
  if (shown.size > searchesMax) {
    throw new InvalidQuery(
      `filter: ${shown.size} searches are too many to read their pages; narrow it to ${searchesMax}`,
    );
  }
  const keywords = new Set(rows.map(({ keyword }) => keyword));
  const project = { ...scope.project, keywords: scope.project.keywords.filter(({ keyword }) => keywords.has(keyword)) };
  const sites = new ProjectSites(scope.context.store.serpContents, project);
  const discovered = startDiscoveredCompetitors(ctrCurve, sites, sites.listed);
  for (const searches of serpRows({ ...scope, project }, sites)) {
    for (const { row } of searches) if (shown.has(trailKey(row.keyword, row))) discovered.add(row);
  }
  const run = scope.runs.at(-1);
  return new LazyRows(discovered.rows({ project: project.id, runId: run?.id ?? 0, warning: null }), (shown) =>
    shown.map(({ domain, sums, shareOfVoice, exampleUrl }) => ({
      domain,
      shareOfVoice: rounded(shareOfVoice, 4),
      estimatedClicks: rounded(sums.clicks, 4),
      keywords: sums.keywords,
      top3: sums.top3,
      top10: sums.top10,
      averageRank: rounded(sums.ranks / sums.keywords, 4),
      exampleKeyword: sums.search.keyword,
      exampleMarket: marketName(sums.search),
      exampleRank: sums.rank,
      exampleUrl: exampleUrl(),
    })),
  );
}

// The ranks of all targets in the search of one row, from its checks.

/** That of the row's own target first, then the others in the order of the config. */
function rankLines(context: JobContext, project: Project, row: TableRow, period: Period): KeywordHistory['lines'] {
  const points = pointsByTarget(context, project, row, period);
  const others = project.targets.filter((target) => targetKey(target) !== targetKey(row.own));
  const lineOf = (isOwn: boolean) => (target: Target) => ({
    target: target.value,
    isOwn,
    points: points.get(target.value) ?? [],
  });
  return [...[row.own, ...others].map(lineOf(true)), ...project.competitors.map(lineOf(false))];
}

/** Of the checks that count. */
function pointsByTarget(
  context: JobContext,
  project: Project,
  { keyword, country, device, language, location }: TableRow,
  { from, to }: Period,
): ReadonlyMap<string, RankPoint[]> {
  const points = new Map<string, RankPoint[]>();
  const period = { from, to };
  for (const check of historyRows(context, [project], { keyword, country, device, ...period })) {
    if (check.language !== language || check.location !== location || check.discarded) continue;
    const line = getOrInsert(points, check.target, () => []);
    const { localDate: date, checkedAt, status, rank, url, depth, serpFeatures, ownedFeatures, note } = check;
    line.push({ date, checkedAt, status, rank, url, depth, serpFeatures, ownedFeatures, note });
  }
  return points;
}
