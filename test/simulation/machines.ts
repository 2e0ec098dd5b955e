// The machines of a simulated month: processes that run what is due, the events that runEvent them, and the recovery.
import { StoreError } from '../../db/connection/errors.ts';
import type { Project } from '../../src/tracker/project.ts';
import { dayMs, hourMs, minuteMs, slotsOf } from './calendar.ts';
import { trackedHosts } from './engine.ts';
import { drawKeyword, type Event, type SimulatedProject } from './options.ts';
import { Death, OperatorProcess, type World } from './process.ts';

/** How often a machine ticks without a due slot: for interrupted runs, and those of a silent process. */
const tickMs = 31 * minuteMs;
/** With no run in progress it ticks less often: slots are known ahead. */
const idleTickMs = 12 * hourMs;
/** After the faults have stopped, a machine continues for this long; then everything is requested once more. */
const recoveryDays = 3;

/** State that events change and machines read. */
export interface SharedState {
  projects: SimulatedProject[];
  isOver: boolean;
  diskIsFullUntil: number;
}

/** A computer on which one process after the other works for the operator. */
class Machine {
  readonly #world: World;
  readonly #shared: SharedState;
  readonly #name: string;
  #pid = 1;
  #process: OperatorProcess | null = null;
  #wake = new AbortController();
  #downMs = 0;
  #keepsName = false;

  constructor(world: World, shared: SharedState, name: string) {
    this.#world = world;
    this.#shared = shared;
    this.#name = name;
  }

  get process(): OperatorProcess | null {
    return this.#process;
  }

  /** How the next process starts after this one has ended. */
  planRestart(downMs: number, keepsName: boolean): void {
    this.#downMs = downMs;
    this.#keepsName = keepsName;
  }

  wake(): void {
    this.#wake.abort();
  }

  async runProcesses(): Promise<void> {
    const { clock, sometimes } = this.#world;
    while (!this.#shared.isOver) {
      const process = new OperatorProcess(this.#world, `${this.#name}|boot|${this.#pid}`);
      this.#process = process;
      await this.#work(process);
      this.#process = null;
      await process.close();
      if (this.#shared.isOver) return;
      if (!(this.#keepsName && process.isDead)) this.#pid += 1;
      if (this.#downMs > hourMs) sometimes.count('downtime');
      await clock.sleep(this.#downMs);
      this.#downMs = 0;
    }
  }

  /** Ticks until the process ends. */
  async #work(process: OperatorProcess): Promise<void> {
    while (!this.#shared.isOver && !process.isDead && !process.isStopping) {
      try {
        await process.tick();
      } catch (error) {
        if (error instanceof Death) return;
        if (!isExpected(error)) throw error;
        this.#world.sometimes.count('disk full');
      }
      if (!this.#shared.isOver && !process.isStopping) await this.#sleep(process);
    }
  }

  async #sleep(process: OperatorProcess): Promise<void> {
    this.#wake = new AbortController();
    const end = AbortSignal.any([this.#wake.signal, process.stopSignal]);
    const isBusy =
      process.context.store.runs.openRuns().length > 0 || this.#shared.diskIsFullUntil > this.#world.clock.now();
    const ms = isBusy ? tickMs : this.#untilNextSlot();
    await this.#world.clock.sleep(ms, end).catch(() => undefined);
  }

  /** Slots are known ahead, and so is the latest moment to which jitter may delay their start. */
  #untilNextSlot(): number {
    const now = this.#world.clock.now();
    const starts = this.#shared.projects.flatMap(({ timetable, project }) => {
      const jitterMs = (project.jitterSeconds ?? 0) * 1000;
      return slotsOf(timetable, project.timezone, now - jitterMs - minuteMs, now + idleTickMs).flatMap(({ at }) => [
        at,
        at + jitterMs,
      ]);
    });
    return Math.min(idleTickMs, ...starts.filter((at) => at >= now).map((at) => at - now + 1000));
  }
}

/** Simulates the days of the seed and the recovery. Rejects on unexpected errors of the product. */
export async function runMonth(world: World, shared: SharedState): Promise<void> {
  const { options, clock, provider } = world;
  const machines = Array.from(
    { length: options.processes },
    (_, index) => new Machine(world, shared, `machine-${index + 1}`),
  );
  if (options.processes > 1) world.sometimes.count('second process');
  const end = clock.now() + options.days * dayMs;
  const machineWork = machines.map((machine) => machine.runProcesses());
  const events = runEvents(world, shared, machines);
  const recovery = (async () => {
    await events;
    while (clock.now() < end) await clock.sleep(Math.min(end - clock.now(), dayMs));
    world.sometimes.count('days lived', options.days);
    provider.recover();
    shared.diskIsFullUntil = 0;
    // the operator raises the budget: deferred checks are made up for
    for (const machine of machines) machine.process?.stop(false);
    shared.isOver = true;
    for (const machine of machines) machine.wake();
  })();
  await clock.run(Promise.all([recovery, ...machineWork]));
}

/** After the faults: a machine with a sufficient budget continues alone, and then runs every project once more. */
export async function recover(world: World, shared: SharedState): Promise<OperatorProcess> {
  const { clock } = world;
  shared.isOver = false;
  const machine = new Machine(world, shared, 'machine-1');
  const rest = (async () => {
    await clock.sleep(recoveryDays * dayMs);
    shared.isOver = true;
    machine.wake();
  })();
  await clock.run(Promise.all([machine.runProcesses(), rest]));
  const auditor = new OperatorProcess(world, 'auditor|boot|1');
  await clock.run(auditor.run({ kind: 'now', projects: world.projects() }));
  return auditor;
}

async function runEvents(world: World, shared: SharedState, machines: readonly Machine[]): Promise<void> {
  let elapsed = 0;
  const running: Promise<void>[] = [];
  for (const event of world.options.events) {
    await world.clock.sleep(event.after - elapsed);
    elapsed = event.after;
    const machine = world.random.pick(machines);
    const wakeAll = (): void => {
      for (const each of machines) each.wake();
    };
    running.push(runEvent(world, shared, machine, event, wakeAll));
  }
  await Promise.all(running);
}

/** Runs one event; resolves when none of its work is in progress. */
async function runEvent(
  world: World,
  shared: SharedState,
  machine: Machine,
  { what }: Event,
  wakeAll: () => void,
): Promise<void> {
  const { clock, sometimes } = world;
  switch (what.kind) {
    case 'crash':
      machine.planRestart(what.downMs, what.sameName);
      machine.process?.dieAt(what);
      return;
    case 'stop':
      machine.planRestart(what.downMs, false);
      machine.process?.stopAt(what.commits, what.twice);
      sometimes.count(what.twice ? 'second signal' : 'stop signal');
      return;
    case 'clock':
      setClock(world, what.byMs);
      wakeAll();
      if (what.forMs === null) return;
      await clock.sleep(what.forMs);
      setClock(world, -what.byMs);
      wakeAll();
      return;
    case 'full-disk':
      shared.diskIsFullUntil = clock.now() + what.forMs;
      return;
    case 'keyword-added':
    case 'keyword-removed':
    case 'competitor-added':
      changeConfig(world, shared, what.kind);
      machine.planRestart(minuteMs, false);
      machine.process?.stop(false);
      return;
    case 'ad-hoc':
    case 'named-run':
    case 'reconcile':
      await runManualCommand(world, what);
  }
}

function setClock({ clock, sometimes }: World, byMs: number): void {
  clock.jump(byMs);
  const isLeap = Math.abs(byMs) > 7 * dayMs;
  sometimes.count(`clock put ${byMs > 0 ? 'forward' : 'back'}${isLeap ? ' by a month' : ''}`);
}

type ManualCommand = Extract<Event['what'], { kind: 'ad-hoc' | 'named-run' | 'reconcile' }>;

/** A second command during the scheduler's work, in its own process, which may die as well. */
async function runManualCommand(world: World, what: ManualCommand): Promise<void> {
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

async function carryOut(process: OperatorProcess, what: ManualCommand): Promise<void> {
  const { random, sometimes, projects } = process.world;
  if (what.kind === 'ad-hoc') {
    sometimes.count('ad-hoc request');
    await process.ask(what.what, 'shoes');
  } else if (what.kind === 'named-run') {
    sometimes.count('run by name');
    await process.run({ kind: 'now', projects: [random.pick(projects())] });
  } else {
    await process.reconcile();
  }
}

function changeConfig(
  { random, sometimes }: World,
  shared: SharedState,
  kind: 'keyword-added' | 'keyword-removed' | 'competitor-added',
): void {
  const index = random.whole(0, shared.projects.length - 1);
  const simulated = shared.projects[index];
  if (simulated === undefined) return;
  const { project } = simulated;
  const changed = changedProject(project, kind, random);
  if (changed === project) return;
  sometimes.count(
    kind === 'keyword-added' ? 'keyword added' : kind === 'keyword-removed' ? 'keyword removed' : 'competitor added',
  );
  shared.projects[index] = { ...simulated, project: changed };
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

/** Errors that an operator may see and that are correct. Anything else is a bug. */
function isExpected(error: unknown): boolean {
  if (error instanceof Death) return true;
  if (error instanceof StoreError) return ['DISK_FULL', 'RUN_IN_PROGRESS'].includes(error.code);
  return error instanceof Error && error.name === 'ServiceError';
}
