// History of several databases as one: each project is read where it is, and the lists of all projects are joined.
import { createHash } from 'node:crypto';
import { type Dated, type HistoryReader, NotFound, type PeriodQuery, type ProjectReader } from '../read/contract.ts';
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
      project === undefined || reader === this.#having(project)
        ? reader.projects(project).map((of) => ({ ...of, database: at + 1 }))
        : [],
    );
  }

  of(project: string): ProjectReader {
    return this.#having(project).of(project);
  }

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
    return project === undefined ? this.#readers.flatMap(read) : read(this.#having(project));
  }

  #having(project: string): DatabaseReader {
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
