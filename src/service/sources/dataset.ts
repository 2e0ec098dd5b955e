// Keyword metrics from a local file that an import made. The host opens the file (ports.ts); no request leaves.
import * as z from 'zod';
import { ServiceError } from '../model/errors.ts';
import type { DatasetKeyword, KeywordDataset, KeywordDatasets } from '../model/ports.ts';
import { competitionLevel, type KeywordMetrics, keywordKey } from '../model/results/keyword-data.ts';
import type {
  MetricsFacts,
  MetricsModule,
  MetricsRequest,
  MetricsSource,
  SourceContext,
  SourceProbe,
} from '../model/source.ts';
import { type KnownMetrics, orderMetrics, roomIn, toRows, withWanted } from './vendor-kit/metrics.ts';
import { probing, testOutcome } from './vendor-kit/probe.ts';

const name = 'dataset';

const facts: MetricsFacts = {
  title: 'Dataset',
  prices: [],
  failureCharge: 'no',
  failureRule: 'Nothing costs anything.',
  knows: ['search_volume', 'cpc', 'competition', 'intent', 'related_keywords'],
  keywordsMax: 1000,
  rate: { requestsPerSecond: 1000, concurrency: 1000 },
  note: 'Numbers are as old as the imported file. A range is not a volume. If the file has bids instead of a cost per click, the cost is the middle of the two bids.',
  example: 'mode: embedded\nsource: sandbox\nmetrics: { source: dataset, file: data/keywords.dataset }',
};

const options = z.strictObject({
  file: z
    .string()
    .min(1)
    .describe('The dataset, created by `rankledger keywords import`; relative to the config file.'),
});

export const datasetModule: MetricsModule<typeof options> = {
  facts,
  options,
  create(given, { datasets }) {
    const { file } = options.parse(given);
    if (datasets === undefined)
      throw new Error('this program opens no datasets. Give `datasets` to the source, as ports.ts describes it.');
    opened(datasets, file).close();
    return new DatasetMetrics(datasets, file);
  },
};

const marketsShown = 5;

/** Opened for each answer, so that a replaced file is used at once. */
class DatasetMetrics implements MetricsSource {
  readonly name = name;
  readonly kind = 'live';
  readonly #datasets: KeywordDatasets;
  readonly #file: string;

  constructor(datasets: KeywordDatasets, file: string) {
    this.#datasets = datasets;
    this.#file = file;
  }

  async fetchMetrics(request: MetricsRequest, { wanted = [] }: SourceContext): Promise<KeywordMetrics[]> {
    const { country, language } = request;
    const [primary = language] = language.split('-');
    const market = { country, languages: primary === language ? [language] : [language, primary] };
    const asked = withWanted(request, wanted, () => true);
    const room = roomIn(asked);
    const { named, related } = this.#ask((dataset) => {
      const one = (keyword: string, relatedMax: number) =>
        dataset.lookup({ ...market, key: keywordKey(keyword), relatedMax });
      // wanted keywords may be among the related ones
      const own = one(asked.keyword, room === 0 ? 0 : room + asked.wanted.length);
      return {
        named: [own.asked, ...asked.wanted.map((keyword) => one(keyword, 0).asked)],
        related: own.related,
      };
    });
    const measured = named.filter((row) => row !== null).map(toMetrics);
    return toRows(orderMetrics(asked, measured, related.map(toMetrics)), request);
  }

  async probe(): Promise<SourceProbe> {
    return await probing(async () => {
      const { markets, importedAt } = this.#ask((dataset) => dataset.contents());
      const when =
        importedAt === null ? '' : `, the latest import of ${new Date(importedAt).toISOString().slice(0, 10)}`;
      const held = markets
        .slice(0, marketsShown)
        .map(({ country, language, keywords: n }) => `${n} of ${country} ${language}`);
      if (markets.length > held.length) held.push(`and ${markets.length - held.length} more markets`);
      const holds = markets.length === 0 ? 'It holds no keywords.' : `It holds keywords: ${held.join(', ')}${when}.`;
      return testOutcome(true, holds);
    });
  }

  #ask<Answer>(question: (dataset: KeywordDataset) => Answer): Answer {
    let dataset: KeywordDataset | undefined;
    try {
      dataset = this.#datasets.open(this.#file);
      return question(dataset);
    } catch (cause) {
      // the message with the file's name is for the operator
      const hint = 'Run `rankledger check` to test the file; `rankledger keywords import` creates it.';
      throw new ServiceError('WORKER_FAILED', 'The keyword dataset cannot be read.', { charged: 'no', hint, cause });
    } finally {
      dataset?.close();
    }
  }
}

/** Throws Error that says what to do as well. */
function opened(datasets: KeywordDatasets, file: string): KeywordDataset {
  try {
    return datasets.open(file);
  } catch (error) {
    if (!(error instanceof Error) || !('hint' in error)) throw error;
    throw new Error(`${error.message}. ${error.hint}`, { cause: error });
  }
}

function toMetrics(row: DatasetKeyword): KnownMetrics {
  const { competition } = row;
  return {
    keyword: row.keyword,
    search_volume: row.searchVolume,
    cpc: averageCost(row),
    competition,
    competition_level: competition === null ? row.competitionLevel : competitionLevel(competition),
    intent: row.intent,
  };
}

function averageCost({ cpcMicroUsd, bidLowMicroUsd: low, bidHighMicroUsd: high }: DatasetKeyword): number | null {
  const microUsd = cpcMicroUsd ?? (low === null || high === null ? null : Math.round((low + high) / 2));
  return microUsd === null ? null : microUsd / 1_000_000;
}
