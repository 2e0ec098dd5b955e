// The button for light or dark colours.
import { html } from '../html.js';
import { setTheme, useColourScheme } from '../theme.js';

export function ThemeButton() {
  const isDark = useColourScheme();
  const toggle = () => setTheme(isDark ? 'light' : 'dark');
  return html`<button type="button" id="theme" class="quiet" onClick=${toggle}>${isDark ? 'Light colours' : 'Dark colours'}</button>`;
}
