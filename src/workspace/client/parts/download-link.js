// A link to a file of the read API.
import { useState } from 'preact/hooks';
import { isFile, readFile, sendsToken } from '../api.js';
import { apiPath } from '../api-path.js';
import { html } from '../html.js';

/**
 * With a token, which a link cannot send, the page reads the file itself. A page with its data writes the file.
 * @param {{ path: string, name: string, label: string }} props
 */
export function DownloadLink({ path, name, label }) {
  const [error, setError] = useState(/** @type {string | null} */ (null));
  const click = async (/** @type {MouseEvent} */ event) => {
    if (!isFile() && !sendsToken()) return;
    event.preventDefault();
    event.stopPropagation();
    try {
      setError(null);
      save(await readFile(path), name);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return html`<a class="button" href=${isFile() ? '#' : path} download=${name} onClick=${click}>${label}</a>
    ${error !== null && html`<span class="problem" role="alert">${error}</span>`}`;
}

/** @param {Blob} file @param {string} name */
function save(file, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * All rows of a list as CSV.
 * @param {{ address: import('../address.js').Address, resource: string, names: readonly string[],
 *   more?: Record<string, string>, name?: string }} props `names`: the parameters of the address that it takes
 */
export function CsvLink({ address: { project, query }, resource, names, more = {}, name = resource }) {
  const path = apiPath(project ?? '', resource, query, names, { ...more, format: 'csv' });
  return html`<p class="exports"><${DownloadLink} path=${path} name=${`${project}-${name}.csv`} label="CSV of all rows" /></p>`;
}
