// `keywords add`: adds keywords of exports and lists to a project. Shows the cost first; writes with --yes.
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { changeFile } from '../../../db/connection/whole-file.ts';
import type { AddOptions, PlannedAddition } from '../../app/import/add-keywords.ts';
import { listRoles } from '../../import/lists/read-list.ts';
import { type TagSource, tagSources } from '../../import/lists/suggest-tags.ts';
import type { Device } from '../../tracker/project.ts';
import type { Context, Example } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { collected } from '../parsed-command.ts';
import { usageError } from '../text/failure.ts';
import { printAddition } from '../text/results/addition-text.ts';
import { asUsage, columnsByRole } from '../text/results/import-text.ts';

export const keywordsAddExamples: readonly Example[] = [
  {
    command: 'keywords add gsc.csv semrush.csv --project acme',
    does: 'show which keywords are new, with tags, preferred URLs and the monthly cost',
  },
  { command: 'keywords add list.txt --project acme --tag launch --yes', does: 'track them' },
];

/** Adds the subcommand. */
export const describeKeywordsAdd = (command: Command) =>
  command
    .command('add')
    .description(
      'Track the keywords of exports and lists in a project: plain lists, Keyword Planner, Search Console, Semrush, Ahrefs, AccuRanker, STAT, SERPWatcher, Wincher, SerpBear, serposcope, or any CSV. Each keyword is added once; searches that the project already tracks are left out. Nothing is written without --yes.',
    )
    .argument('<files...>', 'exports of other tools, or lists of one keyword a line')
    .option('-p, --project <id>', 'the project that tracks them (default: the only one)')
    .option('--map <columns>', `columns by name: keyword=Query; also ${rolesBeside}`, collected)
    .option('--country <code>', 'country of rows without one (default: that of the project)')
    .option('--language <code>', 'language of rows without one (default: that of the project)')
    .addOption(
      new Option('--device <device>', 'device of rows without one; may be given twice (default: that of the project)')
        .choices(['desktop', 'mobile'])
        .argParser(collectedDevices),
    )
    .option('--location <place>', 'place of rows without one, such as "Austin, Texas" (default: that of the project)')
    .option('--tag <tag>', 'a tag for all added keywords', collected)
    .option(
      '--group <methods>',
      'how to suggest tags: file, folder, cluster, or none (default: file,folder,cluster; file only with several files)',
    )
    .option('--no-preferred-urls', 'suggest no preferred URLs')
    .option('--dry-run', 'show what would be added; the default')
    .option('--yes', 'write the keyword file');

const rolesBeside = listRoles.filter((role) => role !== 'keyword').join(', ');

function collectedDevices(written: string, before: readonly Device[] | undefined): readonly Device[] {
  if (written !== 'desktop' && written !== 'mobile') throw usageError('--device is desktop or mobile.');
  return [...new Set<Device>([...(before ?? []), written])];
}

/** The ways of `--group`. Throws a usage error. */
function parseTagSources(written: string | undefined, files: number): ReadonlySet<TagSource> {
  if (written === undefined) return new Set(files > 1 ? tagSources : ['folder', 'cluster']);
  const names = written.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0] === 'none') return new Set();
  const sources = names.flatMap((name) => tagSources.find((source) => source === name) ?? []);
  if (sources.length === names.length) return new Set(sources);
  throw usageError(`--group: "${written}" is not made of ${tagSources.join(', ')}.`, 'Such as --group folder,cluster.');
}

/** Runs the subcommand: 0 if every row was read, 3 if some were not, 2 if a file cannot be read. */
export async function runKeywordsAdd(context: Context): Promise<ExitCode> {
  const { args, host, shown, out, signal } = context;
  const flags = context.flags(describeKeywordsAdd);
  if (flags.dryRun === true && flags.yes === true) throw usageError('--dry-run and --yes exclude each other.');
  const options: AddOptions = {
    files: args.map((file) => resolve(host.cwd, file)),
    map: columnsByRole(flags.map ?? [], listRoles, 'keyword=COLUMN,url=COLUMN'),
    tagSources: parseTagSources(flags.group, args.length),
    suggestsUrls: flags.preferredUrls,
    project: flags.project,
    country: flags.country,
    language: flags.language,
    devices: flags.device,
    location: flags.location,
    tags: flags.tag,
  };
  const config = await context.config();
  const { planKeywordAddition } = await import('../../app/import/add-keywords.ts');
  const plan = async (): Promise<PlannedAddition> => {
    try {
      return await planKeywordAddition(config, options);
    } catch (error) {
      throw asUsage(error, shown);
    }
  };
  const { addition, before, after } = flags.yes === true ? await changeFile(plan, signal) : await plan();
  const { projectCosts } = await import('../../app/planning.ts');
  const [costBefore = null, costAfter = null] = await projectCosts(
    { ...config, projects: [before, after] },
    host.now(),
  );
  const isWritten = flags.yes === true && addition.added.length > 0;
  const report = { ...addition, isWritten, cost: { before: costBefore, after: costAfter } };
  if (context.json) out.json(report);
  else printAddition(out, report, { shown, budget: config.budget.serpCredits.perMonth ?? null });
  return addition.notTaken > 0 ? exitCodes.partial : exitCodes.done;
}
