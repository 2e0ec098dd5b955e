// Prints report.html as report.pdf: A4, light colours, a header and page numbers. Needs a browser.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceFile } from '../../../db/connection/whole-file.ts';
import { html } from '../../../src/report/html/text/markup.ts';
import { longDate } from '../../../src/report/html/text/words.ts';
import type { Manifest, ManifestFile } from '../../../src/report/tables/manifest.ts';
import type { PrintingBrowser } from '../../../src/service/index.ts';
import type { ReportTemplate } from '../../../src/tracker/changes/client-reports.ts';
import { ReportError } from '../files/report-files.ts';

const pdfName = 'report.pdf';
/** Above what a report of 20,000 rows takes on a busy machine. */
const timeoutMs = 120_000;

/** Prints the report in a folder, and adds it to its manifest. Throws ReportError without a page, or room. */
export async function writePdf(
  browser: PrintingBrowser,
  folder: string,
  { name }: ReportTemplate,
): Promise<ManifestFile> {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    const pdf = await printPage(browser, join(folder, 'report.html'), manifest, name);
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    const file = { name: pdfName, bytes: pdf.length, sha256, rows: null };
    replaceFile(join(folder, pdfName), pdf);
    const files = [...manifest.files.filter((each) => each.name !== pdfName), file];
    replaceFile(join(folder, 'manifest.json'), `${JSON.stringify({ ...manifest, files }, null, 2)}\n`);
    return file;
  } catch (error) {
    throw new ReportError(folder, error);
  }
}

async function printPage(
  browser: PrintingBrowser,
  file: string,
  { project, run, asOf, period }: Manifest,
  name: string | null,
): Promise<Buffer> {
  const days = period === undefined ? longDate(asOf ?? run.slot) : `${longDate(period.from)} to ${longDate(period.to)}`;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  try {
    context.setDefaultTimeout(timeoutMs);
    const address = pathToFileURL(file).href;
    // a report loads nothing: what it holds of others must not begin to
    await context.route('**/*', (route) => (route.request().url() === address ? route.continue() : route.abort()));
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    return await page.pdf({
      format: 'A4',
      printBackground: true,
      tagged: true,
      outline: true,
      displayHeaderFooter: true,
      headerTemplate: marginLine(name ?? 'Rank report', `${project}, ${days}`),
      footerTemplate: pageNumbers,
    });
  } finally {
    await context.close();
  }
}

const lineStyle =
  'width: 100%; margin: 0 12mm; display: flex; justify-content: space-between; font: 8px system-ui, sans-serif; color: #4d5560;';

function marginLine(left: string, right: string): string {
  return html`<div style="${lineStyle}"><span>${left}</span><span>${right}</span></div>`.text;
}

const pageNumbers = `<div style="${lineStyle}"><span></span><span><span class="pageNumber"></span> of <span class="totalPages"></span></span></div>`;
