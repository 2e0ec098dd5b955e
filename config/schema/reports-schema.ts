// The schema of reports: folder, formats, comparison, deliveries, template.

import * as z from 'zod';
import { comparisonHint, parseComparison } from '../../src/tracker/changes/change.ts';
import {
  commentDays,
  contrast,
  deliverySchedules,
  keywordColumns,
  reportSections,
  weekdays,
  withContrast,
} from '../../src/tracker/changes/client-reports.ts';
import { usualTables } from '../../src/tracker/report-tables.ts';
import { publicUrlComplaint } from './complaints.ts';
import { count, duration, name, path, text } from './schema-parts.ts';

const deliveriesMax = 50;
/** Every month has this day. */
const dayOfMonthMax = 28;

const deliverySchema = z.strictObject({
  every: z.enum(deliverySchedules).describe('How often: daily, weekly or monthly.'),
  day: z
    .union([z.enum(weekdays), count(dayOfMonthMax)])
    .optional()
    .describe('Weekday of a weekly delivery (default: monday), day of a monthly one, 1 to 28 (default: 1).'),
  at: z
    .string()
    .max(10)
    .default('06:00')
    .describe('Local time of the project from which it is due. A `run` from cron sends what is due when it ends.'),
  channels: z
    .array(name)
    .min(1)
    .max(100)
    .optional()
    .describe('Channels of alerts.channels: email gets the report, others a digest. Default: all email channels.'),
  projects: z.array(name).min(1).max(1_000).optional().describe('Only these projects. Default: all.'),
  attach: z
    .enum(['pdf', 'html', 'none'])
    .default('html')
    .describe('What a mail carries beside the headline numbers: report.pdf, report.html, or nothing.'),
});

/** `weekly` is short for one delivery with its defaults. */
const deliverSchema = z.union([z.enum(deliverySchedules), z.array(deliverySchema).max(deliveriesMax)]);

type WrittenDeliver = z.output<typeof deliverSchema>;
export type WrittenDelivery = z.output<typeof deliverySchema>;

export function listDeliveries(written: WrittenDeliver | undefined): readonly WrittenDelivery[] {
  if (written === undefined) return [];
  return typeof written === 'string' ? [deliverySchema.parse({ every: written })] : written;
}

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

export const reportsSchema = z.strictObject({
  dir: path.default('reports').describe('Folder of the reports, relative to this file.'),
  csv: z
    .strictObject({
      bom: z.boolean().default(true).describe('Begin each file with a byte order mark, so that Excel reads UTF-8.'),
      delimiter: z.enum([',', ';', '\t', 'tab']).default(',').describe('Delimiter between cells.'),
      safe: z
        .boolean()
        .default(true)
        .describe('Put an apostrophe before text that a spreadsheet would run as a formula, at any delimiter.'),
    })
    .prefault({})
    .describe('How CSV files are written.'),
  html: z
    .boolean()
    .default(true)
    .describe('Write report.html beside the CSV files, a self-contained page, and an index.html of all reports.'),
  tables: z
    .union([z.literal('all'), z.array(z.string().min(1).max(100)).min(1)])
    .default([...usualTables])
    .describe(`Tables of a report: all, or a list of their names. Default: ${usualTables.join(', ')}.`),
  xlsx: z.boolean().default(false).describe('Also write report.xlsx: a sheet for each table, with types and filters.'),
  browser: path
    .optional()
    .describe(
      'Program of the Chromium that prints PDFs. Default: that of `fetcher: browser`, else the installed Chrome.',
    ),
  ctrCurve: z
    .string()
    .min(1)
    .max(100)
    .default('sistrix-2020')
    .describe('Click-through curve for estimated clicks; measured: fitted to the clicks of each project.'),
  compare: text((value) => (parseComparison(value) === null ? `is none of: ${comparisonHint}` : undefined), 20)
    .default('previous')
    .describe('Baseline of comparisons: previous, 1d, 7d, 30d, last-month or a date.'),
  tolerance: duration
    .optional()
    .describe('How much older than compare the baseline may be. Default: a quarter of the distance, at least 36h.'),
  url: text(publicUrlComplaint, 2_000)
    .optional()
    .describe('URL under which the reports folder is published: alerts link to it.'),
  agency: z.boolean().default(false).describe('Also write files of all projects together after each run.'),
  agencyDays: count(366).default(30).describe('Number of days in the files of all projects.'),
  deliver: deliverSchema
    .optional()
    .describe('Sends reports on a schedule: daily, weekly, monthly, or a list of deliveries. Default: none.'),
  template: templateSchema.optional().describe('Look and words of report.html, its PDF, the index and mails.'),
});
