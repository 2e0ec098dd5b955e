// The style of report.html and index.html: that of the front end, with the colours of a client's template.
import { type ReportTemplate, withContrast } from '../../tracker/changes/client-reports.ts';

/** The surface of the dark mode: src/workspace/web/tokens.css. */
const darkSurface = '#171a1d';
/** More than 4.5, which is left on the wash of what is chosen. */
const textContrastMin = 5.5;
const lineContrastMin = 3;

/** The colours of a template, and lighter ones on dark screens. Our own line has the first of the series. */
function templateColours({ accent, series }: ReportTemplate): string {
  const pair = (colour: string, contrastMin: number): string =>
    `light-dark(${colour}, ${withContrast(colour, darkSurface, contrastMin)})`;
  const chosen = series.map((colour, at) => `--series-${at + 1}: ${pair(colour, lineContrastMin)};`);
  if (accent !== null)
    chosen.push(
      `--accent: ${pair(accent, textContrastMin)};`,
      '--accent-wash: color-mix(in oklab, var(--accent) 8%, var(--surface));',
    );
  if (chosen.length === 0) return '';
  const line =
    accent === null ? '' : '.report-cover { border-top: 4px solid var(--accent); padding-top: var(--space-4); }';
  return `:root { ${chosen.join(' ')} }\n${line}\n`;
}

/** `built`: the style sheet of the front end. */
export function documentStyle(built: string, template: ReportTemplate): string {
  return `${built}\n${templateColours(template)}`;
}
