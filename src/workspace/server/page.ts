// The files of the page, as the build of the front end made them.
import { builtNames, readBuilt } from '../built-files.ts';
import { type Asset, toAsset } from './answers.ts';

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  woff2: 'font/woff2',
};

/** The page of the workspace. */
export interface WorkspacePage {
  /** The file at a path; null: there is none. Paths of views all give the shell. */
  readonly asset: (path: string) => Asset | null;
}

/** Reads all files once: a request costs no disk and no hash. Throws Error if the front end was not built. */
export function loadPage(): WorkspacePage {
  const shell = toAsset('text/html; charset=utf-8', readBuilt('web/index.html'));
  const files = new Map(
    builtNames('web/assets/').map((name) => {
      const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
      return [`/assets/${name}`, toAsset(type, readBuilt(`web/assets/${name}`))];
    }),
  );
  return { asset: (path) => (path === '/' || path.startsWith('/p/') ? shell : (files.get(path) ?? null)) };
}
