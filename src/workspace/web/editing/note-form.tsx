// A note on a date: its flag is on the charts at once.
import { type ReactNode, useState } from 'react';
import { send } from '../api.ts';
import { useProject } from '../project.tsx';
import { day } from '../words.ts';
import { EditFoot, Refused } from './edit-dialog.tsx';
import { useSending } from './edits.ts';
import { tell } from './toasts.tsx';

export interface NoteSubject {
  readonly keyword?: string;
  readonly tag?: string;
}

const charactersMax = 200;

export function NoteForm({ subject, close }: { readonly subject: NoteSubject; readonly close: () => void }): ReactNode {
  const { name, period } = useProject();
  const [date, setDate] = useState(period.to ?? new Date().toISOString().slice(0, 10));
  const [text, setText] = useState('');
  const { start, isSending, error } = useSending();
  const { keyword, tag } = subject;
  const about = keyword ?? (tag === undefined ? `all of ${name}` : `keywords with the tag ${tag}`);
  const submit = () =>
    start<{ readonly note: { readonly id: number } }>(
      '/v1/notes',
      { project: name, date, text: text.trim(), ...subject },
      ({ note: { id } }) => {
        close();
        tell(`Note added on ${day(date)}`, text.trim(), async () => {
          await send('/v1/notes/remove', { id });
          return ['Undone: the note is removed'];
        });
      },
    );
  return (
    <form
      className="stack gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p className="soft">
        Its flag is on the charts of <bdi>{about}</bdi>.
      </p>
      <label className="edit-field stack gap-1">
        What happened
        <input
          value={text}
          maxLength={charactersMax}
          required
          placeholder="New title tags"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <label className="edit-field stack gap-1">
        Date
        <input type="date" value={date} required onChange={(event) => setDate(event.target.value)} />
      </label>
      <Refused error={error} />
      <EditFoot action="Add note" isReady={text.trim() !== '' && date !== ''} isSending={isSending} />
    </form>
  );
}
