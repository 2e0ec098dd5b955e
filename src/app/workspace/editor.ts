// Edits of `view --edit` and `mcp --edit`: notes, keyword files and checks, by the code of their commands.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { ConfigError } from '../../../config/document/problems.ts';
import type { LineEdit } from '../../../config/keyword-files/keyword-lines.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { StoreError } from '../../../db/connection/errors.ts';
import { changeFile, type FileChange, FileRefused } from '../../../db/connection/whole-file.ts';
import type { StoredNote } from '../../../db/history/notes.ts';
import type { StoredHistory } from '../../../jobs/read/history-reader.ts';
import { listRoles } from '../../import/lists/read-list.ts';
import { UnreadableFile } from '../../import/text/text-file.ts';
import { InvalidQuery, NotFound } from '../../read/contract.ts';
import { type AdminAction, errorText, tokenHash } from '../../service/index.ts';
import { sumOf } from '../../tracker/figures.ts';
import type { Project } from '../../tracker/project.ts';
import { type EditServerOptions, editServer } from '../../workspace/editing/edit-server.ts';
import {
  type CheckRequest,
  type EditedKeyword,
  type Editor,
  EditRefused,
  type KeywordChange,
  type NewKeywords,
  type NewNote,
} from '../../workspace/editing/editor.ts';
import type { McpEdits } from '../../workspace/mcp/http.ts';
import type { TrackKeywords } from '../../workspace/mcp/track-keywords.ts';
import type { Editors } from '../../workspace/readers.ts';
import type { EditServer } from '../../workspace/server/server.ts';
import type { App } from '../app.ts';
import { readKeywordText } from '../import/add-keywords.ts';
import { pausedKeywords, planKeywordEdit } from '../import/edit-keywords.ts';
import { addNote, removeNote } from '../notes.ts';
import { rejectUnset, ServiceSetupError, UsageError, withHint } from '../opening/failures.ts';
import { operatorName } from '../opening/machine.ts';
import { projectsById, projectsNamed } from '../opening/named-projects.ts';
import {
  type Addition,
  appendedLines,
  costChange,
  type PlanAddition,
  planAddition,
  rejectLong,
  shownDiff,
} from './addition.ts';
import { checkNow, PriceUsed } from './check-now.ts';

/** What a command gives that writes. */
export interface EditorHost {
  /** Reads the config and its keyword files again. Throws ConfigError. */
  readonly loadConfig: (options: { readonly readsKeywordFiles: boolean }) => Promise<ResolvedConfig>;
  /** Opens the database to write. */
  readonly openApp: (config: ResolvedConfig) => Promise<App>;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
}

/** Takes the requests of editors. `app`: of the server, which only reads. */
export function openEdits(
  { context }: App,
  history: StoredHistory,
  host: EditorHost,
  {
    plan,
    ...door
  }: Pick<EditServerOptions, 'door' | 'limitExpressions'> & { readonly plan?: PlanAddition | undefined },
): EditServer {
  return editServer({
    ...door,
    editor: new FileEditor(host, history, context, plan),
    reader: history,
    ...editorsOf(context),
  });
}

/** New keywords from an assistant. `app`: of the server. */
export function openTracking({ context }: App, history: StoredHistory, host: EditorHost) {
  const editor = new FileEditor(host, history, context);
  const edits: McpEdits = { ...editorsOf(context), trackKeywords: trackKeywords(editor) };
  return { edits, settled: () => editor.settled() };
}

function trackKeywords(editor: Editor): TrackKeywords {
  return async ({ project, keywords, confirm, ...market }, by) => {
    // a keyword may contain separators of columns, so each is quoted
    const lines = ['keyword', ...keywords.map((each) => `"${each.replaceAll('"', '""')}"`), ''];
    const lists = [{ name: 'keywords.csv', bytes: Buffer.from(lines.join('\r\n')) }];
    const wanted = { lists, columns: {}, withoutTags: [], suggests: [], suggestsUrls: false, ...market };
    const shown = ({ hash, ...answer }: { readonly hash?: string; readonly isWritten?: boolean }) =>
      answer.isWritten === true ? answer : { confirm: hash, ...answer };
    try {
      return shown(await editor.addKeywords(project, wanted, confirm, by));
    } catch (error) {
      if (!(error instanceof EditRefused)) throw error;
      const preview = error.preview === null ? '' : ` The answer now: ${JSON.stringify(shown(error.preview))}`;
      throw new InvalidQuery(error.message + preview);
    }
  };
}

function editorsOf({ store, clock }: App['context']): Editors {
  return {
    editorName(token) {
      const found = store.readers.find(tokenHash(token), clock.now());
      return found?.role === 'editor' ? found.name : null;
    },
    operator: operatorName(),
  };
}

interface PlannedFile extends FileChange {
  readonly edits: readonly LineEdit[];
}

/** What would be written is not what the editor has seen. */
class Outdated extends Error {}

/** Lists up to this are read at once, in some milliseconds. */
const shortBytes = 32_768;
const notInFileMax = 20;
const hashCharacters = 22;
/** Each holds its file twice. */
const undoMax = 10;

class FileEditor implements Editor {
  readonly #host: EditorHost;
  readonly #history: StoredHistory;
  /** Of the server: it only reads. */
  readonly #context: App['context'];
  readonly #write = oneAtATime();
  readonly #buy = oneAtATime();
  readonly #confirms = new Map<string, string>();
  /** Writes of a project's keyword file, turned around, the newest last. */
  readonly #undo = new Map<string, readonly PlannedFile[]>();

  /** Of long lists. */
  readonly #planAside: PlanAddition | undefined;

  constructor(host: EditorHost, history: StoredHistory, context: App['context'], planAside?: PlanAddition) {
    this.#host = host;
    this.#history = history;
    this.#context = context;
    this.#planAside = planAside;
  }

  state(id: string): Promise<object> {
    return this.#planned(id, async (config, project) => {
      const file = config.keywordSources.get(project.id)?.file;
      return {
        project: project.id,
        keywordsFile: file === undefined ? null : relative(config.directory, file),
        sharedWith: file === undefined ? [] : sharers(config, project, file),
        paused: file === undefined ? [] : pausedKeywords(file),
        notes: this.#context.store.notes.list(project.id).map(shownNote),
        canUndo: (this.#undo.get(project.id) ?? []).length > 0,
      };
    });
  }

  addNote(note: NewNote, by: string): Promise<object> {
    return this.#stored(by, 'note-add', (app) => addNote(app, note));
  }

  removeNote(id: number, by: string): Promise<object> {
    return this.#stored(by, 'note-remove', (app) => removeNote(app, id));
  }

  addKeywords(id: string, keywords: NewKeywords, hash: string | undefined, by: string): Promise<object> {
    return this.#changed(id, hash, async (config, project, seen) => {
      const { lists, columns, suggests, ...options } = keywords;
      rejectLong(lists);
      const isLong = sumOf(lists, ({ bytes }) => bytes.length) > shortBytes;
      const here: PlanAddition = (of, wanted) => planAddition(of, wanted, this.#context.clock.now());
      const plan = (isLong ? this.#planAside : undefined) ?? here;
      const planned = await plan(config, {
        ...options,
        project: project.id,
        files: lists,
        map: new Map(Object.entries(columns).map(([role, column]) => [listRole(role), column])),
        tagSources: new Set(suggests),
      });
      return { ...(await this.#offer(config, project, planned, seen, by)), ...planned.facts };
    });
  }

  changeKeywords(
    id: string,
    wanted: readonly EditedKeyword[],
    change: KeywordChange,
    hash: string | undefined,
    by: string,
  ): Promise<object> {
    return this.#changed(id, hash, async (config, project, seen) => {
      const planned = planKeywordEdit(config, project, wanted, change);
      const { lines, notInFile, before, after } = planned;
      return {
        ...(await this.#offer(config, project, planned, seen, by)),
        lines,
        notInFile: notInFile.slice(0, notInFileMax),
        notInFileTotal: notInFile.length,
        cost: await costChange(config, before, after, this.#context.clock.now()),
      };
    });
  }

  undo(id: string, hash: string | undefined, by: string): Promise<object> {
    return this.#changed(id, hash, async (config, project, seen) => {
      const steps = this.#undo.get(project.id) ?? [];
      const last = steps.at(-1);
      if (last === undefined) throw new EditRefused(404, 'This server has written nothing that could be undone.');
      if (readKeywordText(last.file) !== last.text)
        throw new EditRefused(409, `${relative(config.directory, last.file)} has changed since that write.`);
      const undone = await this.#offer(config, project, last, seen, by);
      if (undone.isWritten) this.#undo.set(project.id, steps.slice(0, -1));
      return undone;
    });
  }

  checkNow(id: string, { keywords, creditsAtMost, confirm }: CheckRequest, by: string): Promise<object> {
    return this.#buy(() =>
      this.#inApp(async (app) => {
        const project = projectNamed(app.config, id).id;
        rejectUnset(app.config);
        const request = { project, keywords: [...keywords], confirm };
        const free = { creditsLeft: Number.POSITIVE_INFINITY, by, confirms: this.#confirms };
        if (creditsAtMost === undefined)
          return await checkNow(app, { ...request, buy: false }, this.#host.signal, free);
        const unasked = { ...free, confirms: new Map() };
        const { price } = await checkNow(app, { ...request, buy: false }, this.#host.signal, unasked);
        if (price.creditsAtMost > creditsAtMost)
          throw new EditRefused(
            409,
            `The check may cost ${price.creditsAtMost} SERP credits by now, more than ${creditsAtMost}. Nothing was bought.`,
          );
        return await checkNow(app, { ...request, buy: true }, this.#host.signal, {
          ...free,
          creditsLeft: creditsAtMost,
        });
      }),
    );
  }

  async settled(): Promise<void> {
    await this.#write(async () => {});
    await this.#buy(async () => {});
  }

  /** A change of the database, with its entry in the audit trail. */
  #stored(by: string, name: AdminAction['action'], change: (app: App) => StoredNote): Promise<object> {
    return this.#write(() =>
      this.#inApp(async (app) => {
        const { store } = app.context;
        return store.transaction(() => {
          const note = shownNote(change(app));
          store.recordAction(action(app, by, name, note));
          return { note };
        });
      }),
    );
  }

  /** With the app of the config as it is now. */
  #inApp<Result>(work: (app: App) => Promise<Result>): Promise<Result> {
    return refusing(async () => {
      const config = await this.#host.loadConfig({ readsKeywordFiles: true });
      const app = await this.#host.openApp(config);
      try {
        return await work(app);
      } finally {
        await app.close();
        this.#history.adopt(projectsById(config));
      }
    });
  }

  /** With the project of the config as it is now, without keyword files. */
  #planned<Result>(id: string, work: (config: ResolvedConfig, project: Project) => Promise<Result>): Promise<Result> {
    return this.#write(() =>
      refusing(async () => {
        const config = await this.#host.loadConfig({ readsKeywordFiles: false });
        return await work(config, projectNamed(config, id));
      }),
    );
  }

  /** The same for a change of a file; where it is another one than `hash` names, its preview is refused with it. */
  async #changed(
    id: string,
    hash: string | undefined,
    work: (config: ResolvedConfig, project: Project, hash: string | undefined) => Promise<object>,
  ): Promise<object> {
    try {
      return await this.#planned(id, (config, project) => work(config, project, hash));
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      const preview = await this.#planned(id, (config, project) => work(config, project, undefined));
      throw new EditRefused(409, error.message, preview);
    }
  }

  /** The preview of a file; writes it if `hash` is of the same preview. Throws Outdated. */
  async #offer(
    config: ResolvedConfig,
    project: Project,
    planned: PlannedFile | Addition,
    hash: string | undefined,
    by: string,
  ) {
    const { file, text, content } = planned;
    const name = relative(config.directory, file);
    const digest = createHash('sha256').update(JSON.stringify([file, text, content]));
    const own = digest.digest('base64url').slice(0, hashCharacters);
    if (hash !== undefined && hash !== own)
      throw new Outdated(`${name} or what would be written has changed since the preview. Look at it again.`);
    const { diff, isDiffCut } = 'diff' in planned ? planned : shownDiff(name, planned.edits);
    const isWritten = hash !== undefined && content !== text;
    if (isWritten) await this.#replace(config, project, planned, { file: name, by });
    return {
      isWritten,
      hash: own,
      file: name,
      sharedWith: sharers(config, project, file),
      diff,
      isDiffCut,
    };
  }

  /** The entry in the audit trail comes first: no file changes without one. Throws Outdated. */
  async #replace(
    config: ResolvedConfig,
    project: Project,
    planned: PlannedFile | Addition,
    { file: name, by }: { readonly file: string; readonly by: string },
  ): Promise<void> {
    const { file, text, content } = planned;
    const edits = 'edits' in planned ? planned.edits : appendedLines(text, content);
    const changed = edits.filter(({ before, after }) => before !== after);
    const facts = {
      project: project.id,
      file: name,
      added: changed.filter(({ before }) => before === null).length,
      removed: changed.filter(({ after }) => after === null).length,
      changed: changed.filter(({ before, after }) => before !== null && after !== null).length,
    };
    const record = async (more: object): Promise<void> => {
      const app = await this.#host.openApp(config);
      try {
        app.context.store.recordAction(action(app, by, 'keywords-edit', { ...facts, ...more }));
      } finally {
        await app.close();
      }
    };
    await record({});
    try {
      await changeFile(() => {
        if (readKeywordText(file) === text) return planned;
        throw new Outdated(`${name} was changed by another program at this moment. Look at it again.`);
      }, this.#host.signal);
    } catch (error) {
      await record({ failed: errorText(error) });
      if (error instanceof Outdated || error instanceof FileRefused) throw error;
      throw new EditRefused(500, `${name} was not written: ${errorText(error)}`);
    }
    const turned = edits.map(({ before, after }) => ({ before: after, after: before }));
    // what was written before a change by others cannot be undone any more
    const earlier = (this.#undo.get(project.id) ?? []).filter((step) => step.file === file);
    const steps = earlier.at(-1)?.text === text ? earlier : [];
    const step = text === null ? [] : [{ file, text: content, content: text, edits: turned }];
    this.#undo.set(project.id, [...steps, ...step].slice(-undoMax));
    try {
      this.#history.adopt(projectsById(await this.#host.loadConfig({ readsKeywordFiles: true })));
    } catch (error) {
      this.#context.log.warn({ file, error: errorText(error) }, 'edited keywords are shown after a restart');
    }
  }
}

/** Each waits for the one before. */
function oneAtATime(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let earlier: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = earlier.then(work);
    earlier = mine.catch(() => {});
    return mine;
  };
}

/** Errors of a request, and of the config and the database, as refusals. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PriceUsed) throw new EditRefused(409, error.message);
    if (error instanceof UsageError || error instanceof UnreadableFile) throw new EditRefused(400, withHint(error));
    if (error instanceof FileRefused) throw new EditRefused(409, withHint(error));
    if (error instanceof ConfigError || error instanceof ServiceSetupError) throw new EditRefused(409, error.message);
    if (error instanceof StoreError) throw new EditRefused(503, withHint(error));
    throw error;
  }
}

/** Throws NotFound. */
function projectNamed(config: ResolvedConfig, id: string): Project {
  const name = config.formerly.projects.get(id) ?? id;
  if (!config.projects.some((project) => project.id === name)) throw new NotFound(`no project "${id}"`);
  const [project] = projectsNamed(config, [name]);
  if (project === undefined) throw new NotFound(`no project "${id}"`);
  return project;
}

function listRole(name: string) {
  const role = listRoles.find((known) => known === name);
  if (role === undefined) throw new UsageError(`columns: "${name}" is not ${listRoles.join(', ')}`);
  return role;
}

/** Other projects with the same keyword file. */
function sharers({ keywordSources }: ResolvedConfig, project: Project, file: string): string[] {
  return [...keywordSources].flatMap(([id, source]) => (id !== project.id && source.file === file ? [id] : []));
}

function action({ context }: App, by: string, name: AdminAction['action'], facts: object): AdminAction {
  return { action: name, account: undefined, username: undefined, by, facts: { ...facts }, at: context.clock.now() };
}

function shownNote({ id, date, text, project, keyword, tag }: StoredNote): object {
  return { id, date, text, project, keyword, tag };
}
