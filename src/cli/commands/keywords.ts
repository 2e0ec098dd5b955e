// `keywords`: buys metrics of one keyword and its related keywords, within the budget. `import` fills a dataset.
import type { Command } from '@commander-js/extra-typings';
import { askKeywords } from '../../../jobs/query/ask-service.ts';
import type { CommandDefinition, Context } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { wholeNumber } from '../parsed-command.ts';
import { describeKeywordsAdd, keywordsAddExamples, runKeywordsAdd } from '../subcommands/keywords-add.ts';
import { describeKeywordImport, keywordImportExamples, runKeywordImport } from '../subcommands/keywords-import.ts';
import { lookUp } from '../subcommands/look-up.ts';
import { usageError } from '../text/failure.ts';
import { counted } from '../text/numbers.ts';
import { printMetrics } from '../text/results/answer-text.ts';

const resultsMax = 1_000;

const describeLookUp = (command: Command) =>
  command
    .argument('<keyword>', 'the keyword to look up')
    .option('--country <code>', 'ISO 3166-1 country code (default: US)')
    .option('--language <code>', 'language code, such as en or pt-BR (default: en)')
    .option('--limit <n>', 'maximum number of results (default: 100)', wholeNumber(1, resultsMax))
    .option('--service <name>', 'service of the config to use');

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
    describeLookUp(command);
    describeKeywordImport(command);
    describeKeywordsAdd(command);
  },
  async run(context) {
    if (context.action === undefined) return await buyMetrics(context);
    const { limit, service } = context.flags(describeLookUp);
    if (limit !== undefined || service !== undefined)
      throw usageError('--limit and --service are for look-ups, not for lists.');
    return context.action === 'import' ? await runKeywordImport(context) : await runKeywordsAdd(context);
  },
};

async function buyMetrics(context: Context): Promise<ExitCode> {
  const { args, signal, out, err, json } = context;
  const { service: asked, country, language, limit } = context.flags(describeLookUp);
  const request = { keyword: args[0] ?? '', country, language, limit };
  const { response } = await lookUp(context, asked, (app, service, onBooked) =>
    askKeywords(app.context, service, request, signal, onBooked),
  );
  if (json) out.json(response);
  else printMetrics(out, response);
  if (err.isTerminal) err.line(`${counted(response.result_count, 'result')}, $${response.cost} spent`);
  return exitCodes.done;
}
