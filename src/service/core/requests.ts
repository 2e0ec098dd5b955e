// Validates both request bodies of the specification and fills in defaults. Loaded on first use: zod loads slowly.
import * as z from 'zod';
import { type ErrorCode, ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import { withoutStrayMarks } from '../model/results/invisible-marks.ts';
import { canonicalCountry, canonicalLanguage } from '../model/results/locale.ts';
import { canonicalLocation } from '../model/results/location.ts';
import type { KeywordDataRequestInput, SerpRequestInput } from './calls.ts';

/** A SERP request with every default filled in: country upper case, language canonical, `end_page` set. */
export type SerpRequest = Required<Omit<SerpRequestInput, 'location'>> & Pick<SerpRequestInput, 'location'>;

/** A keyword data request with every default filled in. */
export type KeywordDataRequest = Required<KeywordDataRequestInput>;

const controlCharacter = /\p{Cc}/u;

const keyword = z
  .string('must be a string')
  .trim()
  .refine((text) => text.length > 0, 'must not be blank')
  .refine((text) => text.length <= 2 * limits.keywordCharsMax && [...text].length <= limits.keywordCharsMax, {
    error: `must have at most ${limits.keywordCharsMax} characters`,
  })
  .refine((text) => !controlCharacter.test(text), 'must not contain control characters')
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .meta({ description: 'Search keyword.', minLength: 1, maxLength: limits.keywordCharsMax });

const country = z
  .string('must be a string')
  .transform((text, context) => {
    const code = canonicalCountry(text);
    if (code !== undefined) return code;
    context.addIssue('must be an ISO 3166-1 code of two letters, such as US');
    return z.NEVER;
  })
  .default('US')
  .meta({ description: 'ISO 3166-1 country code, any case.', minLength: 2, maxLength: 2, pattern: '^[A-Za-z]{2}$' });

const language = z
  .string('must be a string')
  .transform((text, context) => {
    const tag = canonicalLanguage(text);
    if (tag !== undefined) return tag;
    context.addIssue('must be a BCP 47 language with an optional region, such as en or pt-BR');
    return z.NEVER;
  })
  .default('en')
  .meta({
    description: 'BCP 47 language with an optional region.',
    pattern: '^[A-Za-z]{2,3}(-([A-Za-z]{2}|[0-9]{3}))?$',
  });

const location = z
  .string('must be a string')
  .transform((text, context) => {
    const canonical = canonicalLocation(text);
    if (canonical !== undefined) return canonical;
    context.addIssue('must be a place such as Austin,Texas,United States or a coordinate such as @30.27,-97.74,14z');
    return z.NEVER;
  })
  .optional()
  .meta({
    description:
      'An extension. Place inside the country, by its canonical name, or a coordinate: @30.27,-97.74,14z. Default: the country as a whole.',
  });

const pageNumber = z
  .int('must be an integer')
  .min(1, 'must be at least 1')
  .max(limits.lastPage, `must be at most ${limits.lastPage}, the last page there can be`);

/** The SERP request body. Unknown fields are ignored. */
export const serpRequestSchema = z
  .object({
    keyword,
    language,
    country,
    format: z.enum(['json', 'raw'], 'must be "json" or "raw"').default('json'),
    mobile: z.boolean('must be true or false').default(false).meta({ description: 'Mobile results when true.' }),
    start_page: pageNumber.default(1).meta({ description: 'First page, 1-indexed.' }),
    end_page: pageNumber.optional().meta({ description: 'Last page; start_page where omitted.' }),
    location,
  })
  .transform(({ location: place, ...request }) => ({
    ...request,
    end_page: request.end_page ?? request.start_page,
    ...(place !== undefined && { location: place }),
  }))
  .superRefine((request, context) => {
    const pages = request.end_page - request.start_page + 1;
    if (pages < 1) context.addIssue({ code: 'custom', path: ['end_page'], message: 'must not be below start_page' });
    if (pages > limits.pagesPerRequestMax) {
      const message = `must be at most ${limits.pagesPerRequestMax} pages with start_page`;
      context.addIssue({ code: 'custom', path: ['end_page'], message });
    }
  });

/** The keyword data request body. Unknown fields are ignored. */
export const keywordDataRequestSchema = z.object({
  keyword,
  country,
  language,
  limit: z
    .int('must be an integer')
    .min(1, 'must be at least 1')
    .max(limits.keywordResultsMax, `must be at most ${limits.keywordResultsMax}`)
    .default(limits.keywordResultsDefault)
    .meta({ description: 'Maximum number of results.' }),
});

/**
 * Checks a SERP request body. Throws ServiceError KEYWORD_REQUIRED (missing, null or blank keyword), INVALID_FORMAT
 * (`format` is neither json nor raw) or INVALID_REQUEST (anything else), in this order.
 */
export function parseSerpRequest(input: unknown): SerpRequest {
  return parse(serpRequestSchema, input, [
    'keyword',
    'language',
    'country',
    'format',
    'mobile',
    'start_page',
    'end_page',
    'location',
  ]);
}

/** Checks a keyword data request body. Throws ServiceError KEYWORD_REQUIRED or INVALID_REQUEST. */
export function parseKeywordDataRequest(input: unknown): KeywordDataRequest {
  return parse(keywordDataRequestSchema, input, ['keyword', 'country', 'language', 'limit']);
}

/** A body that could not be read. The caller learns of it only after credentials and rate limit are checked. */
export class UnreadableBody {
  readonly refusal: ServiceError;

  constructor(refusal: ServiceError) {
    this.refusal = refusal;
  }
}

function parse<T>(schema: z.ZodType<T>, input: unknown, fields: readonly string[]): T {
  if (input instanceof UnreadableBody) throw input.refusal;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ServiceError('INVALID_REQUEST', 'The request body must be a JSON object.');
  }
  const own = ownFields(input, fields);
  const asked = own['keyword'];
  if (asked === undefined || asked === null || (typeof asked === 'string' && withoutStrayMarks(asked).trim() === '')) {
    throw new ServiceError('KEYWORD_REQUIRED', 'keyword is required and must not be blank.');
  }
  const result = schema.safeParse(own);
  if (result.success) return result.data;
  const code: ErrorCode = result.error.issues.some(({ path }) => path[0] === 'format')
    ? 'INVALID_FORMAT'
    : 'INVALID_REQUEST';
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new ServiceError(code, `${problems.join('; ')}.`);
}

/**
 * The named fields that the body itself holds: what a prototype adds (a hostile `__proto__`) is not part of the
 * request.
 */
function ownFields(input: object, fields: readonly string[]): Record<string, unknown> {
  const own: Record<string, unknown> = {};
  for (const field of fields) {
    const value: unknown = Object.getOwnPropertyDescriptor(input, field)?.value;
    if (value !== undefined) own[field] = value;
  }
  return own;
}
