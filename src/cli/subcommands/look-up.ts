// What `serp` and `keywords` share: ad-hoc requests to a service, within the budget and the ledger of the config.
import { disputeNotes } from '../../../jobs/read/price-disputes.ts';
import type { App } from '../../app/app.ts';
import { serviceNamed } from '../../app/opening/named-projects.ts';
import type { Context } from '../command.ts';
import { printable } from '../text/table.ts';

/** `asked`: a service of the config. Default: the first project's, else `default`. Notices go to stderr. */
export function lookUp<Answer>(
  { err, withApp }: Context,
  asked: string | undefined,
  ask: (app: App, service: string, onBooked: (runId: number) => void) => Promise<Answer>,
): Promise<Answer> {
  return withApp(async (app) => {
    const failures = await app.openServices();
    const service = serviceNamed(app.config, asked);
    const failure = failures.get(service);
    if (failure !== undefined) throw failure;
    const onBooked = (runId: number): void => {
      for (const words of disputeNotes(app.context.store, runId))
        err.line(`${err.styled('yellow', 'Warning:')} ${printable(words)}`);
    };
    return await app.sharedRateLimit.during(
      (words) => err.notice(words),
      () => ask(app, service, onBooked),
    );
  });
}
