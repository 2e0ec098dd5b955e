// History of several databases as one: each project is read where it is, and the lists of all projects are joined.
import { createHash } from 'node:crypto';
import {
  type ClickReader,
  type Dated,
  type GridReader,
  type HistoryReader,
  NotFound,
  type PeriodQuery,
} from '../read/contract.ts';
import { LazyRows } from '../read/lazy-rows.ts';
import type { NoteRecord, ProjectOverview, SpendDay } from '../read/records.ts';
import { byText } from '../tracker/figures.ts';

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
    hours: (project) => this.#of({ project }).clicks.hours(project),
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

  readonly project: HistoryReader['project'] = (project) => this.#of({ project }).project(project);
  readonly keywords: HistoryReader['keywords'] = (query) => this.#of(query).keywords(query);
  readonly withTrends: HistoryReader['withTrends'] = (query, rows) => this.#of(query).withTrends(query, rows);
  readonly summary: HistoryReader['summary'] = (query) => this.#of(query).summary(query);
  readonly segments: HistoryReader['segments'] = (query, by) => this.#of(query).segments(query, by);
  readonly series: HistoryReader['series'] = (query) => this.#of(query).series(query);
  readonly landingPages: HistoryReader['landingPages'] = (query) => this.#of(query).landingPages(query);
  readonly cannibalization: HistoryReader['cannibalization'] = (query) => this.#of(query).cannibalization(query);
  readonly competitors: HistoryReader['competitors'] = (query) => this.#of(query).competitors(query);
  readonly discovered: HistoryReader['discovered'] = (query) => this.#of(query).discovered(query);
  readonly keyword: HistoryReader['keyword'] = (query) => this.#of(query).keyword(query);
  readonly causes: HistoryReader['causes'] = (query) => this.#of(query).causes(query);
  readonly changeCauses: HistoryReader['changeCauses'] = (query) => this.#of(query).changeCauses(query);
  readonly changeSummary: HistoryReader['changeSummary'] = (query) => this.#of(query).changeSummary(query);
  readonly attribution: HistoryReader['attribution'] = (query) => this.#of(query).attribution(query);
  readonly checks: HistoryReader['checks'] = (query) => this.#of(query).checks(query);
  readonly serp: HistoryReader['serp'] = (query) => this.#of(query).serp(query);
  readonly serpDates: HistoryReader['serpDates'] = (query) => this.#of(query).serpDates(query);
  readonly volumes: HistoryReader['volumes'] = (project) => this.#of({ project }).volumes(project);
  readonly answers: HistoryReader['answers'] = (query) => this.#of(query).answers(query);
  readonly answerTexts: HistoryReader['answerTexts'] = (query) => this.#of(query).answerTexts(query);

  /** Runs of different databases may have the same number. */
  readonly runs: HistoryReader['runs'] = (query) =>
    LazyRows.merged(
      this.#ofAll(query, (reader) => [reader.runs(query)]),
      newestFirst,
    );

  spend(query: PeriodQuery): SpendDay[] {
    const days = this.#ofAll(query, (reader) => reader.spend(query));
    return [...Map.groupBy(days, ({ date, service, currency }) => `${date} ${currency} ${service}`).values()]
      .map((same) => same.reduce(joinedSpend))
      .sort((a, b) => byText(a.date, b.date) || byText(a.service, b.service) || byText(a.currency, b.currency));
  }

  readonly alerts: HistoryReader['alerts'] = (query) =>
    LazyRows.merged(
      this.#ofAll(query, (reader) => [reader.alerts(query)]),
      newestFirst,
    );

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

const newestFirst = (a: Dated, b: Dated): number => b.at - a.at;

function joinedSpend(a: SpendDay, b: SpendDay): SpendDay {
  return {
    ...a,
    spent: a.spent + b.spent,
    unknown: a.unknown + b.unknown,
    shared: a.shared + b.shared,
    purchases: a.purchases + b.purchases,
  };
}
