// A headless Chromium from the package beside this file: a fresh machine needs no browser and no display.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

/** `npm ci --prefix test/browser` installs it: a checkout that runs no browser does without its 80 MB. */
const browserPackage = '@sparticuz/chromium';

interface PackedChromium {
  readonly default: { executablePath(): Promise<string> };
  readonly inflate: (archive: string) => Promise<string>;
}

const pollMs = 250;
/** Of anything that the browser does: far above what a busy machine needs. */
const patienceMs = 120_000;

/** Unpacks the browser once, and starts it. The caller closes it. Rejects if it cannot run. */
export async function startChromium(): Promise<Browser> {
  const executablePath = await unpacked();
  const fonts = existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: join(tmpdir(), 'fonts') };
  return chromium.launch({
    executablePath,
    // a container has no user namespaces to make a sandbox of, and no graphics card
    args: ['--no-sandbox', '--disable-gpu'],
    env: { ...process.env, ...fonts, LD_LIBRARY_PATH: join(tmpdir(), 'al2023', 'lib') },
    timeout: patienceMs,
  });
}

/** The package unpacks into a folder that everybody shares: one does it, others wait. */
async function unpacked(): Promise<string> {
  // its types are installed with it only
  const { default: packed, inflate } = (await import(browserPackage)) as PackedChromium;
  const lock = join(tmpdir(), 'rankledger-chromium.lock');
  while (!taken(lock)) await new Promise((resolve) => setTimeout(resolve, pollMs));
  try {
    const libraries = new URL('../bin/al2023.tar.br', import.meta.resolve(browserPackage));
    await inflate(fileURLToPath(libraries));
    return await packed.executablePath();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isHeld(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Its owner is alive, however long unpacking takes. */
function isHeld(lock: string): boolean {
  try {
    return process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    // its owner may have released it, or belong to another user
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A page that records what it should not have done. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors, warnings of the console, requests for anything but the file, dialogs. */
  readonly complaints: string[];
}

export async function openFile(
  browser: Browser,
  file: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const address = `file://${file}`;
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (url === address) return route.continue();
    complaints.push(`asked for ${url}`);
    return route.abort();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', () => complaints.push('opened a window'));
  await page.goto(address);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  return { page, complaints };
}
