// What `view --edit` and `mcp --edit` give the editor: the config read again, and the database.
import type { EditorHost } from '../../app/workspace/editor.ts';
import type { Context } from '../command.ts';

/** Creates the database where there is none: a reader does not find one that the first edit creates. */
export async function openEditorHost({ host, log, signal, config, reloadedConfig }: Context): Promise<EditorHost> {
  const openApp: EditorHost['openApp'] = (of) => host.openApp(of, { log });
  await (await openApp(await config())).close();
  return {
    // an edit that broke its project would take it out of what is shown
    loadConfig: (options) => reloadedConfig({ ...options, leavesOutBroken: false }),
    openApp,
    signal,
  };
}
