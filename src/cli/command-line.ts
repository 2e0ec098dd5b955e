// Reads the command line of one command, and writes its help. Nothing is run here.
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { CommandDefinition, Example } from './command.ts';
import type { CommandEntry } from './command-table.ts';
import { usageError } from './failure.ts';

export type Line =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'run'; readonly args: readonly string[]; readonly flags: Readonly<Record<string, unknown>> };

/** Reads `argv`, the words after the command's name. Throws a usage error that names the nearest option. */
export function readLine(entry: CommandEntry, definition: CommandDefinition, argv: readonly string[]): Line {
  let text = '';
  const command = new Command(`rankledger ${entry.name}`)
    .exitOverride()
    .configureOutput({ writeOut: (part) => (text += part), writeErr: () => {} })
    .configureHelp({ helpWidth: 100 })
    .helpOption('-h, --help', 'show this help')
    .description([sentence(entry.summary), definition.about?.replaceAll('\n', ' ')].filter(Boolean).join('\n\n'));
  definition.describe(command);
  if (definition.readsConfig) {
    command.option(
      '-c, --config <file>',
      'config file (default: RANKLEDGER_CONFIG, rankledger.yaml, config/rankledger.yaml)',
    );
  }
  command
    .option('--json', 'print one JSON document')
    .option('-v, --verbose', 'log what happens, on stderr')
    .option('--debug', 'show the stack of an unexpected error')
    .addHelpText('after', `\nExamples:\n${exampleLines(definition.examples)}`);
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text };
    throw usageError(complaint(error), `Run \`rankledger ${entry.name} --help\` for its options and examples.`);
  }
  return { kind: 'run', args: command.processedArgs.flat().filter((arg) => arg !== undefined), flags: command.opts() };
}

/** For options: a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (written: string) => number {
  return (written) => {
    const number = /^\d{1,15}$/.test(written) ? Number(written) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
  };
}

/** For options that may be given several times. */
export function collected(written: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), written];
}

/** For options: an ISO 8601 moment with its zone, as UTC milliseconds. */
export function moment(written: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(written)
    ? Date.parse(written)
    : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError(
    'Write a moment with its zone, such as 2026-03-01T06:00:00+01:00 or 2026-03-01T05:00Z.',
  );
}

/** For options: a calendar date. */
export function calendarDate(written: string): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(written) ? Date.parse(`${written}T00:00Z`) : Number.NaN;
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(written)) return written;
  throw new InvalidArgumentError('Write a date such as 2026-03-01.');
}

function exampleLines(examples: readonly Example[]): string {
  return examples.map(({ command, does }) => `  $ rankledger ${command}\n      ${does}`).join('\n');
}

function complaint(error: CommanderError): string {
  return sentence(error.message.replace(/^error: /, '').replaceAll('\n', ' '));
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?)]$/.test(whole) ? whole : `${whole}.`;
}
