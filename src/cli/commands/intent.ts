// `intent`: what searchers of a keyword want, with the reasons. Offline; no config and no database.
import { intentLanguages } from '../../tracker/intent/rules.ts';
import { classifyIntent, type IntentVerdict, intentFeatures } from '../../tracker/intent.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { collected } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

interface Flags {
  readonly language: string;
  readonly feature?: readonly string[];
  readonly brand?: readonly string[];
}

type Signal = IntentVerdict['signals'][number];

const columns: readonly Column<Signal>[] = [
  { title: 'rule', value: ({ rule }) => rule },
  { title: 'found', value: ({ evidence }) => evidence, widthMax: 60 },
  { title: 'speaks for', value: ({ intent }) => intent },
  { title: 'weight', align: 'right', value: ({ weight }) => `${weight}` },
];

export const command: CommandDefinition = {
  about:
    'Told by rules that anyone can read: words of en, de, fr, es, it, pt and nl, brands, addresses, and what the results page shows. Nothing is bought, and no config is needed.',
  examples: [
    { command: 'intent "best running shoes"', does: 'the class, how sure it is, and why' },
    { command: 'intent "laufschuhe kaufen" --language de', does: 'a German keyword' },
    {
      command: 'intent "acme shoes" --brand acme --feature shopping',
      does: 'with a brand, and a feature of its results page',
    },
  ],
  readsConfig: false,
  describe: (command) =>
    void command
      .argument('<keyword>', 'what is searched for')
      .option('--language <code>', 'its language', 'en')
      .option(
        '--feature <name>',
        'a feature that its results page shows, such as featured_snippet; may be repeated',
        collected,
      )
      .option('--brand <term>', 'what people call your site; may be repeated', collected),
  async run({ args, flags, out, json }) {
    const [keyword = ''] = args;
    const { language, feature = [], brand = [] } = flags<Flags>();
    await refuseUnknown(language, feature);
    const verdict = classifyIntent({ keyword, language, features: feature, brandTerms: brand });
    if (json)
      out.json({ keyword, language, ...(verdict ?? { intent: null, confidence: null, secondary: null, signals: [] }) });
    else print(out, keyword, language, verdict);
    return exitCodes.done;
  },
};

/** A feature that says nothing would be left out without a word, and so would be one that is misspelt. */
async function refuseUnknown(language: string, features: readonly string[]): Promise<void> {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language))
    throw usageError(`--language: "${language}" is no code of a language.`, 'Write one such as en or pt-BR.');
  const unknown = features.find((feature) => !intentFeatures.includes(feature));
  if (unknown === undefined) return;
  const { nearestWord } = await import('../../../config/issues.ts');
  const meant = nearestWord(unknown, intentFeatures);
  const hint = meant === undefined ? `Those that do: ${intentFeatures.join(', ')}.` : `Did you mean ${meant}?`;
  throw usageError(`--feature: no feature named "${unknown}" says anything of intent.`, hint);
}

function print(out: Printer, keyword: string, language: string, verdict: IntentVerdict | null): void {
  if (verdict === null) {
    const [primary = ''] = language.toLowerCase().split('-');
    const isKnown = intentLanguages.includes(primary);
    const help = isKnown
      ? 'A results page would help: --feature.'
      : `Words are known of ${intentLanguages.join(', ')} only: --language.`;
    out.line(printable(`"${keyword}": nothing speaks for a class. ${help}`));
    return;
  }
  const { intent, confidence, secondary, signals } = verdict;
  const besides = secondary === null ? '' : `, perhaps ${secondary}`;
  out.line(`${out.styled('bold', intent)}${besides} (confidence ${confidence.toFixed(2)})`);
  for (const line of tableLines(columns, signals)) out.line(line);
}
