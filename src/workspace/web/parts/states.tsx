// What a page says before, beside and instead of its numbers.
import type { ReactNode } from 'react';
import { type Answer, type ApiError, queries, saveToken } from '../api.ts';
import { PageTitle } from './page-title.tsx';

interface WaitingProps {
  readonly shape: 'page' | 'chart' | 'rows' | 'numbers';
  readonly rows?: number;
}

/** A skeleton of the shape that is on its way. */
export function Waiting({ shape, rows = 8 }: WaitingProps): ReactNode {
  const lines = shape === 'rows' ? rows : shape === 'numbers' ? 4 : 1;
  return (
    <div className={`waiting stack gap-3 waiting-${shape}`} role="status">
      <span className="unseen">Reading</span>
      {shape === 'page' && <Waiting shape="numbers" />}
      {shape === 'page' && <Waiting shape="chart" />}
      {shape === 'page' ? (
        <Waiting shape="rows" />
      ) : (
        Array.from({ length: lines }, (_, line) => line).map((line) => <i key={line} />)
      )}
    </div>
  );
}

interface UnreadProps extends WaitingProps {
  readonly error: ApiError | null;
  /** Of a page that has its heading already. */
  readonly heading?: string;
}

/** Instead of numbers that are not there: why, or a skeleton. */
export function Unread({ error, heading, ...waiting }: UnreadProps): ReactNode {
  const isPage = waiting.shape === 'page' && heading === undefined;
  return (
    <>
      {heading !== undefined && <PageTitle>{heading}</PageTitle>}
      {error === null ? <Waiting {...waiting} /> : <Failed error={error} isPage={isPage} />}
    </>
  );
}

interface AnsweredProps<Value> extends WaitingProps {
  readonly answer: Answer<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** What is shown of an answer; while there is none, or it failed, that is said in its place. */
export function Answered<Value>({ answer: { value, error }, children, ...waiting }: AnsweredProps<Value>): ReactNode {
  return error !== null || value === undefined ? <Unread error={error} {...waiting} /> : children(value);
}

/** A sentence that says what is there and what to do. */
export function Empty({ title, isPage = false, heading, children }: EmptyProps): ReactNode {
  return (
    <>
      {heading !== undefined && <PageTitle>{heading}</PageTitle>}
      <div className={isPage ? 'empty stack empty-page' : 'empty stack'}>
        <EmptyTitle isPage={isPage}>{title}</EmptyTitle>
        {children}
      </div>
    </>
  );
}

interface EmptyProps {
  readonly title: string;
  /** Nothing else is on the page: it is its heading. */
  readonly isPage?: boolean;
  /** Of the page that has nothing else. */
  readonly heading?: string;
  readonly children?: ReactNode;
}

function EmptyTitle({ isPage, children }: { readonly isPage: boolean; readonly children: string }): ReactNode {
  return isPage ? <PageTitle>{children}</PageTitle> : <p className="empty-title">{children}</p>;
}

export function Failed({ error, isPage = false }: { readonly error: ApiError; readonly isPage?: boolean }): ReactNode {
  if (error.needsToken) return <SignIn problem={error.message} />;
  if (error.isMissing)
    return (
      <Empty title="This is not there" isPage={isPage}>
        <p>{error.message}</p>
      </Empty>
    );
  return (
    <div className="empty stack failed" role="alert">
      <EmptyTitle isPage={isPage}>This could not be read</EmptyTitle>
      <p>{error.message}</p>
      <button type="button" className="button" onClick={() => queries.invalidateQueries()}>
        Try again
      </button>
    </div>
  );
}

/** Asks for the token of a reader. It is kept for this tab only. */
function SignIn({ problem }: { readonly problem: string }): ReactNode {
  const submit = (form: FormData) => {
    saveToken(String(form.get('token') ?? '').trim());
    queries.invalidateQueries();
  };
  return (
    <form className="empty stack sign-in" action={submit}>
      <PageTitle>Who is reading?</PageTitle>
      <p role="alert">{problem}</p>
      <label>
        Token <input name="token" type="password" autoComplete="current-password" required />
      </label>
      <p className="cover">
        <code>rankledger reader add NAME</code> makes one. It is kept for this tab only.
      </p>
      <button type="submit" className="button primary">
        Show the numbers
      </button>
    </form>
  );
}
