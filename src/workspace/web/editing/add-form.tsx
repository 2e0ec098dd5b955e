// Adds keywords from what is pasted or dropped: what is new, its tags and cost, and the exact change of the file.

import { Upload, X } from 'lucide-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import { sumOf } from '../../../tracker/figures.ts';
import type { KeywordAddition } from '../../edit-records.ts';
import { useProject } from '../project.tsx';
import { counted, number, signed } from '../words.ts';
import { EditFoot, Refused } from './edit-dialog.tsx';
import { editPath, toggled, usePreview, useSending, useSettled } from './edits.ts';
import { FilePreview, MonthCost } from './file-preview.tsx';
import { tellWritten } from './toasts.tsx';

interface DroppedFile {
  readonly id: number;
  readonly name: string;
  readonly base64: string;
}

/** Of what the server takes of one request. */
const bytesMax = 6_000_000;
const filesMax = 19;

export function AddForm({ close }: { readonly close: () => void }): ReactNode {
  const { name } = useProject();
  const path = editPath(name, 'keywords');
  const [written, setWritten] = useState('');
  const [files, setFiles] = useState<readonly DroppedFile[]>([]);
  const [tags, setTags] = useState('');
  const [without, setWithout] = useState<readonly string[]>([]);
  const text = useSettled(written);
  const own = useSettled(tags);
  const isSettled = text === written && own === tags;
  const lists = [
    ...(text.trim() === '' ? [] : [{ name: 'pasted.txt', text }]),
    ...files.map(({ name: of, base64 }) => ({ name: of, base64 })),
  ];
  const base = { lists, tags: splitTags(own) };
  const key = [text, files.map(({ id }) => id), own];
  const isAsked = lists.length > 0;
  // with all suggested tags, so that one that was left out can be chosen again
  const all = usePreview<KeywordAddition>(path, isAsked ? base : null, key);
  const body = without.length === 0 ? base : { ...base, withoutTags: without };
  const { value, error, isLoading } = usePreview<KeywordAddition>(
    path,
    isAsked ? body : null,
    without.length === 0 ? key : [...key, without],
  );
  const { start, isSending, error: refused } = useSending();
  const write = () =>
    start<KeywordAddition>(path, { ...body, hash: value?.hash }, (addition) => {
      close();
      void tellWritten(name, `${counted(addition.addedTotal, 'keyword')} added`, addition);
    });
  const toggle = (tag: string) => setWithout(toggled(without, tag));
  return (
    <div className="stack gap-4">
      <DropZone written={written} onWrite={setWritten} files={files} onFiles={setFiles} isFirst={value === undefined} />
      <label className="edit-field stack gap-1">
        Tags of all of them
        <input value={tags} placeholder="brand, shoes" onChange={(event) => setTags(event.target.value)} />
      </label>
      {isAsked && error === null && value !== undefined && (
        <div className={isLoading ? 'stack gap-4 is-stale' : 'stack gap-4'}>
          <Sums addition={value} />
          <SuggestedTags
            tags={(all.value ?? value).tags.filter(({ tag }) => !splitTags(own).includes(tag))}
            without={without}
            onToggle={toggle}
          />
          {value.addedTotal > 0 && <FilePreview change={value} />}
          {value.addedTotal > 0 && <MonthCost cost={value.cost} />}
        </div>
      )}
      <Refused error={refused ?? error} />
      <EditFoot
        action={value === undefined || value.addedTotal === 0 ? 'Add' : `Add ${counted(value.addedTotal, 'keyword')}`}
        isReady={isSettled && !isLoading && error === null && (value?.addedTotal ?? 0) > 0}
        isSending={isSending}
        onAct={write}
      />
    </div>
  );
}

function splitTags(written: string): string[] {
  return [...new Set(written.split(',').map((tag) => tag.trim()))].filter(Boolean);
}

interface DropZoneProps {
  readonly written: string;
  readonly onWrite: (text: string) => void;
  readonly files: readonly DroppedFile[];
  readonly onFiles: (files: readonly DroppedFile[]) => void;
  readonly isFirst: boolean;
}

function DropZone({ written, onWrite, files, onFiles, isFirst }: DropZoneProps): ReactNode {
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const take = async (dropped: readonly File[]) => {
    const bytes = sumOf(dropped, ({ size }) => size);
    const tooMuch = bytes > bytesMax || files.length + dropped.length > filesMax;
    setProblem(tooMuch ? `At most ${filesMax} files of ${bytesMax / 1_000_000} MB in all are taken at once.` : null);
    if (!tooMuch) onFiles([...files, ...(await Promise.all(dropped.map(readDropped)))]);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button below does the same by keyboard
    <div
      className={isOver ? 'drop-zone stack is-over' : 'drop-zone stack'}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <label className="edit-field stack gap-1">
        Keywords, one a line, or rows of an export
        <textarea
          value={written}
          rows={isFirst ? 8 : 4}
          spellCheck={false}
          onChange={(event) => onWrite(event.target.value)}
        />
      </label>
      <div className="screen-only across wraps">
        <label className="button file-button">
          <Upload size={15} aria-hidden="true" /> Choose a file
          <input
            className="unseen"
            type="file"
            multiple
            accept=".csv,.tsv,.txt,.xlsx"
            onChange={(event) => {
              void take([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
        </label>
        {files.length === 0 && <span className="cover">or drop it here: exports of other tools are understood</span>}
        {files.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className="chip"
            onClick={() => onFiles(files.filter((of) => of.id !== id))}
            aria-label={`Leave out ${name}`}
          >
            <span>{name}</span> <X size={12} aria-hidden="true" />
          </button>
        ))}
      </div>
      {problem !== null && (
        <p role="alert" className="bad">
          {problem}
        </p>
      )}
    </div>
  );
}

let filesRead = 0;

async function readDropped(file: File): Promise<DroppedFile> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  filesRead += 1;
  return { id: filesRead, name: file.name, base64: url.slice(url.indexOf(',') + 1) };
}

function Sums({
  addition: { addedTotal, known, notTaken, found, lists, cost },
}: {
  readonly addition: KeywordAddition;
}): ReactNode {
  const refused = lists.flatMap((list) => list.refused.map((of) => ({ ...of, list: list.name })));
  const rows = sumOf(lists, (list) => list.rows);
  const twice = rows - notTaken - found;
  const more = (cost.after?.creditsPerMonth ?? 0) - (cost.before?.creditsPerMonth ?? 0);
  return (
    <>
      <dl className="edit-facts">
        <Fact label="New" value={number(addedTotal)} small={`of ${counted(found, 'keyword')} found`} />
        <Fact label="Tracked already" value={number(known)} small="stay as they are" />
        {twice > 0 && <Fact label="Listed twice" value={number(twice)} small="are added once" />}
        {notTaken > 0 && <Fact label="Not taken" value={number(notTaken)} small="see below" />}
        <Fact label="A month" value={signed(more)} small="credits at most" />
      </dl>
      {refused.length > 0 && (
        <ul className="lines">
          {refused.map(({ list, reason, what, remedy, count }) => (
            <li key={`${list} ${reason}`} className="cover">
              {lists.length > 1 && `${list}: `}
              {number(count)} not taken: {what}
              {remedy !== null && `. ${remedy}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Fact({ label, value, small }: { readonly label: string; readonly value: string; readonly small: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {value}
        <small>{small}</small>
      </dd>
    </div>
  );
}

/** A click leaves a tag out, or takes it in again. */
function SuggestedTags({
  tags,
  without,
  onToggle,
}: {
  readonly tags: KeywordAddition['tags'];
  readonly without: readonly string[];
  readonly onToggle: (tag: string) => void;
}): ReactNode {
  if (tags.length === 0) return null;
  return (
    <fieldset>
      <legend>Suggested tags: a click leaves one out</legend>
      <div className="choices edit-choices suggested-tags">
        {tags.map(({ tag, keywords }) => (
          <button
            key={tag}
            type="button"
            className="choice"
            aria-pressed={!without.includes(tag)}
            onClick={() => onToggle(tag)}
          >
            <bdi>{tag}</bdi> <span className="cover">{number(keywords)}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
