// `serp`: buys the result pages of one keyword now, through the same budget and ledger.
import { InvalidArgumentError, Option } from 'commander';
import type { SerpRequestInput } from '../../service/index.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { lookUpOptions, printSerp, spentText } from '../text/results/answer-text.ts';
import { rawDocument, serpDocument } from '../text/results/pages.ts';

interface Flags {
  readonly country?: string;
  readonly language?: string;
  readonly location?: string;
  readonly mobile?: boolean;
  readonly pages: { readonly first: number; readonly last: number };
  readonly raw?: boolean;
  readonly service?: string;
}

export const command: CommandDefinition = {
  about:
    'Each page costs one credit, within the budget of the config. With --json, one page is an object and several are an array.',
  examples: [
    { command: 'serp "running shoes"', does: 'the first page for US, English, desktop' },
    { command: 'serp laufschuhe --country DE --language de --mobile', does: 'another market' },
    { command: 'serp "running shoes" --pages 1-3 --json > pages.json', does: 'three pages, three credits' },
    {
      command: 'serp "running shoes" --raw > page.html',
      does: 'the HTML as received; `rankledger parse` reads it',
    },
  ],
  readsConfig: true,
  describe: (command) =>
    void command
      .argument('<keyword>', 'the keyword to search for')
      .option('--country <code>', 'ISO 3166-1 country code (default: US)')
      .option('--language <code>', 'language code, such as en or pt-BR (default: en)')
      .option('--location <place>', 'place or coordinate inside the country, such as "Austin, Texas" or @30.27,-97.74')
      .option('--mobile', 'mobile results')
      .addOption(
        new Option('--pages <range>', 'one page or a range, such as 2 or 1-3')
          .argParser(pageRange)
          .default({ first: 1, last: 1 }, '1'),
      )
      .option('--raw', 'the HTML as received')
      .option('--service <name>', 'service of the config to use'),
  async run({ host, args, flags, withApp, signal, out, err, json }) {
    const { country, language, location, mobile, pages, raw, service } = flags<Flags>();
    const request: SerpRequestInput = {
      keyword: args[0] ?? '',
      country,
      language,
      location,
      ...(mobile === true ? { mobile } : {}),
      ...(raw === true ? { format: 'raw' } : {}),
      start_page: pages.first,
      end_page: pages.last,
    };
    const lookUpSerp = await host.useCases.lookUpSerp();
    const answer = await withApp((app) => lookUpSerp(app, request, lookUpOptions({ signal, err }, service)));
    if (raw === true) await out.chunk(rawDocument(answer, json));
    else if (json) out.json(serpDocument(answer));
    else
      printSerp(
        out,
        answer.pages.map(({ serp }) => serp),
      );
    if (err.isTerminal) err.line(spentText(Math.max(answer.creditsCharged, answer.creditsStated ?? 0)));
    return exitCodes.done;
  },
};

/** `2` or `1-3`. The service limits the number of pages per request. */
function pageRange(written: string): Flags['pages'] {
  const [, first, last] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(written) ?? [];
  const range = { first: Number(first), last: Number(last ?? first) };
  if (range.first >= 1 && range.last >= range.first) return range;
  throw new InvalidArgumentError('Write a page such as 2, or a range such as 1-3.');
}
