// `intent`: classifies the intent of a keyword, with reasons. Offline; no config and no database.

import type { Command } from '@commander-js/extra-typings';
import { classifyIntent, type IntentVerdict, intentFeatures } from '../../tracker/intent/intent.ts';
import { intentLanguages } from '../../tracker/intent/words.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { collected } from '../parsed-command.ts';
import type { Printer } from '../terminal/printer.ts';
import { usageError } from '../text/failure.ts';
import { type Column, printable, tableLines } from '../text/table.ts';

type Signal = IntentVerdict['signals'][number];

const columns: readonly Column<Signal>[] = [
  { title: 'rule', value: ({ rule }) => rule },
  { title: 'found', value: ({ evidence }) => evidence, widthMax: 60 },
  { title: 'speaks for', value: ({ intent }) => intent },
  { title: 'weight', align: 'right', value: ({ weight }) => `${weight}` },
];

const describe = (command: Command) =>
  command
    .argument('<keyword>', 'the keyword to classify')
    .option('--language <code>', 'its language', 'en')
    .option('--feature <name>', 'a feature on its results page, such as featured_snippet; may be repeated', collected)
    .option('--brand <term>', 'a name that people use for your site; may be repeated', collected);

export const command: CommandDefinition = {
  about:
    'Classifies by fixed rules: words of en, de, fr, es, it, pt and nl, brands, domain names, and features of the results page. Buys nothing and needs no config.',
  examples: [
    { command: 'intent "best running shoes"', does: 'the intent, the confidence, and the reasons' },
    { command: 'intent "laufschuhe kaufen" --language de', does: 'a German keyword' },
    {
      command: 'intent "acme shoes" --brand acme --feature shopping',
      does: 'with a brand, and a feature of the results page',
    },
  ],
  readsConfig: false,
  describe,
  async run({ args, flags, out, json }) {
    const [keyword = ''] = args;
    const { language, feature = [], brand = [] } = flags(describe);
    await refuseUnknown(language, feature);
    const verdict = classifyIntent({ keyword, language, features: feature, brandTerms: brand });
    if (json)
      out.json({ keyword, language, ...(verdict ?? { intent: null, confidence: null, secondary: null, signals: [] }) });
    else print(out, keyword, language, verdict);
    return exitCodes.done;
  },
};

/** Rejects unknown features: ignoring a misspelt one would silently change the result. */
async function refuseUnknown(language: string, features: readonly string[]): Promise<void> {
  if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(language))
    throw usageError(`--language: "${language}" is not a language code.`, 'Write one such as en or pt-BR.');
  const unknown = features.find((feature) => !intentFeatures.includes(feature));
  if (unknown === undefined) return;
  const { nearestWord } = await import('../../../config/document/problems.ts');
  const meant = nearestWord(unknown, intentFeatures);
  const hint = meant === undefined ? `Known features: ${intentFeatures.join(', ')}.` : `Did you mean ${meant}?`;
  throw usageError(`--feature: "${unknown}" is not a feature that indicates an intent.`, hint);
}

function print(out: Printer, keyword: string, language: string, verdict: IntentVerdict | null): void {
  if (verdict === null) {
    const [primary = ''] = language.toLowerCase().split('-');
    const isKnown = intentLanguages.includes(primary);
    const help = isKnown
      ? 'Features of its results page may help: --feature.'
      : `Choose a language with word lists: --language ${intentLanguages.join(', ')}.`;
    out.line(printable(`"${keyword}": no rule indicates an intent. ${help}`));
    return;
  }
  const { intent, confidence, secondary, signals } = verdict;
  const besides = secondary === null ? '' : `, perhaps ${secondary}`;
  out.line(`${out.styled('bold', intent)}${besides} (confidence ${confidence.toFixed(2)})`);
  for (const line of tableLines(columns, signals)) out.line(line);
}
