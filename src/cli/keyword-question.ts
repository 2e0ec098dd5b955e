// What commands about one keyword share: the options that narrow its searches, and help with names that are unknown.
import { type Command, Option } from '@commander-js/extra-typings';
import { foldKeyword } from '../tracker/searches.ts';
import type { Context, FlagsOf } from './command.ts';
import { usageError } from './text/failure.ts';

export const describeSearches = <Args extends unknown[]>(command: Command<Args>) =>
  command
    .option('-p, --project <id>', 'only this project')
    .option('--target <target>', 'only this target, as the config writes it')
    .option('--country <code>', 'only this country')
    .addOption(new Option('--device <device>', 'only this device').choices(['desktop', 'mobile']))
    .option('--location <place>', 'only this place or coordinate, such as "Austin, Texas"; none: countries as a whole');

type KeywordQuestion = Pick<FlagsOf<typeof describeSearches>, 'target' | 'country' | 'project'> & {
  readonly keyword: string;
};

/** Throws UsageError. Without history, the requested keyword may be one that no project tracks. */
export async function refuseUnknown(
  { config }: Pick<Context, 'config'>,
  { keyword, target, country, project }: KeywordQuestion,
): Promise<void> {
  const { nearestWord } = await import('../../config/document/problems.ts');
  const refuse = (message: string, asked: string, known: Iterable<string>, otherwise: string): never => {
    const meant = nearestWord(asked, known);
    throw usageError(message, meant === undefined ? otherwise : `Did you mean "${meant}"?`);
  };
  const { projects: all, formerly } = await config();
  const asked = project === undefined ? undefined : (formerly.projects.get(project) ?? project);
  const projects = all.filter(({ id }) => asked === undefined || id === asked);
  const followed = new Set(
    projects.flatMap(({ targets, competitors }) => [...targets, ...competitors].map(({ value }) => value)),
  );
  if (target !== undefined && !followed.has(target))
    refuse(`No project tracks "${target}".`, target, followed, '`rankledger check` lists the tracked ones.');
  const keywords = projects.flatMap((each) => each.keywords);
  const isAsked = ({ keyword: text }: { readonly keyword: string }) => foldKeyword(text) === foldKeyword(keyword);
  if (!keywords.some(isAsked))
    refuse(
      `"${keyword}" is not tracked.`,
      keyword,
      new Set(keywords.map((each) => each.keyword)),
      'Write it as in the config.',
    );
  const countries = new Set(keywords.filter(isAsked).map((each) => each.country));
  if (country !== undefined && !countries.has(country))
    refuse(`"${keyword}" is not tracked in ${country}.`, '', [], `It is in ${[...countries].join(', ')}.`);
}
