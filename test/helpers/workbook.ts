// Excel workbooks for tests: sheets of cells, or of any XML.
import { strToU8, zipSync } from 'fflate';

type Cell = string | number | null;

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A sheet: rows of cells, or its XML. A date is a number with the style 1. */
export type TestSheet = readonly (readonly (Cell | { readonly date: number })[])[] | string;

export function workbook(sheets: Readonly<Record<string, TestSheet>>): Uint8Array {
  const names = Object.keys(sheets);
  const each = (text: (number: number, name: string) => string): string =>
    names.map((name, at) => text(at + 1, name)).join('');
  const parts: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"/>`,
    '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${each((number, name) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships">${each((number) => `<Relationship Id="rId${number}" Type="${office}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}<Relationship Id="rIdStyles" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  };
  for (const [at, name] of names.entries()) {
    const sheet = sheets[name] ?? '';
    parts[`xl/worksheets/sheet${at + 1}.xml`] =
      typeof sheet === 'string' ? sheet : sheetXml(sheet.map(rowXml).join(''));
  }
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])));
}

export function sheetXml(rows: string): string {
  return `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`;
}

function rowXml(cells: Exclude<TestSheet, string>[number], at: number): string {
  const written = cells.map((cell, column) => {
    const name = `${String.fromCharCode(65 + column)}${at + 1}`;
    if (cell === null) return '';
    if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`;
    if (typeof cell === 'object') return `<c r="${name}" s="1"><v>${cell.date}</v></c>`;
    return `<c r="${name}" t="inlineStr"><is><t>${cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
  });
  return `<row r="${at + 1}">${written.join('')}</row>`;
}
