// Writes an Excel workbook as a stream: typed cells, a fixed header, a filter on each column.
import type { ColumnNote } from '../csv.ts';
import { SharedTexts, textTail, xmlText } from './sheet-cells.ts';
import { chartParts, chartTypes, type SheetChart } from './sheet-chart.ts';
import { isLinkColumn, SheetLinks } from './sheet-links.ts';
import { measureColumns } from './sheet-widths.ts';
import { type ZipEntry, zipChunks } from './zip.ts';

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
