// The help of the whole program, from the table of commands. parsed-command.ts prints the help of one command.
import { commandTable } from '../command-table.ts';
import { packageRoot } from '../package-root.ts';

export function versionText(): string {
  return packageRoot().version;
}

/** What `rankledger --help` prints. */
export function helpText(): string {
  const widest = Math.max(...commandTable.map(({ name }) => name.length));
  const groups = Map.groupBy(commandTable, ({ group }) => group);
  const commands = [...groups].map(([group, entries]) => {
    const lines = entries.map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}`);
    return [`${group}:`, ...lines, ''].join('\n');
  });
  return `rankledger tracks search rankings: it buys search result pages within a budget, records the
history of ranks, and reports changes. Every credit is accounted for.

Usage: rankledger <command> [options]

${commands.join('\n')}
Options of every command:
  -h, --help     options and examples of the command
  --json         one JSON document on stdout
  -v, --verbose  log what happens, on stderr
  --version      (without a command) version of the program

Exit codes: 0 done, 1 failed, 2 usage or config, 3 done in part, 4 halted, 130 interrupted.

New here? Run \`rankledger example.com\` with your domain, in an empty folder.
`;
}
