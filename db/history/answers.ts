// Samples of AI answers by period, with the pages that they cite.
import type { StoredAnswer } from '../../src/tracker/answers/answers.ts';
import type { Connection } from '../connection/client.ts';
import { urlSql } from '../connection/names.ts';

import type { TableRow } from '../schema/rows.ts';

/** A prompt that is sent to an engine from a country: what samples are of. */
export interface PromptSearch {
  readonly prompt: string;
  readonly engine: string;
  readonly service: string;
  readonly country: string;
  readonly language: string;
}

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
    const { prompt, engine, country, language } = search;
    const { period, sample, observedAt, source, model, text, citations } = answer;
    const { lastInsertRowid } = this.#db.insert('answers', {
      keywordId: this.#db.names.textId(prompt),
      service: this.#db.firstServiceName(search.service),
      engine,
      country,
      language,
      period,
      sample,
      observedAt,
      source,
      purchaseId,
      model,
      text,
    });
    for (const [index, { url, title }] of citations.entries()) {
      this.#db.insert('answer_citations', {
        answerId: Number(lastInsertRowid),
        position: index + 1,
        urlId: this.#db.names.urlId(url),
        title,
      });
    }
  }

  /** Periods from `from` to `to`, both inclusive, with how many of the first `samplesMax` samples each has. */
  periods(search: PromptSearch, { from, to, samplesMax }: { from: string; to: string; samplesMax: number }) {
    return this.#db
      .sql<{ readonly period: string; readonly samples: number }>(
        `SELECT a.period, count(*) AS samples ${ofSearch} AND a.period BETWEEN @from AND @to AND a.sample <= @samplesMax GROUP BY a.period`,
      )
      .all({ ...search, from, to, samplesMax });
  }

  /** Samples of periods from `from` to `to`, both inclusive, in their order. */
  list(search: PromptSearch, from: string, to: string): StoredAnswer[] {
    const within = { ...search, from, to };
    const cited = new Map<number, { url: string; title: string | null }[]>();
    const citations = this.#db.sql<{ answerId: number; url: string; title: string | null }>(
      `SELECT c.answer_id AS answerId, ${urlSql()} AS url, c.title FROM answer_citations c JOIN urls u ON u.id = c.url_id JOIN hosts h ON h.id = u.host_id
       WHERE c.answer_id IN (SELECT a.id ${ofSearch} AND a.period BETWEEN @from AND @to) ORDER BY c.answer_id, c.position`,
    );
    for (const { answerId, url, title } of citations.iterate(within)) {
      const known = cited.get(answerId);
      if (known === undefined) cited.set(answerId, [{ url, title }]);
      else known.push({ url, title });
    }
    return this.#db
      .sql<TableRow<'answers', 'id' | 'period' | 'sample' | 'observedAt' | 'source' | 'model' | 'text'>>(
        `SELECT a.id, a.period, a.sample, a.source, a.model, a.text, a.observed_at AS observedAt ${ofSearch} AND a.period BETWEEN @from AND @to ORDER BY a.period, a.sample`,
      )
      .all(within)
      .map(({ id, ...row }) => ({ ...row, citations: cited.get(id) ?? [] }));
  }
}
