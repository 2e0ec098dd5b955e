// Light or dark colours: the system's, until the button changes them. Stored if the browser allows it.
import { useEffect, useState } from 'preact/hooks';
import { recall, remember } from './storage.js';

const key = 'theme';
const changed = 'themechange';

/** Applies the colours that this browser remembers. */
export function startTheme() {
  const kept = recall(key);
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset['theme'] = kept;
}

/** @param {'light' | 'dark'} theme */
export function setTheme(theme) {
  document.documentElement.dataset['theme'] = theme;
  remember(key, theme);
  dispatchEvent(new Event(changed));
}

/** Whether the page is dark, kept current. */
export function useColourScheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const read = () => (document.documentElement.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const [isDark, setIsDark] = useState(read);
  useEffect(() => {
    const update = () => setIsDark(read());
    system.addEventListener('change', update);
    addEventListener(changed, update);
    return () => {
      system.removeEventListener('change', update);
      removeEventListener(changed, update);
    };
  }, []);
  return isDark;
}
