// Tags, pauses, resumes or removes keywords: the change of their file first, then the write.
import { type ReactNode, useId, useState } from 'react';
import type { KeywordEdit } from '../../edit-records.ts';
import { useProject } from '../project.tsx';
import { counted } from '../words.ts';
import { EditFoot, Refused } from './edit-dialog.tsx';
import { editPath, toggled, usePreview, useSending, useSettled } from './edits.ts';
import { FilePreview, MonthCost } from './file-preview.tsx';
import { tellWritten } from './toasts.tsx';

interface Props {
  /** The keywords, as the server takes them. */
  readonly wanted: object;
  /** Null: nothing is chosen yet. */
  readonly change: object | null;
  readonly action: string;
  /** What was done, for so many keywords. */
  readonly done: (keywords: string) => string;
  readonly close: () => void;
  readonly children?: ReactNode;
}

function ChangeForm({ wanted, change, action, done, close, children }: Props): ReactNode {
  const { name } = useProject();
  const path = editPath(name, 'keywords/change');
  const body = change === null ? null : { ...wanted, ...change };
  const { value, error, isLoading } = usePreview<KeywordEdit>(path, body);
  const { start, isSending, error: refused } = useSending();
  const write = () =>
    start<KeywordEdit>(path, { ...body, hash: value?.hash }, (written) => {
      close();
      void tellWritten(name, done(counted(written.lines, 'keyword')), written);
    });
  return (
    <div className="stack gap-4">
      {children}
      {error === null && value !== undefined && <Shown edit={value} isStale={isLoading} />}
      <Refused error={refused ?? error} />
      <EditFoot
        action={action}
        isReady={!isLoading && error === null && (value?.lines ?? 0) > 0}
        isSending={isSending}
        onAct={write}
      />
    </div>
  );
}

function Shown({ edit, isStale }: { readonly edit: KeywordEdit; readonly isStale: boolean }): ReactNode {
  const { lines, notInFile, notInFileTotal, cost } = edit;
  return (
    <div className={isStale ? 'stack gap-4 is-stale' : 'stack gap-4'}>
      <p role="status">
        {lines === 0 ? 'No keyword of the file changes.' : <b>{counted(lines, 'keyword')} of the file will change.</b>}{' '}
        <span className="cover">A keyword has one line for all of its devices.</span>
      </p>
      {lines > 0 && <FilePreview change={edit} />}
      {notInFileTotal > 0 && (
        <p className="notice">
          {counted(notInFileTotal, 'keyword')} {notInFileTotal === 1 ? 'stands' : 'stand'} in the config itself and{' '}
          {notInFileTotal === 1 ? 'stays as it is' : 'stay as they are'}: <bdi>{notInFile.join(', ')}</bdi>
          {notInFileTotal > notInFile.length && ' …'}
        </p>
      )}
      {lines > 0 && <MonthCost cost={cost} />}
    </div>
  );
}

interface FormProps {
  readonly wanted: object;
  readonly close: () => void;
}

export function TagForm({ wanted, close }: FormProps): ReactNode {
  const { facts } = useProject();
  const [isAdding, setAdding] = useState(true);
  const [tag, setTag] = useState('');
  const known = useId();
  const settled = useSettled(tag.trim());
  const isCurrent = settled === tag.trim() && settled !== '';
  const change = isAdding ? { addTags: [settled] } : { removeTags: [settled] };
  const choice = (label: string, adds: boolean) => (
    <button type="button" className="choice" aria-pressed={isAdding === adds} onClick={() => setAdding(adds)}>
      {label}
    </button>
  );
  return (
    <ChangeForm
      wanted={wanted}
      change={isCurrent ? change : null}
      action={isAdding ? 'Add tag' : 'Remove tag'}
      done={(keywords) => `${keywords} ${isAdding ? 'tagged' : 'lost the tag'} ${settled}`}
      close={close}
    >
      <div className="choices">
        {choice('Add a tag', true)}
        {choice('Remove a tag', false)}
      </div>
      <label className="edit-field stack gap-1">
        Tag
        <input value={tag} list={known} maxLength={100} onChange={(event) => setTag(event.target.value)} />
      </label>
      <datalist id={known}>
        {facts.tags.map((of) => (
          <option key={of} value={of} />
        ))}
      </datalist>
    </ChangeForm>
  );
}

const paused = { state: 'paused' };
const removed = { state: 'removed' };
const tracked = { state: 'tracked' };

export function PauseForm({ wanted, close }: FormProps): ReactNode {
  return (
    <ChangeForm wanted={wanted} change={paused} action="Pause" done={(keywords) => `${keywords} paused`} close={close}>
      <p className="soft">Paused keywords are not checked and cost nothing, until they are resumed.</p>
    </ChangeForm>
  );
}

export function RemoveForm({ wanted, close }: FormProps): ReactNode {
  return (
    <ChangeForm
      wanted={wanted}
      change={removed}
      action="Remove"
      done={(keywords) => `${keywords} removed`}
      close={close}
    >
      <p className="soft">They are not tracked any more. What was checked stays recorded.</p>
    </ChangeForm>
  );
}

/** Resumes those that are chosen. */
export function ResumeForm({
  keywords,
  close,
}: {
  readonly keywords: readonly string[];
  readonly close: () => void;
}): ReactNode {
  const [chosen, setChosen] = useState<readonly string[]>(keywords.length === 1 ? keywords : []);
  const toggle = (keyword: string) => setChosen(toggled(chosen, keyword));
  return (
    <ChangeForm
      wanted={{ keywords: chosen }}
      change={chosen.length === 0 ? null : tracked}
      action="Resume"
      done={(count) => `${count} resumed`}
      close={close}
    >
      <p className="soft">Choose what is to be checked again.</p>
      <div className="choices edit-choices">
        {keywords.map((keyword) => (
          <button
            key={keyword}
            type="button"
            className="choice"
            aria-pressed={chosen.includes(keyword)}
            onClick={() => toggle(keyword)}
          >
            <bdi>{keyword}</bdi>
          </button>
        ))}
      </div>
      {keywords.length > 1 && (
        <button type="button" className="quiet-button" onClick={() => setChosen(keywords)}>
          Choose all
        </button>
      )}
    </ChangeForm>
  );
}
