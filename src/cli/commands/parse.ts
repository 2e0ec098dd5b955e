// `parse`: reads a saved results page. Offline; no config and no database.

import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import {
  doubtFailure,
  engineNames,
  limits,
  loadEngine,
  type PageFailureReason,
  type ReadPage,
  type ServiceError,
  textOfPage,
  withDoubts,
} from '../../service/index.ts';
import type { CommandDefinition, FlagsOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { moment } from '../parsed-command.ts';
import { fixtureText, writeFixture } from '../subcommands/anonymised-fixture.ts';
import { CommandError, usageError } from '../text/failure.ts';
import { amount } from '../text/numbers.ts';
import { printSerp } from '../text/results/answer-text.ts';

/** The remedy for a page that is not a SERP. */
const remedies: Readonly<Record<PageFailureReason, string>> = {
  blocked: 'Save the page from a browser that gets no CAPTCHA.',
  consent: 'Accept or reject cookies first, then save the page.',
  javascript_wall: 'Save the page as the browser shows it, after its scripts have run.',
  wrong_location: 'The page was saved in another place: name its country with --country, or omit the option.',
  wrong_query: 'Name what was searched with --keyword and --device, or omit the option.',
  no_organic_results: 'Check that this is a page of web results, saved completely.',
  unparseable: 'Check that the file is a results page of this engine, saved completely.',
  stale_page: 'Save the page again: its time differs from --at.',
  decoy_page: 'Search again from another IP address: engines serve such pages to suspected bots.',
  empty_unproven: 'Search again: the page is empty, but does not say that there are no results.',
  no_recording: 'Check the name of the file.',
};

const describe = (command: Command) =>
  command
    .argument('<file>', 'the saved page')
    .addOption(new Option('--engine <name>', 'the search engine of the page (default: detected)').choices(engineNames))
    .addOption(
      new Option('--device <device>', 'the searched device; pages that name the other one are rejected').choices([
        'desktop',
        'mobile',
      ]),
    )
    .option('--keyword <keyword>', 'the searched keyword; pages of another query are rejected')
    .option(
      '--country <code>',
      'the searched country (ISO 3166-1); pages that name another one are rejected',
      countryCode,
    )
    .option('--language <code>', 'the searched language, such as en or pt-BR; pages in another one are rejected')
    .option(
      '--at <moment>',
      'when it was requested, an ISO 8601 date and time with its zone; a page more than an hour earlier or later is rejected',
      moment,
    )
    .addOption(
      new Option('--anonymise', 'write the page to --output with placeholders for all texts, addresses and tokens')
        .default(false)
        .conflicts(['at', 'country', 'language']),
    )
    .option('-o, --output <file>', 'file to write with --anonymise; an existing file is replaced');

type Flags = FlagsOf<typeof describe>;

export const command: CommandDefinition = {
  about:
    'Buys nothing and needs no config. To report a page that rankledger reads wrongly, use --anonymise: it writes a fixture with the structure of the page, but without its texts, URLs and tokens. The fixture gives the same result.',
  examples: [
    { command: 'parse page.html', does: 'a desktop page; the engine is detected' },
    { command: 'parse page.html --device mobile --json', does: 'a mobile page as JSON' },
    {
      command: 'parse page.html --keyword "running shoes"',
      does: 'reject a page of another query',
    },
    {
      command: 'parse page.html --at 2026-02-05T21:40:50Z',
      does: 'reject a page of another time',
    },
    {
      command: 'parse page.html --anonymise -o fixture.html',
      does: 'a fixture for a bug report',
    },
  ],
  readsConfig: false,
  describe,
  async run({ args, flags, host, json, out, signal }) {
    const file = args[0] ?? '';
    const { anonymise, output, ...options } = flags(describe);
    if (anonymise !== (output !== undefined))
      throw usageError('--anonymise and --output belong together.', 'Write: --anonymise -o fixture.html');
    const html = await readPage(resolve(host.cwd, file), file, limits.responseBytesMax);
    const engine = options.engine ?? (await recognisedEngine(html, options.device));
    if (output === undefined) {
      const { serp, device = 'unknown' } = await readSerp(html, file, { ...options, engine });
      if (json) out.json({ ...serp, device });
      else {
        printSerp(out, [serp]);
        out.text(device === 'unknown' ? 'The page does not say for which device it was made.' : `Device: ${device}`);
      }
      return exitCodes.done;
    }
    const fixture = await writeFixture(html, {
      ...options,
      engine,
      file: resolve(host.cwd, output),
      shown: output,
      signal,
    });
    if (json) out.json(fixture);
    else out.text(fixtureText(fixture));
    return exitCodes.done;
  },
};

/** The first engine that can parse the page; if none can, the engine with the most specific error. */
async function recognisedEngine(html: string, device: Flags['device']): Promise<string> {
  let closest: string | undefined;
  for (const name of engineNames) {
    try {
      (await loadEngine(name)).parse(html, deviceContext(device));
      return name;
    } catch (error) {
      if (!isPageFailure(error)) throw error;
      if (error.reason !== 'unparseable') closest ??= name;
    }
  }
  return closest ?? engineNames[0] ?? '';
}

const deviceContext = (device: Flags['device']) => (device === undefined ? {} : { mobile: device === 'mobile' });

async function readSerp(
  html: string,
  shown: string,
  {
    engine,
    device,
    keyword,
    country,
    language,
    at,
  }: Omit<Flags, 'anonymise' | 'output' | 'engine'> & { readonly engine: string },
): Promise<ReadPage> {
  const reader = await loadEngine(engine);
  try {
    const context = { ...deviceContext(device), country, language, keyword, requestedAt: at };
    const read = reader.parse(html, context);
    const doubt = keyword === undefined ? undefined : doubtFailure(withDoubts(read, keyword));
    if (doubt !== undefined) throw doubt;
    return read;
  } catch (error) {
    if (!isPageFailure(error)) throw error;
    throw new CommandError(
      error.code,
      `${shown} is not a results page (${error.reason}). ${error.message}`,
      remedies[error.reason],
    );
  }
}

function countryCode(written: string): string {
  if (/^[a-z]{2}$/i.test(written)) return written.toUpperCase() === 'UK' ? 'GB' : written.toUpperCase();
  throw new InvalidArgumentError('Write a code such as US.');
}

/** The file as text. Rejects a file larger than any answer of a service. */
async function readPage(path: string, shown: string, bytesMax: number): Promise<string> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw usageError(`${shown} is a folder.`, 'Name the file of the saved page.');
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: bytesMax })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length <= bytesMax) return textOfPage(bytes);
  throw new CommandError(
    'FILE_TOO_LARGE',
    `${shown} is larger than ${amount(bytesMax)} bytes.`,
    'Check that this is one results page.',
  );
}

function isPageFailure(error: unknown): error is ServiceError & { readonly reason: PageFailureReason } {
  return error instanceof Error && error.name === 'ServiceError' && (error as ServiceError).reason !== undefined;
}
