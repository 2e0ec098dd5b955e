// The month of an operator: machines that run what is due, and everything that happens to them; then the faults stop, and what was put off is made up.
import { StoreError } from '../../db/connection/errors.ts';
import type { Project } from '../../src/tracker/project.ts';
import { dayMs, hourMs, minuteMs, slotsOf } from './calendar.ts';
import { trackedHosts } from './engine.ts';
import { drawKeyword, type Event, type SimulatedProject } from './options.ts';
import { Death, OperatorProcess, type World } from './process.ts';

/** How often a machine looks for work that no slot announces: what was interrupted, or belongs to a silent process. */
const lookMs = 31 * minuteMs;
/** With nothing under way it looks less often: slots are known ahead. */
const idleLookMs = 12 * hourMs;
/** After the faults have stopped a machine works by itself for this long; then everything is asked for once more. */
const recoveryDays = 3;

/** What may change while time passes. */
export interface Affairs {
  projects: SimulatedProject[];
  isOver: boolean;
  diskIsFullUntil: number;
}

/** A computer on which one process after the other works for the operator. */
class Machine {
  readonly #world: World;
  readonly #affairs: Affairs;
  readonly #name: string;
  #pid = 1;
  #process: OperatorProcess | null = null;
  #nudge = new AbortController();
  #downMs = 0;
  #keepsName = false;

  constructor(world: World, affairs: Affairs, name: string) {
    this.#world = world;
    this.#affairs = affairs;
    this.#name = name;
  }

  get process(): OperatorProcess | null {
    return this.#process;
  }

  /** How the next process comes after this one has ended. */
  afterwards(downMs: number, keepsName: boolean): void {
    this.#downMs = downMs;
    this.#keepsName = keepsName;
  }

  nudge(): void {
    this.#nudge.abort();
  }

  async live(): Promise<void> {
    const { clock, sometimes } = this.#world;
    while (!this.#affairs.isOver) {
      const process = new OperatorProcess(this.#world, `${this.#name}|boot|${this.#pid}`);
      this.#process = process;
      await this.#work(process);
      this.#process = null;
      await process.close();
      if (this.#affairs.isOver) return;
      if (!(this.#keepsName && process.isDead)) this.#pid += 1;
      if (this.#downMs > hourMs) sometimes.count('downtime');
      await clock.sleep(this.#downMs);
      this.#downMs = 0;
    }
  }

  /** Looks for work and does it until the process ends. */
  async #work(process: OperatorProcess): Promise<void> {
    while (!this.#affairs.isOver && !process.isDead && !process.isStopping) {
      try {
        await process.look();
      } catch (error) {
        if (error instanceof Death) return;
        if (!isExpected(error)) throw error;
        this.#world.sometimes.count('disk full');
      }
      if (!this.#affairs.isOver && !process.isStopping) await this.#sleep(process);
    }
  }

  async #sleep(process: OperatorProcess): Promise<void> {
    this.#nudge = new AbortController();
    const end = AbortSignal.any([this.#nudge.signal, process.stopSignal]);
    const isBusy =
      process.context.store.runs.openRuns().length > 0 || this.#affairs.diskIsFullUntil > this.#world.clock.now();
    const ms = isBusy ? lookMs : this.#untilNextSlot();
    await this.#world.clock.sleep(ms, end).catch(() => undefined);
  }

  /** Slots are known ahead, and so is the latest moment to which their start may be put off. */
  #untilNextSlot(): number {
    const now = this.#world.clock.now();
    const starts = this.#affairs.projects.flatMap(({ timetable, project }) => {
      const jitterMs = (project.jitterSeconds ?? 0) * 1000;
      return slotsOf(timetable, project.timezone, now - jitterMs - minuteMs, now + idleLookMs).flatMap(({ at }) => [
        at,
        at + jitterMs,
      ]);
    });
    return Math.min(idleLookMs, ...starts.filter((at) => at >= now).map((at) => at - now + 1000));
  }
}

/** Lives the days of the seed, then the recovery, and leaves everything closed. Rejects where the product throws what nobody expects. */
export async function live(world: World, affairs: Affairs): Promise<void> {
  const { options, clock, provider } = world;
  const machines = Array.from(
    { length: options.processes },
    (_, index) => new Machine(world, affairs, `machine-${index + 1}`),
  );
  if (options.processes > 1) world.sometimes.count('second process');
  const end = clock.now() + options.days * dayMs;
  const lives = machines.map((machine) => machine.live());
  const happenings = happen(world, affairs, machines);
  const recovery = (async () => {
    await happenings;
    while (clock.now() < end) await clock.sleep(Math.min(end - clock.now(), dayMs));
    world.sometimes.count('days lived', options.days);
    provider.recover();
    affairs.diskIsFullUntil = 0;
    // the operator raises the budget: what was put off is made up
    for (const machine of machines) machine.process?.stop(false);
    affairs.isOver = true;
    for (const machine of machines) machine.nudge();
  })();
  await clock.run(Promise.all([recovery, ...lives]));
}

/** After the faults: a machine with a budget that is large enough goes on by itself, and then does everything there is to do. */
export async function recover(world: World, affairs: Affairs): Promise<OperatorProcess> {
  const { clock } = world;
  affairs.isOver = false;
  const machine = new Machine(world, affairs, 'machine-1');
  const rest = (async () => {
    await clock.sleep(recoveryDays * dayMs);
    affairs.isOver = true;
    machine.nudge();
  })();
  await clock.run(Promise.all([machine.live(), rest]));
  const auditor = new OperatorProcess(world, 'auditor|boot|1');
  await clock.run(auditor.run({ kind: 'now', projects: world.projects() }));
  return auditor;
}

async function happen(world: World, affairs: Affairs, machines: readonly Machine[]): Promise<void> {
  let elapsed = 0;
  const asides: Promise<void>[] = [];
  for (const event of world.options.events) {
    await world.clock.sleep(event.after - elapsed);
    elapsed = event.after;
    const machine = world.random.pick(machines);
    const nudgeAll = (): void => {
      for (const each of machines) each.nudge();
    };
    asides.push(strike(world, affairs, machine, event, nudgeAll));
  }
  await Promise.all(asides);
}

/** Lets one event happen; resolves when nothing of it is under way any more. */
async function strike(
  world: World,
  affairs: Affairs,
  machine: Machine,
  { what }: Event,
  nudgeAll: () => void,
): Promise<void> {
  const { clock, sometimes } = world;
  switch (what.kind) {
    case 'crash':
      machine.afterwards(what.downMs, what.sameName);
      machine.process?.dieAt(what);
      return;
    case 'stop':
      machine.afterwards(what.downMs, false);
      machine.process?.stopAt(what.commits, what.twice);
      sometimes.count(what.twice ? 'second signal' : 'stop signal');
      return;
    case 'clock':
      setClock(world, what.byMs);
      nudgeAll();
      if (what.forMs === null) return;
      await clock.sleep(what.forMs);
      setClock(world, -what.byMs);
      nudgeAll();
      return;
    case 'full-disk':
      affairs.diskIsFullUntil = clock.now() + what.forMs;
      return;
    case 'keyword-added':
    case 'keyword-removed':
    case 'competitor-added':
      changeConfig(world, affairs, what.kind);
      machine.afterwards(minuteMs, false);
      machine.process?.stop(false);
      return;
    case 'ad-hoc':
    case 'named-run':
    case 'reconcile':
      await commandByHand(world, what);
  }
}

function setClock({ clock, sometimes }: World, byMs: number): void {
  clock.jump(byMs);
  const isLeap = Math.abs(byMs) > 7 * dayMs;
  sometimes.count(`clock put ${byMs > 0 ? 'forward' : 'back'}${isLeap ? ' by a month' : ''}`);
}

type ByHand = Extract<Event['what'], { kind: 'ad-hoc' | 'named-run' | 'reconcile' }>;

/** A second command beside the scheduler, in a process of its own, which may die as well. */
async function commandByHand(world: World, what: ByHand): Promise<void> {
  const { random, sometimes } = world;
  const process = new OperatorProcess(world, `console|boot|${random.whole(1, 1e9)}`);
  if (random.chance(0.2))
    process.dieAt({ commits: random.whole(1, 3), moment: random.pick(['before', 'inside', 'after']) });
  try {
    await carryOut(process, what);
  } catch (error) {
    if (!isExpected(error)) throw error;
    if (what.kind === 'ad-hoc') sometimes.count('ad-hoc request refused or failed');
  } finally {
    await process.close();
  }
}

async function carryOut(process: OperatorProcess, what: ByHand): Promise<void> {
  const { random, sometimes, projects } = process.world;
  if (what.kind === 'ad-hoc') {
    sometimes.count('ad-hoc request');
    await process.ask(what.what, 'shoes');
  } else if (what.kind === 'named-run') {
    sometimes.count('run asked for by name');
    await process.run({ kind: 'now', projects: [random.pick(projects())] });
  } else {
    await process.askAgain();
  }
}

function changeConfig(
  { random, sometimes }: World,
  affairs: Affairs,
  kind: 'keyword-added' | 'keyword-removed' | 'competitor-added',
): void {
  const index = random.whole(0, affairs.projects.length - 1);
  const simulated = affairs.projects[index];
  if (simulated === undefined) return;
  const { project } = simulated;
  const changed = changedProject(project, kind, random);
  if (changed === project) return;
  sometimes.count(
    kind === 'keyword-added' ? 'keyword added' : kind === 'keyword-removed' ? 'keyword removed' : 'competitor added',
  );
  affairs.projects[index] = { ...simulated, project: changed };
}

function changedProject(
  project: Project,
  kind: 'keyword-added' | 'keyword-removed' | 'competitor-added',
  random: World['random'],
): Project {
  if (kind === 'keyword-added') {
    const known = new Set(project.keywords.map(({ keyword }) => keyword));
    const word = random.pick(['gloves', 'umbrellas', 'laces', 'hats'].filter((one) => !known.has(one)));
    return { ...project, keywords: [...project.keywords, drawKeyword(random, word, 1)] };
  }
  if (kind === 'keyword-removed') {
    return project.keywords.length < 2 ? project : { ...project, keywords: project.keywords.slice(1) };
  }
  const taken = new Set([...project.targets, ...project.competitors].map(({ value }) => value.replace(/^www\./, '')));
  const host = trackedHosts.find((one) => !taken.has(one));
  return host === undefined
    ? project
    : { ...project, competitors: [...project.competitors, { match: 'domain', value: host }] };
}

/** What an operator sees and the product is right to say. Anything else is a bug. */
function isExpected(error: unknown): boolean {
  if (error instanceof Death) return true;
  if (error instanceof StoreError) return ['DISK_FULL', 'RUN_IN_PROGRESS'].includes(error.code);
  return error instanceof Error && error.name === 'ServiceError';
}
