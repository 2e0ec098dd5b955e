// The button for a note where this reader may write one.
import { StickyNote } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { EditDialog } from './edit-dialog.tsx';
import { useMayEdit } from './edits.ts';
import type { NoteSubject } from './note-form.tsx';

/** Loaded when a note is written. */
const NoteForm = lazy(async () => ({ default: (await import('./note-form.tsx')).NoteForm }));

export function NoteButton({ subject = {} }: { readonly subject?: NoteSubject }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  if (!useMayEdit()) return null;
  const { keyword, tag } = subject;
  const title = keyword === undefined ? (tag === undefined ? 'Note' : `Note on the tag ${tag}`) : `Note on ${keyword}`;
  return (
    <EditDialog
      title={title}
      label={
        <>
          <StickyNote size={15} aria-hidden="true" /> Note
        </>
      }
      isOpen={isOpen}
      setOpen={setOpen}
    >
      <Suspense>
        <NoteForm subject={subject} close={() => setOpen(false)} />
      </Suspense>
    </EditDialog>
  );
}
