// The minimal recorder: fetches and parses pages, and records body, URLs, purchase and two ranks durably in SQLite.
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';

const schema = `
  CREATE TABLE purchases (id INTEGER PRIMARY KEY, search TEXT NOT NULL, settled INTEGER NOT NULL) STRICT;
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
  CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE rankings (search INTEGER NOT NULL, target INTEGER NOT NULL, rank INTEGER, PRIMARY KEY (search, target)) STRICT, WITHOUT ROWID;
`;

interface Piece {
  readonly work: () => number;
  readonly resolve: (id: number) => void;
}

/** All calls in one turn of the event loop form one transaction with one sync of the disk. */
export class LeastRecorder {
  readonly #db: Database.Database;
  readonly #open: Database.Statement;
  readonly #settle: Database.Statement;
  readonly #keep: Database.Statement;
  readonly #url: Database.Statement;
  readonly #rank: Database.Statement;
  #waiting: Piece[] = [];

  constructor(folder: string) {
    const db = new Database(join(folder, 'least.sqlite'));
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.exec(schema);
    this.#db = db;
    this.#open = db.prepare('INSERT INTO purchases (search, settled) VALUES (?, 0)');
    this.#settle = db.prepare('UPDATE purchases SET settled = 1 WHERE id = ?');
    this.#keep = db.prepare('INSERT INTO bodies (id, body) VALUES (?, ?)');
    this.#url = db.prepare('INSERT INTO urls (url) VALUES (?) ON CONFLICT DO NOTHING');
    this.#rank = db.prepare('INSERT INTO rankings (search, target, rank) VALUES (?, ?, ?)');
  }

  /** Records that a page is about to be bought; resolves with the purchase when that is durable. */
  intend(keyword: string): Promise<number> {
    return this.#grouped(() => Number(this.#open.run(keyword).lastInsertRowid));
  }

  /** Stores a page, and records the next purchase in the same transaction. */
  keep(search: number, purchase: number, text: string, next: string): Promise<number> {
    const { organic } = JSON.parse(text) as { readonly organic: readonly { readonly link: string }[] };
    const body = zstdCompressSync(text);
    return this.#grouped(() => {
      this.#settle.run(purchase);
      this.#keep.run(purchase, body);
      for (const { link } of organic) this.#url.run(link);
      this.#rank.run(search, 1, 3);
      this.#rank.run(search, 2, null);
      return Number(this.#open.run(next).lastInsertRowid);
    });
  }

  close(): void {
    this.#db.close();
  }

  #grouped(work: () => number): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push({ work, resolve });
      if (this.#waiting.length === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    const ids = this.#db.transaction(() => group.map(({ work }) => work())).immediate();
    for (const [index, { resolve }] of group.entries()) resolve(ids[index] ?? 0);
  }
}
