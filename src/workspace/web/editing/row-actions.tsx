// What an editor can do with the keywords of a page: the filter is the selection.
import { ListPlus, Pause, RefreshCw, Tag, Trash2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { EditState } from '../../edit-records.ts';
import { useAddress, useChangeQuery } from '../address.ts';
import { useAnswer } from '../api.ts';
import { chipsOf, parseChoice } from '../filters.ts';
import { useProject } from '../project.tsx';
import { counted } from '../words.ts';
import { EditDialog } from './edit-dialog.tsx';
import { editPath, rowsOf, useMayEdit } from './edits.ts';
import { NoteButton } from './note-button.tsx';

/** Loaded when they are opened. */
const TagForm = lazy(async () => ({ default: (await import('./change-form.tsx')).TagForm }));
const PauseForm = lazy(async () => ({ default: (await import('./change-form.tsx')).PauseForm }));
const RemoveForm = lazy(async () => ({ default: (await import('./change-form.tsx')).RemoveForm }));
const ResumeForm = lazy(async () => ({ default: (await import('./change-form.tsx')).ResumeForm }));
const AddForm = lazy(async () => ({ default: (await import('./add-form.tsx')).AddForm }));
const CheckRows = lazy(async () => ({ default: (await import('./check-form.tsx')).CheckRows }));
const CheckForm = lazy(async () => ({ default: (await import('./check-form.tsx')).CheckForm }));

interface ActionProps {
  readonly icon?: ReactNode;
  readonly label: string;
  readonly title: string;
  readonly children: (close: () => void) => ReactNode;
}

function Action({ icon, label, title, children }: ActionProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <EditDialog
      isWide
      title={title}
      label={
        <>
          {icon} {label}
        </>
      }
      isOpen={isOpen}
      setOpen={setOpen}
    >
      <Suspense>{children(() => setOpen(false))}</Suspense>
    </EditDialog>
  );
}

/** For the rows of the filter of the address; without a filter nothing is selected. */
export function RowActions({ total }: { readonly total: number }): ReactNode {
  const { asked } = useProject();
  const { query } = useAddress();
  const mayEdit = useMayEdit();
  const chips = chipsOf(query).filter(({ name }) => name !== 'target');
  if (!mayEdit || total === 0 || chips.length === 0 || chips.some(({ complaint }) => complaint !== null)) return null;
  const wanted = rowsOf(asked);
  const rows = counted(total, 'row');
  const tag = onlyTag(query.getAll('tag'));
  return (
    <section className="screen-only across wraps" aria-label="Edit the filtered rows">
      <span className="cover">With {total === 1 ? 'this row' : `these ${rows}`}:</span>
      <Action icon={<Tag size={15} aria-hidden="true" />} label="Tag" title={`Tag ${rows}`}>
        {(close) => <TagForm wanted={wanted} close={close} />}
      </Action>
      <Action icon={<RefreshCw size={15} aria-hidden="true" />} label="Check now" title={`Check ${rows} now`}>
        {() => <CheckRows />}
      </Action>
      <Action icon={<Pause size={15} aria-hidden="true" />} label="Pause" title={`Pause ${rows}`}>
        {(close) => <PauseForm wanted={wanted} close={close} />}
      </Action>
      <Action icon={<Trash2 size={15} aria-hidden="true" />} label="Remove" title={`Remove ${rows}`}>
        {(close) => <RemoveForm wanted={wanted} close={close} />}
      </Action>
      {tag !== null && <NoteButton subject={{ tag }} />}
    </section>
  );
}

/** The tag, where the rows are those of one. */
function onlyTag(written: readonly string[]): string | null {
  const [only, ...others] = written.filter(Boolean);
  const { any, none } = parseChoice(only ?? '');
  return others.length === 0 && any.length === 1 && none.length === 0 ? (any[0] ?? null) : null;
}

/** Adds keywords, and resumes paused ones. The address opens it: `add`. */
export function AddKeywords(): ReactNode {
  const { name } = useProject();
  const { query } = useAddress();
  const change = useChangeQuery();
  const mayEdit = useMayEdit();
  const state = useAnswer<EditState>(mayEdit ? editPath(name, 'edits') : null).value;
  if (!mayEdit) return null;
  const paused = state?.paused ?? [];
  const setOpen = (isOpen: boolean) => change({ add: isOpen ? '1' : null }, { replace: true });
  return (
    <>
      {paused.length > 0 && (
        <Action label={`${paused.length} paused`} title="Paused keywords">
          {(close) => <ResumeForm keywords={paused} close={close} />}
        </Action>
      )}
      <EditDialog
        isWide
        title="Add keywords"
        label={
          <>
            <ListPlus size={15} aria-hidden="true" /> Add keywords
          </>
        }
        isOpen={query.has('add')}
        setOpen={setOpen}
      >
        <Suspense>
          <AddForm close={() => setOpen(false)} />
        </Suspense>
      </EditDialog>
    </>
  );
}

/** For one keyword, in all of its markets. */
export function KeywordActions({ keyword }: { readonly keyword: string }): ReactNode {
  if (!useMayEdit()) return null;
  return (
    <section className="screen-only across wraps keyword-actions" aria-label="Edit the keyword">
      <NoteButton subject={{ keyword }} />
      <Action icon={<RefreshCw size={15} aria-hidden="true" />} label="Check now" title={`Check ${keyword} now`}>
        {() => <CheckForm keywords={[keyword]} />}
      </Action>
    </section>
  );
}
