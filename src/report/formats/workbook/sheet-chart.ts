// A bar chart over cells of the same sheet, as DrawingML: the drawing that places it, and the chart.
import { xmlText } from './sheet-cells.ts';

/** Names and numbers stand side by side in the rows of the sheet. */
export interface SheetChart {
  readonly title: string;
  /** Rows of the sheet from 1, both inclusive. */
  readonly firstRow: number;
  readonly lastRow: number;
  /** Columns by letter. */
  readonly names: string;
  readonly values: string;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const drawingml = 'http://schemas.openxmlformats.org/drawingml/2006';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** Cells beside the table: from column F, row 2 to column O, row 22. */
const [from, to] = [
  [5, 1],
  [14, 21],
];
const colour = '08519C';

/** The parts of a workbook that a chart on sheet `number` adds. */
export function chartParts(chart: SheetChart, sheet: string, number: number): { name: string; chunks: string[] }[] {
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
export function chartTypes(number: number): string {
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
