// `rename`: gives a project or a service another name, in the config and in the database.
import { readFileSync } from 'node:fs';
import { changeFile } from '../../../db/connection/whole-file.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { usageError } from '../text/failure.ts';

export const command: CommandDefinition = {
  about: `Edits the config, without touching its comments, and records the new name in the database: history, due slots, reports, notes and alerts stay with
the project or service. The old name stays in \`formerly\`, and commands still accept it. Where the config has the new name already, this only adds \`formerly\`.`,
  examples: [
    { command: 'rename project blog journal', does: 'the project blog is called journal from now on' },
    { command: 'rename service default other', does: 'the same for a service, and in the projects that use it' },
  ],
  readsConfig: true,
  asksServices: () => false,
  readsKeywordFiles: false,
  describe(command) {
    for (const kind of ['project', 'service'])
      command
        .command(kind)
        .description(`rename a ${kind}`)
        .argument('<old>', 'its name until now')
        .argument('<new>', 'its new name');
  },
  async run(context) {
    const { args, host, json, lock, log, out, shown, signal } = context;
    const kind = context.action === 'service' ? 'service' : 'project';
    const [from = '', to = ''] = args;
    if (from === to) throw usageError('The two names are the same.');
    const { file } = await context.config();
    const { loadConfig } = await import('../../../config/load.ts');
    const { RenameError, renameIn } = await import('../../../config/document/rename.ts');
    const env = host.env === undefined ? {} : { env: host.env };
    const renamed = async () => {
      const text = readFileSync(file, 'utf8');
      try {
        const content = renameIn(text, kind, from, to);
        const loaded = { file, text: content, cwd: host.cwd, offline: true, readsKeywordFiles: false, ...env };
        return { file, text, content, config: await loadConfig(loaded) };
      } catch (error) {
        if (error instanceof RenameError) throw usageError(`Cannot rename in ${shown(file)}: ${error.message}.`);
        throw error;
      }
    };
    const { config } = await changeFile(renamed, signal);
    // opening the database records the name, unless a run is under way
    const app = await host.openApp(config, { log, lock });
    const waits = kind === 'project' && app.context.store.renames.has(from);
    await app.close();
    const where = waits ? ' The database follows when the run that is under way has ended.' : '';
    if (json) out.json({ kind, from, to, file, recorded: !waits });
    else out.line(`The ${kind} ${from} is called ${to} now, in ${shown(file)}.${where}`);
    return exitCodes.done;
  },
};
