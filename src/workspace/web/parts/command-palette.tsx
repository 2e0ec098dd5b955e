// One field that leads anywhere: pages, keywords, tags, projects and actions. `/` or Ctrl+K opens it.
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import type { KeywordRow, ProjectFacts } from '../../../read/records.ts';
import { goTo, pathTo, useAddress } from '../address.ts';
import { type List, useAccess, useAnswer } from '../api.ts';
import { pages } from '../pages.ts';
import { useProjects } from '../project.tsx';
import { setTheme } from '../theme.ts';
import { marketWords } from '../words.ts';

interface Entry {
  readonly kind: string;
  readonly label: string;
  readonly aside?: string;
  readonly run: () => void;
}

interface Opened {
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

export function usePalette(): Opened {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isWriting =
        event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]') !== null;
      const isAsked = (event.key === '/' && !isWriting) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
      if (!isAsked) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return { isOpen, setOpen };
}

export function CommandPalette({ isOpen, setOpen }: Opened): ReactNode {
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="popup palette" aria-label="Search or jump to">
          <Found close={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const perKind = 8;

function Found({ close }: { readonly close: () => void }): ReactNode {
  const { project } = useAddress();
  const { mayEdit = false, scope = null } = useAccess() ?? {};
  const [written, setWritten] = useState('');
  // Only the request waits: Enter must choose from what is written, not from the list before the last letter.
  const search = written.trim();
  const asked = useDeferredValue(search);
  const base = `/v1/projects/${encodeURIComponent(project ?? '')}`;
  const { value: facts } = useAnswer<ProjectFacts>(project === null ? null : base);
  const asksKeywords = project !== null && asked !== '';
  const { value: rows } = useAnswer<List<KeywordRow>>(
    asksKeywords
      ? `${base}/keywords?${new URLSearchParams({ q: asked, limit: `${perKind}`, fields: 'id,keyword,country,language,device,location,rank' })}`
      : null,
  );
  const projects = useProjects().value?.data ?? [];
  const has = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  const entries: Entry[] = [
    ...(project === null
      ? []
      : Object.entries(pages)
          .filter(([, { icon, label }]) => icon !== undefined && has(label))
          .filter(([, { isHidden }]) => scope === null || isHidden?.(scope) !== true)
          .map(([name, { label }]): Entry => ({ kind: 'Page', label, run: () => goTo(pathTo(project, name)) }))),
    ...(asksKeywords ? (rows?.data ?? []) : []).map(
      (row): Entry => ({
        kind: 'Keyword',
        label: row.keyword,
        aside: `${marketWords(row)}${row.rank === null ? '' : `, rank ${row.rank}`}`,
        run: () => goTo(pathTo(project, 'keyword', { id: row.id })),
      }),
    ),
    ...(facts?.tags ?? [])
      .filter((tag) => search !== '' && has(tag))
      .slice(0, perKind)
      .map((tag): Entry => ({ kind: 'Tag', label: tag, run: () => goTo(pathTo(project, 'keywords', { tag })) })),
    ...projects
      .filter((of) => of.project !== project && has(of.project))
      .slice(0, perKind)
      .map((of): Entry => ({ kind: 'Project', label: of.project, run: () => goTo(pathTo(of.project)) })),
    ...(
      [
        ['Use light colours', () => setTheme('light')],
        ['Use dark colours', () => setTheme('dark')],
        ['Print this page', () => setTimeout(() => print(), 300)],
        ...(scope === null ? ([['All projects', () => goTo('/')]] as const) : []),
        ...(mayEdit && project !== null
          ? ([['Add keywords', () => goTo(pathTo(project, 'keywords', { add: '1' }))]] as const)
          : []),
      ] as const
    )
      .filter(([label]) => has(label))
      .map(([label, run]): Entry => ({ kind: 'Action', label, run })),
  ];
  const choose = (entry: Entry) => {
    close();
    entry.run();
  };
  return (
    <Autocomplete.Root
      items={entries}
      mode="none"
      inline
      open
      autoHighlight
      value={written}
      onValueChange={setWritten}
      itemToStringValue={(entry: Entry) => entry.label}
    >
      <Autocomplete.Input
        className="palette-input"
        aria-label="Search or jump to"
        placeholder="A keyword, page, tag, project or action"
      />
      <Autocomplete.Empty className="palette-empty">Nothing is named so.</Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
        {(entry: Entry) => (
          <Autocomplete.Item
            key={`${entry.kind} ${entry.label} ${entry.aside ?? ''}`}
            value={entry}
            className="palette-item"
            onClick={() => choose(entry)}
          >
            <span className="palette-kind">{entry.kind}</span>
            <bdi>{entry.label}</bdi>
            {entry.aside !== undefined && <span className="aside">{entry.aside}</span>}
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}
