// The schema of scheduled deliveries of reports.
import * as z from 'zod';
import { deliverySchedules, weekdays } from '../../src/tracker/changes/client-reports.ts';
import { count, name } from './schema-parts.ts';

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
export const deliverSchema = z.union([z.enum(deliverySchedules), z.array(deliverySchema).max(deliveriesMax)]);

type WrittenDeliver = z.output<typeof deliverSchema>;
export type WrittenDelivery = z.output<typeof deliverySchema>;

export function listDeliveries(written: WrittenDeliver | undefined): readonly WrittenDelivery[] {
  if (written === undefined) return [];
  return typeof written === 'string' ? [deliverySchema.parse({ every: written })] : written;
}
