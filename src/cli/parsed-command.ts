// Parses the command line of one command, and formats its help. Runs nothing.

import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings';
import { toMicroUsd } from '../../config/schema/schema-parts.ts';
import type { CommandDefinition, CommandEntry, Example } from './command.ts';
import { usageError } from './text/failure.ts';

type ParsedCommand =
  | { readonly kind: 'help'; readonly text: string }
  | {
      readonly kind: 'run';
      /** The word after the command's name, if the command has subcommands. */
      readonly action: string | undefined;
      readonly args: readonly string[];
      readonly flags: Readonly<Record<string, unknown>>;
    };

/** Reads `argv`, the words after the command's name. Throws a usage error that names the nearest option. */
export function parseCommand(
  entry: CommandEntry,
  definition: CommandDefinition,
  argv: readonly string[],
): ParsedCommand {
  let text = '';
  const command = new Command(`rankledger ${entry.name}`)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (part) => (text += part), writeErr: () => {} })
    .configureHelp({ helpWidth: 100 })
    .helpOption('-h, --help', 'show this help')
    .description([sentence(entry.summary), definition.about?.replaceAll('\n', ' ')].filter(Boolean).join('\n\n'));
  definition.describe(command);
  // of a command that also runs without a subcommand, only its own options
  const takesArguments = command.registeredArguments.length > 0;
  const runsAlone = takesArguments || definition.runsWithoutAction === true;
  const ownOptions = new Set(runsAlone ? command.options : []);
  if (runsAlone) {
    command.action(() => {});
    if (takesArguments && isLiteral(command, argv)) (command.commands as CommandUnknownOpts[]).length = 0;
  }
  let asked: CommandUnknownOpts = command;
  for (const action of command.commands) {
    const examples = definition.examples.filter((each) => each.command.startsWith(`${entry.name} ${action.name()}`));
    action
      .configureHelp({
        showGlobalOptions: true,
        visibleGlobalOptions: () => command.options.filter((option) => !ownOptions.has(option)),
      })
      .addHelpText('after', `\nExamples:\n${exampleLines(examples)}`);
    action.action(() => {
      asked = action;
    });
  }
  const files = 'default: RANKLEDGER_CONFIG, rankledger.yaml, config/rankledger.yaml';
  if (definition.readsConfig === 'several')
    command.option('-c, --config <file...>', `config file, or several: their databases are read as one (${files})`);
  else if (definition.readsConfig) command.option('-c, --config <file>', `config file (${files})`);
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
    const message = error.code === 'commander.help' ? missingAction(command) : complaint(error);
    throw usageError(message, helpHint(command.commands.find((action) => argv.includes(action.name())) ?? command));
  }
  const { args } = asked;
  const flags = asked.optsWithGlobals();
  refuseBlanks(asked, args, flags, helpHint(asked));
  return { kind: 'run', action: asked === command ? undefined : asked.name(), args, flags };
}

function helpHint(command: CommandUnknownOpts): string {
  const names = [command.parent?.name(), command.name()].filter((name) => name !== undefined);
  return `Run \`${names.join(' ')} --help\` for its options and examples.`;
}

/** A blank value is an unset variable of a script: it must mean neither nothing nor everything. */
function refuseBlanks(
  asked: CommandUnknownOpts,
  args: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  hint: string,
): void {
  const isBlank = (value: unknown): boolean =>
    typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.some(isBlank);
  const blankArgument = args.findIndex(isBlank);
  if (blankArgument >= 0) {
    const { registeredArguments: known } = asked;
    throw usageError(`<${(known[blankArgument] ?? known.at(-1))?.name()}> is empty.`, hint);
  }
  const options = [...asked.options, ...(asked.parent?.options ?? [])];
  const blank = options.find((option) => isBlank(flags[option.attributeName()]));
  if (blank !== undefined) throw usageError(`${blank.long ?? blank.flags} is empty.`, hint);
}

/**
 * Whether the words after `--` are arguments of the command itself, even if the first one is the name of a subcommand.
 */
function isLiteral(command: Command, argv: readonly string[]): boolean {
  const before = argv.slice(0, Math.max(argv.indexOf('--'), 0));
  return argv.includes('--') && !command.commands.some((action) => before.includes(action.name()));
}

/** For options: a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (written: string) => number {
  return (written) => {
    const number = /^\d{1,15}$/.test(written) ? Number(written) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
  };
}

const portMax = 65_535;
/** For options; 0 picks a free port. */
export const portNumber = wholeNumber(0, portMax);

/** For options: a port of this machine, or an address and a port; 0 picks a free port. */
function listenAddress(written: string): { readonly host: string; readonly port: number } {
  const [, bracketed, name, digits] = /^(?:\[([\da-f:.]+)\]:|([\w.-]+):)?(\d{1,5})$/i.exec(written) ?? [];
  const port = digits === undefined ? Number.NaN : Number(digits);
  if (port <= portMax) return { host: bracketed ?? name ?? '127.0.0.1', port };
  throw new InvalidArgumentError('Write a port such as 9464, or an address and a port such as 0.0.0.0:9464.');
}

/** The option with which a long-running command serves /metrics. */
export const metricsOption = [
  '--metrics <address>',
  'serve /metrics for Prometheus on this port, or address:port; only this machine reaches a port alone',
  listenAddress,
] as const;

/** For options that may be given several times. */
export function collected(written: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), written];
}

export const projectOption = new Option(
  '-p, --project <id>',
  'only this project; may be given several times',
).argParser(collected);

const isoMoment = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** For options: a moment with its zone, as UTC milliseconds. */
export function moment(written: string): number {
  const at = instant(written);
  if (at !== null) return at;
  throw new InvalidArgumentError(
    'Write a moment with its zone, such as 2026-03-01T06:00:00+01:00 or 2026-03-01T05:00Z.',
  );
}

/** UTC milliseconds of an ISO 8601 date and time with its zone, else null. */
function instant(written: string): number | null {
  const [, date, , , zone] = isoMoment.exec(written) ?? [];
  const at = zone === undefined ? Number.NaN : Date.parse(written);
  return date !== undefined && isCalendarDate(date) && !Number.isNaN(at) ? at : null;
}

/** A slot as the user wrote it: a moment, or a local time of the config. */
export type NamedSlot = { readonly at: number } | { readonly clock: number };

/** For options: a slot. Without a zone it is a local time, kept as if it were UTC until the zone is known. */
export function namedSlot(written: string): NamedSlot {
  const at = instant(written);
  if (at !== null) return { at };
  const clock = instant(`${written}Z`);
  if (clock !== null) return { clock };
  throw new InvalidArgumentError(
    'Write a date and time, such as 2026-03-01T06:00 in the time zone of the config, or 2026-03-01T05:00Z.',
  );
}

/** The slot's moment in UTC milliseconds. Throws a usage error for a local time that the zone skips. */
export async function slotMoment(slot: NamedSlot, timezone: string): Promise<number> {
  if ('at' in slot) return slot.at;
  const { toInstant } = await import('../tracker/schedule/local-time.ts');
  const at = toInstant(slot.clock, timezone);
  if (at === null) throw usageError(`--slot: that time does not exist in ${timezone}.`);
  return at;
}

/** For options: a calendar date. */
export function calendarDate(written: string): string {
  if (isCalendarDate(written)) return written;
  throw new InvalidArgumentError('Write a date such as 2026-03-01.');
}

/** Rejects a range of dates that ends before it begins. */
export function rejectEmptyRange({ from, to }: { readonly from?: string; readonly to?: string }): void {
  if (from !== undefined && to !== undefined && from > to)
    throw usageError(`--from ${from} is after --to ${to}.`, 'Swap the two.');
}

/** Date.parse accepts February 30th as March 2nd. */
function isCalendarDate(written: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(written) ? Date.parse(`${written}T00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(written);
}

function exampleLines(examples: readonly Example[]): string {
  return examples.map(({ command, does }) => `  $ rankledger ${command}\n      ${does}`).join('\n');
}

function missingAction(command: Command): string {
  return `Name a subcommand: ${command.commands.map((action) => action.name()).join(', ')}.`;
}

function complaint(error: CommanderError): string {
  return sentence(error.message.replace(/^error: /, '').replaceAll('\n', ' '));
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?)]$/.test(whole) ? whole : `${whole}.`;
}

/** Exact: the text has at most 15 digits. */
export function microUsd(written: string): number {
  const [, sign, dollars] = /^(-?)(\d{1,9}(?:\.\d{1,6})?)$/.exec(written) ?? [];
  const exact = dollars === undefined ? undefined : toMicroUsd(Number(dollars));
  if (exact !== undefined) return sign === '-' ? -exact : exact;
  throw new InvalidArgumentError('Write dollars such as 5 or 2.50, below a billion, with at most six decimals.');
}
