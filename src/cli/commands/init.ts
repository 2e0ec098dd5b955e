// `init`: writes the starter config and keyword file; never replaces a file.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load.ts';
import { type SiteStarter, type StarterFile, siteStarter, starterFiles } from '../../../config/starter.ts';
import { type AddOptions, ListedKeywords, planKeywordAddition } from '../../app/import/add-keywords.ts';
import { projectCosts } from '../../app/planning.ts';
import { type ListRole, listRoles } from '../../import/lists/read-list.ts';
import { registrableDomain } from '../../tracker/targets/brand.ts';
import type { CommandDefinition, Context, FlagsOf } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collected } from '../parsed-command.ts';
import { rejectExisting, writeStarter } from '../subcommands/starter-files.ts';
import { usageError } from '../text/failure.ts';
import { printPlan } from '../text/results/addition-text.ts';
import { asUsage, columnsByRole } from '../text/results/import-text.ts';
import { factLines, shellQuoted } from '../text/table.ts';

const describe = (command: Command) =>
  command
    .argument('[dir]', 'folder to write to', '.')
    .option('--domain <domain>', 'the site to track (default: the site that all files of --from belong to)')
    .option('--from <files>', 'exports and lists of keywords to track, separated by commas', collected)
    .option('--map <columns>', 'columns of the files by name, such as keyword=Query', collected)
    .option('--country <code>', 'default country of the keywords (default: US)')
    .option('--language <code>', 'default language of the keywords (default: en)')
    .option('--dry-run', 'write nothing');

type Flags = FlagsOf<typeof describe>;

export const command: CommandDefinition = {
  about:
    'The starter runs on the sandbox: no key, no network, no cost. In a git checkout, database and reports are kept out of git. With --from, it tracks your site with the keywords of your exports and lists, in any format that `keywords add` reads, and shows the monthly cost before it writes.',
  examples: [
    { command: 'init', does: 'write rankledger.yaml and keywords/example.csv here' },
    { command: 'init sites/acme', does: 'create the folder sites/acme and write them there' },
    {
      command: 'init --domain example.com --from gsc.csv,semrush.csv,list.txt',
      does: 'a config for the site, with the keywords of the files',
    },
  ],
  readsConfig: false,
  describe,
  async run(context) {
    const { args, host } = context;
    const directory = resolve(host.cwd, args[0] ?? '.');
    const flags = context.flags(describe);
    if (flags.from !== undefined) return await writeSite(context, directory, flags, flags.from);
    const [needless] = (['domain', 'map', 'country', 'language', 'dryRun'] as const).filter((key) => key in flags);
    if (needless !== undefined)
      throw usageError(
        `--${needless === 'dryRun' ? 'dry-run' : needless} needs --from.`,
        'Such as: rankledger init --domain example.com --from keywords.txt',
      );
    const files = starterFiles();
    rejectExisting(context, directory, files);
    await writeStarter(directory, files);
    if (context.json) context.out.json({ files: files.map(({ path }) => join(directory, path)) });
    else printWritten(context, directory, files);
    return exitCodes.done;
  },
};

/** Exit codes: 0 every row was read, 3 some were not. */
async function writeSite(
  context: Context,
  directory: string,
  flags: Flags,
  from: readonly string[],
): Promise<ExitCode> {
  const { out, json, shown } = context;
  const { files, keywords, site, budget } = await planSite(context, directory, flags, from);
  rejectExisting(context, directory, files);
  const isWritten = flags.dryRun !== true;
  if (!json) {
    out.line(`Site: ${site.domain}${site.isFound ? ', as the files say' : ''}`);
    printPlan(out, { ...keywords, isWritten }, { shown, budget }, isWritten ? 'Adding' : 'Would add');
    out.line();
  }
  if (isWritten) await writeStarter(directory, files);
  const written = isWritten ? files.map(({ path }) => join(directory, path)) : [];
  if (json) out.json({ files: written, domain: site.domain, keywords: { ...keywords, isWritten } });
  else if (isWritten) printWritten(context, directory, files);
  else out.line('Nothing was written: omit --dry-run.');
  return keywords.notTaken > 0 ? exitCodes.partial : exitCodes.done;
}

function printWritten({ host, out, shown }: Context, directory: string, files: readonly StarterFile[]): void {
  for (const { path } of files) out.line(`Wrote ${shown(join(directory, path))}`);
  const config = directory === host.cwd ? '' : ` --config ${shellQuoted(shown(join(directory, 'rankledger.yaml')))}`;
  const next = [
    [`${host.program} check${config}`, 'check the config and its cost'],
    [`${host.program} plan --all${config}`, 'show what a run would buy'],
    [`${host.program} run --all${config}`, 'track now, and write reports'],
  ] as const;
  out.line();
  out.line('Next:');
  for (const line of factLines(next)) out.line(line);
}

/** The config and keyword file of the site; writes nothing. Throws usage errors. */
async function planSite({ host, shown }: Context, directory: string, flags: Flags, from: readonly string[]) {
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
    const { addition, content, after, config } = await planStarterAddition(starter.config, options);
    if (addition.added.length === 0) throw usageError('The files hold no keyword that could be tracked.');
    const [cost] = await projectCosts({ ...config, projects: [after] }, host.now());
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
      /** SERP credits a month. */
      budget: config.budget.serpCredits.perMonth ?? null,
    };
  } catch (error) {
    throw asUsage(error, shown);
  }
}

/** Names separated by commas. A name that contains a comma is recognised if the file exists. */
function filesIn(written: string, cwd: string): string[] {
  if (existsSync(resolve(cwd, written))) return [resolve(cwd, written)];
  const names = written.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '').map((name) => resolve(cwd, name));
}

async function onlySite(files: readonly string[], map: ReadonlyMap<ListRole, string>): Promise<string> {
  const [site, ...others] = await sitesOfLists(files, map);
  if (site !== undefined && others.length === 0) return site;
  throw usageError(
    site === undefined
      ? 'The files do not say which site they are about.'
      : `The files are about several sites: ${[site, ...others].slice(0, 5).join(', ')}${others.length > 4 ? ', ...' : ''}.`,
    'Name the site to track: --domain example.com',
  );
}

function makeStarter(domain: string, { country, language }: Flags): SiteStarter {
  const starter = siteStarter(domain, { country, language });
  if ('complaint' in starter)
    throw usageError(starter.complaint, 'Such as: --domain example.com --country US --language en');
  return starter;
}

/** The text after the site in names of exports: of Search Console, and of organic keywords of Ahrefs. */
const nameEnds = ['-performance-on-search', '-organic-keywords'];

/**
 * The registrable domains that the files name, in order; one: the site is clear. `files`: absolute. Rejects with
 * UnreadableFile with the file that cannot be read.
 */
async function sitesOfLists(files: readonly string[], map: ReadonlyMap<ListRole, string>): Promise<string[]> {
  const listed = new ListedKeywords({ country: 'US', language: 'en', devices: ['desktop'] });
  for (const file of files) await listed.read(file, map);
  const pages = [...listed.keywords.values()].flatMap(({ preferredUrls, urls }) => [
    ...preferredUrls,
    ...urls.map(({ url }) => url),
  ]);
  const hosts = pages.map((page) => new URL(page).hostname);
  const names = files.flatMap((file) => [basename(file), basename(dirname(file))]);
  const named = names.flatMap((name) => siteInName(name) ?? []);
  return [...new Set([...named, ...hosts].map((host) => registrableDomain(host)))];
}

/** `https___www.acme.com_-Performance-on-Search-2026-01-05` names `www.acme.com`. */
function siteInName(name: string): string | null {
  const lower = name.toLowerCase().replace(/^https?___/, '');
  const [end = -1] = nameEnds.map((text) => lower.indexOf(text)).filter((at) => at > 0);
  const site = lower.slice(0, Math.max(end, 0)).replace('_', '');
  return /^[a-z0-9.-]+$/.test(site) && site.includes('.') ? site : null;
}

/**
 * `configText`: a config with one project and a keyword file. It is loaded from a temporary folder, so that an
 * unreadable list leaves no file behind; paths in the result are below that folder. Throws like planKeywordAddition.
 */
async function planStarterAddition(configText: string, options: AddOptions) {
  const cwd = mkdtempSync(join(tmpdir(), 'rankledger-init-'));
  try {
    const file = join(cwd, 'rankledger.yaml');
    writeFileSync(file, configText);
    const config = await loadConfig({ file, cwd, env: {}, readsKeywordFiles: false });
    return { ...(await planKeywordAddition(config, options)), config };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
