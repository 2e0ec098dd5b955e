// The workspace of a folder, and a browser to look at it with.
import type { Browser } from 'playwright-core';
import type { App } from '../../src/app/app.ts';
import { view } from '../../src/cli/commands/view.ts';
import type { ProjectFolder } from '../cli/project-folder.ts';
import { readingApp } from '../cli/real-app.ts';
import { startChromium } from './chromium.ts';

export interface OpenWorkspace {
  readonly app: App;
  readonly browser: Browser;
  /** Without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves what the folder holds at a moment. */
export async function openWorkspace(folder: ProjectFolder, now: number): Promise<OpenWorkspace> {
  const app = await readingApp(folder.path, now);
  const server = await view(app, { port: 0 });
  const browser = await startChromium();
  return {
    app,
    browser,
    url: server.url,
    async close() {
      await browser.close();
      await server.close();
      await app.close();
    },
  };
}
