// The frame of every page, and the page that the address names.
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { goTo, pathTo, useAddress } from './address.ts';
import { useAccess, useAnswer } from './api.ts';
import { useMayEdit } from './editing/edits.ts';
import { pages } from './pages.ts';
import { BottomBar, Rail } from './parts/rail.tsx';
import { Empty, Failed, Waiting } from './parts/states.tsx';
import { Scope, TopBar } from './parts/top-bar.tsx';
import { ProjectData, useProjects } from './project.tsx';

/** Loaded where this reader may edit. */
const Toasts = lazy(async () => ({ default: (await import('./editing/toasts.tsx')).Toasts }));

export function App(): ReactNode {
  const { project, page } = useAddress();
  const { value: projects, error } = useProjects();
  const scope = useAccess()?.scope;
  const Page = pages[page]?.component;
  // what had the focus may be gone with the page before
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the page changes
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [project, page]);
  if (error !== null)
    return (
      <Alone>
        <Failed error={error} isPage />
      </Alone>
    );
  if (Page === undefined)
    return (
      <Alone>
        <NoSuchPage />
      </Alone>
    );
  if (project === null)
    return <Alone>{scope != null && page === 'portfolio' ? <OnlyProject id={scope.project} /> : <Page />}</Alone>;
  const isKnown = projects === undefined || projects.data.some((of) => of.project === project);
  return isKnown ? (
    <ProjectData name={project}>
      <Framed>
        {scope != null && pages[page]?.isHidden?.(scope) === true ? <NotShared /> : <Page key={project} />}
      </Framed>
    </ProjectData>
  ) : (
    <Alone>
      <Renamed project={project} />
    </Alone>
  );
}

function Framed({ children }: { readonly children: ReactNode }): ReactNode {
  const mayEdit = useMayEdit();
  return (
    <div className="frame">
      <a className="screen-only skip" href="#main">
        Skip to the numbers
      </a>
      <Rail />
      <div className="content">
        <TopBar>
          <Scope />
        </TopBar>
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<Waiting shape="page" />}>{children}</Suspense>
        </main>
      </div>
      <BottomBar />
      {mayEdit && (
        <Suspense>
          <Toasts />
        </Suspense>
      )}
    </div>
  );
}

/** Without a project there is nothing to navigate. */
function Alone({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="frame frame-alone">
      <div className="content">
        <TopBar />
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<Waiting shape="page" />}>{children}</Suspense>
        </main>
      </div>
    </div>
  );
}

/** The read API knows earlier ids of projects. */
function Renamed({ project }: { readonly project: string }): ReactNode {
  const { page, query } = useAddress();
  const { value, error } = useAnswer<{ readonly project: string }>(`/v1/projects/${encodeURIComponent(project)}`);
  const now = value?.project;
  useEffect(() => {
    if (now !== undefined) goTo(pathTo(now, page, query), { replace: true });
  }, [now, page, query]);
  if (error === null) return null;
  return (
    <Empty title="There is no such project" isPage>
      <p>
        No project is named <bdi>{project}</bdi>. <a href="/">All projects</a>
      </p>
    </Empty>
  );
}

/** A reader of one project has no list of projects. */
function OnlyProject({ id }: { readonly id: string }): ReactNode {
  useEffect(() => goTo(pathTo(id), { replace: true }), [id]);
  return <Waiting shape="page" />;
}

function NotShared(): ReactNode {
  return (
    <Empty title="This page is not shared with you" isPage>
      <p>Ask the sender of your link.</p>
    </Empty>
  );
}

function NoSuchPage(): ReactNode {
  return (
    <Empty title="There is no such page" isPage>
      <p>
        <a href="/">All projects</a>
      </p>
    </Empty>
  );
}
