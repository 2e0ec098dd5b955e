// The reference of commands, generated from their own help.
import { commandTable } from '../../src/cli/command-table.ts';
import { invoke } from '../cli/fake-host.ts';

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

/** One section per command; its subcommands follow it. */
export async function commandSections(): Promise<string> {
  const sections = [...(await commandHelp())].map(([name, help]) =>
    [`${name.includes(' ') ? '####' : '###'} ${name}`, '', '```text', help.trimEnd(), '```'].join('\n'),
  );
  return sections.join('\n\n');
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
