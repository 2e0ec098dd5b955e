// The measured click-through curve of projects, with what it was fitted to.
import { type SiteFeatureCurve, siteFeatureCurves } from '../../../jobs/clicks/feature-curves.ts';
import { fitSiteCurve, type SiteCurve } from '../../../jobs/clicks/site-curve.ts';
import { localDate } from '../../tracker/schedule/local-time.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';

export interface ProjectCurve extends SiteCurve {
  readonly project: string;
  /** By SERP feature, from tracked keywords whose pages were checked near a day of clicks. */
  readonly features: readonly SiteFeatureCurve[];
}

/** Throws UsageError for an unknown project. */
export function clickCurves({ config, context }: App, projects?: readonly string[]): ProjectCurve[] {
  const { store, clock } = context;
  return projectsNamed(config, projects).map((project) => {
    const curve = fitSiteCurve(store, project, localDate(clock.now(), project.timezone));
    return { project: project.id, ...curve, features: siteFeatureCurves(store, project, curve) };
  });
}
