// Light or dark: the system's, until it is chosen. Kept if the browser allows it.
import { recall, remember } from './storage.ts';

export type Theme = 'light' | 'dark' | 'system';

export function startTheme(): void {
  apply(theme());
  if (recall('rows') === 'dense') document.documentElement.dataset['rows'] = 'dense';
}

export function theme(): Theme {
  const kept = recall('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setTheme(chosen: Theme): void {
  remember('theme', chosen === 'system' ? null : chosen);
  apply(chosen);
}

function apply(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}
