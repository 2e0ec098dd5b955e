// What a result shows on a results page, and which differences between two appearances are changes.

/** What a result shows. Texts come from the web. Null: unknown, because the page's source passes no such field on. */
export interface Appearance {
  /** Label of the page's source: sources cut and choose texts differently. */
  readonly source: string;
  readonly title: string | null;
  /** Empty: none. */
  readonly snippet: string | null;
  /** Texts of the links below the result; empty: none. */
  readonly sitelinks: readonly string[] | null;
  /** Whether it shows a thumbnail. */
  readonly hasImage: boolean | null;
}

type AppearanceChange =
  | { readonly field: 'title' | 'snippet'; readonly before: string; readonly after: string }
  | { readonly field: 'sitelinks'; readonly before: readonly string[]; readonly after: readonly string[] }
  | { readonly field: 'thumbnail'; readonly before: boolean; readonly after: boolean };

/**
 * The fields that changed. A field is compared only between appearances of one source that both know it. Numbers and
 * dates are ignored: `12 reviews` or `Nov 26` may differ each day, and are no new title. So are case, punctuation, and
 * the order of sitelinks.
 */
export function appearanceChanges(before: Appearance, after: Appearance): AppearanceChange[] {
  if (before.source !== after.source) return [];
  const changes: AppearanceChange[] = [];
  for (const field of ['title', 'snippet'] as const) {
    const [was, is] = [before[field], after[field]];
    if (was !== null && is !== null && !areSame([was], [is])) changes.push({ field, before: was, after: is });
  }
  if (before.sitelinks !== null && after.sitelinks !== null && !areSame(before.sitelinks, after.sitelinks))
    changes.push({ field: 'sitelinks', before: before.sitelinks, after: after.sitelinks });
  if (before.hasImage !== null && after.hasImage !== null && before.hasImage !== after.hasImage)
    changes.push({ field: 'thumbnail', before: before.hasImage, after: after.hasImage });
  return changes;
}

const fields = ['title', 'snippet', 'sitelinks', 'hasImage'] as const;

/** Whether an appearance is worth a row after the one before it: it changed, has another source, or knows more. */
export function isNewAppearance(before: Appearance, after: Appearance): boolean {
  if (before.source !== after.source) return true;
  if (fields.some((field) => before[field] === null && after[field] !== null)) return true;
  return appearanceChanges(before, after).length > 0;
}

/** Whether two sets of texts say the same. */
function areSame(some: readonly string[], others: readonly string[]): boolean {
  const keys = (texts: readonly string[], key: (text: string) => string) =>
    [...new Set(texts.map(key))].sort().join('\n');
  return keys(some, (text) => text) === keys(others, (text) => text) || keys(some, lasting) === keys(others, lasting);
}

/** How many words a month or a unit stands from its number: `Nov 26`, `3 days ago`. */
const wordsFromNumber = 2;

/** The words of a text in lower case, without numbers and without the words of dates near them. */
function lasting(text: string): string {
  const words = text.toLowerCase().match(/\p{N}+|[\p{L}\p{M}]+/gu) ?? [];
  const isNumber = (word: string) => /^\p{N}/u.test(word);
  const isNearNumber = (at: number) =>
    words.slice(Math.max(0, at - wordsFromNumber), at + wordsFromNumber + 1).some(isNumber);
  const kept = words.filter((word, at) => !isNumber(word) && !(isNearNumber(at) && dateWords().has(word)));
  return kept.join(' ');
}

const languages = 'en de fr es it pt nl da nb sv fi pl cs hu ro tr ru uk'.split(' ');
const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const;

let known: ReadonlySet<string> | undefined;

/** Months, and the words of `3 days ago`, in these languages. Made when first needed. */
function dateWords(): ReadonlySet<string> {
  known ??= new Set(
    languages.flatMap((language) => {
      const months = (['short', 'long'] as const).flatMap((month) => {
        const format = new Intl.DateTimeFormat(language, { day: 'numeric', month, timeZone: 'UTC' });
        return Array.from({ length: 12 }, (_, index) => format.format(Date.UTC(2000, index, 10)));
      });
      const relative = new Intl.RelativeTimeFormat(language);
      const ages = units.flatMap((unit) => [relative.format(-1, unit), relative.format(-5, unit)]);
      return [...months, ...ages].flatMap((text) => text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []);
    }),
  );
  return known;
}
