// The heading of a view, which is the title of the window, too: tabs, bookmarks and the browser's history show it.
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
