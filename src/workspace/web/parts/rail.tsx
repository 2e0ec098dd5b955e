// The pages of a project: a rail on the left, a bar at the bottom of phones.
import { Ellipsis, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { goTo, pathTo, useAddress } from '../address.ts';
import { type Page, pages } from '../pages.ts';
import { usePagePath, useProject, useProjects } from '../project.tsx';
import { recall, remember } from '../storage.ts';
import { day, number } from '../words.ts';
import { ActionMenu, Panel } from './menu.tsx';

/** Period and filters stay when the page changes. */
function useEntries(): readonly {
  readonly name: string;
  readonly page: Page;
  readonly href: string;
  readonly count: number;
  readonly isCurrent: boolean;
}[] {
  const project = useProject();
  const { page: current } = useAddress();
  const pagePath = usePagePath();
  return Object.entries(pages)
    .filter(([, { icon, isShown }]) => icon !== undefined && (isShown?.(project) ?? true))
    .filter(([, { isHidden }]) => project.scope === null || isHidden?.(project.scope) !== true)
    .map(([name, page]) => ({
      name,
      page,
      href: pagePath(name),
      count: page.count?.(project) ?? 0,
      isCurrent: name === (pages[current]?.under ?? current),
    }));
}

export function Rail(): ReactNode {
  const entries = useEntries();
  const { name, facts, overview } = useProject();
  const [isNarrow, setNarrow] = useState(recall('rail') === 'narrow');
  const toggle = () => {
    remember('rail', isNarrow ? null : 'narrow');
    setNarrow(!isNarrow);
  };
  const credits = overview?.spend.find(({ currency }) => currency === 'serp_credit');
  return (
    <aside className={isNarrow ? 'screen-only rail rail-narrow' : 'screen-only rail'}>
      <a className="brand across" href="/">
        <i aria-hidden="true" />
        <span>rankledger</span>
      </a>
      <ProjectSwitcher current={name} />
      <nav aria-label="Pages">
        <ul className="stack gap-half">
          {entries.map(({ name: of, page: { icon: Icon, label }, href, count, isCurrent }) => (
            <li key={of}>
              <a
                className="rail-link"
                data-count={count > 0 ? number(count) : undefined}
                href={href}
                aria-current={isCurrent ? 'page' : undefined}
                title={isNarrow ? label : undefined}
              >
                {Icon !== undefined && <Icon size={16} strokeWidth={1.7} aria-hidden="true" />}
                <span>{label}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="rail-foot cover">
        <p>
          {facts.dates.length === 0 ? 'Nothing checked yet' : `Last checked ${day(facts.dates.at(-1))}`}
          {credits !== undefined && (
            <>
              <br />
              {number(credits.spent)}
              {credits.cap === null ? ' credits this month' : ` of ${number(credits.cap)} credits this month`}
            </>
          )}
        </p>
        <button
          type="button"
          className="quiet-button"
          onClick={toggle}
          aria-label={isNarrow ? 'Widen the navigation' : 'Narrow the navigation'}
        >
          {isNarrow ? <PanelLeftOpen size={16} aria-hidden="true" /> : <PanelLeftClose size={16} aria-hidden="true" />}
        </button>
      </div>
    </aside>
  );
}

function ProjectSwitcher({ current }: { readonly current: string }): ReactNode {
  const { scope } = useProject();
  const projects = useProjects().value?.data ?? [];
  if (scope !== null)
    return (
      <p className="project-switcher">
        <bdi>{[current, scope.tag ?? scope.view].filter(Boolean).join(' · ')}</bdi>
      </p>
    );
  return (
    <div className="project-switcher">
      <ActionMenu
        label={<bdi>{current}</bdi>}
        actions={[
          ...projects.map(({ project }) => ({
            label: project,
            isChosen: project === current,
            run: () => goTo(pathTo(project)),
          })),
          { label: 'All projects', run: () => goTo('/') },
        ]}
      />
    </div>
  );
}

const shownOnPhone = 4;

export function BottomBar(): ReactNode {
  const { scope } = useProject();
  const entries = useEntries();
  const link = ({ name, page: { icon: Icon, label }, href, isCurrent }: (typeof entries)[number]) => (
    <a key={name} href={href} aria-current={isCurrent ? 'page' : undefined}>
      {Icon !== undefined && <Icon size={20} strokeWidth={1.7} aria-hidden="true" />}
      <span>{label}</span>
    </a>
  );
  return (
    <nav className="screen-only bottom-bar" aria-label="Pages, on a phone">
      {entries.slice(0, shownOnPhone).map(link)}
      {entries.length > shownOnPhone && (
        <Panel
          title="More pages"
          className="bottom-more"
          align="end"
          label={
            <>
              <Ellipsis size={20} aria-hidden="true" />
              <span>More</span>
            </>
          }
        >
          {(close) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: its links are the controls
            <div className="bottom-menu stack gap-1" onClick={close}>
              {entries.slice(shownOnPhone).map(link)}
              {scope === null && <a href="/">All projects</a>}
            </div>
          )}
        </Panel>
      )}
    </nav>
  );
}
