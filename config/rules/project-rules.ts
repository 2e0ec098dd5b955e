// Rules for projects: ids, services, targets, depths and schedules.

import { sourceEngine, sourceNames, usualEngine } from '../../src/service/terms.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import {
  eachService,
  engineOf,
  enginesOf,
  type RuleInput,
  sellersOf,
  soundProjects,
  toTarget,
  writtenServices,
} from '../document/draft.ts';
import { type ConfigIssue, meantHint } from '../document/problems.ts';
import { coversTarget, shortestGapMs } from '../schema/complaints.ts';
import { durationMs } from '../schema/schema-parts.ts';

/** Ids differ by more than case, because the id names a folder and some file systems ignore case. */
export function* projectIdsDiffer({ draft }: RuleInput): Generator<ConfigIssue> {
  const seen = new Map<string, number>();
  for (const { index, written } of soundProjects(draft, 'id')) {
    const first = seen.get(written.id.toLowerCase());
    if (first === undefined) seen.set(written.id.toLowerCase(), index);
    else yield { path: ['projects', index, 'id'], message: `"${written.id}" is already the id of projects[${first}]` };
  }
}

/** A history belongs to one project and one service. */
export function* formerNamesAreFree({ draft }: RuleInput): Generator<ConfigIssue> {
  const projects = soundProjects(draft, 'id', 'formerly').map(({ index, written: { id, formerly = [] } }) => ({
    name: id,
    formerly,
    path: ['projects', index, 'formerly'],
  }));
  const services = [...eachService(draft)].map(([name, { formerly = [] }]) => ({
    name,
    formerly,
    path: ['services', name, 'formerly'],
  }));
  for (const kind of [projects, services]) {
    const taken = new Set(kind.map(({ name }) => name));
    for (const { formerly, path } of kind) {
      for (const [at, former] of formerly.entries()) {
        if (taken.has(former))
          yield {
            path: [...path, at],
            message: `"${former}" is a name that the config still has, or has twice`,
            hint: 'list names that no project or service has any more, each once',
          };
        taken.add(former);
      }
    }
  }
}

/** Menus and segments show views by name only. */
export function* viewNamesDiffer({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'views')) {
    const seen = new Map<string, number>();
    for (const [at, { name }] of written.views.entries()) {
      const first = seen.get(name.trim());
      if (first === undefined) seen.set(name.trim(), at);
      else
        yield { path: ['projects', index, 'views', at, 'name'], message: `"${name}" is the name of views[${first}]` };
    }
  }
}

export function* serviceExists({ draft }: RuleInput): Generator<ConfigIssue> {
  if (draft.invalidKeys.has('services')) return;
  const services = writtenServices(draft);
  for (const { index, written } of soundProjects(draft, 'service')) {
    if (services.has(written.service)) continue;
    const message = `there is no service "${written.service}"`;
    yield { path: ['projects', index, 'service'], message, hint: meantHint(written.service, [...services.keys()]) };
  }
}

/** Projects of one service share its pages, so that these are of one engine. */
export function* enginesAreSold({ draft }: RuleInput): Generator<ConfigIssue> {
  const ofService = new Map<string, string>();
  for (const { index, written } of soundProjects(draft, 'service', 'market')) {
    const { id, service, market } = written;
    const path = ['projects', index, 'market', 'engine'];
    const [sold] = enginesOf(draft, service);
    const engine = engineOf(draft, written);
    if (market.engine !== undefined && market.engine !== engine) {
      const sources = sourceNames.filter((name) => sourceEngine(name) === market.engine);
      const hint = sources.length === 0 ? 'no source sells that' : `sources that sell it: ${sources.join(', ')}`;
      yield { path, message: `the service "${service}" sells pages of ${engine}`, hint };
    }
    const sellers = sellersOf(draft, service);
    const shared = sellers.map((name) => ofService.get(name)).find((other) => other !== undefined && other !== engine);
    if (sold === undefined && shared !== undefined) {
      const message = `project "${id}" would share pages of "${service}" with a project that tracks ${shared}`;
      yield { path, message, hint: 'write a service for each search engine' };
    }
    for (const name of sellers) ofService.set(name, ofService.get(name) ?? engine);
  }
}

export function* clicksAreOfTheEngine({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'service', 'market', 'searchConsole')) {
    const engine = engineOf(draft, written);
    if (written.searchConsole === undefined || engine === usualEngine) continue;
    const message = `Search Console counts clicks of ${usualEngine}, and the project tracks ${engine}`;
    const hint = `remove it, or give it to a project of ${usualEngine}`;
    yield { path: ['projects', index, 'searchConsole'], message, hint };
  }
}

/** Reports identify a target by its value only. */
export function* targetsDiffer({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'targets', 'competitors')) {
    const [keys, values] = [new Map<string, string>(), new Map<string, string>()];
    for (const list of ['targets', 'competitors'] as const) {
      for (const [at, entry] of written[list].entries()) {
        const target = toTarget(entry);
        const path = ['projects', index, list, at];
        const same = keys.get(targetKey(target));
        const named = values.get(target.value);
        if (same !== undefined) yield { path, message: `"${target.value}" is ${same} already` };
        else if (named !== undefined) {
          const message = `"${target.value}" is ${named} already, with another match: reports could not distinguish them`;
          yield { path, message, hint: 'track one of them, or put them into two projects' };
        }
        keys.set(targetKey(target), same ?? `${list}[${at}]`);
        values.set(target.value, named ?? `${list}[${at}]`);
      }
    }
  }
}

export function* competitorsStandApart({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'targets', 'competitors')) {
    for (const [at, entry] of written.competitors.entries()) {
      const rival = toTarget(entry);
      const own = written.targets
        .map(toTarget)
        .find((target) => coversTarget(target, rival) || coversTarget(rival, target));
      if (own !== undefined) {
        yield {
          path: ['projects', index, 'competitors', at],
          message: `"${rival.value}" and the target "${own.value}" overlap; pages of both count twice`,
        };
      }
    }
  }
}

export function* domainsWithoutWww({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of draft.projects) {
    for (const list of ['targets', 'competitors'] as const) {
      for (const [at, entry] of written[list].entries()) {
        const { match, value } = toTarget(entry);
        if (match !== 'domain' || !/^www\./i.test(value)) continue;
        yield {
          path: ['projects', index, list, at],
          message: `"${value}" does not cover ${value.slice(4)} itself`,
          hint: `write ${value.slice(4)} to cover both`,
        };
      }
    }
  }
}

/** The files of the agency report are next to the project folders. */
export function* reservedIdsAreFree({ draft }: RuleInput): Generator<ConfigIssue> {
  const { agency, html } = draft.written.reports;
  for (const { index, written } of soundProjects(draft, 'id')) {
    const id = written.id.toLowerCase();
    const what =
      agency && id === 'agency'
        ? 'the folder of the files of all projects'
        : html && id === 'index.html'
          ? 'the page of all reports'
          : null;
    if (what === null) continue;
    yield { path: ['projects', index, 'id'], message: `is ${what} below the reports`, hint: 'choose another name' };
  }
}

export function* noteProjectsExist({ draft }: RuleInput): Generator<ConfigIssue> {
  if (draft.invalidKeys.has('notes')) return;
  const known = draft.projects.map(({ written }) => written.id);
  for (const [at, { project }] of draft.written.notes.entries()) {
    if (project === undefined || known.includes(project)) continue;
    const hint = meantHint(project, known, 'omit it for all projects');
    yield { path: ['notes', at, 'project'], message: `there is no project "${project}"`, hint };
  }
}

export function* deepIsDeeper({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'depth', 'deep')) {
    if (written.deep === undefined || written.deep.depth > written.depth) continue;
    yield {
      path: ['projects', index, 'deep', 'depth'],
      message: `must be more than the depth of the project (${written.depth})`,
    };
  }
}

export function* gridStandsAlone({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'market')) {
    if (written.market.grid === undefined || written.market.location === undefined) continue;
    yield {
      path: ['projects', index, 'market', 'grid'],
      message: 'a market has either a location or a grid',
      hint: 'omit one of them; single keywords may have a location beside a grid',
    };
  }
}

/** An adaptive plan spends what the budget leaves for the day: without a limit it would check everything. */
export function* adaptiveHasBudget({ draft }: RuleInput): Generator<ConfigIssue> {
  if (draft.invalidKeys.has('budget')) return;
  const { perDay, perMonth } = draft.written.budget?.serpCredits ?? {};
  for (const { index, written } of soundProjects(draft, 'cadence')) {
    if (written.cadence !== 'adaptive' || perDay !== undefined || perMonth !== undefined) continue;
    yield {
      path: ['projects', index, 'cadence'],
      message: 'adaptive needs budget.serpCredits with perDay or perMonth: it decides what to check by what is left',
      hint: 'such as serpCredits: { perMonth: 3000 }',
    };
  }
}

export function* durationsAreUseful({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'deep')) {
    if (written.deep !== undefined && durationMs(written.deep.every) === 0) {
      yield { path: ['projects', index, 'deep', 'every'], message: 'must be longer than 0' };
    }
  }
  for (const { index, written } of soundProjects(draft, 'atLeastEvery')) {
    if (durationMs(written.atLeastEvery) > 0) continue;
    yield { path: ['projects', index, 'atLeastEvery'], message: 'must be longer than 0' };
  }
}

export function* freshnessIsShorterThanSlots({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'schedule', 'freshFor')) {
    if (written.schedule === undefined || written.freshFor === undefined) continue;
    if (durationMs(written.freshFor) < shortestGapMs(written.schedule)) continue;
    yield {
      path: ['projects', index, 'freshFor'],
      message: `${written.freshFor} is as long as the schedule's interval or longer: some runs would reuse the pages of the previous run`,
    };
  }
}

/** Keywords, or prompts only. */
export function* keywordsExist({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written, keywords } of soundProjects(draft, 'keywords', 'keywordsFile', 'prompts')) {
    if (keywords.length > 0 || written.keywordsFile !== undefined || written.prompts !== undefined) continue;
    yield {
      path: ['projects', index],
      message: 'tracks no keywords',
      hint: 'add keywords:, keywordsFile: or prompts:',
    };
  }
}

/** A file in the list of keywords is bought as the keyword of that name. */
export function* keywordsAreNoFiles({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, keywords } of soundProjects(draft, 'keywords')) {
    for (const [at, written] of keywords.entries()) {
      const keyword = typeof written === 'object' ? written?.keyword : written;
      if (keyword === undefined || !/\.(?:csv|tsv|xlsx|txt)$/i.test(keyword)) continue;
      yield {
        path: ['projects', index, 'keywords', at],
        message: `"${keyword}" is tracked as a keyword, not read as a file`,
        hint: 'name a CSV file in keywordsFile',
      };
    }
  }
}
