// Starts the Chromium of this machine. Loads playwright-core, an optional package, on first use.
import type { Browser } from 'playwright-core';
import { ServiceError } from '../../model/errors.ts';
import type { BrowserLaunch } from './browser-launch.ts';

/** Throws ServiceError with the remedy where there is no browser. */
export async function launchBrowser({ use, executablePath, option, args = [] }: BrowserLaunch): Promise<Browser> {
  const { chromium } = await import('playwright-core').catch((cause: unknown) => {
    throw new ServiceError('INTERNAL_ERROR', `${use} needs the package playwright-core, which is not installed.`, {
      charged: 'no',
      disposition: 'halt',
      hint: 'Run: npm install playwright-core',
      cause,
    });
  });
  try {
    return await chromium.launch({
      ...(executablePath === undefined ? { channel: 'chrome' } : { executablePath }),
      args: [...args],
    });
  } catch (cause) {
    const [line = ''] = (cause instanceof Error ? cause.message : '').split('\n');
    throw new ServiceError('INTERNAL_ERROR', `The browser does not start: ${line.slice(0, 200)}`, {
      charged: 'no',
      disposition: 'halt',
      hint: `Install Chrome, or name a Chromium with \`${option}\`.`,
      cause,
    });
  }
}
