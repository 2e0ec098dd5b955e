// Reads a workbook by the format's definition, without sharing code with the writer: the archive and the XML of sheets.
import { crc32, inflateRawSync } from 'node:zlib';
import { load } from 'cheerio';

export interface ReadCell {
  readonly ref: string;
  readonly type: 'text' | 'number' | 'boolean' | 'date' | 'day';
  /** Dates as UTC milliseconds. */
  readonly value: string | number | boolean;
}

export interface ReadSheet {
  readonly name: string;
  /** By row from 1; empty cells are absent. */
  readonly rows: readonly (readonly ReadCell[])[];
  /** Rows above this one are frozen. */
  readonly frozenAt: string | undefined;
  readonly filter: string | undefined;
  readonly formulas: number;
}

/** The files of an archive by name. Throws if a size, a checksum or an offset is wrong. */
export function readZip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  const files = new Map<string, string>();
  for (let read = 0; read < count; read += 1) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error(`no entry at ${at}`);
    const [crc, packed, size] = [16, 20, 24].map((field) => archive.readUInt32LE(at + field));
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((field) =>
      archive.readUInt16LE(at + field),
    );
    const local = archive.readUInt32LE(at + 42);
    const name = archive.subarray(at + 46, at + 46 + nameLength).toString('utf8');
    const data = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const contents = inflateRawSync(archive.subarray(data, data + (packed ?? 0)));
    if (contents.length !== size || crc32(contents) !== crc) throw new Error(`${name} is damaged`);
    files.set(name, new TextDecoder('utf-8', { fatal: true }).decode(contents));
    at += 46 + nameLength + extraLength + commentLength;
  }
  if (at !== end) throw new Error('the directory has another length than it says');
  return files;
}

/** The sheets in their order. */
export function readWorkbook(archive: Buffer): ReadSheet[] {
  const files = readZip(archive);
  const xml = (name: string) => load(files.get(name) ?? '', { xml: true });
  const formats = xml('xl/styles.xml')('cellXfs xf')
    .toArray()
    .map((each) => each.attribs['numFmtId']);
  const shared = xml('xl/sharedStrings.xml')('si')
    .toArray()
    .map((item) => load(item, { xml: true })('t').text());
  const targets = new Map(
    xml('xl/_rels/workbook.xml.rels')('Relationship')
      .toArray()
      .map(({ attribs }) => [attribs['Id'], attribs['Target']]),
  );
  return xml('xl/workbook.xml')('sheet')
    .toArray()
    .map(({ attribs }) => {
      const sheet = xml(`xl/${targets.get(attribs['r:id'])}`);
      return {
        name: attribs['name'] ?? '',
        rows: sheet('row')
          .toArray()
          .map((row) =>
            sheet('c', row)
              .toArray()
              .map((cell) =>
                cellOf(sheet(cell).attr(), sheet('is t', cell).text(), sheet('v', cell).text(), formats, shared),
              ),
          ),
        frozenAt: sheet('pane[state=frozen]').attr('topLeftCell'),
        filter: sheet('autoFilter').attr('ref'),
        formulas: sheet('f').length,
      };
    });
}

function cellOf(
  attributes: Record<string, string> | undefined,
  text: string,
  value: string,
  formats: readonly (string | undefined)[],
  shared: readonly string[],
): ReadCell {
  const { r: ref = '', t: type, s: style = '0' } = attributes ?? {};
  if (type === 's') return { ref, type: 'text', value: decoded(shared[Number(value)] ?? '') };
  if (type === 'inlineStr') return { ref, type: 'text', value: decoded(text) };
  if (type === 'b') return { ref, type: 'boolean', value: value === '1' };
  const dated = ({ 164: 'date', 165: 'day' } as const)[Number(formats[Number(style)])];
  if (dated !== undefined) return { ref, type: dated, value: Math.round((Number(value) - 25_569) * 86_400_000) };
  return { ref, type: 'number', value: Number(value) };
}

/** `_x0007_` stands for a character that XML cannot contain (ECMA-376, 22.9.2.19). */
function decoded(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
