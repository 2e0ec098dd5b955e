// History of several databases as one: each project is read where it is, and the lists of all projects are joined.
import { createHash } from 'node:crypto';
import type { AnswerSample } from '../tracker/answers/answers.ts';
import type { KeywordCauses } from '../tracker/causes/cause-text.ts';
import type { SummarySentence } from '../tracker/causes/change-summary.ts';
import { byText } from '../tracker/figures.ts';
import type { AnswerRecord } from './answer-records.ts';
import {
  type AnswerTextQuery,
  type AttributionQuery,
  type CompetitorQuery,
  type GridReader,
  type HistoryReader,
  type KeywordHistoryQuery,
  type KeywordQuery,
  NotFound,
  type PeriodQuery,
  type RunQuery,
  type SegmentKind,
  type SeriesQuery,
  type SerpQuery,
} from './contract.ts';
import type { ListRows } from './lazy-rows.ts';
import type {
  AlertRecord,
  AttributionAnswer,
  CannibalizationAnswer,
  CheckRecord,
  ClickReader,
  CompetitorSeries,
  DiscoveredDomain,
  KeywordHistory,
  KeywordRow,
  LandingPage,
  NoteRecord,
  ProjectFacts,
  ProjectOverview,
  RunRecord,
  Segment,
  SeriesAnswer,
  SpendDay,
  StoredSerpView,
  Summary,
  VolumeRow,
} from './records.ts';

type DatabaseReader = Required<HistoryReader>;

/** One of the databases. */
export interface HistoryPart {
  readonly reader: DatabaseReader;
  /** Ids of its projects, which no other part has. */
  readonly projects: Iterable<string>;
  /** Earlier ids of them. */
  readonly formerProjects: Iterable<string>;
}

const versionCharacters = 22;

export class CombinedHistory implements HistoryReader {
  readonly #readers: readonly DatabaseReader[];
  readonly #byProject: ReadonlyMap<string, DatabaseReader>;
  readonly clicks: ClickReader = {
    changes: (query) => this.#of(query).clicks.changes(query),
    untracked: (project, impressionsMin) => this.#of({ project }).clicks.untracked(project, impressionsMin),
    silent: (project) => this.#of({ project }).clicks.silent(project),
  };
  readonly grids: GridReader = {
    sums: (query) => this.#of(query).grids.sums(query),
    points: (query) => this.#of(query).grids.points(query),
    map: (query) => this.#of(query).grids.map(query),
  };

  constructor(parts: readonly HistoryPart[]) {
    this.#readers = parts.map(({ reader }) => reader);
    const named = (ids: 'projects' | 'formerProjects') =>
      parts.flatMap(({ reader, [ids]: of }) => Array.from(of, (id) => [id, reader] as const));
    // the earlier id of one project may be the present id of another
    this.#byProject = new Map([...named('formerProjects'), ...named('projects')]);
  }

  version(): string {
    const versions = this.#readers.map((reader) => reader.version());
    return createHash('sha256').update(versions.join(' ')).digest('base64url').slice(0, versionCharacters);
  }

  /** In turns: each begins with the list of its projects. */
  *warm(): Generator<void> {
    let left = this.#readers.map((reader) => reader.warm()[Symbol.iterator]());
    while (left.length > 0) {
      const unfinished: typeof left = [];
      for (const steps of left) {
        if (steps.next().done !== true) unfinished.push(steps);
        yield;
      }
      left = unfinished;
    }
  }

  projects(project?: string): ProjectOverview[] {
    return this.#readers.flatMap((reader, at) =>
      project === undefined || reader === this.#of({ project })
        ? reader.projects(project).map((of) => ({ ...of, database: at + 1 }))
        : [],
    );
  }

  project(project: string): ProjectFacts {
    return this.#of({ project }).project(project);
  }

  keywords(query: KeywordQuery): readonly KeywordRow[] {
    return this.#of(query).keywords(query);
  }

  withTrends(query: KeywordQuery, rows: readonly KeywordRow[]): readonly object[] {
    return this.#of(query).withTrends(query, rows);
  }

  summary(query: KeywordQuery): Summary {
    return this.#of(query).summary(query);
  }

  segments(query: KeywordQuery, by: SegmentKind): Segment[] {
    return this.#of(query).segments(query, by);
  }

  series(query: SeriesQuery): SeriesAnswer {
    return this.#of(query).series(query);
  }

  landingPages(query: KeywordQuery): LandingPage[] {
    return this.#of(query).landingPages(query);
  }

  cannibalization(query: SeriesQuery): CannibalizationAnswer {
    return this.#of(query).cannibalization(query);
  }

  competitors(query: CompetitorQuery): CompetitorSeries {
    return this.#of(query).competitors(query);
  }

  discovered(query: KeywordQuery): DiscoveredDomain[] {
    return this.#of(query).discovered(query);
  }

  keyword(query: KeywordHistoryQuery): KeywordHistory {
    return this.#of(query).keyword(query);
  }

  causes(query: KeywordHistoryQuery): KeywordCauses {
    return this.#of(query).causes(query);
  }

  changeCauses(query: KeywordQuery): ListRows<KeywordCauses> {
    return this.#of(query).changeCauses(query);
  }

  changeSummary(query: KeywordQuery): SummarySentence[] {
    return this.#of(query).changeSummary(query);
  }

  attribution(query: AttributionQuery): AttributionAnswer {
    return this.#of(query).attribution(query);
  }

  checks(query: KeywordHistoryQuery): CheckRecord[] {
    return this.#of(query).checks(query);
  }

  serp(query: SerpQuery): StoredSerpView | null {
    return this.#of(query).serp(query);
  }

  serpDates(query: Omit<SerpQuery, 'date'>): string[] {
    return this.#of(query).serpDates(query);
  }

  volumes(project: string): VolumeRow[] {
    return this.#of({ project }).volumes(project);
  }

  answers(query: PeriodQuery & { readonly project: string }): AnswerRecord[] {
    return this.#of(query).answers(query);
  }

  answerTexts(query: AnswerTextQuery): AnswerSample[] {
    return this.#of(query).answerTexts(query);
  }

  /** Runs of different databases may have the same number. */
  runs(query: RunQuery): RunRecord[] {
    return this.#ofAll(query, (reader) => reader.runs(query))
      .sort((a, b) => byText(b.openedAt, a.openedAt))
      .slice(0, query.limit);
  }

  spend(query: PeriodQuery): SpendDay[] {
    const days = this.#ofAll(query, (reader) => reader.spend(query));
    return [...Map.groupBy(days, ({ date, service, currency }) => `${date} ${currency} ${service}`).values()]
      .map((same) => same.reduce(joinedSpend))
      .sort((a, b) => byText(a.date, b.date) || byText(a.service, b.service) || byText(a.currency, b.currency));
  }

  alerts(query: PeriodQuery): AlertRecord[] {
    return this.#ofAll(query, (reader) => reader.alerts(query)).sort((a, b) => byText(b.createdAt, a.createdAt));
  }

  /** A note about all projects that several databases have stands once. */
  notes(query: PeriodQuery): NoteRecord[] {
    const notes = this.#ofAll(query, (reader) => reader.notes(query));
    return [...new Map(notes.map((note) => [JSON.stringify(note), note])).values()].sort((a, b) =>
      byText(a.date, b.date),
    );
  }

  #ofAll<Row>(query: PeriodQuery, read: (reader: HistoryReader) => Row[]): Row[] {
    const { project } = query;
    return project === undefined ? this.#readers.flatMap(read) : read(this.#of({ project }));
  }

  #of({ project }: { readonly project: string }): DatabaseReader {
    const reader = this.#byProject.get(project);
    if (reader === undefined) throw new NotFound(`no project "${project}"`);
    return reader;
  }
}

function joinedSpend(a: SpendDay, b: SpendDay): SpendDay {
  return {
    ...a,
    spent: a.spent + b.spent,
    unknown: a.unknown + b.unknown,
    shared: a.shared + b.shared,
    purchases: a.purchases + b.purchases,
  };
}
