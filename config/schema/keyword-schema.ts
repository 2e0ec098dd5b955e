// The schemas of a keyword and of a market in the config.
import * as z from 'zod';
import { canonicalLocation } from '../../src/service/index.ts';
import { gridComplaint, spacingPattern } from '../keyword-files/grid.ts';
import { keywordComplaint, normalKeyword, preferredUrlComplaint } from '../keyword-files/keyword-text.ts';
import { country, depth, devices, language, location, tags, text } from './schema-parts.ts';

const priority = z.enum(['high', 'normal', 'low']);
const keywordTextSchema = text((value) => keywordComplaint(normalKeyword(value)), 10_000);
const keywordEntrySchema = z.strictObject({
  keyword: keywordTextSchema.describe('What is searched for.'),
  country: country.optional().describe('Country, if it differs from the market.'),
  language: language.optional().describe('Language, if it differs from the market.'),
  location: location
    .optional()
    .describe('Place or coordinate, if it differs from the market; none: the whole country.'),
  devices: devices.optional().describe('Devices, if they differ from the market.'),
  tags: tags.optional().describe('Added to the tags of the project.'),
  priority: priority.optional().describe('Order in which keywords are checked when the budget is short.'),
  depth: depth.optional().describe('Depth in pages, if it differs from the project.'),
  preferredUrl: text(preferredUrlComplaint, 2_000).optional().describe('Page that should rank for it.'),
});
export const keywordSchema = z.union([keywordTextSchema, keywordEntrySchema]);

function centerComplaint(written: string): string | undefined {
  return canonicalLocation(written)?.startsWith('@') === true
    ? undefined
    : 'is not a coordinate such as "30.27,-97.74"';
}

export const marketSchema = z
  .strictObject({
    country: country.default('US').describe('ISO 3166-1 country code.'),
    language: language.default('en').describe('Language code: en, pt-BR.'),
    location: location
      .optional()
      .describe(
        'Place inside the country, "Austin, Texas", or coordinate, "@30.27,-97.74". Default: the whole country.',
      ),
    grid: z
      .strictObject({
        center: text(centerComplaint, 100).describe('Coordinate in its middle, such as "30.27,-97.74".'),
        size: z.int().min(2).max(15).describe('Points of a side: 7 are 49 searches per keyword and device.'),
        spacing: z
          .string()
          .regex(spacingPattern, 'is not a distance such as 500m, 1km or 1mi')
          .describe('Distance between points.'),
      })
      .superRefine((written, { addIssue }) => {
        const message = gridComplaint(written);
        if (message !== undefined) addIssue({ code: 'custom', message });
      })
      .optional()
      .describe('Grid of coordinates, instead of a location: each keyword is searched at each of its points.'),
    devices: devices.default(['desktop']).describe('desktop, mobile or both.'),
  })
  .prefault({})
  .describe('Default country, language, location and devices of the keywords.');
