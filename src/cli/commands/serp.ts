// `serp`: buys the result pages of one keyword now, through the same budget and ledger.
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { askSerp } from '../../../jobs/query/ask-service.ts';
import { geoTargets, parseLocationOption } from '../../app/opening/place-names.ts';
import type { SerpAnswer, SerpPage, SerpRequestInput } from '../../service/index.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { lookUp } from '../subcommands/look-up.ts';
import { counted } from '../text/numbers.ts';
import { printSerp } from '../text/results/answer-text.ts';

const describe = (command: Command) =>
  command
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
    .option('--service <name>', 'service of the config to use');

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
  describe,
  async run(context) {
    const { args, signal, out, err, json } = context;
    const { country, language, location: written, mobile, pages, raw, service: asked } = context.flags(describe);
    const answer = await lookUp(context, asked, async (app, service, onBooked) => {
      // resolved before anything is bought
      const location =
        written === undefined
          ? undefined
          : parseLocationOption(geoTargets(app.config), written, (country ?? 'US').toUpperCase());
      const request: SerpRequestInput = {
        keyword: args[0] ?? '',
        country,
        language,
        location,
        mobile,
        format: raw ? 'raw' : undefined,
        start_page: pages.first,
        end_page: pages.last,
      };
      return await askSerp(app.context, service, request, signal, onBooked);
    });
    if (raw === true) await out.chunk(rawDocument(answer, json));
    else if (json) out.json(serpDocument(answer));
    else
      printSerp(
        out,
        answer.pages.map(({ serp }) => serp),
      );
    if (err.isTerminal)
      err.line(`${counted(Math.max(answer.creditsCharged, answer.creditsStated ?? 0), 'credit')} spent`);
    return exitCodes.done;
  },
};

/** `2` or `1-3`. The service limits the number of pages per request. */
function pageRange(written: string): { readonly first: number; readonly last: number } {
  const [, first, last] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(written) ?? [];
  const range = { first: Number(first), last: Number(last ?? first) };
  if (range.first >= 1 && range.last >= range.first) return range;
  throw new InvalidArgumentError('Write a page such as 2, or a range such as 1-3.');
}

/** One page: its root object. Several: an array in page order. */
function serpDocument({ pages }: SerpAnswer): SerpPage | SerpPage[] {
  const [first, ...others] = pages.map(({ serp }) => serp);
  return first !== undefined && others.length === 0 ? first : pages.map(({ serp }) => serp);
}

/** One page: its text as received. Several, or with --json: the texts as JSON. */
function rawDocument({ pages }: SerpAnswer, isJson: boolean): string {
  const texts = pages.map(({ body }) => body.text);
  const [first] = texts;
  if (first === undefined || texts.length > 1) return `${JSON.stringify(texts)}\n`;
  return isJson ? `${JSON.stringify(first)}\n` : first;
}
