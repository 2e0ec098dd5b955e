// Which projects and services the problems of a config belong to, so that the other projects can run without them.
import type { Path } from './document.ts';
import type { Draft, DraftProject } from './draft.ts';
import { servicesOf } from './rule.ts';

/** What a config was loaded without. Both are empty where nothing is broken. */
export interface BrokenEntries {
  /** Projects that do not run: broken ones, and those whose service is broken. `projects[2]` where the id cannot be read. */
  readonly projects: readonly string[];
  /** Every problem, with file and line. */
  readonly problems: readonly string[];
}

/** Gathers where problems lie. */
export class Damage {
  readonly #projects = new Set<number>();
  readonly #services = new Set<string>();
  #isGeneral = false;

  add([section, key]: Path): void {
    if (section === 'projects' && typeof key === 'number') this.#projects.add(key);
    else if (section === 'services' && typeof key === 'string') this.#services.add(key);
    else this.#isGeneral = true;
  }

  /** The draft without the broken services, and without the projects that are broken or use one. Null where no project would be left, or more is broken. */
  soundPart(draft: Draft): { readonly draft: Draft; readonly broken: readonly string[] } | null {
    if (this.#isGeneral) return null;
    const isSound = ({ index, written }: DraftProject): boolean =>
      !this.#projects.has(index) && !this.#services.has(written.service);
    const projects = draft.projects.filter(isSound);
    if (projects.length === 0) return null;
    const services = new Map([...servicesOf(draft)].filter(([name]) => !this.#services.has(name)));
    const written = { ...draft.written, notes: notesOf(draft, projects) };
    const idsRead = draft.projects.filter((project) => !isSound(project));
    const unread = [...this.#projects].filter((index) => !draft.projects.some((project) => project.index === index));
    return {
      draft: { ...draft, written, services, projects },
      broken: [...idsRead.map(nameOf), ...unread.map((index) => `projects[${index}]`)],
    };
  }
}

function nameOf({ index, written, damaged }: DraftProject): string {
  return damaged.has('id') ? `projects[${index}]` : written.id;
}

/** Notes of all projects, and of those that run. */
function notesOf(draft: Draft, projects: readonly DraftProject[]): Draft['written']['notes'] {
  const ids = new Set(projects.map(({ written }) => written.id));
  return draft.written.notes.filter(({ project }) => project === undefined || ids.has(project));
}
