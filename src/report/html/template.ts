// The logo of a client's template. Pure.
import type { ReportTemplate } from '../../tracker/changes/client-reports.ts';
import { html, type Markup } from './text/markup.ts';

/** As large as its place; null: none. */
export function logoImage({ logo, name }: ReportTemplate): Markup | null {
  if (logo === null) return null;
  return html`<img class="report-logo" src="data:${logo.type};base64,${logo.base64}" alt="${name ?? 'Logo'}">`;
}
