// Tables of AI answers: samples of what an engine answers to a prompt, and the pages that each cites.
import { check, integer, primaryKey, sql, sqliteTable, text, uniqueIndex } from './drizzle.ts';
import { purchases } from './money.ts';
import { keywords, urls } from './names.ts';

/** One sample: the answer to a prompt, bought once for each number in a period. Shared by projects. */
export const answers = sqliteTable(
  'answers',
  {
    id: integer().primaryKey(),
    /** The prompt, interned like a keyword. */
    keywordId: integer('keyword_id')
      .notNull()
      .references(() => keywords.id),
    service: text().notNull(),
    engine: text().notNull(),
    country: text().notNull(),
    language: text().notNull(),
    /** First local date of the day, week or month. */
    period: text().notNull(),
    /** From 1. */
    sample: integer().notNull(),
    observedAt: integer('observed_at').notNull(),
    /** `service/source`. */
    source: text().notNull(),
    purchaseId: integer('purchase_id')
      .notNull()
      .references(() => purchases.id),
    /** As the source names it; null where it does not. */
    model: text(),
    text: text().notNull(),
  },
  (t) => [
    uniqueIndex('answers_identity').on(t.keywordId, t.engine, t.service, t.country, t.language, t.period, t.sample),
    check('answers_sample', sql`${t.sample} >= 1`),
    check('answers_text', sql`${t.text} <> ''`),
  ],
);

/** The pages that an answer cites, in its order: each once. */
export const answerCitations = sqliteTable(
  'answer_citations',
  {
    answerId: integer('answer_id')
      .notNull()
      .references(() => answers.id),
    /** From 1. */
    position: integer().notNull(),
    urlId: integer('url_id')
      .notNull()
      .references(() => urls.id),
    title: text(),
  },
  (t) => [
    primaryKey({ columns: [t.answerId, t.position] }),
    check('answer_citations_position', sql`${t.position} >= 1`),
  ],
);
