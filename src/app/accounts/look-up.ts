// Ad-hoc requests to a service, within the budget and the ledger of the config.
import { askKeywords, askSerp } from '../../../jobs/query/ask-service.ts';
import { disputeNotes } from '../../../jobs/report/tables/price-disputes.ts';
import type { KeywordDataAnswer, KeywordDataRequestInput, SerpAnswer, SerpRequestInput } from '../../service/index.ts';
import type { App } from '../app.ts';
import { serviceNamed } from '../opening/named-projects.ts';
import { geoTargets, parseLocationOption } from '../opening/place-names.ts';

export interface LookUpOptions {
  /** Name of a service of the config. Default: the first project's, else `default`. */
  readonly service?: string;
  readonly signal?: AbortSignal;
  /** Receives a sentence when the request waits, or goes on without the shared rate limiter. The log has it as well. */
  readonly onNotice?: (words: string) => void;
  /** Receives a sentence when the provider states a higher price than agreed: the higher price is booked. */
  readonly onDispute?: (words: string) => void;
}

/** Resolves the location before anything is bought. Throws UsageError for one that is unknown or ambiguous. */
export async function lookUpSerp(app: App, asked: SerpRequestInput, options: LookUpOptions = {}): Promise<SerpAnswer> {
  const { location: written, ...rest } = asked;
  const country = (rest.country ?? 'US').toUpperCase();
  const location = written === undefined ? undefined : parseLocationOption(geoTargets(app.config), written, country);
  const request = { ...rest, location };
  return await lookUp(app, options, (service, onBooked) =>
    askSerp(app.context, service, request, options.signal, onBooked),
  );
}

export async function lookUpKeywords(
  app: App,
  request: KeywordDataRequestInput,
  options: LookUpOptions = {},
): Promise<KeywordDataAnswer> {
  return await lookUp(app, options, (service, onBooked) =>
    askKeywords(app.context, service, request, options.signal, onBooked),
  );
}

async function lookUp<Answer>(
  app: App,
  options: LookUpOptions,
  ask: (service: string, onBooked: (runId: number) => void) => Promise<Answer>,
): Promise<Answer> {
  const failures = await app.openServices();
  const service = serviceNamed(app.config, options.service);
  const failure = failures.get(service);
  if (failure !== undefined) throw failure;
  const onBooked = (runId: number): void => {
    for (const words of disputeNotes(app.context.store, runId)) options.onDispute?.(words);
  };
  return await app.sharedRateLimit.during(options.onNotice, () => ask(service, onBooked));
}
