// `keywords`: buys metrics of one keyword and its related keywords, within the budget. `import` fills a dataset.
import type { KeywordDataRequestInput } from '../../service/index.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';
import { describeKeywordsAdd, keywordsAddExamples, runKeywordsAdd } from '../subcommands/keywords-add.ts';
import { describeKeywordImport, keywordImportExamples, runKeywordImport } from '../subcommands/keywords-import.ts';
import { counted } from '../text/numbers.ts';
import { lookUpOptions, printMetrics } from '../text/results/answer-text.ts';

interface Flags {
  readonly country?: string;
  readonly language?: string;
  readonly limit?: number;
  readonly service?: string;
}

const resultsMax = 1_000;

export const command: CommandDefinition = {
  about:
    'A request costs $0.0003 per result and at least $0.01, which pays for 33 results. The subcommand `import` reads keyword lists of other tools into a dataset, which answers for free; `add` tracks their keywords in a project. To look up the keywords "import" and "add" themselves, write `keywords -- import`.',
  examples: [
    {
      command: 'keywords "running shoes" --limit 33',
      does: 'volume, cost per click, competition and intent of up to 33 keywords',
    },
    { command: 'keywords laufschuhe --country DE --language de', does: 'another market' },
    ...keywordImportExamples,
    ...keywordsAddExamples,
  ],
  readsConfig: true,
  asksServices: ({ action }) => action === undefined,
  readsKeywordFiles: false,
  describe(command) {
    command
      .argument('<keyword>', 'the keyword to look up')
      .option('--country <code>', 'ISO 3166-1 country code (default: US)')
      .option('--language <code>', 'language code, such as en or pt-BR (default: en)')
      .option('--limit <n>', 'maximum number of results (default: 100)', wholeNumber(1, resultsMax))
      .option('--service <name>', 'service of the config to use');
    describeKeywordImport(command);
    describeKeywordsAdd(command);
  },
  async run(context) {
    if (context.action === 'import') return await runKeywordImport(context);
    return context.action === 'add' ? await runKeywordsAdd(context) : await lookUp(context);
  },
};

async function lookUp({ host, args, flags, withApp, signal, out, err, json }: Context): Promise<ExitCode> {
  const { service, ...fields } = flags<Flags>();
  const request: KeywordDataRequestInput = {
    keyword: args[0] ?? '',
    country: fields.country,
    language: fields.language,
    limit: fields.limit,
  };
  const lookUpKeywords = await host.useCases.lookUpKeywords();
  const { response } = await withApp((app) => lookUpKeywords(app, request, lookUpOptions({ signal, err }, service)));
  if (json) out.json(response);
  else printMetrics(out, response);
  if (err.isTerminal) err.line(`${counted(response.result_count, 'result')}, $${response.cost} spent`);
  return exitCodes.done;
}
