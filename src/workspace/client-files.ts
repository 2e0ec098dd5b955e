// The browser modules of the workspace and the libraries that they import, as files.
import { createRequire } from 'node:module';

/** The folder of the modules. */
export const clientFolder = new URL('./client/', import.meta.url);
const require = createRequire(import.meta.url);

/** Libraries by the name that modules import, with the file that the browser gets. */
export const libraries: Readonly<Record<string, string>> = {
  preact: 'preact/dist/preact.mjs',
  'preact/hooks': 'preact/hooks/dist/hooks.mjs',
  htm: 'htm/dist/htm.module.js',
  'chart.js': 'chart.js/dist/chart.umd.min.js',
};

/** The path of a file inside a package, also where its exports do not name it. */
export function packageFile(file: string): string {
  const [name = '', ...rest] = file.split('/');
  const main = require.resolve(name);
  return `${main.slice(0, main.lastIndexOf(`/node_modules/${name}/`))}/node_modules/${name}/${rest.join('/')}`;
}
