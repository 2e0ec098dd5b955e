// The reference of commands, generated from their own help.
import { commandTable } from '../../src/cli/command-table.ts';
import { invoke } from '../cli/fake-host.ts';
import { table } from './reference.ts';

/** The help of every command and subcommand by its full name, such as `backfill ranks`. */
export async function commandHelp(): Promise<Map<string, string>> {
  const help = new Map<string, string>();
  for (const { name } of commandTable) {
    const text = await helpOf([name]);
    help.set(name, text);
    for (const subcommand of subcommands(text)) help.set(`${name} ${subcommand}`, await helpOf([name, subcommand]));
  }
  return help;
}

/**
 * One section per command, without the options that all commands share, and its summary, which the table of commands
 * has; its subcommands follow it. The manual has examples by subject.
 */
export async function commandSections(): Promise<string> {
  const sections = [...(await commandHelp())].map(([name, help]) => {
    const summary = commandTable.find((each) => each.name === name)?.summary ?? '';
    const left = withoutPart(withoutPart(withoutCommonOptions(help), 'Examples'), 'Commands');
    return [
      `${name.includes(' ') ? '####' : '###'} ${name}`,
      '',
      '```text',
      withoutSummary(left, summary).trimEnd(),
      '```',
    ].join('\n');
  });
  return sections.join('\n\n');
}

/** The options that all commands share, and the commands that take some of them only. */
export async function commonOptions(): Promise<string> {
  const help = await commandHelp();
  const rows = [...commonOption.entries()].map(([flags, meaning]) => {
    const begin = `  ${flags.replace('>', '')}`; // <file...> is several
    const without = commandTable.map(({ name }) => name).filter((name) => !help.get(name)?.includes(begin));
    const except = without.length === 0 ? '' : `; not for ${without.map((name) => `\`${name}\``).join(', ')}`;
    return [`\`${flags}\``, meaning + except];
  });
  return table(['option', 'does'], rows);
}

const commonOption = new Map([
  ['-c, --config <file>', 'config file (default: `RANKLEDGER_CONFIG`, `rankledger.yaml`, `config/rankledger.yaml`)'],
  ['--json', 'print one JSON document'],
  ['-v, --verbose', 'log what happens, on stderr'],
  ['--debug', 'show the stack of an unexpected error'],
  ['-h, --help', 'show this help'],
]);

/** Help without the entries of common options, which may run over several lines, and without headings left empty. */
function withoutCommonOptions(help: string): string {
  let isCommon = false;
  const lines = help.split('\n').filter((line) => {
    if (/^ {2}\S/.test(line)) isCommon = [...commonOption.keys()].some((flags) => line.startsWith(`  ${flags}  `));
    else if (!line.startsWith('   ')) isCommon = false;
    return !isCommon;
  });
  return lines.join('\n').replaceAll(/^(?:Global )?Options:\n\n?(?! {2})/gm, '');
}

/** Help without the paragraph that says no more than the summary. */
function withoutSummary(help: string, summary: string): string {
  const paragraphs = help.split('\n\n');
  const isSummary = (text: string): boolean => text.replaceAll('\n', ' ').toLowerCase() === `${summary}.`.toLowerCase();
  return paragraphs.filter((text) => summary === '' || !isSummary(text)).join('\n\n');
}

/** Help without the part of this title. */
function withoutPart(help: string, title: string): string {
  return help.replace(new RegExp(`^${title}:\\n(?: .*\\n)+\\n?`, 'm'), '');
}

async function helpOf(command: readonly string[]): Promise<string> {
  const { exitCode, out } = await invoke([...command, '--help']);
  if (exitCode !== 0) throw new Error(`rankledger ${command.join(' ')} --help ended with ${exitCode}`);
  return out;
}

function subcommands(help: string): string[] {
  const section = /^Commands:\n((?: .*\n)+)/m.exec(help)?.[1] ?? '';
  return [...section.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name);
}
