// A stable world, tracked for weeks through a source with false answers: false losses, false alerts, unknown results.
import { createSearchDataService, createSource } from '../../src/service/index.ts';
import type { AlertRule } from '../../src/tracker/changes/alerts.ts';
import { closeOpened } from '../helpers/closing.ts';
import { JobClock } from '../helpers/job-clock.ts';
import { keyword, project, service, World } from '../helpers/jobs.ts';
import { listenOnLoopback } from '../helpers/loopback.ts';
import { Random } from '../simulation/random.ts';
import type { TruthTortureOptions } from './truth.ts';

/** How one answer of the source is false. All of them are sold. */
type Fault = 'empty' | 'without-organic' | 'cut' | 'html' | 'nothing' | 'short' | 'other-query' | 'same-for-all';

interface Weather {
  readonly name: string;
  /** Share of the answers that are false. */
  readonly share: number;
  readonly faults: readonly Fault[];
  /** The most checks that may stay without a result, of all; absent: no limit. */
  readonly unknownMax?: number;
}

interface Seen {
  readonly checks: number;
  readonly unknown: number;
  readonly falseDrops: number;
  readonly wrongRanks: number;
  readonly falseAlerts: number;
  /** Of the keywords that were really lost, how many are recorded so at the end. */
  readonly trueDrops: string;
  readonly suspectRuns: number;
  readonly credits: number;
  readonly overBudget: number;
  readonly broken: readonly string[];
}

const badAnswers: readonly Fault[] = [
  'cut',
  'html',
  'nothing',
  'without-organic',
  'empty',
  'short',
  'other-query',
  'same-for-all',
];

const weathers: readonly Weather[] = [
  { name: '3 % silent empties', share: 0.03, faults: ['empty'] },
  { name: '10 % silent empties', share: 0.1, faults: ['empty'] },
  { name: '30 % silent empties', share: 0.3, faults: ['empty'] },
  { name: '10 % bad answers', share: 0.1, faults: badAnswers, unknownMax: 0.015 },
];

const sizes = {
  full: { keywords: 200, days: 30 },
  quick: { keywords: 80, days: 6 },
};

const dayMs = 86_400_000;
const resultsPerPage = 10;
/** Keywords that are really lost, midway. */
const lostInTruth = 2;
const rules: readonly AlertRule[] = [
  { when: 'dropped-out-of', top: 10 },
  { when: 'moved', by: 3, direction: 'any' },
];

export async function tortureOfWorlds(report: (line: string) => void, { quick }: TruthTortureOptions): Promise<number> {
  let violations = 0;
  for (const weather of weathers) {
    const size = quick ? sizes.quick : sizes.full;
    const seen = await live(weather, size);
    const found = violationsOf(weather, seen, quick);
    violations += found.length;
    const unknown = `${((100 * seen.unknown) / seen.checks).toFixed(2)} % unknown`;
    report(
      `truth, world at ${weather.name}, ${size.keywords} keywords, ${size.days} days: ${seen.falseDrops} false drops, ${seen.falseAlerts} false alerts, ` +
        `${seen.wrongRanks} wrong ranks, ${unknown}, ${seen.trueDrops} true drops, ${seen.suspectRuns} suspect runs, ${seen.credits} credits, ${seen.overBudget} over the budget`,
    );
    for (const line of found) report(`  VIOLATION: ${line}`);
  }
  await closeOpened();
  return violations;
}

function violationsOf({ unknownMax }: Weather, seen: Seen, isQuick: boolean): string[] {
  return [
    ...(seen.falseDrops > 0 ? [`${seen.falseDrops} rankings are recorded as lost that were not`] : []),
    ...(seen.falseAlerts > 0 ? [`${seen.falseAlerts} alerts are false`] : []),
    ...(seen.wrongRanks > 0 ? [`${seen.wrongRanks} ranks are wrong`] : []),
    ...(seen.overBudget > 0 ? [`${seen.overBudget} credits over the budget`] : []),
    // a few checks say little about a share of one in a hundred
    ...(unknownMax !== undefined && !isQuick && seen.unknown > unknownMax * seen.checks
      ? ['too much stays unknown']
      : []),
    ...seen.broken,
  ];
}

/** The truth: the rank of our site for a keyword on a day, or null. */
function rankOn(nth: number, day: number, days: number): number | null {
  return nth < lostInTruth && day >= Math.floor(days / 2) ? null : 1 + (nth % resultsPerPage);
}

/** Words that have nothing in common. */
function wordsFor(count: number): string[] {
  const random = new Random(7, 'words');
  const syllables = [
    'ba',
    'ce',
    'di',
    'fo',
    'gu',
    'ha',
    'je',
    'ki',
    'lo',
    'mu',
    'na',
    'pe',
    'ri',
    'so',
    'tu',
    'va',
    'we',
    'xi',
    'yo',
    'zu',
  ];
  const words = new Set<string>();
  while (words.size < count) words.add(`${Array.from({ length: 4 }, () => random.pick(syllables)).join('')}`);
  return [...words];
}

async function live(
  weather: Weather,
  { keywords, days }: { readonly keywords: number; readonly days: number },
): Promise<Seen> {
  const words = wordsFor(keywords);
  let day = 0;
  const asked = new Map<string, number>();
  const vendor = await listenOnLoopback(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { q } = JSON.parse(text) as { q: string };
    const nth = (asked.get(`${day} ${q}`) ?? 0) + 1;
    asked.set(`${day} ${q}`, nth);
    const random = new Random(11, `${weather.name} ${day} ${q} ${nth}`);
    const fault = random.chance(weather.share) ? random.pick(weather.faults) : null;
    const { type, body } = answerOf(q, words.indexOf(q), day, days, fault);
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  const clock = new JobClock();
  const options = { apiKey: 'key', baseUrl: vendor.url, allowLoopback: true, requestsPerSecond: 1000, concurrency: 20 };
  const source = await createSource('serper', options, { clock });
  const searches = createSearchDataService({ source, clock });
  const budget = keywords * 2;
  const world = new World({
    services: new Map([[service, searches]]),
    clock,
    concurrency: 20,
    caps: { serp_credit: { perDay: budget }, micro_usd: {} },
    projects: [project({ keywords: words.map((word) => keyword(word, { depth: 1 })) })],
  });
  const start = clock.now();
  try {
    for (; day < days; day += 1) {
      const at = start + day * dayMs;
      clock.set(Math.max(at, clock.now()));
      await world.run(
        { kind: 'slot', projects: world.projects, at },
        { alerts: { channels: ['ops'], rulesOf: () => [...rules] } },
      );
    }
    return seenIn(world, words, days, start, budget);
  } finally {
    await world.close();
    await searches.close();
    await vendor.close();
  }
}

/** A page in Serper's form, or its replacement. */
function answerOf(
  q: string,
  nth: number,
  day: number,
  days: number,
  fault: Fault | null,
): { readonly type: string; readonly body: string } {
  const echo = {
    searchParameters: { q: fault === 'other-query' ? 'another thing' : q, type: 'search', engine: 'google' },
    credits: 1,
  };
  const rank = rankOn(nth, day, days);
  const organic = Array.from({ length: resultsPerPage }, (_, index) => ({
    title: `${q} ${index + 1}`,
    link: index + 1 === rank ? `https://www.acme.example/${q}` : `https://site${index}.example/${q}`,
    snippet: `All about ${q}`,
    position: index + 1,
  }));
  const same = organic.map((_, index) => ({
    title: `Portal ${index}`,
    link: `https://portal${index}.example/`,
    snippet: 'The weather, and what is on tonight',
  }));
  const json = (page: object) => ({ type: 'application/json', body: JSON.stringify(page) });
  switch (fault) {
    case 'empty':
      return json({ ...echo, organic: [] });
    case 'without-organic':
      return json({ ...echo, peopleAlsoAsk: [{ question: `What is ${q}?` }] });
    case 'cut':
      return { type: 'application/json', body: JSON.stringify({ ...echo, organic }).slice(0, 300) };
    case 'html':
      return { type: 'text/html', body: '<!doctype html><title>Busy</title>' };
    case 'nothing':
      return json({});
    case 'short':
      return json({ ...echo, organic: organic.slice(-3) });
    case 'same-for-all':
      return json({ ...echo, organic: same });
    default:
      return json({ ...echo, organic });
  }
}

function seenIn(world: World, words: readonly string[], days: number, start: number, budget: number): Seen {
  const dayOf = (moment: unknown) => Math.round((Number(moment) - start) / dayMs);
  const rows = world.rows(
    `SELECT k.text, r.moment, r.rank FROM rankings r JOIN searches s ON s.id = r.search_id JOIN keywords k ON k.id = s.keyword_id JOIN checks c ON c.id = r.check_id
     WHERE c.state = 'ok'`,
  );
  const wrong = rows.filter(
    (row) => row['rank'] !== rankOn(words.indexOf(String(row['text'])), dayOf(row['moment']), days),
  );
  const last = start + (days - 1) * dayMs;
  const isLost = (word: string) =>
    rows.some((row) => row['text'] === word && row['moment'] === last && row['rank'] === null);
  const alerts = world
    .rows('SELECT payload, run_id FROM alert_deliveries')
    .map((row) => JSON.parse(String(row['payload'])).alert as { when: string; keyword?: string });
  const gone = words.slice(0, lostInTruth);
  const spent = world.rows("SELECT spent FROM budget_windows WHERE scope = 'day' AND currency = 'serp_credit'");
  return {
    checks: words.length * days,
    unknown: Number(world.value("SELECT count(*) FROM checks WHERE state <> 'ok'")),
    falseDrops: wrong.filter((row) => row['rank'] === null).length,
    wrongRanks: wrong.filter((row) => row['rank'] !== null).length,
    falseAlerts: alerts.filter(({ when, keyword: text }) => when !== 'run-suspect' && !gone.includes(String(text)))
      .length,
    trueDrops: `${gone.filter(isLost).length} of ${gone.length}`,
    suspectRuns: Number(world.value('SELECT count(DISTINCT run_id) FROM slots WHERE suspect_reason IS NOT NULL')),
    credits: world.credits.spent + world.credits.unknown,
    overBudget: spent.reduce((sum, row) => sum + Math.max(0, Number(row['spent']) - budget), 0),
    broken: world.broken(),
  };
}
