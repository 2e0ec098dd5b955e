// The answers to requests of editors. Loaded by `view --edit` alone.
import { z } from 'zod';

const text = z.string();
const count = z.int();
const credits = z.number();
const list = <Of extends z.ZodType>(of: Of) => z.array(of).readonly();

const keptNote = z.strictObject({
  id: count,
  date: z.iso.date(),
  text,
  project: text.nullable(),
  keyword: text.optional(),
  tag: text.optional(),
});

/** What an editor needs to know of a project. */
export const editState = z
  .strictObject({
    project: text,
    /** Null: the project has no keyword file to write to. */
    keywordsFile: text.nullable(),
    /** Other projects with the same file. */
    sharedWith: list(text),
    paused: list(text),
    notes: list(keptNote),
    canUndo: z.boolean(),
  })
  .meta({ title: 'EditState' });
export type EditState = z.output<typeof editState>;

export const noteEdit = z.strictObject({ note: keptNote }).meta({ title: 'NoteEdit' });

/** A change of the keyword file: a preview, or what was written. */
export const fileChange = z
  .strictObject({
    isWritten: z.boolean(),
    /** Names the preview: the same request with it writes. */
    hash: text,
    file: text,
    sharedWith: list(text),
    diff: text,
    isDiffCut: z.boolean(),
  })
  .meta({ title: 'FileChange' });
export type FileChange = z.output<typeof fileChange>;

/** Of a month at worst. */
const monthCost = z.looseObject({ searches: count, creditsPerMonth: credits, microUsdPerMonth: z.number() });
const dollars = z.strictObject({ least: z.number(), most: z.number() }).nullable();
const costChange = z.strictObject({
  before: monthCost.nullable(),
  after: monthCost.nullable(),
  /** Micro-USD by the list prices of the source; null: none are known. */
  pagesMicroUsdPerMonth: z.strictObject({ before: dollars, after: dollars }),
});
export type CostChange = z.output<typeof costChange>;

export const keywordEdit = z
  .strictObject({
    ...fileChange.shape,
    lines: count,
    /** Keywords that the config itself names, the first of them. */
    notInFile: list(text),
    notInFileTotal: count,
    cost: costChange,
  })
  .meta({ title: 'KeywordEdit' });
export type KeywordEdit = z.output<typeof keywordEdit>;

/** As `keywords add --json`, with the first keywords alone. */
export const keywordAddition = z
  .looseObject({
    ...fileChange.shape,
    found: count,
    known: count,
    added: list(z.looseObject({ keyword: text })),
    addedTotal: count,
    tags: list(z.looseObject({ tag: text, keywords: count })),
    notTaken: count,
    lists: list(
      z.looseObject({
        name: text,
        rows: count,
        refused: list(z.looseObject({ reason: text, what: text, remedy: text.nullable(), count })),
      }),
    ),
    cost: costChange,
  })
  .meta({ title: 'KeywordAddition' });
export type KeywordAddition = z.output<typeof keywordAddition>;

const budgetWindow = z.looseObject({
  currency: z.enum(['serp_credit', 'micro_usd']),
  scope: z.enum(['run', 'day', 'month']),
  cap: z.number().nullable(),
  spent: z.number(),
  reserved: z.number(),
});

export const checkAnswer = z
  .strictObject({
    price: z.strictObject({
      searches: count,
      creditsExpected: credits,
      creditsAtMost: credits,
      /** What second looks at changes may cost later the same day; absent where the project asks for none. */
      creditsOfSecondLooks: credits.optional(),
      pagesFresh: count,
      budget: list(budgetWindow),
    }),
    /** Names the price: a request with it buys, once. Null: it was bought. */
    confirm: text.nullable(),
    bought: z
      .strictObject({
        creditsSpent: credits,
        /** Charged or not: the service did not say. They count as spent until `audit --reconcile`. */
        creditsUnknown: credits,
        pagesReused: count,
        runs: list(
          z.strictObject({
            runId: count,
            state: text,
            checks: z.record(text, count),
            haltReason: text.nullable(),
            problems: list(z.strictObject({ keyword: text, reason: text })),
          }),
        ),
      })
      .nullable(),
  })
  .meta({ title: 'CheckAnswer' });
export type CheckAnswer = z.output<typeof checkAnswer>;
