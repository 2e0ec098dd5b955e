// Samples of AI answers by period, with the pages that they cite.
import type { Connection } from '../connection/client.ts';
import { urlSql } from '../connection/names.ts';
import { insertInto } from '../connection/statement.ts';
import type { TableRow } from '../schema/rows.ts';

/** A prompt that is sent to an engine from a country: what samples are of. */
export interface PromptSearch {
  readonly prompt: string;
  readonly engine: string;
  readonly service: string;
  readonly country: string;
  readonly language: string;
}

/** A sample as it was answered. */
export interface StoredAnswer {
  /** First local date of the period: `2026-11-23`. */
  readonly period: string;
  /** From 1. */
  readonly sample: number;
  readonly observedAt: number;
  readonly source: string;
  readonly model: string | null;
  readonly text: string;
  /** In the order of the answer, each page once. */
  readonly citations: readonly { readonly url: string; readonly title: string | null }[];
}

const insertAnswer = insertInto('answers', [
  'keyword_id',
  'service',
  'engine',
  'country',
  'language',
  'period',
  'sample',
  'observed_at',
  'source',
  'purchase_id',
  'model',
  'text',
]);

const insertCitation = insertInto('answer_citations', ['answer_id', 'position', 'url_id', 'title']);

const ofSearch = `FROM answers a JOIN keywords k ON k.id = a.keyword_id
  WHERE k.text = @prompt AND a.engine = @engine AND a.service = first_service_name(@service) AND a.country = @country AND a.language = @language`;

export class Answers {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Numbers of the samples that a period has. */
  samples(search: PromptSearch, period: string): Set<number> {
    const rows = this.#db
      .sql<TableRow<'answers', 'sample'>>(`SELECT a.sample ${ofSearch} AND a.period = @period`)
      .all({ ...search, period });
    return new Set(rows.map(({ sample }) => sample));
  }

  /** Adds a sample. Call inside the transaction that settles its purchase. */
  insert(search: PromptSearch, answer: StoredAnswer, purchaseId: number): void {
    const { prompt, ...market } = search;
    const { citations, observedAt, ...row } = answer;
    const { lastInsertRowid } = this.#db.insert(insertAnswer, {
      ...market,
      ...row,
      service: this.#db.firstServiceName(market.service),
      keyword_id: this.#db.names.keywordId(prompt),
      observed_at: observedAt,
      purchase_id: purchaseId,
    });
    for (const [index, { url, title }] of citations.entries()) {
      this.#db.insert(insertCitation, {
        answer_id: Number(lastInsertRowid),
        position: index + 1,
        url_id: this.#db.names.urlId(url),
        title,
      });
    }
  }

  /** Samples of periods from `from` to `to`, both inclusive, in their order. */
  list(search: PromptSearch, from: string, to: string): StoredAnswer[] {
    const within = { ...search, from, to };
    const cited = new Map<number, { url: string; title: string | null }[]>();
    const citations = this.#db.sql<{ answer_id: number; url: string; title: string | null }>(
      `SELECT c.answer_id, ${urlSql()} AS url, c.title FROM answer_citations c JOIN urls u ON u.id = c.url_id JOIN hosts h ON h.id = u.host_id
       WHERE c.answer_id IN (SELECT a.id ${ofSearch} AND a.period BETWEEN @from AND @to) ORDER BY c.answer_id, c.position`,
    );
    for (const { answer_id, url, title } of citations.iterate(within)) {
      const known = cited.get(answer_id);
      if (known === undefined) cited.set(answer_id, [{ url, title }]);
      else known.push({ url, title });
    }
    return this.#db
      .sql<TableRow<'answers', 'id' | 'period' | 'sample' | 'observed_at' | 'source' | 'model' | 'text'>>(
        `SELECT a.id, a.period, a.sample, a.observed_at, a.source, a.model, a.text ${ofSearch} AND a.period BETWEEN @from AND @to ORDER BY a.period, a.sample`,
      )
      .all(within)
      .map(({ id, observed_at, ...row }) => ({ ...row, observedAt: observed_at, citations: cited.get(id) ?? [] }));
  }
}
