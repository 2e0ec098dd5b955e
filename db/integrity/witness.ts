// Stores the ledger's head in a file beside the database, to detect a restored or swapped database.
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Connection } from '../connection/client.ts';
import { replaceFile } from '../connection/whole-file.ts';
import {
  type DaySpent,
  holdsHead,
  type LedgerHead,
  ledgerHead,
  ledgerIdentity,
  missingDays,
} from '../ledger/ledger-head.ts';
import type { AuditCheck } from './audit.ts';

/** Purchases that the witness recorded and the database lacks. */
interface LedgerGap {
  /** The witness's head: it identifies the gap. */
  readonly head: LedgerHead;
  readonly days: readonly DaySpent[];
}

const gapRemedy = 'After a restore, this is expected: the next run counts the missing purchases as spent (unknown).';

export function witnessFile(database: string): string {
  return `${database}.witness`;
}

/** Null if there is no witness, or it cannot be read. */
function readWitness(database: string): LedgerHead | null {
  const file = witnessFile(database);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  try {
    const head = JSON.parse(readFileSync(file, 'utf8')) as LedgerHead;
    const isHead = typeof head.hash === 'string' && Number.isSafeInteger(head.entries) && Array.isArray(head.days);
    return isHead && typeof head.ledger === 'string' ? head : null;
  } catch {
    return null;
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Replaces the witness of a database, whole or not at all. */
export function putWitness(database: string, head: LedgerHead): void {
  replaceFile(witnessFile(database), `${JSON.stringify(head)}\n`);
}

export class Witness {
  readonly #db: Connection;
  readonly #database: string;

  /** `database` is the file whose witness it is: a missing one is read as an empty database in memory. */
  constructor(db: Connection, database: string = db.file) {
    this.#db = db;
    this.#database = database;
  }

  get file(): string {
    return witnessFile(this.#database);
  }

  /** Whether the ledger contains what it records. Messages call it `shown`; `behind` says why the ledger lacks it. */
  check(shown: string, behind: string): AuditCheck {
    const name = 'the ledger contains what its witness file records';
    if (this.gap() !== null) {
      const isMissing = this.#db.file === ':memory:';
      return { name, ok: false, detail: behind, ...(!isMissing && { remedy: gapRemedy }) };
    }
    if (readWitness(this.#database) !== null) return { name, ok: true, detail: '' };
    return { name, ok: true, detail: `not compared: ${this.#absence(shown)}`, skipped: true };
  }

  /** Why there is nothing to compare with. */
  #absence(shown: string): string {
    if (!existsSync(this.file))
      return 'there is none, so a restored or replaced database is not noticed; runs at live sources write it';
    return isReadable(this.file) ? `${shown} is damaged` : `this user may not read ${shown}`;
  }

  /** Null if the database contains everything that the witness recorded, or there is no witness. */
  gap(): LedgerGap | null {
    const head = this.#database === ':memory:' ? null : readWitness(this.#database);
    if (head === null || holdsHead(this.#db, head)) return null;
    return { head, days: missingDays(this.#db, head) };
  }

  /**
   * Whether the ledger lacks even its first entry, or has none: it is not an older copy of the ledger that the witness
   * recorded.
   */
  isOfAnotherLedger(): boolean {
    const gap = this.gap();
    const [first] = ledgerIdentity(this.#db)?.split('-') ?? [];
    return gap !== null && gap.head.ledger.split('-')[0] !== first;
  }

  /** Takes the present ledger for the recorded one. */
  replace(): void {
    const head = ledgerHead(this.#db);
    if (head === null) rmSync(this.file, { force: true });
    else putWitness(this.#database, head);
  }

  /** Records the current ledger; never over a gap, unless the gap was `counted`. Throws errors of the disk. */
  write({ counted = false }: { readonly counted?: boolean } = {}): void {
    if (this.#db.file === ':memory:') return;
    const head = ledgerHead(this.#db);
    if (head === null) return;
    const before = readWitness(this.#db.file);
    if (before?.hash === head.hash || (!counted && before !== null && !holdsHead(this.#db, before))) return;
    putWitness(this.#db.file, head);
  }
}
