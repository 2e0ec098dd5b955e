// `intent`: what searchers of a keyword want, with the reasons. Offline; no config and no database.
import { intentLanguages } from '../../tracker/intent/rules.ts';
import { classifyIntent, type IntentVerdict } from '../../tracker/intent.ts';
import type { CommandDefinition } from '../command.ts';
import { collected } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Printer } from '../printer.ts';
import { type Column, printable, tableLines } from '../table.ts';

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
    const verdict = classifyIntent({ keyword, language, features: feature, brandTerms: brand });
    if (json)
      out.json({ keyword, language, ...(verdict ?? { intent: null, confidence: null, secondary: null, signals: [] }) });
    else print(out, keyword, language, verdict);
    return exitCodes.done;
  },
};

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
