// The schema of reports: folder, formats, comparison, template.
import * as z from 'zod';
import { comparisonHint, parseComparison } from '../../src/tracker/changes/change.ts';
import { publicUrlComplaint } from '../rules/schedules.ts';
import { deliverSchema } from './deliver-schema.ts';
import { count, duration, path, text } from './schema-parts.ts';
import { templateSchema } from './template-schema.ts';

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
