// What all pages of a project share: its facts, the period, and the query that the read API is asked with.
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { ProjectFacts, ProjectOverview } from '../../read/records.ts';
import type { ReaderScope } from '../scoped-reader.ts';
import { type Parameters as Changes, changed, pathTo, useAddress } from './address.ts';
import { apiPath, heldComparison, type List, takes, useAccess, useAnswer } from './api.ts';
import { ownParameters } from './own-parameters.ts';
import { Failed, Waiting } from './parts/states.tsx';
import { askedOf, heldPeriod, type Period, periodOf } from './period.ts';

export interface Project {
  readonly name: string;
  /** What of it this reader may see; null: everything, and all projects. */
  readonly scope: ReaderScope | null;
  readonly facts: ProjectFacts;
  /** Undefined: not read yet. */
  readonly overview: ProjectOverview | undefined;
  readonly period: Period;
  /** Parameters of the address, with the dates of the period. */
  readonly asked: URLSearchParams;
}

const ProjectContext = createContext<Project | null>(null);

/** Throws Error outside `ProjectData`. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (project === null) throw new Error('no project is open');
  return project;
}

export function useProjects(): ReturnType<typeof useAnswer<List<ProjectOverview>>> {
  return useAnswer<List<ProjectOverview>>('/v1/projects?limit=all');
}

/** Reads the facts of a project, then shows its pages. */
export function ProjectData({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  const { query } = useAddress();
  const { value: facts, error } = useAnswer<ProjectFacts>(`/v1/projects/${encodeURIComponent(name)}`);
  const overview = useProjects().value?.data.find(({ project }) => project === name);
  const scope = useAccess()?.scope;
  const project = useMemo(() => {
    if (facts === undefined || scope === undefined) return null;
    const compare = heldComparison();
    const period = compare === null ? periodOf(query, facts.dates) : heldPeriod(facts.dates, compare);
    return { name, scope, facts, overview, period, asked: askedOf(query, period) };
  }, [name, scope, facts, overview, query]);
  if (project === null) return error === null ? <Waiting shape="page" /> : <Failed error={error} isPage />;
  return <ProjectContext value={project}>{children}</ProjectContext>;
}

/** A document of the project for the filter and period of the address. `resource` null: nothing is read. */
export function useProjectAnswer<Value>(
  resource: string | null,
  kind: Parameters<typeof apiPath>[3],
  more: Parameters<typeof apiPath>[4] = {},
): ReturnType<typeof useAnswer<Value>> {
  const { name, asked } = useProject();
  return useAnswer<Value>(resource === null ? null : apiPath(name, resource, asked, kind, more));
}

/** Period and filters of the address: links to other pages keep them. */
export function useKept(): URLSearchParams {
  const { page, query } = useAddress();
  const own = ownParameters[page] ?? [];
  return new URLSearchParams([...query].filter(([name]) => takes.chart.includes(name) && !own.includes(name)));
}

/** The path of a keyword's page, in the period of this page. */
export function useKeywordPath(): (id: string) => string {
  const pagePath = usePagePath();
  return (id) => pagePath('keyword', { id });
}

/** The path of another page in the period and with the filters of this one, and more filters. */
export function usePagePath(): (page: string, more?: Exclude<Changes, URLSearchParams>) => string {
  const { project } = useAddress();
  const kept = useKept();
  return (page, more = {}) => pathTo(project, page, changed(kept, more));
}
