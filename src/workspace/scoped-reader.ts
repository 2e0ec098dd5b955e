// History as a reader sees it who may see one project alone, or some rows of it: of clients, who know no others.

import {
  type AnswerTextQuery,
  type ClickReader,
  type GridReader,
  type HistoryReader,
  InvalidQuery,
  NotFound,
  type PeriodQuery,
  type SerpQuery,
} from '../read/contract.ts';
import type { ListRows } from '../read/lazy-rows.ts';
import type { AnswerRecord, ProjectOverview, StoredSerpView } from '../read/records.ts';
import type { AnswerSample } from '../tracker/answers/answers.ts';
import { localDate } from '../tracker/schedule/local-time.ts';

/** What a reader may see: a project, or of it the keywords with a tag, or the rows of a saved view. */
export interface ReaderScope {
  /** Its id, perhaps an earlier one. */
  readonly project: string;
  readonly tag?: string;
  readonly view?: string;
}

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

/**
 * Each method says what of it is shared. A method that is added to `HistoryReader` is missing here until it does, and
 * nothing compiles. Records are copied field by field where they hold more than a reader may see.
 */
export class ScopedReader implements HistoryReader {
  /** Of a scope that is a part of a project: of this part alone. */
  readonly #history: HistoryReader;
  readonly #scope: ReaderScope;
  readonly #namesProject: (name: string) => boolean;
  readonly clicks: ClickReader;
  readonly grids: GridReader;

  /** `namesProject`: whether a name is the project's, or was it earlier. */
  constructor(history: HistoryReader, scope: ReaderScope, namesProject: (name: string) => boolean) {
    this.#history = history;
    this.#scope = scope;
    this.#namesProject = namesProject;
    const ofSite = (): ClickReader => {
      if (isPart(scope) || history.clicks === undefined) throw new NotShared('Clicks of the whole site');
      return history.clicks;
    };
    this.clicks = {
      changes: (query) => ofSite().changes(this.#own(query)),
      hours: (project) => ofSite().hours(this.#named(project)),
      untracked: () => refuse('Queries that could be tracked, and their prices,'),
      silent: () => refuse('Keywords without impressions, and their prices,'),
    };
    this.grids = {
      sums: (query) => history.grids.sums(this.#own(query)),
      points: (query) => history.grids.points(this.#own(query)),
      map: (query) => history.grids.map(this.#own(query)),
    };
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

  readonly project: HistoryReader['project'] = (name) => this.#history.project(this.#named(name));
  readonly keywords: HistoryReader['keywords'] = (query) => this.#history.keywords(this.#own(query));
  readonly withTrends: HistoryReader['withTrends'] = (query, rows) => this.#history.withTrends(this.#own(query), rows);
  readonly summary: HistoryReader['summary'] = (query) => this.#history.summary(this.#own(query));
  readonly segments: HistoryReader['segments'] = (query, by) => this.#history.segments(this.#own(query), by);
  readonly series: HistoryReader['series'] = (query) => this.#history.series(this.#own(query));
  readonly landingPages: HistoryReader['landingPages'] = (query) => this.#history.landingPages(this.#own(query));
  readonly cannibalization: HistoryReader['cannibalization'] = (query) =>
    this.#history.cannibalization(this.#own(query));
  readonly competitors: HistoryReader['competitors'] = (query) => this.#history.competitors(this.#own(query));
  readonly discovered: HistoryReader['discovered'] = (query) => this.#history.discovered(this.#own(query));
  readonly keyword: HistoryReader['keyword'] = (query) => this.#history.keyword(this.#own(query));
  readonly causes: HistoryReader['causes'] = (query) => this.#history.causes(this.#own(query));
  readonly changeCauses: HistoryReader['changeCauses'] = (query) => this.#history.changeCauses(this.#own(query));
  readonly changeSummary: HistoryReader['changeSummary'] = (query) => this.#history.changeSummary(this.#own(query));
  readonly attribution: HistoryReader['attribution'] = (query) => this.#history.attribution(this.#own(query));

  checks(): never {
    return refuse('Checks and what was bought for them');
  }

  /** Results are shared by projects: those that the project's own checks read. */
  serp(query: SerpQuery): StoredSerpView | null {
    const asked = this.#own(query);
    const dates = this.serpDates(asked);
    const newest = this.#history.serp(asked);
    const own = newest && dates.find((date) => date <= newest.date);
    if (own == null || newest === null) return null;
    return own === newest.date ? newest : this.#history.serp({ ...asked, date: own });
  }

  serpDates(query: Omit<SerpQuery, 'date'>): string[] {
    const asked = this.#own(query);
    const { project, keyword, country, language, device, location } = asked;
    const every = { target: { any: ['*'], none: [] } };
    const row = this.#history
      .keywords({ project, filter: every, sort: [] })
      .find(
        (of) =>
          of.keyword === keyword &&
          of.country === country &&
          of.language === language &&
          of.device === device &&
          of.location === location,
      );
    if (row === undefined) throw new NotFound(`"${keyword}" was never checked in this market`);
    const { timezone } = this.#history.project(project);
    const { lines } = this.#history.keyword({ project, id: row.id });
    const seen = new Set(
      lines.flatMap(({ points }) =>
        points.flatMap(({ checkedAt }) => (checkedAt === null ? [] : [localDate(Date.parse(checkedAt), timezone)])),
      ),
    );
    return this.#history.serpDates(asked).filter((date) => seen.has(date));
  }

  readonly volumes: HistoryReader['volumes'] = (name) => this.#history.volumes(this.#named(name));

  answers(query: PeriodQuery & { readonly project: string }): AnswerRecord[] {
    if (isPart(this.#scope)) refuse('AI answers');
    return this.#history.answers(this.#own(query));
  }

  answerTexts(query: AnswerTextQuery): ListRows<AnswerSample> {
    if (isPart(this.#scope)) refuse('AI answers');
    return this.#history.answerTexts(this.#own(query));
  }

  runs(): never {
    return refuse('Runs');
  }

  spend(): never {
    return refuse('Costs');
  }

  alerts(): never {
    return refuse('Alerts');
  }

  readonly notes: HistoryReader['notes'] = (query) => this.#history.notes(this.#own(query));

  /** The question about the own project. Throws NotFound, as for a project that does not exist. */
  #own<Query extends { readonly project?: string }>(query: Query): Query & { readonly project: string } {
    return { ...query, project: this.#named(query.project ?? this.#scope.project) };
  }

  #named(name: string): string {
    if (!this.#namesProject(name)) throw new NotFound(`no project "${name}"`);
    return this.#scope.project;
  }
}

function refuse(what: string): never {
  throw new NotShared(what);
}
