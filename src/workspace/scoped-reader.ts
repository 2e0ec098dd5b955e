// History as a reader sees it who may see one project alone, or some rows of it: of clients, who know no others.

import {
  type HistoryReader,
  InvalidQuery,
  NotFound,
  type PeriodQuery,
  type ProjectReader,
  type SerpQuery,
} from '../read/contract.ts';
import type { Access, NoteRecord, ProjectOverview, StoredSerpView } from '../read/records.ts';
import { localDate } from '../tracker/schedule/local-time.ts';

/** What a reader may see: a project, by an id that may be an earlier one; or its keywords with a tag, or a view's. */
export type ReaderScope = NonNullable<Access['scope']>;

/** The scope is not of a whole project. */
export function isPart({ tag, view }: ReaderScope): boolean {
  return tag !== undefined || view !== undefined;
}

/** It exists, and is not for this reader. Answered with 403 over HTTP. */
export class NotShared extends InvalidQuery {
  constructor(what: string) {
    super(`${what} are not shared with this reader`);
  }
}

/** Who sees it: every reader, of the part that it may see; those of a whole project; or those who see everything. */
type Sharing = 'part' | { readonly own: string } | { readonly never: string };

/** Of each question to a project, with the words of a refusal. A question that is added does not compile without. */
const sharing: Readonly<Record<keyof ProjectReader, Sharing>> = {
  facts: 'part',
  keywords: 'part',
  withTrends: 'part',
  summary: 'part',
  segments: 'part',
  series: 'part',
  landingPages: 'part',
  cannibalization: 'part',
  competitors: 'part',
  discovered: 'part',
  keyword: 'part',
  causes: 'part',
  changeCauses: 'part',
  changeSummary: 'part',
  attribution: 'part',
  checks: { never: 'Checks and what was bought for them' },
  serp: 'part',
  serpDates: 'part',
  clickChanges: { own: 'Clicks of the whole site' },
  clickHours: { own: 'Clicks of the whole site' },
  untrackedQueries: { never: 'Queries that could be tracked, and their prices,' },
  silentKeywords: { never: 'Keywords without impressions, and their prices,' },
  gridSums: 'part',
  gridPoints: 'part',
  gridMap: 'part',
  volumes: 'part',
  answers: { own: 'AI answers' },
  answerTexts: { own: 'AI answers' },
};

/** Records are copied field by field where they hold more than a reader may see. */
export class ScopedReader implements HistoryReader {
  /** Of a scope that is a part of a project: of this part alone. */
  readonly #history: HistoryReader;
  readonly #scope: ReaderScope;
  readonly #namesProject: (name: string) => boolean;

  /** `namesProject`: whether a name is the project's, or was it earlier. */
  constructor(history: HistoryReader, scope: ReaderScope, namesProject: (name: string) => boolean) {
    this.#history = history;
    this.#scope = scope;
    this.#namesProject = namesProject;
  }

  /** Other than that of other readers: a browser keeps answers by it. */
  version(): string {
    const { project, tag, view } = this.#scope;
    return [this.#history.version(), project, tag, view].map((part) => encodeURIComponent(part ?? '')).join('.');
  }

  projects(): ProjectOverview[] {
    return this.#history
      .projects(this.#scope.project)
      .map(({ pageMicroUsd: _, spend: __, ownSpend: ___, alerts: ____, ...overview }) => ({
        ...overview,
        alerts: null,
        spend: [],
        ownSpend: [],
        pageMicroUsd: null,
      }));
  }

  /** What is not shared is refused for every name. */
  of(name: string): ProjectReader {
    const own = () => this.#history.of(this.#named(name));
    const methods = Object.entries(sharing).map(([method, of]) => [
      method,
      (...asked: unknown[]) => {
        this.#checkShared(of);
        const reader = own();
        const read = reader[method as keyof ProjectReader] as (...given: unknown[]) => unknown; // of the table
        return read.apply(reader, asked);
      },
    ]);
    return {
      ...(Object.fromEntries(methods) as ProjectReader), // the table has every method
      serp: (query) => ownSerp(own(), query),
      serpDates: (query) => ownSerpDates(own(), query),
    };
  }

  runs(): never {
    throw new NotShared('Runs');
  }

  spend(): never {
    throw new NotShared('Costs');
  }

  alerts(): never {
    throw new NotShared('Alerts');
  }

  notes({ project = this.#scope.project, ...period }: PeriodQuery): NoteRecord[] {
    return this.#history.notes({ ...period, project: this.#named(project) });
  }

  #checkShared(of: Sharing): void {
    if (of === 'part') return;
    if ('never' in of) throw new NotShared(of.never);
    if (isPart(this.#scope)) throw new NotShared(of.own);
  }

  /** The own project. Throws NotFound, as for a project that does not exist. */
  #named(name: string): string {
    if (!this.#namesProject(name)) throw new NotFound(`no project "${name}"`);
    return this.#scope.project;
  }
}

/** Results are shared by projects: those that the project's own checks read. */
function ownSerp(reader: ProjectReader, query: SerpQuery): StoredSerpView | null {
  const dates = ownSerpDates(reader, query);
  const newest = reader.serp(query);
  const own = newest && dates.find((date) => date <= newest.date);
  if (own == null || newest === null) return null;
  return own === newest.date ? newest : reader.serp({ ...query, date: own });
}

function ownSerpDates(reader: ProjectReader, query: Omit<SerpQuery, 'date'>): string[] {
  const { keyword, country, language, device, location } = query;
  const row = reader
    .keywords({ filter: { target: { any: ['*'], none: [] } }, sort: [] })
    .find(
      (of) =>
        of.keyword === keyword &&
        of.country === country &&
        of.language === language &&
        of.device === device &&
        of.location === location,
    );
  if (row === undefined) throw new NotFound(`"${keyword}" was never checked in this market`);
  const { timezone } = reader.facts();
  const { lines } = reader.keyword({ id: row.id });
  const seen = new Set(
    lines.flatMap(({ points }) =>
      points.flatMap(({ checkedAt }) => (checkedAt === null ? [] : [localDate(Date.parse(checkedAt), timezone)])),
    ),
  );
  return reader.serpDates(query).filter((date) => seen.has(date));
}
