// A link to a file of the read API.
import { useState } from 'preact/hooks';
import { readFile, sendsToken } from '../api.js';
import { html } from '../html.js';

/**
 * With a token, which a link cannot send, the page reads the file itself.
 * @param {{ path: string, name: string, label: string }} props
 */
export function DownloadLink({ path, name, label }) {
  const [error, setError] = useState(/** @type {string | null} */ (null));
  const click = async (/** @type {MouseEvent} */ event) => {
    if (!sendsToken()) return;
    event.preventDefault();
    try {
      setError(null);
      save(await readFile(path), name);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return html`<a class="button" href=${path} download=${name} onClick=${click}>${label}</a>
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
