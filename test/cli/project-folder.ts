// A folder with a small config, for tests of commands that read one.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeLater } from '../helpers/closing.ts';

const config = `timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 20, perMonth: 100 }
reports: { tables: all }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 3
    deep: { depth: 10, every: 7d }
    keywords: [running shoes, { keyword: trail shoes, devices: [desktop], depth: 1 }]
    volumes: { schedule: "0 4 2 * *" }
    views: [{ name: On phones, query: "?device=mobile&sort=-rank" }]
`;

export interface ProjectFolder {
  readonly path: string;
  write(name: string, text: string): string;
}

export function projectFolder(text: string | null = config): ProjectFolder {
  const path = mkdtempSync(join(tmpdir(), 'rankledger-cli-'));
  const write = (name: string, content: string) => {
    const file = join(path, name);
    writeFileSync(file, content);
    return file;
  };
  if (text !== null) write('rankledger.yaml', text);
  closeLater({ close: () => rmSync(path, { recursive: true, force: true }) });
  return { path, write };
}

/** A copy of what commands have made of a folder: cheaper than to run them again. */
export function copyOf(folder: ProjectFolder): ProjectFolder {
  const copy = projectFolder(null);
  cpSync(folder.path, copy.path, { recursive: true });
  return copy;
}
