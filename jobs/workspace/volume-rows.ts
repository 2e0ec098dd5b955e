// Search volumes of keywords by month.
import type { VolumeRow } from '../../src/workspace/records.ts';
import type { JobContext } from '../context.ts';

/** A keyword in a country and language. */
interface VolumeKeyword {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
}

/** By market, keyword and month, newest month first. */
export function volumeRows(
  { store }: Pick<JobContext, 'store'>,
  service: string,
  keywords: readonly VolumeKeyword[],
): VolumeRow[] {
  const groups = Map.groupBy(keywords, ({ country, language }) => `${country}\n${language}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { country, language } = first;
    const market = { service, country, language };
    const months = store.volumeSeries.months(market, '0000-00', '9999-99');
    const texts = [...new Set(group.map(({ keyword }) => keyword))];
    return store.volumeSeries.of(market, texts, months).flatMap(({ keyword, months: volumes }) =>
      volumes
        .filter((volume) => volume !== null)
        .map(({ month, searchVolume, cpcMicroUsd, competition, source }) => ({
          keyword,
          country,
          language,
          month,
          searchVolume,
          cpc: cpcMicroUsd === null ? null : cpcMicroUsd / 1_000_000,
          competition,
          source,
        })),
    );
  });
}
