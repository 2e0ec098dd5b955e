// An agency of several clients day by day: its config, its provider, its commands, and what must hold each morning.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { openApp } from '../../src/app/app.ts';
import type { Clock } from '../../src/service/index.ts';
import { csvRows } from '../cli/child.ts';
import { invoke, type Outcome } from '../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { linksWith, SpecProvider } from '../cli/spec-provider.ts';
import { closeLater } from '../helpers/closing.ts';
import { type MailServer, startMailServer } from '../helpers/mail-server.ts';
import { type Random, textNumber } from './random.ts';

/** Runs from a moment on, so fast that quarters of an hour are seconds, and requests still have their time. */
class FastClock implements Clock {
  readonly isSimulated = true;
  readonly #start: number;
  readonly #since = performance.now();

  constructor(start: number) {
    this.#start = start;
  }

  now(): number {
    return Math.floor(this.#start + (performance.now() - this.#since) * haste);
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await wait(ms / haste, undefined, signal === undefined ? {} : { signal });
  }
}

const haste = 300;
const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 5);
const env = { PROVIDER_USER: 'ada', PROVIDER_PASSWORD: 'sesame' };

/** A client as the config has it. */
export interface Client {
  id: string;
  formerly: string[];
  target: string;
  competitors: string[];
  country: string;
  language: string;
  devices: string[];
  tags: string[];
  /** Lines of its keyword file: `keyword,paused`. */
  keywords: { keyword: string; paused: boolean }[];
  /** More lines of its project. */
  more: string[];
  /** Its keyword file, after it was renamed. */
  file?: string;
}

interface Morning {
  readonly run?: number;
  readonly status?: number;
  /** Texts of alerts, each once. */
  readonly alerts?: readonly RegExp[];
  /** Clients whose newest report is not of this morning. */
  readonly without?: readonly Client[];
}

export class Agency {
  readonly folder: ProjectFolder;
  readonly provider: SpecProvider;
  readonly mail: MailServer;
  readonly random: Random;
  clients: Client[];
  perMonth = 100_000;
  /** Pages that were sold to a database which is no more. */
  lost = 0;
  readonly #backups = new Map<string, number>();
  reports = 'reports';
  /** Days since the first one. */
  day = 0;
  #alerts = 0;
  /** When the clock of the last command stood still, UTC milliseconds. */
  #endedAt = 0;

  private constructor(random: Random, provider: SpecProvider, mail: MailServer) {
    this.random = random;
    this.provider = provider;
    this.mail = mail;
    this.folder = projectFolder(null);
    this.clients = [
      client('shop', 'US', 'en', ['desktop'], ['running shoes', 'trail shoes', 'walking boots']),
      client('cafe', 'DE', 'de', ['desktop'], ['kaffee berlin', 'kuchen bestellen']),
      client('bike', 'GB', 'en', ['desktop', 'mobile'], ['bike repair', 'touring bike']),
      client('outlet', 'US', 'en', ['desktop'], ['running shoes', 'cheap shoes']),
    ];
    provider.truth = ({ keyword, country, device }) => this.#links(keyword, country, device);
    this.write();
  }

  static async open(random: Random): Promise<Agency> {
    const [provider, mail] = [await SpecProvider.start({ ranks: 'run-on' }), await startMailServer()];
    closeLater({ close: () => provider.stop() });
    closeLater(mail);
    return new Agency(random, provider, mail);
  }

  /** One of the clients that nothing else happens to. */
  anyone(): Client {
    return this.random.pick(this.clients);
  }

  path(name: string): string {
    return join(this.folder.path, name);
  }

  /** Writes the config and the keyword files. */
  write(more = ''): void {
    for (const { id, keywords, file } of this.clients)
      this.folder.write(
        file ?? `${id}.csv`,
        ['keyword,paused', ...keywords.map((each) => `${each.keyword},${each.paused ? 'yes' : ''}`), ''].join('\n'),
      );
    this.folder.write('rankledger.yaml', this.config(more));
  }

  config(more = ''): string {
    const { baseUrl } = this.provider;
    const projects = this.clients.map(
      ({ id, file, formerly, target, competitors, country, language, devices, tags, more: own }) =>
        [
          `  - id: ${id}`,
          ...(formerly.length === 0 ? [] : [`    formerly: [${formerly.join(', ')}]`]),
          `    targets: [${target}]`,
          `    competitors: [${competitors.join(', ')}]`,
          `    market: { country: ${country}, language: ${language}, devices: [${devices.join(', ')}] }`,
          `    tags: [${tags.join(', ')}]`,
          `    keywordsFile: ${file ?? `${id}.csv`}`,
          '    schedule: "0 6 * * *"',
          '    depth: 2',
          '    paging: full',
          ...own.map((line) => `    ${line}`),
        ].join('\n'),
    );
    return `timezone: UTC
services:
  default: { mode: remote, baseUrl: "${baseUrl}", user: "\${PROVIDER_USER}", password: "\${PROVIDER_PASSWORD}", timeoutMs: 600000, requestsPerSecond: 500, concurrency: 4 }
budget: { serpCredits: { perMonth: ${this.perMonth} } }
reports: { dir: ${this.reports} }
heartbeat: { file: beat.json }
alerts:
  channels:
    log: { type: file, path: alerts.jsonl }
    mail: { type: email, smtp: "smtp://127.0.0.1:${this.mail.port}", from: rank@agency.example, to: [one@agency.example, two@agency.example] }
  rules: [{ when: run-failed }, { when: nothing-checked }, { when: budget-share, percent: 90 }]
projects:
${projects.join('\n')}
${more}`;
  }

  /** Lets days pass until so many more are of the same month, and leaves the budget of the month empty. */
  async emptyMonth(days: number): Promise<void> {
    const monthOf = (day: number) => new Date(start + day * dayMs).getUTCMonth();
    while (monthOf(this.day + 1) !== monthOf(this.day + days) || monthOf(this.day) !== monthOf(this.day + 1))
      await this.morning();
    const { budget } = JSON.parse((await this.at('19:00', 'plan', '--json')).out) as {
      budget: { scope: string; spent: number }[];
    };
    this.perMonth = Math.max(2, ...budget.filter(({ scope }) => scope === 'month').map(({ spent }) => spent));
    this.write();
  }

  /** A site that is neither its own nor a competitor. */
  otherSite({ target, competitors }: Client): string {
    return this.random.pick(sites.filter((site) => site !== target && !competitors.includes(site)));
  }

  /** How many pages were sold when that backup was made. */
  soldBefore(backup: string): number {
    return this.#backups.get(backup) ?? 0;
  }

  /** The days of which the history of a keyword, or of the first one, shows the target. */
  async historyDays(
    { id, target, keywords, devices }: Client,
    keyword = keywords[0]?.keyword ?? '',
  ): Promise<string[]> {
    const asked = ['history', keyword, '-p', id, '--target', target, '--device', devices[0] ?? '', '--json'];
    const { out } = await this.at('22:00', ...asked);
    return (JSON.parse(out) as { slot: string }[]).map(({ slot }) => slot.slice(0, 10)).toSorted();
  }

  get date(): string {
    return new Date(start + this.day * dayMs).toISOString().slice(0, 10);
  }

  /** Runs a command at a time of this day, `06:05`, or of an hour after midnight, `30:00`. */
  async at(time: string, ...argv: readonly string[]): Promise<Outcome> {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    // a run may have taken until later
    const now = Math.max(start + this.day * dayMs + hours * 3_600_000 + minutes * 60_000, this.#endedAt);
    const clock = new FastClock(now);
    const outcome = await invoke(argv, {
      cwd: this.folder.path,
      env,
      now,
      openApp: (config, options) => openApp(config, { clock, ...options }),
    });
    this.#endedAt = clock.now();
    if (argv[0] === 'backup') this.#backups.set(argv[1] ?? '', this.provider.sold.length);
    return outcome;
  }

  /** The next day: its run at six, and what every morning must show. Gives the words of the run. */
  async morning({ run = 0, status = 0, alerts = [], without = [] }: Morning = {}): Promise<string> {
    this.day += 1;
    const ran = await this.at('06:05', 'run');
    expect([this.date, ran.exitCode], `${ran.out}${ran.err}`).toEqual([this.date, run]);
    await this.watch(status, alerts);
    this.readReports(without);
    return `${ran.out}${ran.err}`;
  }

  /** What a monitor sees: the exit code of `status --check`, and the alerts that are new. */
  async watch(status: number, alerts: readonly RegExp[] = []): Promise<string> {
    const { exitCode, out } = await this.at('06:10', 'status', '--check');
    expect([this.date, exitCode], out).toEqual([this.date, status]);
    const left = this.newAlerts();
    const missing = alerts.filter((words) => {
      const at = left.findIndex((text) => words.test(text));
      if (at !== -1) left.splice(at, 1);
      return at === -1;
    });
    expect([this.date, missing, left]).toEqual([this.date, [], []]);
    return out;
  }

  newAlerts(): string[] {
    const file = this.path('alerts.jsonl');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    const found = lines.slice(this.#alerts).map((line) => {
      const { text, isOver } = JSON.parse(line) as { text: string; isOver?: boolean };
      return isOver === true ? `over: ${text}` : text;
    });
    this.#alerts = lines.length;
    return found;
  }

  /** Each client's newest report has the ranks of this morning, and no others. */
  readReports(without: readonly Client[]): void {
    for (const each of this.clients.filter((one) => !without.includes(one))) {
      const rows = csvRows(readFileSync(this.path(`${this.reports}/${each.id}/latest/rank-changes.csv`), 'utf8'));
      const found = rows
        .filter((row) => row['target'] === each.target)
        .map((row) => `${row['keyword']} ${row['device']} ${row['rank']} ${row['status']}`);
      const tracked = each.keywords.filter(({ paused }) => !paused);
      const expected = each.devices.flatMap((device) =>
        tracked.map(({ keyword: written }) => {
          const keyword = written.trim().replaceAll(/\s+/g, ' ');
          const rank = this.rankOf(each.target, keyword, each.country, device);
          return `${keyword} ${device} ${rank} ranked`;
        }),
      );
      expect([this.date, each.id, found.toSorted()]).toEqual([this.date, each.id, expected.toSorted()]);
    }
  }

  /** `check` and `plan` of the evening before: the same warnings, and nothing is changed by them. */
  async foreseen(): Promise<string[]> {
    const found: string[][] = [];
    for (const command of ['check', 'plan']) {
      const { exitCode, out, err } = await this.at('20:00', command, '--json');
      expect([this.date, command, exitCode], err).toEqual([this.date, command, 0]);
      found.push((JSON.parse(out) as { warnings?: string[] }).warnings ?? []);
    }
    expect(found[1]).toEqual(found[0]);
    return found[0] ?? [];
  }

  /** Every credit: what the provider sold is what the ledger says. */
  async audited(): Promise<void> {
    const { exitCode, out } = await this.at('21:00', 'audit', '--json');
    const { ok, totals } = JSON.parse(out);
    expect([exitCode, ok, totals.serp_credit.spent], out).toEqual([0, true, this.provider.sold.length - this.lost]);
  }

  /** Null: not among the results. */
  rankOf(site: string, keyword: string, country: string, device: string): number | null {
    const at = this.#links(keyword, country, device).indexOf(foundAt(site));
    return at === -1 ? null : at + 1;
  }

  /** Sites move once a week, each keyword on a day of the week: a run in which all move would be suspect. */
  #links(written: string, country: string, device: string): string[] {
    const keyword = written.trim().toLowerCase().replaceAll(/\s+/g, ' ');
    const search = `${keyword} ${country} ${device}`;
    const week = Math.floor((this.day + (textNumber(search) % 7)) / 7);
    const links = linksWith({});
    const taken = new Set<number>();
    for (const site of sites) {
      let rank = textNumber(`${site} ${search} ${week}`) % 12;
      while (taken.has(rank)) rank += 1;
      taken.add(rank);
      links[rank] = foundAt(site);
    }
    return links;
  }
}

const foundAt = (site: string): string => `https://www.${site}/found`;
const sites = ['rival.com', 'shop.com', 'cafe.com', 'bike.com', 'outlet.com', 'other.com'];

function client(id: string, country: string, language: string, devices: string[], keywords: string[]): Client {
  const words = keywords.map((keyword) => ({ keyword, paused: false }));
  const target = `${id}.com`;
  const base = { formerly: [], competitors: ['rival.com'], tags: ['all'], more: [] };
  return { id, target, country, language, devices, keywords: words, ...base };
}
