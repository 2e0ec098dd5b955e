// Real runs are killed at random moments: the next start resumes at once, buys nothing twice and loses nothing.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, openConnection } from '../../db/connection/client.ts';
import { Audit } from '../../db/integrity/audit.ts';
import { retryLimits } from '../../jobs/retry.ts';
import { type Ended, type Folder, folderOf } from '../cli/child.ts';
import { linksWith, SpecProvider } from '../cli/spec-provider.ts';
import { Random } from '../simulation/random.ts';

const recoveryMsMax = 5000;
const inFlightMax = 6;
const keywords = 20;
const depth = 2;
/** As the provider names them. */
const allPages = Array.from(
  { length: keywords * depth },
  (_, index) => `word ${index % keywords} US desktop ${1 + Math.floor(index / keywords)}`,
);

export interface KillTortureOptions {
  /** Few kills, and no limit on the time of a recovery: that depends on the machine. */
  readonly quick?: boolean;
  /** Processes that are killed. Default: 300, 30 in the quick form. */
  readonly kills?: number;
  /** Concurrent chains of processes, each with its own database. Default: 2. */
  readonly chains?: number;
  /** The seed of the random numbers; printed. Default: a new one each time, a fixed one in the quick form. */
  readonly seed?: number;
}

/** The results of all chains. */
interface Tally {
  killed: number;
  /** Slots that were finished. */
  slots: number;
  pagesSold: number;
  /** Sold again after an unknown outcome. */
  soldAgain: number;
  unknown: number;
  /** Checks with a page that was given up after the maximum of unknown outcomes. */
  givenUp: number;
  /** Milliseconds from a restart to its first new page. */
  readonly recoveryMs: number[];
  /** By the phase in which the process was killed. */
  readonly phases: Map<string, number>;
  readonly violations: string[];
}

/** Returns the number of violations. */
export async function killTorture(
  report: (line: string) => void,
  {
    quick = false,
    kills = quick ? 30 : 300,
    chains = 2,
    seed = quick ? 1 : Date.now() % 1_000_000,
  }: KillTortureOptions = {},
): Promise<number> {
  const tally: Tally = {
    killed: 0,
    slots: 0,
    pagesSold: 0,
    soldAgain: 0,
    unknown: 0,
    givenUp: 0,
    recoveryMs: [],
    phases: new Map(),
    violations: [],
  };
  await Promise.all(
    Array.from({ length: chains }, async (_, index) => {
      const chain = await Chain.start(tally, new Random(seed, `chain ${index}`), `chain ${index + 1}`);
      try {
        await chain.run(kills);
      } finally {
        await chain.end();
      }
    }),
  );
  const slowest = Math.max(0, ...tally.recoveryMs);
  if (!quick && slowest > recoveryMsMax)
    tally.violations.push(`a restart took ${Math.round(slowest)} ms to its first new page`);
  for (const violation of tally.violations) report(`kill: VIOLATION ${violation}`);
  const phases = [...tally.phases].map(([phase, count]) => `${count} ${phase}`).join(', ');
  report(
    `kill: seed ${seed}: ${tally.killed} processes killed (${phases}), ${tally.slots} slots finished, ${tally.pagesSold} pages sold`,
  );
  report(
    `kill: ${tally.soldAgain} pages sold again of ${tally.unknown} whose outcome was lost and is unknown, ${tally.givenUp} checks given up after ${retryLimits.attemptsMax} of those; recovery ${Math.round(slowest)} ms at most`,
  );
  return tally.violations.length;
}

/** When a process is killed: after this many of its requests, 0 for none, and this many milliseconds later. */
interface Death {
  readonly afterAsks: number;
  readonly pauseMs: number;
}

/** A started process. `ended` resolves with its exit, `firstAskMs` returns the time of its first request, or null. */
interface Life {
  readonly ended: Promise<Ended>;
  readonly asksBefore: number;
  readonly firstAskMs: () => number | null;
}

/** One database, one provider, one process at a time; each slot takes as many processes as it needs. */
class Chain {
  readonly #tally: Tally;
  readonly #random: Random;
  readonly #name: string;
  readonly #provider: SpecProvider;
  readonly #folder: Folder;
  #day = 1;
  /** The time of a process to its first request: early deaths are spread over that. */
  #startMs = 0;
  #wasKilled = false;
  /** Pages of the slot that are paid, as the provider names them; and the number of sales by then. */
  #paid = new Set<string>();
  #salesSeen = 0;

  private constructor(tally: Tally, random: Random, name: string, provider: SpecProvider) {
    this.#tally = tally;
    this.#random = random;
    this.#name = name;
    this.#provider = provider;
    const secrets = { PROVIDER_USER: 'ada', PROVIDER_PASSWORD: 'sesame' };
    this.#folder = folderOf({ 'rankledger.yaml': configOf(provider.baseUrl) }, secrets);
  }

  static async start(tally: Tally, random: Random, name: string): Promise<Chain> {
    const provider = await SpecProvider.start({ delayMs: 60 });
    // pages that are equal for many keywords would count as repeated content
    provider.truth = ({ keyword }) =>
      linksWith({ 'acme.com': 3 }).map((link) => `${link}/${encodeURIComponent(keyword)}`);
    return new Chain(tally, random, name, provider);
  }

  async run(kills: number): Promise<void> {
    this.#startMs = (await this.#liveUntil(null)).firstAskMs() ?? 0;
    while (this.#tally.killed < kills && this.#tally.violations.length === 0) {
      await this.#liveUntil(this.#nextDeath());
    }
    await this.#liveUntil(null);
  }

  async end(): Promise<void> {
    await this.#provider.stop();
    this.#folder.remove();
  }

  /** Anywhere between the start and the last page of the slot; half of them just after a request was sent. */
  #nextDeath(): Death {
    const afterAsks = this.#random.whole(0, allPages.length - this.#paid.size);
    if (afterAsks === 0) return { afterAsks, pauseMs: this.#random.next() * this.#startMs };
    return { afterAsks, pauseMs: this.#random.chance(0.5) ? 0 : this.#random.whole(1, 400) };
  }

  /** One process of the current slot, killed then unless it has ended before; null: not killed. */
  async #liveUntil(death: Death | null): Promise<Life> {
    const life = this.#start(death);
    const { signal, exitCode, err } = await life.ended;
    if (this.#wasKilled) this.#countRecovery(life);
    this.#wasKilled = signal === 'SIGKILL';
    if (this.#wasKilled) {
      this.#tally.killed += 1;
      this.#verify();
      this.#countPhase(life);
    } else if (exitCode === 0 || exitCode === 3) {
      this.#verify();
      this.#closeSlot();
    } else this.#violated(`a run that was not killed ended with ${exitCode} ${signal ?? ''}: ${err}`);
    return life;
  }

  #start(death: Death | null): Life {
    const asksBefore = this.#provider.asks.length;
    const startedAt = performance.now();
    let firstAskMs: number | null = null;
    const { child, ended } = this.#folder.start('run', '--all', '--slot', slotOf(this.#day), '--late');
    const gone = new AbortController();
    void ended.then(() => gone.abort());
    const dieAfter = (asks: number): void => {
      if (asks !== death?.afterAsks) return;
      if (death.pauseMs === 0) child.kill('SIGKILL');
      else
        void pause(death.pauseMs, null, { signal: gone.signal }).then(
          () => child.kill('SIGKILL'),
          () => undefined,
        );
    };
    this.#provider.fault = ({ order }) => {
      firstAskMs ??= performance.now() - startedAt;
      dieAfter(order + 1 - asksBefore);
      return undefined;
    };
    dieAfter(0);
    return { ended, asksBefore, firstAskMs: () => firstAskMs };
  }

  /** The time from the restart to the first new page, unless none was left to buy or it was killed before. */
  #countRecovery({ firstAskMs }: Life): void {
    const ms = firstAskMs();
    if (ms !== null) this.#tally.recoveryMs.push(ms);
  }

  #countPhase({ asksBefore }: Life): void {
    const hasAsked = this.#provider.asks.length > asksBefore;
    const phase =
      this.#paid.size === allPages.length ? 'at their end' : hasAsked ? 'while buying' : 'before their first request';
    this.#tally.phases.set(phase, (this.#tally.phases.get(phase) ?? 0) + 1);
  }

  /** While no process runs: compares the database and the reports with the provider's sales. */
  #verify(): void {
    this.#verifyReports();
    const file = join(this.#folder.path, 'data', 'rankledger.sqlite');
    if (!existsSync(file)) return;
    const db = openConnection(file);
    try {
      for (const { name, ok, detail } of new Audit(db).checks()) if (!ok) this.#violated(`${name}: ${detail}`);
      const paid = new Set(this.#purchases(db).flatMap(({ page, paid: times }) => (times > 0 ? page : [])));
      for (const page of this.#paid) if (!paid.has(page)) this.#violated(`${page} was paid, and is lost`);
      for (const page of this.#provider.sold.slice(this.#salesSeen)) {
        if (this.#paid.has(page)) this.#violated(`${page} was paid, and is bought again`);
      }
      this.#paid = paid;
      this.#salesSeen = this.#provider.sold.length;
    } finally {
      db.close();
    }
  }

  /** The manifest in `latest` matches each file, at any moment of the death. */
  #verifyReports(): void {
    const latest = join(this.#folder.path, 'reports', 'acme', 'latest');
    if (!existsSync(latest)) {
      if (this.#day > 1) this.#violated('the reports are gone');
      return;
    }
    const manifest = JSON.parse(readFileSync(join(latest, 'manifest.json'), 'utf8')) as Manifest;
    for (const { name, sha256 } of manifest.files) {
      const found = createHash('sha256')
        .update(readFileSync(join(latest, name)))
        .digest('hex');
      if (found !== sha256) this.#violated(`${name} does not match its manifest`);
    }
    const { slot } = manifest.run;
    const days = [this.#day - 1, this.#day];
    if (!days.some((day) => slotOf(day).startsWith(slot))) this.#violated(`the reports are of ${slot}, not of ${days}`);
  }

  /** The slot is finished: every page is paid once or was given up after the maximum of unknown outcomes. */
  #closeSlot(): void {
    const db = openConnection(join(this.#folder.path, 'data', 'rankledger.sqlite'));
    const purchases = new Map(this.#purchases(db).map((purchase) => [purchase.page, purchase]));
    const open = db.sql("SELECT count(*) AS n FROM runs WHERE state = 'open'").get()?.['n'];
    const ok = db
      .sql(
        "SELECT count(*) AS n FROM checks c JOIN runs r ON r.id = c.run_id WHERE c.state = 'ok' AND r.id IN (SELECT run_id FROM slots WHERE at = ?)",
      )
      .get(Date.parse(slotOf(this.#day)))?.['n'];
    db.close();
    if (open !== 0) this.#violated('a run is open still');
    const givenUp = new Set<string>();
    for (const page of allPages) {
      const { paid = 0, unknown = 0 } = purchases.get(page) ?? {};
      const sales = this.#provider.sold.filter((sold) => sold === page).length;
      if (paid === 0 && unknown >= retryLimits.attemptsMax) givenUp.add(page.slice(0, page.lastIndexOf(' ')));
      else if (paid !== 1) this.#violated(`${page} is paid ${paid} times, and ${unknown} outcomes are unknown`);
      if (sales > paid + unknown) this.#violated(`${page} was sold ${sales} times, ${paid + unknown} are known`);
      this.#tally.soldAgain += Math.max(0, sales - 1);
    }
    if (Number(ok) !== keywords - givenUp.size) this.#violated(`${ok} of ${keywords} checks are complete`);
    this.#tally.givenUp += givenUp.size;
    for (const { unknown } of purchases.values()) this.#tally.unknown += unknown;
    this.#tally.pagesSold += this.#provider.sold.length;
    this.#tally.slots += 1;
    this.#provider.sold.length = 0;
    this.#salesSeen = 0;
    this.#paid = new Set();
    this.#day += 1;
  }

  /** Our purchases of each page of the slot, named as the provider names it. */
  #purchases(db: Connection): { page: string; paid: number; unknown: number }[] {
    return db
      .sql(
        `SELECT k.text || ' ' || m.country || ' ' || m.device || ' ' || p.page AS page, sum(p.state = 'paid') AS paid, sum(p.state = 'unknown') AS unknown
         FROM purchases p JOIN searches s ON s.id = p.search_id JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id
         WHERE p.moment IN (SELECT r.moment FROM runs r JOIN slots l ON l.run_id = r.id WHERE l.at = ?) GROUP BY p.request_key`,
      )
      .all(Date.parse(slotOf(this.#day)))
      .map((row) => ({ page: String(row['page']), paid: Number(row['paid']), unknown: Number(row['unknown']) }));
  }

  #violated(what: string): void {
    this.#tally.violations.push(`${this.#name}, day ${this.#day}, after ${this.#tally.killed} kills: ${what}`);
  }
}

interface Manifest {
  readonly run: { readonly slot: string };
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
}

/** The slot of a day, counted over the months. */
function slotOf(day: number): string {
  return new Date(Date.UTC(2026, 0, day, 6)).toISOString();
}

const configOf = (baseUrl: string): string => `timezone: UTC
services:
  default: { mode: remote, baseUrl: "${baseUrl}", user: "\${PROVIDER_USER}", password: "\${PROVIDER_PASSWORD}", requestsPerSecond: 1000, concurrency: ${inFlightMax} }
queue: { driver: embedded, concurrency: ${inFlightMax} }
projects:
  - id: acme
    targets: [acme.com]
    depth: ${depth}
    paging: full
    keywords: [${Array.from({ length: keywords }, (_, index) => `word ${index}`).join(', ')}]
`;
