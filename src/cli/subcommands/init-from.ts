// `init --from`: a starter config for a site, with the keywords of exports and lists.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type SiteStarter, type StarterFile, siteStarter } from '../../../config/starter.ts';
import type { AddOptions } from '../../app/import/add-keywords.ts';
import { type ListRole, listRoles } from '../../import/lists/read-list.ts';
import type { Context, Example } from '../command.ts';
import { collected } from '../parsed-command.ts';
import { usageError } from '../text/failure.ts';
import type { AdditionReport } from '../text/results/addition-text.ts';
import { asUsage, columnsByRole } from '../text/results/import-text.ts';

export interface InitFromFlags {
  readonly domain?: string;
  readonly from?: readonly string[];
  readonly map?: readonly string[];
  readonly country?: string;
  readonly language?: string;
  readonly dryRun?: boolean;
}

export const initFromExamples: readonly Example[] = [
  {
    command: 'init --domain example.com --from gsc.csv,semrush.csv,list.txt',
    does: 'a config for the site, with the keywords of the files',
  },
];

/** Adds the options. */
export function describeInitFrom(command: Command): void {
  command
    .option('--domain <domain>', 'the site to track (default: the site that all files of --from belong to)')
    .option('--from <files>', 'exports and lists of keywords to track, separated by commas', collected)
    .option('--map <columns>', 'columns of the files by name, such as keyword=Query', collected)
    .option('--country <code>', 'default country of the keywords (default: US)')
    .option('--language <code>', 'default language of the keywords (default: en)')
    .option('--dry-run', 'write nothing');
}

interface SitePlan {
  readonly site: { readonly domain: string; readonly isFound: boolean };
  readonly files: readonly StarterFile[];
  readonly keywords: Omit<AdditionReport, 'isWritten'>;
  /** SERP credits a month. */
  readonly budget: number | null;
}

/** The config and keyword file of the site; writes nothing. Throws usage errors. */
export async function planSite(
  { host, shown }: Context,
  directory: string,
  flags: InitFromFlags,
  from: readonly string[],
): Promise<SitePlan> {
  const files = from.flatMap((written) => filesIn(written, host.cwd));
  if (files.length === 0) throw usageError('--from names no file.');
  const map = columnsByRole(flags.map ?? [], listRoles, 'keyword=COLUMN,url=COLUMN');
  const options: AddOptions = {
    files,
    map,
    tagSources: new Set(files.length > 1 ? ['file', 'folder', 'cluster'] : ['folder', 'cluster']),
    suggestsUrls: true,
  };
  try {
    const domain = flags.domain ?? (await onlySite(files, map));
    const starter = makeStarter(domain, flags);
    const { planStarterAddition } = await import('../../app/import/starter-addition.ts');
    const { addition, content, after, config } = await planStarterAddition(starter.config, options);
    if (addition.added.length === 0) throw usageError('The files hold no keyword that could be tracked.');
    const { projectCosts } = await import('../../app/preflight/project-cost.ts');
    const [cost] = projectCosts({ ...config, projects: [after] }, host.now());
    return {
      site: { domain: starter.domain, isFound: flags.domain === undefined },
      files: [
        { path: 'rankledger.yaml', content: starter.config },
        { path: starter.keywordsPath, content },
      ],
      keywords: {
        ...addition,
        keywordsFile: join(directory, starter.keywordsPath),
        cost: { before: null, after: cost ?? null },
      },
      budget: config.budget.serpCredits.perMonth ?? null,
    };
  } catch (error) {
    throw asUsage(error, error instanceof Error && 'file' in error ? shown(String(error.file)) : '');
  }
}

/** Names separated by commas. A name that contains a comma is recognised if the file exists. */
function filesIn(written: string, cwd: string): string[] {
  if (existsSync(resolve(cwd, written))) return [resolve(cwd, written)];
  const names = written.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => resolve(cwd, name));
}

async function onlySite(files: readonly string[], map: ReadonlyMap<ListRole, string>): Promise<string> {
  const { sitesOfLists } = await import('../../app/import/site-of-lists.ts');
  const [site, ...others] = sitesOfLists(files, map);
  if (site !== undefined && others.length === 0) return site;
  throw usageError(
    site === undefined
      ? 'The files do not say which site they are about.'
      : `The files are about several sites: ${[site, ...others].slice(0, 5).join(', ')}${others.length > 4 ? ', ...' : ''}.`,
    'Name the site to track: --domain example.com',
  );
}

function makeStarter(domain: string, { country, language }: InitFromFlags): SiteStarter {
  const starter = siteStarter(domain, {
    country,
    language,
  });
  if ('complaint' in starter)
    throw usageError(starter.complaint, 'Such as: --domain example.com --country US --language en');
  return starter;
}
