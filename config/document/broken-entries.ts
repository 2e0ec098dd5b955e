// Assigns config problems to projects and services, so that sound projects can run.

import { writtenServices } from '../rules/rule.ts';
import type { Path } from './document.ts';
import type { PartialConfig, PartialProject } from './draft.ts';

/** The skipped parts of a config. Both are empty if nothing is broken. */
export interface BrokenEntries {
  /** Projects that do not run: broken, or with a broken service. `projects[2]` if the id is unreadable. */
  readonly projects: readonly string[];
  /** Every problem, with file and line. */
  readonly problems: readonly string[];
}

/** Collects the locations of problems. */
export class BrokenParts {
  readonly #projects = new Set<number>();
  readonly #services = new Set<string>();
  #isGeneral = false;

  add([section, key]: Path): void {
    if (section === 'projects' && typeof key === 'number') this.#projects.add(key);
    else if (section === 'services' && typeof key === 'string') this.#services.add(key);
    else this.#isGeneral = true;
  }

  /**
   * The draft without broken services, and without projects that are broken or use one. Null if no project would
   * remain, or other parts are broken.
   */
  soundPart(draft: PartialConfig): { readonly draft: PartialConfig; readonly broken: readonly string[] } | null {
    if (this.#isGeneral) return null;
    const isSound = ({ index, written }: PartialProject): boolean =>
      !this.#projects.has(index) && !this.#services.has(written.service);
    const projects = draft.projects.filter(isSound);
    if (projects.length === 0) return null;
    const services = new Map([...writtenServices(draft)].filter(([name]) => !this.#services.has(name)));
    const written = { ...draft.written, notes: usableNotes(draft, projects) };
    const broken = draft.projects.filter((project) => !isSound(project));
    const unreadable = [...this.#projects].filter(
      (index) => !draft.projects.some((project) => project.index === index),
    );
    return {
      draft: { ...draft, written, services, projects },
      broken: [...broken.map(projectName), ...unreadable.map((index) => `projects[${index}]`)],
    };
  }
}

function projectName({ index, written, invalidKeys }: PartialProject): string {
  return invalidKeys.has('id') ? `projects[${index}]` : written.id;
}

/** Notes for all projects and for the sound ones. */
function usableNotes(draft: PartialConfig, projects: readonly PartialProject[]): PartialConfig['written']['notes'] {
  const ids = new Set(projects.map(({ written }) => written.id));
  return draft.written.notes.filter(({ project }) => project === undefined || ids.has(project));
}
