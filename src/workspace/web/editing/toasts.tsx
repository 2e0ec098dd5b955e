// What was written, said at the edge of the page, with the way back.
import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EditState, FileChange } from '../../edit-records.ts';
import { ApiError, send } from '../api.ts';
import { diffLines, editPath, readAgain } from './edits.ts';
import './editing.css';

const manager = Toast.createToastManager();
const shownMs = 20_000;

export function Toasts(): ReactNode {
  return (
    <Toast.Provider toastManager={manager} timeout={shownMs}>
      <Toast.Portal>
        <Toast.Viewport className="screen-only toasts stack" aria-label="What was done">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList(): ReactNode {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" swipeDirection={[]}>
      <Toast.Content className="toast-content">
        <div>
          <Toast.Title className="toast-title" />
          <Toast.Description className="cover" />
        </div>
        <Toast.Action className="button" />
        <Toast.Close className="quiet-button" aria-label="Close">
          <X size={14} aria-hidden="true" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** Takes something back, and answers with what it says then; undefined: it cannot be taken back. */
type Undo = (() => Promise<Said>) | undefined;
type Said = readonly [title: string, description?: string, undo?: Undo];

export function tell(...[title, description = '', undo]: Said): string {
  const id = manager.add({
    title,
    description,
    ...(undo !== undefined && {
      actionProps: {
        children: 'Undo',
        onClick: () => {
          manager.close(id);
          void takeBack(undo);
        },
      },
    }),
  });
  return id;
}

async function takeBack(undo: () => Promise<Said>): Promise<void> {
  try {
    const said = await undo();
    await readAgain();
    tell(...said);
  } catch (error) {
    tell('This could not be undone', error instanceof ApiError ? error.message : String(error));
  }
}

interface Write {
  readonly title: string;
  readonly change: FileChange;
  /** The one that can be taken back after it. */
  readonly before: Write | undefined;
}

/** Of this page, by project. */
const newest = new Map<string, Write | undefined>();
let lastSaid: string | undefined;

/** Says what was written to the keyword file. A new file cannot be taken back. */
export async function tellWritten(project: string, title: string, change: FileChange): Promise<void> {
  if (lastSaid !== undefined) manager.close(lastSaid);
  const state = (await send(editPath(project, 'edits')).catch(() => null)) as EditState | null; // of this path
  const write = state?.canUndo === true ? { title, change, before: newest.get(project) } : undefined;
  newest.set(project, write);
  lastSaid = tell(title, `Written to ${change.file}`, write && (() => undoWrite(project, write)));
}

async function undoWrite(project: string, { change, before }: Write): Promise<Said> {
  const path = editPath(project, 'keywords/undo');
  const preview = (await send(path, {})) as FileChange; // of this path
  if (!isOpposite(preview, change))
    throw new ApiError(`${change.file} was written again since. The newer write would be undone instead.`);
  const { file } = (await send(path, { hash: preview.hash })) as FileChange; // of this path
  newest.set(project, before);
  const title = `Undone: ${file} is as it was`;
  return before === undefined
    ? [title]
    : [title, `The change before it: ${before.title}`, () => undoWrite(project, before)];
}

/** Of a change that is too long to compare, the server alone says whether the file is as it was written. */
function isOpposite(a: FileChange, b: FileChange): boolean {
  if (a.isDiffCut || b.isDiffCut) return true;
  const changes = (diff: string, signs: string) =>
    diffLines(diff)
      .flatMap((line) => (signs.includes(line.charAt(0)) ? `${signs.indexOf(line.charAt(0))}${line.slice(1)}` : []))
      .sort()
      .join('\n');
  return changes(a.diff, '+-') === changes(b.diff, '-+');
}
