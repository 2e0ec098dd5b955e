// The schema of report templates: name, logo, colours, introduction, comments, sections, columns.
import * as z from 'zod';
import {
  commentDays,
  contrast,
  keywordColumns,
  reportSections,
  withContrast,
} from '../../src/tracker/changes/client-reports.ts';
import { path, text } from './schema-parts.ts';

const nameCharactersMax = 80;
const textCharactersMax = 5_000;
const commentsMax = 500;
/** Charts draw so many lines in colours of their own. */
const seriesMax = 6;
const white = '#ffffff';
/** WCAG 2.2: 4.5 for text, 3 for lines. */
const textContrastMin = 4.5;
const lineContrastMin = 3;

function proseComplaint(written: string): string | undefined {
  if (written.trim() === '') return 'is empty';
  return /[^\P{Cc}\n\r\t]/u.test(written) || !written.isWellFormed() ? 'contains control characters' : undefined;
}

function lineComplaint(written: string): string | undefined {
  return proseComplaint(written) ?? (/[\n\r\t]/.test(written) ? 'has more than one line' : undefined);
}

function periodComplaint(written: string): string | undefined {
  return commentDays(written) === null
    ? `"${written}" is not a period: write a month (2026-11), a week (2026-W47) or a day (2026-11-20)`
    : undefined;
}

/** What is wrong with a colour that is drawn on white paper; undefined: nothing. */
function colourComplaint(contrastMin: number, use: string): (written: string) => string | undefined {
  return (written) => {
    if (!/^#[0-9a-f]{6}$/i.test(written))
      return `"${written}" is not a colour: write six hexadecimal digits, "#0b5394"`;
    const found = contrast(written, white);
    if (found >= contrastMin) return undefined;
    const shown = (Math.floor(found * 10) / 10).toFixed(1);
    const darker = withContrast(written, white, contrastMin);
    return `"${written}" is too pale: its contrast with white is ${shown} to 1, and ${use} need ${contrastMin} to 1; ${darker} has that`;
  };
}

const series = z
  .array(text(colourComplaint(lineContrastMin, 'lines'), 20))
  .min(1)
  .max(seriesMax)
  .check((context) => {
    const known = new Set<string>();
    for (const [at, colour] of context.value.entries()) {
      const name = colour.toLowerCase();
      if (known.has(name))
        context.issues.push({ code: 'custom', message: `"${colour}" is there twice`, path: [at], input: colour });
      known.add(name);
    }
  });

export const templateSchema = z.strictObject({
  name: text(lineComplaint, nameCharactersMax)
    .optional()
    .describe('Name above the title and in the footer, such as that of the agency. Default: rankledger.'),
  logo: path.optional().describe('Picture beside the title, relative to this file: PNG, JPEG or SVG, up to 256 KiB.'),
  colours: z
    .strictObject({
      accent: text(colourComplaint(textContrastMin, 'links'), 20)
        .optional()
        .describe('Colour of links and of the line above the page, as "#0b5394". Dark screens get a lighter one.'),
      series: series
        .optional()
        .describe('Colours of the lines of charts, in order: up to six. Dark screens get lighter ones.'),
    })
    .optional()
    .describe('Colours. Each must stand out on white paper.'),
  introduction: text(proseComplaint, textCharactersMax)
    .optional()
    .describe('Text above the numbers. An empty line begins a new paragraph.'),
  comments: z
    .array(
      z.strictObject({
        period: text(periodComplaint, 20).describe('Month (2026-11), week (2026-W47) or day (2026-11-20).'),
        text: text(proseComplaint, textCharactersMax).describe('What the numbers of the period mean.'),
      }),
    )
    .max(commentsMax)
    .optional()
    .describe('Comments: a report shows those on its days.'),
  sections: z
    .array(z.enum(reportSections))
    .min(1)
    .optional()
    .describe('Sections of the page, in this order. Default: all.'),
  columns: z
    .array(z.enum(keywordColumns))
    .min(1)
    .optional()
    .describe('Columns of the keyword table beside the keyword. Default: all.'),
});

export type WrittenTemplate = z.output<typeof templateSchema>;
