// Writes an Excel workbook as a stream: typed cells, a fixed header, a filter on each column.

import { constants, crc32, deflateRawSync } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import { getOrInsert } from '../../../tracker/maps.ts';
import type { ColumnNote } from '../csv.ts';
import { SharedTexts, textTail, xmlText } from './sheet-cells.ts';

/** A table for one sheet. Cells are texts as csv.ts formats them, without quotes and guards. */
export interface SheetTable {
  readonly name: string;
  readonly columns: readonly Pick<ColumnNote, 'name' | 'kind'>[];
  readonly rows: Iterable<readonly string[]>;
  /** Beside the cells. */
  readonly chart?: SheetChart;
}

/** A finished sheet. */
interface WrittenSheet {
  readonly name: string;
  /** The cell range from A1, including the header. */
  readonly range: string;
  readonly hasChart: boolean;
}

/** Excel's limit of rows in a sheet. */
const rowsMax = 1_048_576;
const nameMax = 31;
const chunkRows = 50;
const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/**
 * The chunks of a workbook with one sheet per table. A table above Excel's row limit continues in another sheet with
 * the same header; a text of more than 32,767 characters ends with `…`. Text is never a formula: it is stored as text,
 * in cells formatted as text. Throws RangeError above 4 GiB.
 */
export function xlsxChunks(tables: Iterable<SheetTable>): Generator<Uint8Array> {
  return zipChunks(zipEntries(tables));
}

function* zipEntries(tables: Iterable<SheetTable>): Generator<ZipEntry> {
  yield { name: '_rels/.rels', chunks: [packageRels] };
  const sheets: WrittenSheet[] = [];
  const texts = new SharedTexts();
  for (const { name, columns, rows, chart } of tables) {
    const measured = measureColumns(columns, rows);
    const iterator = Iterator.from(measured.rows)[Symbol.iterator]();
    for (let part = 1, next = iterator.next(); part === 1 || next.done !== true; part += 1) {
      const label = part === 1 ? '' : ` (${part})`;
      let written = 1;
      const upcoming = function* (): Generator<readonly string[]> {
        for (; next.done !== true && written < rowsMax; next = iterator.next()) {
          written += 1;
          yield next.value;
        }
      };
      const number = sheets.length + 1;
      const links = new SheetLinks();
      const hasChart = chart !== undefined && part === 1;
      const sheet = { columns, widths: measured.widths, texts, links, hasChart, written: () => written };
      yield { name: `xl/worksheets/sheet${number}.xml`, chunks: sheetChunks(sheet, upcoming()) };
      const range = `$A$1:$${columnName(columns.length - 1)}$${written}`;
      sheets.push({ name: freeName(name, label, sheets), range, hasChart });
      if (hasChart) yield* chartParts(chart, sheets.at(-1)?.name ?? '', number);
      if (hasChart || !links.isEmpty)
        yield { name: `xl/worksheets/_rels/sheet${number}.xml.rels`, chunks: sheetRels(links, hasChart, number) };
    }
  }
  yield { name: 'xl/sharedStrings.xml', chunks: sharedTextsXml(texts) };
  yield { name: 'xl/styles.xml', chunks: [stylesXml] };
  yield { name: 'xl/workbook.xml', chunks: [workbookXml(sheets)] };
  yield { name: 'xl/_rels/workbook.xml.rels', chunks: [workbookRels(sheets.length)] };
  yield { name: '[Content_Types].xml', chunks: [contentTypes(sheets)] };
}

interface SheetBeingWritten {
  readonly columns: SheetTable['columns'];
  /** Characters. */
  readonly widths: readonly number[];
  readonly texts: SharedTexts;
  readonly links: SheetLinks;
  readonly hasChart: boolean;
  /** Rows so far, the header included. */
  readonly written: () => number;
}

function* sheetChunks(
  { columns, widths, texts, links, hasChart, written }: SheetBeingWritten,
  rows: Iterable<readonly string[]>,
): Generator<string> {
  const starts = columns.map((_, at) => `<c r="${columnName(at)}`);
  const widthsXml = columns.map(
    (_, at) => `<col min="${at + 1}" max="${at + 1}" width="${widths[at]}" customWidth="1"/>`,
  );
  const header = columns.map(({ name }, at) => `${starts[at]}1"${textTail(name, 'header')}`);
  const writers = columns.map(({ kind }) => texts.cellWriter(kind));
  const linked = columns.flatMap(({ name }, at) => (isLinkColumn(name) ? [at] : []));
  yield `${xmlHead}<worksheet xmlns="${main}" xmlns:r="${relationships}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${widthsXml.join('')}</cols><sheetData><row r="1">${header.join('')}</row>`;
  let chunk = '';
  let row = 1;
  for (const cells of rows) {
    row += 1;
    const reference = `${row}"`;
    chunk += `<row r="${reference}>`;
    for (let at = 0; at < writers.length; at += 1) {
      const text = cells[at];
      if (text !== undefined && text !== '') chunk += starts[at] + reference + writers[at]?.(text);
    }
    chunk += '</row>';
    for (const at of linked) links.add(columnName(at) + row, cells[at] ?? '');
    if (row % chunkRows !== 0) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}</sheetData><autoFilter ref="A1:${columnName(columns.length - 1)}${written()}"/>`;
  yield* links.element();
  // as wide as a page, and as many pages long as it takes
  yield '<pageSetup paperSize="9" orientation="landscape" fitToHeight="0"/>';
  yield `${hasChart ? '<drawing r:id="rIdChart"/>' : ''}</worksheet>`;
}

function* sheetRels(links: SheetLinks, hasChart: boolean, number: number): Generator<string> {
  yield `${xmlHead}<Relationships xmlns="${packageRelationships}">`;
  if (hasChart)
    yield `<Relationship Id="rIdChart" Type="${relationships}/drawing" Target="../drawings/drawing${number}.xml"/>`;
  yield* links.relations();
  yield '</Relationships>';
}

/** 0 is A, 26 is AA. */
export function columnName(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : columnName(Math.floor(at / 26) - 1) + last;
}

function* sharedTextsXml(texts: SharedTexts): Generator<string> {
  yield `${xmlHead}<sst xmlns="${main}">`;
  yield* texts.items();
  yield '</sst>';
}

/** A sheet name that Excel accepts: at most 31 characters, no forbidden ones, unique regardless of case. */
function freeName(name: string, label: string, sheets: readonly WrittenSheet[]): string {
  const sound = name.toWellFormed().replace(/[[\]:*?/\\']/g, '-') || 'table';
  const taken = new Set(sheets.map((sheet) => sheet.name.toLowerCase()));
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? label : `${label} ${count}`;
    const free = sound.slice(0, nameMax - end.length) + end;
    if (!taken.has(free.toLowerCase())) return free;
  }
}

function workbookXml(sheets: readonly WrittenSheet[]): string {
  const list = sheets.map(
    ({ name }, at) => `<sheet name="${attribute(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  // Excel also stores the range of a filter under this name, and some readers use only this one
  const filters = sheets.map(
    ({ name, range }, at) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">'${attribute(name)}'!${range}</definedName>`,
  );
  // every printed page repeats the header
  const titles = sheets.map(
    ({ name }, at) =>
      `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">'${attribute(name)}'!$1:$1</definedName>`,
  );
  return `${xmlHead}<workbook xmlns="${main}" xmlns:r="${relationships}"><bookViews><workbookView/></bookViews><sheets>${list.join('')}</sheets><definedNames>${filters.join('')}${titles.join('')}</definedNames></workbook>`;
}

function attribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;');
}

function workbookRels(sheets: number): string {
  const list = Array.from(
    { length: sheets },
    (_, at) =>
      `<Relationship Id="rId${at + 1}" Type="${relationships}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  return `${xmlHead}<Relationships xmlns="${packageRelationships}">${list.join('')}<Relationship Id="rIdStyles" Type="${relationships}/styles" Target="styles.xml"/><Relationship Id="rIdTexts" Type="${relationships}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`;
}

function contentTypes(sheets: readonly WrittenSheet[]): string {
  const list = sheets.map(
    ({ hasChart }, at) =>
      `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="${contentType}.worksheet+xml"/>${hasChart ? chartTypes(at + 1) : ''}`,
  );
  return `${xmlHead}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${contentType}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${contentType}.sharedStrings+xml"/>${list.join('')}</Types>`;
}

const packageRels = `${xmlHead}<Relationships xmlns="${packageRelationships}"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

/** Styles by index: general, text (`@`, so that an edited cell does not become a formula), dates, and the header. */
const stylesXml = `${xmlHead}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE8EDF3"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`;

// A bar chart over cells of the same sheet, as DrawingML: the drawing that places it, and the chart.

/** Names and numbers stand side by side in the rows of the sheet. */
interface SheetChart {
  readonly title: string;
  /** Rows of the sheet from 1, both inclusive. */
  readonly firstRow: number;
  readonly lastRow: number;
  /** Columns by letter. */
  readonly names: string;
  readonly values: string;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

const drawingml = 'http://schemas.openxmlformats.org/drawingml/2006';
/** Cells beside the table: from column F, row 2 to column O, row 22. */
const [from, to] = [
  [5, 1],
  [14, 21],
];
const colour = '08519C';

/** The parts of a workbook that a chart on sheet `number` adds. */
function chartParts(chart: SheetChart, sheet: string, number: number): { name: string; chunks: string[] }[] {
  return [
    { name: `xl/drawings/drawing${number}.xml`, chunks: [drawingXml(chart.title)] },
    {
      name: `xl/drawings/_rels/drawing${number}.xml.rels`,
      chunks: [
        `${xmlHead}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relationships}/chart" Target="../charts/chart${number}.xml"/></Relationships>`,
      ],
    },
    { name: `xl/charts/chart${number}.xml`, chunks: [chartXml(chart, sheet)] },
  ];
}

/** The types of these parts, for `[Content_Types].xml`. */
function chartTypes(number: number): string {
  const type = 'application/vnd.openxmlformats-officedocument';
  return `<Override PartName="/xl/drawings/drawing${number}.xml" ContentType="${type}.drawing+xml"/><Override PartName="/xl/charts/chart${number}.xml" ContentType="${type}.drawingml.chart+xml"/>`;
}

function drawingXml(title: string): string {
  const corner = ([column, row]: readonly number[] = []) =>
    `<xdr:col>${column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff>`;
  return `${xmlHead}<xdr:wsDr xmlns:xdr="${drawingml}/spreadsheetDrawing" xmlns:a="${drawingml}/main"><xdr:twoCellAnchor><xdr:from>${corner(from)}</xdr:from><xdr:to>${corner(to)}</xdr:to><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="chart" descr="${xmlText(title).replaceAll('"', '&quot;')}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="${drawingml}/chart"><c:chart xmlns:c="${drawingml}/chart" xmlns:r="${relationships}" r:id="rId1"/></a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>`;
}

function chartXml({ title, firstRow, lastRow, names, values, bars }: SheetChart, sheet: string): string {
  const range = (column: string): string =>
    `<c:f>'${xmlText(sheet)}'!$${column}$${firstRow}:$${column}$${lastRow}</c:f>`;
  const points = (of: (bar: SheetChart['bars'][number]) => string | number): string =>
    `<c:ptCount val="${bars.length}"/>${bars.map((bar, at) => `<c:pt idx="${at}"><c:v>${of(bar)}</c:v></c:pt>`).join('')}`;
  const axis = (kind: string, id: number, cross: number, position: string, more: string): string =>
    `<c:${kind}><c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="${position}"/>${more}<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/><c:crossAx val="${cross}"/></c:${kind}>`;
  return `${xmlHead}<c:chartSpace xmlns:c="${drawingml}/chart" xmlns:a="${drawingml}/main"><c:roundedCorners val="0"/><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:rPr lang="en" sz="1200"/><a:t>${xmlText(title)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/><c:plotArea><c:layout/><c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/><c:ser><c:idx val="0"/><c:order val="0"/><c:spPr><a:solidFill><a:srgbClr val="${colour}"/></a:solidFill></c:spPr><c:invertIfNegative val="0"/><c:dLbls><c:showLegendKey val="0"/><c:showVal val="1"/><c:showCatName val="0"/><c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/></c:dLbls><c:cat><c:strRef>${range(names)}<c:strCache>${points(({ name }) => xmlText(name))}</c:strCache></c:strRef></c:cat><c:val><c:numRef>${range(values)}<c:numCache><c:formatCode>General</c:formatCode>${points(({ value }) => value)}</c:numCache></c:numRef></c:val></c:ser><c:gapWidth val="60"/><c:axId val="1"/><c:axId val="2"/></c:barChart>${axis('catAx', 1, 2, 'b', '')}${axis('valAx', 2, 1, 'l', '<c:majorGridlines/>')}</c:plotArea><c:plotVisOnly val="1"/></c:chart></c:chartSpace>`;
}

// Links of a sheet: cells with a web address open it. They are relations of the sheet, not formulas.

/** Of a sheet; Excel takes 65,530. Their addresses are held in memory until the sheet ends. */
const linksMax = 10_000;
/** Excel's limit of characters in a link. */
const addressMax = 2_079;
const namespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const columnPattern = /(^|_)url$/;
const addressPattern = /^https?:\/\/[^\s<>"]+$/;

/** Whether the cells of a column are addresses. */
function isLinkColumn(name: string): boolean {
  return columnPattern.test(name);
}

class SheetLinks {
  readonly #cells: { readonly place: string; readonly link: number }[] = [];
  readonly #links = new Map<string, number>();

  /** `place`: of the cell, `I2`. Text that is not a web address stays text. */
  add(place: string, text: string): void {
    if (this.#cells.length === linksMax || text.length > addressMax || !addressPattern.test(text)) return;
    const link = getOrInsert(this.#links, text, () => this.#links.size + 1);
    this.#cells.push({ place, link });
  }

  get isEmpty(): boolean {
    return this.#cells.length === 0;
  }

  /** The element of the sheet, in pieces. */
  *element(): Generator<string> {
    if (this.isEmpty) return;
    yield '<hyperlinks>';
    for (const { place, link } of this.#cells) yield `<hyperlink ref="${place}" r:id="rIdLink${link}"/>`;
    yield '</hyperlinks>';
  }

  *relations(): Generator<string> {
    for (const [address, link] of this.#links) {
      yield `<Relationship Id="rIdLink${link}" Type="${namespace}/hyperlink" Target="${xmlText(address)}" TargetMode="External"/>`;
    }
  }
}

// Widths of the columns of a sheet: as wide as their header and the texts of the first rows, within limits.

/** Rows that are looked at: held until the widths are known. */
const rowsRead = 100;
/** Characters of the font. */
const [widthMin, widthMax] = [6, 48];
/** Beside a text: the padding of the cell, and beside a header the button of its filter. */
const [padding, filterButton] = [2, 4];
/** Of values that are shown in another form than they are written. */
const shown: Readonly<Partial<Record<ColumnNote['kind'], number>>> = { date: 19, day: 10, boolean: 6 };

/** The widths, and all rows. */
function measureColumns(
  columns: readonly Pick<ColumnNote, 'name' | 'kind'>[],
  rows: Iterable<readonly string[]>,
): { readonly widths: readonly number[]; readonly rows: Iterable<readonly string[]> } {
  const iterator = Iterator.from(rows);
  const first: (readonly string[])[] = [];
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    first.push(next.value);
    if (first.length === rowsRead) break;
  }
  const widths = columns.map(({ name, kind }, at) => {
    const texts = first.map((cells) => cells[at]?.length ?? 0);
    const content = shown[kind] ?? texts.reduce((most, length) => Math.max(most, length), 0);
    return Math.min(widthMax, Math.max(widthMin, name.length + filterButton, content + padding));
  });
  const all = function* (): Generator<readonly string[]> {
    yield* first;
    if (first.length === rowsRead) yield* iterator;
  };
  return { widths, rows: all() };
}

// Writes a zip archive as a stream: entry by entry, each deflated in chunks.

interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  readonly chunks: Iterable<string>;
}

const sizeMax = 2 ** 32 - 1;
/** Chunks are compressed independently; at this size that costs less than 1 %. */
const pieceBytes = 1_048_576;
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const bytesPerUnitMax = 3;
/** A constant date, the earliest of zip in its local time, so that equal reports have equal bytes. */
const mtime = new Date(1980, 0, 1);
const deflated = 8;
/** Table XML gets 4 % larger than at level 4, in two thirds of the time; level 1 is 10 % larger and not faster. */
const piecePacking = { level: 2, finishFlush: constants.Z_SYNC_FLUSH };

/** The chunks of the archive. Throws RangeError for an entry or an archive above 4 GiB, which needs zip64. */
function* zipChunks(entries: Iterable<ZipEntry>): Generator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const archive = new Zip((error, chunk) => {
    if (error !== null) throw error;
    ready.push(chunk);
  });
  let written = 0;
  function* take(): Generator<Uint8Array> {
    for (const chunk of ready.splice(0)) {
      written += chunk.length;
      yield chunk;
    }
  }
  for (const { name, chunks } of entries) {
    // zlib deflates, because it is faster than the library. The library writes headers, descriptors and the directory.
    const entry: ZipInputFile = { filename: name, compression: deflated, crc: 0, size: 0, mtime };
    archive.add(entry);
    for (const piece of joinPieces(chunks)) {
      entry.crc = crc32(piece, entry.crc);
      entry.size += piece.length;
      entry.ondata?.(null, deflateRawSync(piece, piecePacking), false);
      yield* take();
    }
    entry.ondata?.(null, deflateRawSync(''), true);
    yield* take();
    if (entry.size > sizeMax || written > sizeMax) throw new RangeError(`${name} makes the archive larger than 4 GiB`);
  }
  archive.end();
  yield* take();
}

/** Text in pieces large enough to deflate. The next piece overwrites the last one. */
function* joinPieces(chunks: Iterable<string>): Generator<Buffer> {
  let room = Buffer.allocUnsafeSlow(2 * pieceBytes);
  let filled = 0;
  for (const chunk of chunks) {
    const needed = filled + chunk.length * bytesPerUnitMax;
    if (needed > room.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      room.copy(larger, 0, 0, filled);
      room = larger;
    }
    filled += room.write(chunk, filled, 'utf8');
    if (filled < pieceBytes) continue;
    yield room.subarray(0, filled);
    filled = 0;
  }
  if (filled > 0) yield room.subarray(0, filled);
}
