// A button that opens a panel below it. Escape and a click elsewhere close it; one menu is open at a time.
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.js';

/**
 * `active`: what it chooses is in use.
 * @param {{ label: string, active?: boolean, children?: unknown }} props
 */
export function Menu({ label, active = false, children }) {
  const root = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  useEffect(() => {
    const close = (/** @type {Event} */ { target }) => {
      const { current } = root;
      if (current?.open && target instanceof Node && !current.contains(target)) current.open = false;
    };
    document.addEventListener('click', close);
    return () => document.removeEventListener('click', close);
  }, []);
  const typed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape' || !root.current?.open) return;
    event.stopPropagation();
    closeMenu(root.current);
  };
  return html`<details class=${active ? 'menu active' : 'menu'} name="menu" ref=${root} onKeyDown=${typed} onToggle=${place}>
    <summary>${label}</summary>
    <div class="menu-panel">${children}</div>
  </details>`;
}

/** Closes the menu around an element, and focuses its button. @param {Element | null} element */
export function closeMenu(element) {
  const menu = element?.closest('details');
  if (!menu) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
}

/** A panel that would leave the screen at the right opens to the left. @param {Event} event */
function place({ currentTarget }) {
  const panel = currentTarget instanceof HTMLDetailsElement ? currentTarget.querySelector('.menu-panel') : null;
  if (panel === null) return;
  panel.classList.remove('to-left');
  panel.classList.toggle('to-left', panel.getBoundingClientRect().right > document.documentElement.clientWidth);
}
