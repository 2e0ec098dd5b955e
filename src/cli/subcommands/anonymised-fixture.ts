// Writes an anonymised page, and proves that it is parsed like the original.

import { replaceFile } from '../../../db/connection/whole-file.ts';
import { loadAnonymiser, loadEngine, type PageOutcome } from '../../service/terms.ts';
import { CommandError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';

interface FixtureOptions {
  readonly engine: string;
  readonly device?: 'desktop' | 'mobile';
  readonly keyword?: string;
  readonly file: string;
  /** The file as it was typed. */
  readonly shown: string;
  readonly signal: AbortSignal;
}

interface Fixture {
  readonly file: string;
  /** The placeholder of --keyword. */
  readonly keyword?: string;
  /** Why the page and its fixture are refused. */
  readonly refused?: string;
  /** Organic results, and the types of the features; absent where the page is refused. */
  readonly organic?: number;
  readonly features?: readonly string[];
}

/** Limit of listed differences; there may be thousands. */
const listedMax = 10;

/** Throws CommandError FIXTURE_DIFFERS if the fixture is parsed differently; the file stays. */
export async function writeFixture(html: string, options: FixtureOptions): Promise<Fixture> {
  const { engine: name, device, keyword, file, shown, signal } = options;
  const [engine, { anonymisePage, differences, outcomeOf }] = await Promise.all([loadEngine(name), loadAnonymiser()]);
  const page = anonymisePage(html);
  signal.throwIfAborted();
  replaceFile(file, page.html);
  const mobile = device === undefined ? undefined : device === 'mobile';
  const standIn = keyword === undefined ? undefined : page.text(keyword);
  const original = outcomeOf(engine, html, { mobile, keyword });
  const outcome = outcomeOf(engine, page.html, { mobile, keyword: standIn });
  const found = differences(original, outcome);
  if (found.length > 0) {
    const rest = found.length > listedMax ? [`and ${found.length - listedMax} more`] : [];
    throw new CommandError(
      'FIXTURE_DIFFERS',
      `${shown} is not read like the page:\n  ${[...found.slice(0, listedMax), ...rest].join('\n  ')}`,
      'Report these lines instead: the fixture does not reproduce the fault of the page.',
    );
  }
  return { file: shown, keyword: standIn, ...summariseOutcome(outcome) };
}

function summariseOutcome(outcome: PageOutcome): Pick<Fixture, 'refused' | 'organic' | 'features'> {
  if ('refused' in outcome) return outcome;
  return { organic: outcome.serp.organic?.length ?? 0, features: outcome.features.map(({ type }) => type) };
}

export function fixtureText({ file, keyword, refused, organic, features = [] }: Fixture): string {
  const searched = keyword === undefined ? '' : ` Its keyword is "${keyword}".`;
  const read =
    refused === undefined
      ? `${counted(organic ?? 0, 'organic result')}, features: ${features.join(', ') || 'none'}`
      : `refused (${refused})`;
  return `Wrote ${file}. It is read like the page: ${read}.${searched}\nReview it before you send it.\n`;
}
