// `init`: writes the starter config and keyword file; never replaces a file.
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type StarterFile, starterFiles } from '../../../config/starter.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { packageRoot } from '../package-root.ts';
import { describeInitFrom, type InitFromFlags, initFromExamples, planSite } from '../subcommands/init-from.ts';
import { CommandError, usageError } from '../text/failure.ts';
import { printPlan } from '../text/results/addition-text.ts';
import { shellQuoted } from '../text/shell-quote.ts';
import { factLines } from '../text/table.ts';

export const command: CommandDefinition = {
  about:
    'The starter runs on the sandbox: no key, no network, no cost. In a git checkout, database and reports are kept out of git. With --from, it tracks your site with the keywords of your exports and lists, in any format that `keywords add` reads, and shows the monthly cost before it writes.',
  examples: [
    { command: 'init', does: 'write rankledger.yaml and keywords/example.csv here' },
    { command: 'init sites/acme', does: 'create the folder sites/acme and write them there' },
    ...initFromExamples,
  ],
  readsConfig: false,
  describe(command) {
    command.argument('[dir]', 'folder to write to', '.');
    describeInitFrom(command);
  },
  async run(context) {
    const { args, host } = context;
    const directory = resolve(host.cwd, args[0] ?? '.');
    const flags = context.flags<InitFromFlags>();
    if (flags.from !== undefined) return await writeSite(context, directory, flags, flags.from);
    const [needless] = (['domain', 'map', 'country', 'language', 'dryRun'] as const).filter((key) => key in flags);
    if (needless !== undefined)
      throw usageError(
        `--${needless === 'dryRun' ? 'dry-run' : needless} needs --from.`,
        'Such as: rankledger init --domain example.com --from keywords.txt',
      );
    const files = starterFiles();
    rejectExisting(context, directory, files);
    await write(directory, files);
    if (context.json) context.out.json({ files: files.map(({ path }) => join(directory, path)) });
    else printWritten(context, directory, files);
    return exitCodes.done;
  },
};

/** Exit codes: 0 every row was read, 3 some were not. */
async function writeSite(
  context: Context,
  directory: string,
  flags: InitFromFlags,
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
  if (isWritten) await write(directory, files);
  const written = isWritten ? files.map(({ path }) => join(directory, path)) : [];
  if (json) out.json({ files: written, domain: site.domain, keywords: { ...keywords, isWritten } });
  else if (isWritten) printWritten(context, directory, files);
  else out.line('Nothing was written: omit --dry-run.');
  return keywords.notTaken > 0 ? exitCodes.partial : exitCodes.done;
}

function rejectExisting({ host, shown }: Context, directory: string, files: readonly StarterFile[]): void {
  const existing = files.map(({ path }) => join(directory, path)).filter((file) => existsSync(file));
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? 'exists' : 'exist';
  const other = directory === host.cwd ? 'mysite' : `${shown(directory)}-2`;
  throw new CommandError(
    'FILE_EXISTS',
    `${existing.map((file) => shown(file)).join(', ')} already ${verb}. Nothing was written.`,
    `Name another folder: rankledger init ${shellQuoted(other)}`,
  );
}

/** Writes all files or none: files that are left would stop the next attempt. */
async function write(directory: string, files: readonly StarterFile[]): Promise<void> {
  const made: string[] = [];
  try {
    for (const { path, content } of files) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      const handle = await open(file, 'wx');
      made.push(file);
      try {
        await handle.writeFile(content);
      } finally {
        await handle.close();
      }
    }
  } catch (error) {
    for (const file of made) await rm(file, { force: true });
    // a disk that is full does not say of which file
    if (error instanceof Error && !('path' in error)) Object.assign(error, { path: directory });
    throw error;
  }
  await ignoreInGit(directory);
}

/**
 * In a git checkout: keeps the database and the reports, which runs write, out of git. In a checkout of rankledger
 * itself, whose .gitignore names them for its root, the config too.
 */
async function ignoreInGit(directory: string): Promise<void> {
  const root = gitRoot(directory);
  if (root === null) return;
  const isOurs = realpathSync(root) === realpathSync(packageRoot().directory);
  if (isOurs && root === directory) return;
  const folders = isOurs ? [directory] : ['data', 'reports'].map((name) => join(directory, name));
  for (const folder of folders) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, '.gitignore');
    if (!existsSync(file)) await writeFile(file, '*\n', { flag: 'wx' });
  }
}

function gitRoot(directory: string): string | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

function printWritten({ host, out, shown }: Context, directory: string, files: readonly StarterFile[]): void {
  for (const { path } of files) out.line(`Wrote ${shown(join(directory, path))}`);
  const config = directory === host.cwd ? '' : ` --config ${shellQuoted(shown(join(directory, 'rankledger.yaml')))}`;
  const next = [
    [`npx rankledger check${config}`, 'check the config and its cost'],
    [`npx rankledger plan --all${config}`, 'show what a run would buy'],
    [`npx rankledger run --all${config}`, 'track now, and write reports'],
  ] as const;
  out.line();
  out.line('Next:');
  for (const line of factLines(next)) out.line(line);
}
