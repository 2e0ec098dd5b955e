// Troubles that last over runs: each cause makes one alert a channel while it lasts, and one when it ends.

import type { Trouble } from '../../src/tracker/changes/alerts.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';

/** What began before is alerted again if it still lasts. */
const rememberedMs = 40 * dayMs;

/** Troubles of one of these topics are those of all projects. */
const common: ReadonlySet<string> = new Set<Trouble['topic']>(['budget', 'reports', 'window']);

interface OpenTrouble extends Trouble {
  readonly project: string;
  readonly rule: string;
  readonly channel: string;
}

type Place = Pick<OpenTrouble, 'project' | 'rule' | 'channel' | 'topic'>;

/** The troubles that earlier runs have recorded and that have not ended since. */
export class Troubles {
  #open: OpenTrouble[];

  constructor({ store, clock }: JobContext) {
    this.#open = [];
    for (const { project, rule, channel, trouble } of store.alertDeliveries.troubles(clock.now() - rememberedMs)) {
      if (trouble.isOver === true) this.#close({ project, rule, channel, ...trouble }, trouble.cause);
      else this.#open.push({ project, rule, channel, ...trouble });
    }
  }

  /** Opens a trouble for those of these channels that lack it. `projects`: an open one of any of them is the same. */
  begin(
    trouble: Trouble,
    { projects, rule }: { readonly projects: readonly string[]; readonly rule: string },
    channels: Iterable<string>,
  ): string[] {
    const isOpen = (channel: string): boolean =>
      this.#open.some(
        (one) =>
          one.cause === trouble.cause &&
          projects.some((project) => isAt(one, { project, rule, channel, topic: trouble.topic })),
      );
    const fresh = [...new Set(channels)].filter((channel) => !isOpen(channel));
    const [project = ''] = projects;
    for (const channel of fresh) this.#open.push({ project, rule, channel, ...trouble });
    return fresh;
  }

  /** Closes what is open of a topic, and of one cause where it is given. Returns the first of each channel. */
  end(place: Omit<Place, 'channel'>, cause?: string): OpenTrouble[] {
    const ended = this.#open.filter(
      (one) => isAt(one, { ...place, channel: one.channel }) && (cause === undefined || one.cause === cause),
    );
    for (const { channel } of ended) this.#close({ ...place, channel }, cause);
    return [...Map.groupBy(ended, ({ channel }) => channel).values()].flatMap(([first]) => first ?? []);
  }

  #close(place: Place, cause: string | undefined): void {
    const isWindow = place.topic === 'window';
    this.#open = this.#open.filter((one) => !isAt(one, place) || (isWindow && one.cause !== cause));
  }
}

function isAt(one: OpenTrouble, { project, rule, channel, topic }: Place): boolean {
  const isSame = one.rule === rule && one.channel === channel && one.topic === topic;
  return isSame && (common.has(topic) || one.project === project);
}

/** A reason without numbers, ids and quoted words, which change from run to run. */
export function causeOf(reason: string): string {
  const words = reason.replace(/"[^"]*"/g, '#').split(/\s+/);
  return words.map((word) => (/\d/.test(word) ? '#' : word)).join(' ');
}
