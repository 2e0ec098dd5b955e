// `init`: writes the starter config and keyword file, and never over a file that is there.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { starterFiles } from '../../../config/starter.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../text/failure.ts';
import { shellQuoted } from '../text/shell-quote.ts';
import { factLines } from '../text/table.ts';

export const command: CommandDefinition = {
  about: 'The starter runs on the sandbox: no key, no network, no cost.',
  examples: [
    { command: 'init', does: 'write rankledger.yaml and keywords/example.csv here' },
    { command: 'init sites/acme', does: 'write them to sites/acme, which is created' },
  ],
  readsConfig: false,
  describe: (command) => void command.argument('[dir]', 'folder to write to', '.'),
  async run({ args, host, out, json, shown }) {
    const directory = resolve(host.cwd, args[0] ?? '.');
    const files = starterFiles().map(({ path, content }) => ({ file: join(directory, path), content }));
    const existing = files.filter(({ file }) => existsSync(file));
    if (existing.length > 0) {
      const names = existing.map(({ file }) => shown(file)).join(', ');
      const verb = existing.length === 1 ? 'is' : 'are';
      throw new CommandError(
        'FILE_EXISTS',
        `${names} ${verb} there already. Nothing was written.`,
        'Name another folder: rankledger init mysite',
      );
    }
    for (const { file, content } of files) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { flag: 'wx' });
    }
    if (json) {
      out.json({ files: files.map(({ file }) => file) });
      return exitCodes.done;
    }
    for (const { file } of files) out.line(`Wrote ${shown(file)}`);
    const config = directory === host.cwd ? '' : ` --config ${shellQuoted(shown(join(directory, 'rankledger.yaml')))}`;
    const next = [
      [`npx rankledger check${config}`, 'check the config and its cost'],
      [`npx rankledger plan --all${config}`, 'show what a run would buy'],
      [`npx rankledger run --all${config}`, 'track now, and write reports'],
    ] as const;
    out.line();
    out.line('Next:');
    for (const line of factLines(next)) out.line(line);
    return exitCodes.done;
  },
};
