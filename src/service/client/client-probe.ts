// Tests whether a provider answers and accepts the credentials, with free empty requests that it refuses with 400.
import { type ErrorCode, errorTable, ServiceError } from '../model/errors.ts';
import type { OperationName } from '../model/ports.ts';
import type { SourceProbe } from '../model/source.ts';

/**
 * Asks with an empty request, signed with the credentials or without them. Throws ServiceError where no answer comes.
 */
export type AskNothing = (operation: OperationName, isSigned: boolean) => Promise<NothingAnswer>;

export interface NothingAnswer {
  readonly status: number;
  /** What the answer means as a refusal. */
  readonly refusal: ServiceError;
  /** The code that its body names. */
  readonly code: string | undefined;
}

/**
 * Credentials are refused before a request is read, by providers that keep our order; whether one does shows an empty
 * request without credentials.
 */
export async function probeProvider(ask: AskNothing): Promise<SourceProbe> {
  try {
    const { status, code, refusal } = await ask('serp', true);
    if (status === 401 || status === 403) return failed(await plainer(ask, refusal));
    if (status < 300 || (status === 400 && !isOfTheSpecification(code))) return failed(foreign(status));
    if (status !== 400) return failed(refusal);
    const { status: unsigned } = await ask('serp', false);
    const isProven = unsigned === 401 || unsigned === 403;
    return {
      ...silent,
      answers: true,
      message: isProven
        ? 'It answers, and accepts the credentials.'
        : 'It answers. The first page will show whether it accepts the credentials: it checks the request before them.',
    };
  } catch (error) {
    if (error instanceof ServiceError) return failed(error);
    throw error;
  }
}

/** The specification has no endpoint for the balance. */
const silent = { creditsLeft: null, unit: 'credit' } as const;

function failed(error: ServiceError): SourceProbe {
  return { ...silent, answers: false, message: `${error.message} ${error.hint}`, problems: [error] };
}

/** Pages know one refusal for every wrong login; keyword data distinguishes password, expiry and address. */
async function plainer(ask: AskNothing, refusal: ServiceError): Promise<ServiceError> {
  const { status, code, refusal: other } = await ask('keyword-data', true);
  return (status === 401 || status === 403) && code !== undefined ? other : refusal;
}

function isOfTheSpecification(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(errorTable, code) && errorTable[code as ErrorCode].status === 400;
}

function foreign(status: number): ServiceError {
  return new ServiceError('UNREADABLE_RESPONSE', `The server there (${status}) does not follow the specification.`, {
    charged: 'no',
    hint: 'Check the base URL.',
  });
}
