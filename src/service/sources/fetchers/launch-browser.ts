// Starts the Chromium of this machine, for pages and for PDF. Loads playwright-core, an optional package, on first use.
import { ServiceError } from '../../model/errors.ts';

/**
 * What printing needs of playwright-core's `Browser`, in types of our own: those of the package may be missing where we
 * are embedded.
 */
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

interface BrowserLaunch {
  /** What needs the browser, for messages. */
  readonly use: string;
  /** The browser's program; undefined for the Chrome that is installed. */
  readonly executablePath: string | undefined;
  /** The config key of the program, for messages. */
  readonly option: string;
  readonly args?: readonly string[];
}

/** A `Browser` of playwright-core. Throws ServiceError with the remedy where there is none. */
export async function launchBrowser({
  use,
  executablePath,
  option,
  args = [],
}: BrowserLaunch): Promise<PrintingBrowser> {
  const halt = { charged: 'no', disposition: 'halt' } as const;
  const { chromium } = await import('playwright-core').catch((cause: unknown) => {
    const message = `${use} needs the package playwright-core, which is not installed.`;
    throw new ServiceError('INTERNAL_ERROR', message, { ...halt, hint: 'Run: npm install playwright-core', cause });
  });
  try {
    const program = executablePath === undefined ? { channel: 'chrome' } : { executablePath };
    return await chromium.launch({ ...program, args: [...args] });
  } catch (cause) {
    const [line = ''] = (cause instanceof Error ? cause.message : '').split('\n');
    const hint = `Install Chrome, or name a Chromium with \`${option}\`.`;
    throw new ServiceError('INTERNAL_ERROR', `The browser does not start: ${line.slice(0, 200)}`, {
      ...halt,
      hint,
      cause,
    });
  }
}
