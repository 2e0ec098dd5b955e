// Says that a project tracks no keywords, and where the answers to its prompts are.
import type { ReactNode } from 'react';
import { pathTo } from '../address.ts';
import { useProject } from '../project.tsx';
import { Empty } from './states.tsx';

export function NoKeywords({ isPage = false }: { readonly isPage?: boolean }): ReactNode {
  const { name, facts } = useProject();
  return (
    <Empty title="This project tracks no keywords" isPage={isPage}>
      <p>
        <code>rankledger keywords add</code> adds some.
        {facts.dates.length > 0 && (
          <>
            {' '}
            How assistants answered its prompts: <a href={pathTo(name, 'answers')}>AI answers</a>.
          </>
        )}
      </p>
    </Empty>
  );
}
