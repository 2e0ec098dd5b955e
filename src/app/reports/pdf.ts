// Writes reports and prints their pages as report.pdf, through the Chromium of this machine.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { writePdf } from '../../../jobs/report/html/pdf-report.ts';
import { launchPrintingBrowser, type PrintingBrowser } from '../../service/index.ts';
import { plainTemplate } from '../../tracker/changes/client-reports.ts';
import type { App } from '../app.ts';
import { type ReportOptions, type WrittenReport, writtenReports } from './report.ts';

/** The browser of `reports.browser`, of a source that fetches through one, or the Chrome that is installed. */
export async function openPdfBrowser({ reports, services }: ResolvedConfig): Promise<PrintingBrowser> {
  const ofSource = [...services.values()]
    .map((service) => (service.mode === 'embedded' ? service.options['executablePath'] : undefined))
    .find((path) => typeof path === 'string');
  const executablePath = reports.browser ?? ofSource;
  return await launchPrintingBrowser({ use: 'A PDF', executablePath, option: 'reports.browser' });
}

/**
 * Writes reports. Prints those that are asked for as a PDF, or that replace one with a PDF. `signal` ends it between
 * two reports.
 */
export async function reportWithPdf(app: App, options: ReportOptions, signal?: AbortSignal): Promise<WrittenReport[]> {
  // without a browser nothing is written
  let browser = options.pdf === true ? await openPdfBrowser(app.config) : null;
  try {
    const reports: WrittenReport[] = [];
    for (const { wantsPdf = false, ...written } of writtenReports(app, options)) {
      await new Promise((next) => setImmediate(next)); // lets a signal in
      signal?.throwIfAborted();
      if (!wantsPdf) {
        reports.push(written);
        continue;
      }
      browser ??= await openPdfBrowser(app.config);
      const template = app.config.reports.templates.get(written.project) ?? plainTemplate;
      const { name } = await writePdf(browser, written.directory, template);
      reports.push({ ...written, files: [...written.files.slice(0, -1), name, ...written.files.slice(-1)] });
    }
    return reports;
  } finally {
    await browser?.close();
  }
}
