// Excel workbooks (.xlsx) as tables in CSV, so that each import reads them like other files. Hostile ones are refused.
import type { CellValue } from 'read-excel-file/universal';
import { UnreadableFile } from './text-file.ts';

interface Sheet {
  readonly name: string;
  /** CSV; the row of a cell is the line of the text. */
  readonly text: string;
}

const workbookBytesMax = 64 * 1_048_576;
/** Of all parts, as the archive states them: no part is unpacked beyond it. */
const unpackedBytesMax = 256 * 1_048_576;
const partsMax = 2_000;
const sheetsMax = 100;
/** Of a sheet, from its first to its farthest cell: the library keeps a value for each. */
const cellsMax = 5_000_000;

/** Whether a file begins like a ZIP archive, as workbooks do. */
export function isArchive(start: Uint8Array): boolean {
  return start[0] === 0x50 && start[1] === 0x4b && start[2] === 3 && start[3] === 4;
}

/** The sheets with their cells. Null: an archive of other files. Throws UnreadableFile. */
export async function readWorkbook(bytes: Uint8Array): Promise<Sheet[] | null> {
  const { unzipSync, zipSync } = await import('fflate');
  let left = unpackedBytesMax;
  let parts: Record<string, Uint8Array>;
  let isWorkbook = false;
  let count = 0;
  try {
    const taken = new Set<string>();
    unzipSync(bytes, {
      filter({ name, originalSize }) {
        isWorkbook ||= name === 'xl/workbook.xml';
        count += 1;
        left -= originalSize;
        if (/^(\[Content_Types\]|_rels|xl\/(?!media|drawings|charts)).*\.(xml|rels)$/.test(name)) taken.add(name);
        return false;
      },
    });
    if (!isWorkbook) return null;
    if (bytes.length > workbookBytesMax) throw tooLarge(`it has more than ${workbookBytesMax / 1_048_576} MiB`);
    if (left < 0) throw tooLarge(`it unpacks to more than ${unpackedBytesMax / 1_048_576} MiB`);
    if (count > partsMax) throw tooLarge(`it has more than ${partsMax} parts`);
    parts = unzipSync(bytes, { filter: ({ name }) => taken.has(name) });
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile('it is a damaged archive or workbook', 'Export it again.');
  }
  const sheets = Object.keys(parts).filter((name) => name.startsWith('xl/worksheets/'));
  if (sheets.length > sheetsMax) throw tooLarge(`it has more than ${sheetsMax} sheets`);
  for (const name of sheets) rejectFarCells(parts[name] ?? new Uint8Array());
  const { default: readSheets } = await import('read-excel-file/universal');
  try {
    // packed again from what was unpacked within its limits: sizes that the archive states may be wrong
    const safe = zipSync(parts, { level: 0 });
    const read = await readSheets(safe.buffer as ArrayBuffer); // made by zipSync, never shared
    return read.map(({ sheet, data }) => ({ name: sheet, text: data.map(toLine).join('\n') }));
  } catch {
    throw new UnreadableFile('it is a workbook that cannot be read', 'Save the sheet as CSV.');
  }
}

function tooLarge(what: string): UnreadableFile {
  return new UnreadableFile(what, 'Save the sheet with the table as CSV.');
}

/** One cell far out would make millions of empty ones. */
function rejectFarCells(part: Uint8Array): void {
  let rows = 0;
  let columns = 0;
  for (const [, reference = ''] of Buffer.from(part.buffer, part.byteOffset, part.length)
    .toString('latin1')
    .matchAll(/[\s:]r\s*=\s*["']([^"']{0,40})/g)) {
    const [, letters = '', digits] = /^([A-Z]{0,3})(\d{1,7})$/i.exec(reference) ?? [];
    if (digits === undefined) throw new UnreadableFile('it is a damaged workbook', 'Export it again.');
    rows = Math.max(rows, Number(digits));
    columns = Math.max(columns, columnNumber(letters));
  }
  if (rows * columns > cellsMax) throw tooLarge(`a sheet of it has more than ${cellsMax} cells`);
}

function columnNumber(letters: string): number {
  return [...letters.toUpperCase()].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);
}

function toLine(row: readonly (CellValue | null)[]): string {
  return row.map(toCell).join(',');
}

function toCell(value: CellValue | null): string {
  if (value === null) return '';
  if (value instanceof Date)
    return value
      .toISOString()
      .replace(/T00:00:00\.000Z$/, '')
      .replace(/\.\d{3}Z$/, '');
  const text = String(value).replace(/[\r\n]+/g, ' ');
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
