// Files to import: their bytes, piece by piece, and the sheets of workbooks.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { countryCode, countryComplaint, languageCode, languageComplaint } from '../../../config/schema/complaints.ts';
import type { KeywordReading } from '../../import/keywords/keyword-tables.ts';
import { UnreadableFile } from '../../import/text/text-file.ts';
import { isArchive, readWorkbook } from '../../import/text/workbook.ts';
import { errorText } from '../../service/terms.ts';
import { UsageError } from '../opening/failures.ts';

const pieceBytes = 65_536;

/** Can be read several times. */
export interface TableBytes {
  readonly total: number;
  /** Of the reading that began last. */
  readonly read: number;
  pieces(): Iterable<Uint8Array>;
  close(): void;
}

/** Bytes that are no file of this machine. */
export function heldBytes(bytes: Uint8Array): TableBytes {
  return { total: bytes.length, read: bytes.length, pieces: () => [bytes], close() {} };
}

/**
 * What `recognise` finds in a file; of a workbook, in its first sheet that it can read. Close the bytes. Rejects with
 * UnreadableFile.
 */
export async function openTable<Found>(
  bytes: TableBytes,
  recognise: (pieces: () => Iterable<Uint8Array>) => Found,
): Promise<{ readonly bytes: TableBytes; readonly found: Found }> {
  try {
    const [start = new Uint8Array()] = bytes.pieces();
    if (!isArchive(start)) return { bytes, found: recognise(() => bytes.pieces()) };
    const sheets = await readWorkbook(Buffer.concat([...bytes.pieces()]));
    if (sheets === null) throw new UnreadableFile('it is a ZIP archive', 'Unpack it.');
    return firstReadable(
      sheets.filter(({ text }) => /[^,\n]/.test(text)).map(({ text }) => heldBytes(Buffer.from(text))),
      recognise,
    );
  } catch (error) {
    bytes.close();
    throw error;
  }
}

function firstReadable<Found>(
  sheets: readonly TableBytes[],
  recognise: (pieces: () => Iterable<Uint8Array>) => Found,
): { readonly bytes: TableBytes; readonly found: Found } {
  let first: UnreadableFile | undefined;
  for (const bytes of sheets) {
    try {
      return { bytes, found: recognise(() => bytes.pieces()) };
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      first ??= error;
    }
  }
  throw first ?? new UnreadableFile('it is a workbook without cells', 'Export it again.');
}

/** The body of an answer. One of more than `bytesMax` is not read to its end, but beyond these. */
export async function firstBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(pieces);
}

/** Throws UnreadableFile if the file cannot be read. */
export class FileBytes implements TableBytes {
  readonly total: number;
  /** Of the reading that began last. */
  read = 0;
  readonly #handle: number;

  constructor(file: string) {
    try {
      this.#handle = openSync(file, 'r');
    } catch (error) {
      throw unreadable(error);
    }
    const facts = fstatSync(this.#handle);
    this.total = facts.size;
    if (facts.isFile()) return;
    this.close();
    throw new UnreadableFile('it is not a regular file', 'Name the file that the other tool exported.');
  }

  *pieces(): Generator<Uint8Array> {
    for (this.read = 0; ; ) {
      const piece = Buffer.alloc(pieceBytes);
      const length = this.#next(piece, this.read);
      if (length === 0) return;
      this.read += length;
      yield piece.subarray(0, length);
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  #next(piece: Buffer, at: number): number {
    try {
      return readSync(this.#handle, piece, 0, pieceBytes, at);
    } catch (error) {
      throw unreadable(error);
    }
  }
}

function unreadable(error: unknown): UnreadableFile {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return new UnreadableFile('the file does not exist', 'Check the name.');
  if (code === 'EACCES' || code === 'EPERM')
    return new UnreadableFile('this user has no permission to read it', 'Check its permissions.');
  return new UnreadableFile(`it cannot be read (${errorText(error)})`, 'Check the disk.');
}

export interface PartialMarket {
  readonly country: string | null;
  readonly language: string | null;
}

/** Throws UsageError for an unknown country or language. */
export function parseMarket({
  country,
  language,
}: {
  readonly country?: string;
  readonly language?: string;
}): PartialMarket {
  const complaint =
    (country === undefined ? undefined : countryComplaint(country)) ??
    (language === undefined ? undefined : languageComplaint(language));
  if (complaint !== undefined) throw new UsageError(complaint);
  return {
    country: country === undefined ? null : countryCode(country),
    language: language === undefined ? null : languageCode(language),
  };
}

/** Finds the market of each row; parses each spelling once. */
export class RowMarkets {
  readonly #default: PartialMarket;
  readonly #countries = new Map<string, string | undefined>();
  readonly #languages = new Map<string, string | undefined>();

  constructor(standard: PartialMarket) {
    this.#default = standard;
  }

  /** The market, or the reason why there is none. */
  of({ country: writtenCountry, language: writtenLanguage }: KeywordReading) {
    const country = writtenCountry === null ? this.#default.country : this.#country(writtenCountry);
    const language = writtenLanguage === null ? this.#default.language : this.#language(writtenLanguage);
    if (country === undefined || language === undefined) return 'unknown_market';
    return country === null || language === null ? 'no_market' : { country, language };
  }

  #country(written: string): string | undefined {
    return remembered(this.#countries, written, () =>
      countryComplaint(written) === undefined ? countryCode(written) : undefined,
    );
  }

  #language(written: string): string | undefined {
    return remembered(this.#languages, written, () =>
      languageComplaint(written) === undefined ? languageCode(written) : undefined,
    );
  }
}

/** A column that is no market's could name another one in each row. */
const spellingsMax = 1_000;

function remembered(known: Map<string, string | undefined>, written: string, find: () => string | undefined) {
  if (known.has(written)) return known.get(written);
  if (known.size >= spellingsMax) known.clear();
  const found = find();
  known.set(written, found);
  return found;
}

/** Thrown where one of several files cannot be read; it names the file. */
class UnreadableInput extends UnreadableFile {
  readonly file: string;

  constructor(file: string, { message, hint }: UnreadableFile) {
    super(message, hint);
    this.file = file;
  }
}

/** Says which file `work` cannot read. */
export function readingFile<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw namingFile(file, error);
  }
}

/** The same for work that takes a while. */
export async function openingFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw namingFile(file, error);
  }
}

function namingFile(file: string, error: unknown): unknown {
  return error instanceof UnreadableFile ? new UnreadableInput(file, error) : error;
}
