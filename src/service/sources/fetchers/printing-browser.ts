// A browser to print pages with, in types of our own: those of playwright-core may be missing where we are embedded.
import type { BrowserLaunch } from './browser-launch.ts';

/** What printing needs of playwright-core's `Browser`. */
export interface PrintingBrowser {
  newContext(options: {
    viewport: { width: number; height: number };
    colorScheme: 'light' | 'dark';
  }): Promise<PrintingContext>;
  close(): Promise<void>;
}

interface PrintingContext {
  setDefaultTimeout(milliseconds: number): void;
  route(addresses: string, answer: (route: RequestedAddress) => Promise<void>): Promise<unknown>;
  newPage(): Promise<PrintingPage>;
  close(): Promise<void>;
}

interface RequestedAddress {
  request(): { url(): string };
  continue(): Promise<void>;
  abort(): Promise<void>;
}

interface PrintingPage {
  goto(address: string): Promise<unknown>;
  waitForSelector(selector: string, options: { state: 'attached' }): Promise<unknown>;
  pdf(options: {
    format: 'A4';
    printBackground: boolean;
    tagged: boolean;
    outline: boolean;
    displayHeaderFooter: boolean;
    headerTemplate: string;
    footerTemplate: string;
  }): Promise<Buffer>;
}

/** A browser to print with. Throws ServiceError with the remedy where there is none. */
export async function launchPrintingBrowser(launch: BrowserLaunch): Promise<PrintingBrowser> {
  const { launchBrowser } = await import('./launch-browser.ts');
  return await launchBrowser(launch);
}
