// Saved views as tabs, active filters as chips, and one button that adds a filter.
import { ChevronLeft, Plus, Search, X } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { changed, pathTo, useAddress, useChangeQuery } from '../address.ts';
import {
  chipsOf,
  type Filter,
  filters,
  parseChoice,
  textComplaint,
  valueText,
  withoutFilters,
  writeChoice,
} from '../filters.ts';
import { useProject } from '../project.tsx';
import { recall, remember } from '../storage.ts';
import { Panel } from './menu.tsx';

export function FilterBar({ children }: { readonly children?: ReactNode }): ReactNode {
  const { project, page, query } = useAddress();
  const chips = chipsOf(query);
  return (
    <div className="screen-only filter-bar across wraps">
      <Views />
      <div className="chips across wraps">
        {chips.map(({ name, label, text, complaint, without }) => (
          <a
            key={`${name} ${text}`}
            className={complaint === null ? 'chip' : 'chip bad-chip'}
            href={pathTo(project, page, without)}
            title="Remove this filter"
          >
            <span>
              {label.toLowerCase()}: <bdi>{text}</bdi>
            </span>
            <X size={12} aria-label={`Remove the filter ${label}`} />
          </a>
        ))}
        <AddFilter />
        {chips.length > 1 && (
          <a className="quiet-link" href={pathTo(project, page, withoutFilters(query))}>
            Clear all
          </a>
        )}
      </div>
      {chips.map(
        ({ name, complaint }) =>
          complaint !== null && (
            <p key={name} role="alert" className="bad">
              {complaint}
            </p>
          ),
      )}
      {children !== undefined && <div className="filter-bar-end across end">{children}</div>}
    </div>
  );
}

function AddFilter(): ReactNode {
  const { facts } = useProject();
  const [filter, setFilter] = useState<Filter | null>(null);
  const usable = filters.filter(({ kind, values }) => kind !== 'choice' || (values?.(facts).length ?? 0) > 1);
  return (
    <Panel
      title="Filters"
      className="chip add-chip"
      onOpen={() => setFilter(null)}
      label={
        <>
          <Plus size={13} aria-hidden="true" /> Filter
        </>
      }
    >
      {(close) =>
        filter === null ? (
          <ul className="filter-list">
            {usable.map((of) => (
              <li key={of.name}>
                <button type="button" className="menu-item" onClick={() => setFilter(of)}>
                  {of.label}
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <div className="filter-form stack">
            <button type="button" className="quiet-button" onClick={() => setFilter(null)}>
              <ChevronLeft size={14} aria-hidden="true" /> {filter.label}
            </button>
            <Condition filter={filter} close={close} />
          </div>
        )
      }
    </Panel>
  );
}

function Condition({ filter, close }: { readonly filter: Filter; readonly close: () => void }): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const { name, label, kind } = filter;
  const apply = (value: string | readonly string[]) => {
    change({ [name]: value });
    close();
  };
  if (kind === 'choice') return <Choice filter={filter} />;
  if (kind === 'flag')
    return (
      <div className="choices">
        <button type="button" className="choice" onClick={() => apply('true')}>
          another URL ranks
        </button>
        <button type="button" className="choice" onClick={() => apply('false')}>
          it ranks
        </button>
      </div>
    );
  if (kind === 'range') {
    const [from = '', to = from] = (query.get(name) ?? '').split('..');
    const submit = (form: FormData) => {
      const [least, most] = [String(form.get('from')).trim(), String(form.get('to')).trim()];
      apply(least === '' && most === '' ? '' : least === most ? least : `${least}..${most}`);
    };
    return (
      <form className="range-form stack" action={submit}>
        <label>
          At least <input name="from" inputMode="decimal" defaultValue={from} ref={focused} />
        </label>
        <label>
          At most <input name="to" inputMode="decimal" defaultValue={to} />
        </label>
        <button type="submit" className="button primary">
          Show
        </button>
      </form>
    );
  }
  return <Words label={label} written={query.get(name) ?? ''} apply={apply} />;
}

/** A form that takes the place of a list begins in its first field: the chosen entry, which had the focus, is gone. */
function focused(field: HTMLElement | null): void {
  field?.focus();
}

interface WordsProps {
  readonly label: string;
  readonly written: string;
  readonly apply: (text: string) => void;
}

/** Words or an expression: the rows stay as they are while it does not parse. */
function Words({ label, written, apply }: WordsProps): ReactNode {
  const [text, setText] = useState(written);
  const [complaint, setComplaint] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = textComplaint(text);
    setComplaint(found);
    if (found === null) apply(text.trim());
  };
  return (
    <form className="range-form stack" onSubmit={submit}>
      <label>
        <Search size={14} aria-hidden="true" /> <span className="unseen">{label}</span>
        <input
          ref={focused}
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="words, or /an expression/"
          aria-invalid={complaint !== null}
        />
      </label>
      {complaint !== null && (
        <p role="alert" className="bad">
          {complaint}
        </p>
      )}
      <button type="submit" className="button primary">
        Show
      </button>
    </form>
  );
}

/** Each value is asked for, excluded or neither; the rows follow at once. */
function Choice({ filter: { name, values, label } }: { readonly filter: Filter }): ReactNode {
  const { facts } = useProject();
  const { query } = useAddress();
  const change = useChangeQuery();
  const [search, setSearch] = useState('');
  const all = values?.(facts) ?? [];
  const { any, none } = parseChoice(query.getAll(name).join('|'));
  const set = (value: string, state: 'any' | 'none' | 'neither') =>
    change({
      [name]: writeChoice({
        any: [...any.filter((of) => of !== value), ...(state === 'any' ? [value] : [])],
        none: [...none.filter((of) => of !== value), ...(state === 'none' ? [value] : [])],
      }),
    });
  const found = all.filter((value) => valueText(name, value).toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      {all.length > 12 && (
        <input
          className="filter-search"
          aria-label={`Find ${label}`}
          placeholder="Find"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <ul className="filter-list">
        {found.slice(0, 200).map((value) => {
          const [isAny, isNone] = [any.includes(value), none.includes(value)];
          return (
            <li key={value} className="filter-value">
              <button
                type="button"
                className="menu-item"
                aria-pressed={isAny}
                onClick={() => set(value, isAny ? 'neither' : 'any')}
              >
                <bdi>{valueText(name, value)}</bdi>
              </button>
              <button
                type="button"
                className="quiet-button"
                aria-pressed={isNone}
                aria-label={`Not ${valueText(name, value)}`}
                onClick={() => set(value, isNone ? 'neither' : 'none')}
              >
                not
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

interface SavedView {
  readonly name: string;
  readonly page?: string;
  readonly query: string;
}

/** The lists that analysts open first: on the keywords of any project. */
const readyViews: readonly SavedView[] = [
  { name: 'Striking distance', query: 'rank=4..20&sort=-searchVolume' },
  { name: 'Gained', query: 'change=improved|entered&significance=likely|certain&sort=-estimatedClicksChange' },
  { name: 'Lost', query: 'change=declined|dropped&significance=likely|certain&sort=estimatedClicksChange' },
];

/** The views of the project, and those that this browser remembers. One is chosen while the address says the same. */
function Views(): ReactNode {
  const { facts, name: project } = useProject();
  const { page, query } = useAddress();
  const key = `views.${project}`;
  const [own, setOwn] = useState<readonly SavedView[]>(() => savedViews(recall(key)));
  const keep = (next: readonly SavedView[]) => {
    remember(key, next.length === 0 ? null : next);
    setOwn(next);
  };
  const filtered = [...withoutPeriod(query)].length > 0;
  const isChosen = (written: string) => same(withoutPeriod(query), withoutPeriod(new URLSearchParams(written)));
  const path = (view: SavedView) => {
    const next = new URLSearchParams(view.query);
    for (const [parameter, value] of query)
      if (isOfPeriod(parameter) && !next.has(parameter)) next.append(parameter, value);
    return pathTo(project, view.page ?? page, next);
  };
  const given = page === 'keywords' ? [...readyViews, ...facts.views] : facts.views;
  if (given.length + own.length === 0 && !filtered) return null;
  return (
    <nav className="views" aria-label="Views">
      <a href={path({ name: 'All', query: '' })} aria-current={!filtered || undefined}>
        All
      </a>
      {given.map((view) => (
        <a key={view.name} href={path(view)} aria-current={isChosen(view.query) || undefined}>
          <bdi>{view.name}</bdi>
        </a>
      ))}
      {own.map((view) => (
        <span key={view.name} className="own-view">
          <a href={path(view)} aria-current={isChosen(view.query) || undefined}>
            <bdi>{view.name}</bdi>
          </a>
          <button
            type="button"
            className="quiet-button"
            aria-label={`Forget the view ${view.name}`}
            onClick={() => keep(own.filter((of) => of !== view))}
          >
            <X size={12} aria-hidden="true" />
          </button>
        </span>
      ))}
      {filtered && !given.some(({ query: of }) => isChosen(of)) && !own.some(({ query: of }) => isChosen(of)) && (
        <Panel title="Save this view" className="quiet-button" label="Save view">
          {(close) => (
            <form
              className="range-form stack"
              action={(form) => {
                const name = String(form.get('name')).trim();
                keep([...own.filter((of) => of.name !== name), { name, page, query: withoutPeriod(query).toString() }]);
                close();
              }}
            >
              <label>
                Name, in this browser <input name="name" required maxLength={60} />
              </label>
              <button type="submit" className="button primary">
                Save
              </button>
            </form>
          )}
        </Panel>
      )}
    </nav>
  );
}

/** What a view keeps as it is: the period, the opened row, the chart beside it and what segments are of. */
const ofPeriod = ['from', 'to', 'date', 'compare', 'open', 'measure', 'by', 'scale'];
const isOfPeriod = (name: string): boolean => ofPeriod.includes(name);

function withoutPeriod(query: URLSearchParams): URLSearchParams {
  return changed(query, Object.fromEntries(ofPeriod.map((name) => [name, null])));
}

function same(one: URLSearchParams, other: URLSearchParams): boolean {
  const written = (of: URLSearchParams) =>
    [...of]
      .map((entry) => entry.join('='))
      .sort()
      .join('&');
  return written(one) === written(other);
}

function savedViews(stored: unknown): SavedView[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter((view) => typeof view?.name === 'string' && typeof view?.query === 'string');
}
