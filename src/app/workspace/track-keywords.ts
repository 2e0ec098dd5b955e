// New keywords from an assistant, written by the editor of `view --edit`.
import type { StoredHistory } from '../../../jobs/workspace/history-reader.ts';
import { InvalidQuery } from '../../workspace/contract.ts';
import { type Editor, EditRefused } from '../../workspace/editing/editor.ts';
import type { McpEdits } from '../../workspace/mcp/http.ts';
import type { TrackKeywords } from '../../workspace/mcp/track-keywords.ts';
import type { App } from '../app.ts';
import { type EditorHost, openEditor } from './editor.ts';

/** `app`: of the server. */
export function openTracking(app: App, history: StoredHistory, host: EditorHost) {
  const { editor, ...editors } = openEditor(app, history, host);
  const edits: McpEdits = { ...editors, trackKeywords: trackKeywords(editor) };
  return { edits, settled: () => editor.settled() };
}

/** A keyword may contain separators of columns, so each is quoted. */
function listOf(keywords: readonly string[]): Uint8Array {
  return Buffer.from(['keyword', ...keywords.map((each) => `"${each.replaceAll('"', '""')}"`), ''].join('\r\n'));
}

function trackKeywords(editor: Editor): TrackKeywords {
  return async ({ project, keywords, confirm, ...market }, by) => {
    const lists = [{ name: 'keywords.csv', bytes: listOf(keywords) }];
    const wanted = { lists, columns: {}, withoutTags: [], suggests: [], suggestsUrls: false, ...market };
    try {
      const { hash, ...answer }: { readonly hash?: string } = await editor.addKeywords(project, wanted, confirm, by);
      return 'isWritten' in answer && answer.isWritten === true ? answer : { confirm: hash, ...answer };
    } catch (error) {
      throw error instanceof EditRefused ? new InvalidQuery(error.message) : error;
    }
  };
}
