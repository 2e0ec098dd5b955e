// The schema of a keyword in the config.
import * as z from 'zod';
import { keywordComplaint, normalKeyword, preferredUrlComplaint } from '../keyword-files/keyword-text.ts';
import { country, depth, devices, language, tags, text } from './schema-parts.ts';

const priority = z.enum(['high', 'normal', 'low']);
const keywordTextSchema = text((value) => keywordComplaint(normalKeyword(value)), 10_000);
const keywordEntrySchema = z.strictObject({
  keyword: keywordTextSchema.describe('What is searched for.'),
  country: country.optional().describe('Country, if it differs from the market.'),
  language: language.optional().describe('Language, if it differs from the market.'),
  devices: devices.optional().describe('Devices, if they differ from the market.'),
  tags: tags.optional().describe('Added to the tags of the project.'),
  priority: priority.optional().describe('Order in which keywords are checked when the budget is short.'),
  depth: depth.optional().describe('Depth in pages, if it differs from the project.'),
  preferredUrl: text(preferredUrlComplaint, 2_000).optional().describe('Page that should rank for it.'),
});
export const keywordSchema = z.union([keywordTextSchema, keywordEntrySchema]);
