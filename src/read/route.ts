// Finds the endpoint of a path of the read API.
import type { Endpoint, ReadRequest } from './endpoint.ts';
import { endpoints } from './endpoints.ts';

type PathNames = Pick<ReadRequest, 'project' | 'id'>;

/** Null: there is no such path. */
export function findEndpoint(pathname: string): { readonly endpoint: Endpoint; readonly path: PathNames } | null {
  const asked = pathname.split('/');
  for (const endpoint of endpoints) {
    const path = matchPath(endpoint.path.split('/'), asked);
    if (path !== null) return { endpoint, path };
  }
  return null;
}

/** The names in the path; null: it is another path. */
export function matchPath(template: readonly string[], asked: readonly string[]): PathNames | null {
  if (template.length !== asked.length) return null;
  const path = { project: '', id: '' };
  for (const [index, part] of template.entries()) {
    const value = asked[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== 'project' && name !== 'id') {
      if (part !== value) return null;
      continue;
    }
    try {
      path[name] = decodeURIComponent(value);
    } catch {
      return null;
    }
  }
  return path;
}
