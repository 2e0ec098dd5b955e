// The heading of a view. It is also the title of the window, by which tabs, bookmarks and the browser's history name it.
import { useEffect, useRef } from 'preact/hooks';
import { isFile } from '../api.js';
import { html } from '../html.js';

/** @param {{ id?: string, children?: unknown }} props */
export function ViewTitle({ id, children }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => {
    if (!isFile()) document.title = `${heading.current?.textContent} · rankledger`;
  });
  return html`<h1 id=${id} ref=${heading}>${children}</h1>`;
}
