// Reads a UTF-8 file, or says in one sentence why it cannot be read.
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { errorText } from '../../src/service/index.ts';

/** The text of a file without byte order mark, or what is wrong with it. */
export type TextFile =
  | { readonly bytes: Buffer }
  | {
      readonly complaint: {
        readonly message: string;
        readonly hint?: string;
        readonly line?: number;
        /** The path leads to no file. */
        readonly missing?: true;
      };
    };

const newline = 0x0a;
const zipMark = 'PK\u0003\u0004';

/** Reads a UTF-8 file of at most `bytesMax` bytes; `remedy` says how to save another one as UTF-8. Never throws. */
export function readTextFile(file: string, bytesMax: number, remedy = 'save it as UTF-8'): TextFile {
  let bytes: Buffer;
  try {
    const facts = statSync(file);
    if (facts.isDirectory()) return { complaint: { message: 'is a folder, not a file', missing: true } };
    if (!facts.isFile()) return { complaint: { message: 'is not a regular file' } };
    if (facts.size > bytesMax) {
      return { complaint: { message: `is larger than ${Math.floor(bytesMax / 1_048_576)} MiB (${facts.size} bytes)` } };
    }
    bytes = readFileSync(file);
  } catch (error) {
    return { complaint: readingComplaint(error) };
  }
  const encoding = encodingComplaint(bytes, remedy);
  if (encoding !== undefined) return { complaint: encoding };
  return { bytes: bytes.subarray(bytes.indexOf('\uFEFF') === 0 ? 3 : 0) };
}

function readingComplaint(error: unknown): { message: string; hint?: string; missing?: true } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return { message: 'does not exist', missing: true };
  if (code === 'EACCES' || code === 'EPERM') return { message: 'is not readable', hint: 'check its permissions' };
  return { message: `cannot be read (${errorText(error)})` };
}

function encodingComplaint(bytes: Buffer, hint: string): { message: string; hint: string; line?: number } | undefined {
  if (bytes.toString('latin1', 0, 4) === zipMark)
    return { message: 'is a ZIP archive or an Excel workbook, not a text file', hint };
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (utf16) return { message: 'is UTF-16, not UTF-8', hint };
  if (!isUtf8(bytes)) return { message: 'is not UTF-8 (Latin-1 or Windows-1252?)', hint, line: firstBrokenLine(bytes) };
  const zero = bytes.indexOf(0);
  if (zero !== -1) {
    const message = 'contains zero bytes: UTF-16 without a byte order mark, or not a text file';
    return { message, hint, line: bytes.toString('latin1', 0, zero).split('\n').length };
  }
  return undefined;
}

function firstBrokenLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, start);
    const stop = end === -1 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, stop))) return line;
    start = stop + 1;
  }
  return line;
}
