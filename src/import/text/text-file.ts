// The text of a file: its encoding, JSON, and the error of a file that cannot be read as a whole.

/** The file as a whole cannot be read; nothing was imported. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Binary files, by their first bytes. */
const binaries: readonly (readonly [mark: string, what: string, hint: string])[] = [
  ['PK\u0003\u0004', 'a ZIP archive or an Excel workbook', 'Unpack it, or save the sheet as CSV.'],
  ['SQLite format 3\0', 'a SQLite database', 'Write its table as JSON: sqlite3 -json FILE "SELECT * FROM keyword".'],
  ['%PDF-', 'a PDF', 'Export the numbers as CSV.'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel workbook', 'Save the sheet as CSV.'],
  ['PAR1', 'a Parquet file', 'Write it as CSV: rankledger export.'],
  ['\u001f\u008b', 'a gzip archive', 'Unpack it first: gunzip FILE.'],
];

const sampleBytes = 4_096;
/** Least share of zero bytes in one half of UTF-16 text, even if much of it is not English. */
const zeroShareMin = 0.2;

/**
 * Detects the encoding in one pass over the whole file: by byte order mark, else by the zero bytes of UTF-16, else
 * UTF-8 if every byte is valid, else windows-1252, in which every byte is valid. Throws UnreadableFile for a binary
 * file.
 */
export function detectEncoding(pieces: Iterable<Uint8Array>): Encoding {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  try {
    for (const piece of pieces) {
      if (isFirst) {
        const marked = markedEncoding(piece);
        if (marked !== null) return marked;
        isFirst = false;
      }
      decoder.decode(piece, { stream: true });
    }
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252';
    throw error;
  }
}

/** Decodes a file chunk by chunk, without its byte order mark. */
export function* decodeText(pieces: Iterable<Uint8Array>, encoding: Encoding): Generator<string> {
  const decoder = new TextDecoder(encoding);
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** The text of a whole file. Throws UnreadableFile for a binary one. */
export function textOf(bytes: Uint8Array): string {
  return [...decodeText([bytes], detectEncoding([bytes]))].join('');
}

function markedEncoding(start: Uint8Array): Encoding | null {
  const text = Buffer.from(start.subarray(0, 16)).toString('latin1');
  const binary = binaries.find(([mark]) => text.startsWith(mark));
  if (binary !== undefined) throw new UnreadableFile(`it is ${binary[1]}`, binary[2]);
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return unmarkedUtf16(start.subarray(0, sampleBytes));
}

function unmarkedUtf16(sample: Uint8Array): Encoding | null {
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even + odd === 0) return null;
  const enough = (sample.length / 2) * zeroShareMin;
  if (odd >= enough && even * 8 <= odd) return 'utf-16le';
  if (even >= enough && odd * 8 <= even) return 'utf-16be';
  throw new UnreadableFile('it contains zero bytes and is not a text file', 'Export it as CSV in UTF-8.');
}

const jsonCharsMax = 128 * 1_048_576;

/** Throws UnreadableFile for other text, and for more than 128 MiB. */
export function parseJson(text: Iterable<string>): unknown {
  let whole = '';
  for (const piece of text) {
    whole += piece;
    if (whole.length > jsonCharsMax) {
      throw new UnreadableFile(`it is JSON of more than ${jsonCharsMax} characters`, 'Export one domain per file.');
    }
  }
  try {
    return JSON.parse(whole);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnreadableFile('it begins like JSON, but is not valid JSON', 'Check whether the file was truncated.');
  }
}
