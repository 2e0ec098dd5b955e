// The measured click-through curve of projects, with what it was fitted to.
import { fitSiteCurve, type SiteCurve } from '../../../jobs/clicks/site-curve.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';

export interface ProjectCurve extends SiteCurve {
  readonly project: string;
}

/** Throws UsageError for an unknown project. */
export function clickCurves({ config, context }: App, projects?: readonly string[]): ProjectCurve[] {
  const { store, clock } = context;
  return projectsNamed(config, projects).map((project) => ({
    project: project.id,
    ...fitSiteCurve(store, project, localDate(clock.now(), project.timezone)),
  }));
}
