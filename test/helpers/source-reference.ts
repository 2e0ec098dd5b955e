// The generated tables of docs/reference/sources.md: prices, rules, options and examples, as each source declares them.
import {
  type AnswerFacts,
  answerKindOf,
  answerSourceNames,
  describeAnswerSource,
  describeMetricsSource,
  describeSource,
  keywordLimitText,
  type MetricsFacts,
  metricsSourceNames,
  type SearchLimits,
  type SourceFacts,
  type SourceOption,
  type SourcePrice,
  sourceKindOf,
  sourceNames,
} from '../../src/service/index.ts';
import { table } from './reference.ts';

interface Described<Facts> {
  readonly name: string;
  readonly facts: Facts;
  readonly options: readonly SourceOption[];
}

/** Pages of a search whose prices are shown. */
const depths = [1, 3, 10] as const;
/** The default of `volumes.limit`. */
const limit = 33;

/** Every table of sources by the name of its section. */
export async function sourceTables(): Promise<Map<string, string>> {
  const pages = await Promise.all(
    sourceNames.map(async (name) => ({ name, ...known(await describeSource(name), name) })),
  );
  const metrics = await Promise.all(
    metricsSourceNames.map(async (name) => ({ name, ...known(await describeMetricsSource(name), name) })),
  );
  const answers = await Promise.all(
    answerSourceNames.map(async (name) => ({ name, ...known(await describeAnswerSource(name), name) })),
  );
  return new Map([
    ['sources', pagesTable(pages)],
    ['source-configs', configs(pages)],
    ['source-options', optionTable(pages)],
    ['metrics-sources', metricsTable(metrics)],
    ['metrics-configs', configs(metrics)],
    ['metrics-options', optionTable(metrics)],
    ['answer-sources', answersTable(answers)],
    ['answer-configs', configs(answers)],
    ['answer-options', optionTable(answers)],
  ]);
}

function known<Description>(description: Description | undefined, name: string): Description {
  if (description === undefined) throw new Error(`nothing is known of the source ${name}`);
  return description;
}

/** All countries, none, or their number: lists are long. */
function countriesText({ hasCountries, countries }: SourceFacts): string {
  if (countries === undefined) return hasCountries ? 'yes' : 'no';
  return `${countries.length}`;
}

/** Languages by their number, and the longest keyword; empty where no limit is known. */
function limitTexts({ languages, keyword }: SearchLimits): string[] {
  return [languages === undefined ? '' : `${languages.length}`, keyword === undefined ? '' : keywordLimitText(keyword)];
}

function pagesTable(sources: readonly Described<SourceFacts>[]): string {
  const rows = sources.flatMap(({ name, facts }) => {
    const { title, pageSize, devices, failureCharge, pagesMax } = facts;
    const depth = pagesMax === undefined ? '' : `${pagesMax} pages`;
    const rest = [
      failureCharge,
      String(pageSize),
      depth,
      devices.join(', '),
      countriesText(facts),
      ...limitTexts(facts),
    ];
    if (facts.prices.length === 0) {
      const price = name === 'chain' ? 'as its sources' : sourceKindOf(name) === 'live' ? 'yours' : 'free';
      return [[`\`${name}\``, title, ...depths.map(() => price), '', ...rest]];
    }
    return facts.prices.map((price) => [
      `\`${name}\``,
      price.mode === undefined ? title : `${title}, \`${price.mode}\``,
      ...depths.map((depth) => pagesPrice(price, depth)),
      price.asOf,
      ...rest,
    ]);
  });
  const perDepth = depths.map((depth) => (depth === 1 ? '1 page' : `${depth} pages`));
  return table(
    [
      ...['source', 'is', ...perDepth, 'as of', 'failures charged', 'results asked a page', 'sells', 'devices'],
      ...['countries', 'languages', 'keywords up to'],
    ],
    rows,
  );
}

function metricsTable(sources: readonly Described<MetricsFacts>[]): string {
  const rows = sources.flatMap(({ name, facts }) => {
    const { title, failureCharge, knows, keywordsMax, note = '', countries } = facts;
    const limited = [countries === undefined ? '' : `${countries.length}`, ...limitTexts(facts)];
    const rest = [
      failureCharge,
      knows.map((metric) => `\`${metric}\``).join(', '),
      String(keywordsMax),
      ...limited,
      note,
    ];
    if (facts.prices.length === 0) return [[`\`${name}\``, title, 'free', 'free', 'free', '', ...rest]];
    return facts.prices.map(({ mode, perRequest, perWanted, perRelated, unitMicroUsd, asOf }) => [
      `\`${name}\``,
      mode === undefined ? title : `${title}, \`${mode}\``,
      usd(perRequest, unitMicroUsd),
      usd((perRequest + perWanted * (limit - 1)) / limit, unitMicroUsd),
      usd(perRequest + perRelated * (limit - 1), unitMicroUsd),
      asOf,
      ...rest,
    ]);
  });
  const prices = ['one a request', `${limit} a request`, `with ${limit - 1} related ones each`];
  return table(
    [
      ...['source', 'is', ...prices, 'as of', 'failures charged', 'knows', 'keywords a request'],
      ...['countries', 'languages', 'keywords up to', 'to know'],
    ],
    rows,
  );
}

/** The engines of a source, at the most that one of their answers may cost; those with the same facts in one row. */
function answersTable(sources: readonly Described<AnswerFacts>[]): string {
  const rows = new Map<string, { readonly engines: string[]; readonly source: string[]; readonly facts: string[] }>();
  for (const { name, facts } of sources) {
    for (const { engine, microUsdMax, asOf, format, ...limits } of facts.engines) {
      const price = answerKindOf(name) !== 'live' ? 'play money' : usd(microUsdMax, { least: 1, most: 1 });
      const row = {
        engines: [],
        source: [`\`${name}\``, facts.title],
        facts: [price, asOf, facts.failureCharge, ...limitTexts(limits), format],
      };
      const key = JSON.stringify(row);
      rows.set(key, rows.get(key) ?? row);
      rows.get(key)?.engines.push(`\`${engine}\``);
    }
  }
  return table(
    [
      ...['source', 'is', 'engines', '1,000 answers', 'as of', 'failures charged'],
      ...['languages', 'prompts up to', 'format known from'],
    ],
    [...rows.values()].map(({ engines, source, facts }) => [...source, engines.join(', '), ...facts]),
  );
}

/** One service each, ready to copy, with its rule for failures. */
function configs(sources: readonly Described<SourceFacts | MetricsFacts | AnswerFacts>[]): string {
  const services = sources.map(({ name, facts }) => {
    const example = facts.example.split('\n').map((line) => `    ${line}`);
    const paging = 'pagingRule' in facts ? ` ${facts.pagingRule}` : '';
    const empty = 'emptyRule' in facts ? ` ${facts.emptyRule}` : '';
    return [`  my-${name}:  # ${facts.title}. ${facts.failureRule}${empty}${paging}`, ...example].join('\n');
  });
  return ['```yaml', 'services:', ...services, '```'].join('\n');
}

/** Options with the same meaning in several sources are listed once. */
function optionTable(sources: readonly Described<SourceFacts | MetricsFacts | AnswerFacts>[]): string {
  const rows = new Map<string, { option: SourceOption; of: string[] }>();
  for (const { name, options } of sources) {
    for (const option of options) {
      const key = JSON.stringify(option);
      const row = rows.get(key) ?? { option, of: [] };
      row.of.push(`\`${name}\``);
      rows.set(key, row);
    }
  }
  const all = sources.map(({ name }) => `\`${name}\``);
  const named = (of: readonly string[]): string => {
    const others = all.filter((name) => !of.includes(name));
    return of.length > 3 && others.length < of.length ? `all but ${others.join(', ')}` : of.join(', ');
  };
  const ordered = [...rows.values()].sort((one, other) => other.of.length - one.of.length);
  return table(
    ['option', 'of', 'meaning'],
    ordered.map(({ option, of }) => [
      `\`${option.name}\`${option.isRequired ? ' (needed)' : ''}`,
      named(of),
      option.is,
    ]),
  );
}

/** USD for 1,000 searches of this many pages. */
function pagesPrice({ firstPage, furtherPage, unitMicroUsd }: SourcePrice, depth: number): string {
  return usd(firstPage + furtherPage * (depth - 1), unitMicroUsd);
}

/** USD for a thousand times this many units, from the cheapest plan to the dearest. */
function usd(units: number, { least, most }: SourcePrice['unitMicroUsd']): string {
  const [from, to] = [least, most].map((each) => (units * each * 1000) / 1_000_000);
  const written = (amount = 0): string => amount.toFixed(2);
  return from === to ? written(from) : `${written(from)} to ${written(to)}`;
}
