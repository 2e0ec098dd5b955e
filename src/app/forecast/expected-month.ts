// The expected credits of the next month for `check`: a short simulation, where there is history to simulate from.
import { statSync } from 'node:fs';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import type { MonthForecast, MonthOptions } from './simulate-policies.ts';

/** Pages of the simulation at worst: a few seconds. */
const pagesMax = 3_000;
/** A larger database takes long to copy. */
const bytesMax = 256 * 1024 * 1024;

/** Null without a history; a simulation that fails must not hide what else `check` says. Throws if interrupted. */
export async function expectedMonth(
  config: ResolvedConfig,
  options: Omit<MonthOptions, 'pagesMax'>,
): Promise<MonthForecast | null> {
  const bytes = statSync(config.databaseFile, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0 || bytes > bytesMax) return null;
  const { forecastMonth } = await import('./simulate-policies.ts');
  try {
    return await forecastMonth(config, { ...options, pagesMax });
  } catch {
    options.signal.throwIfAborted();
    return null;
  }
}
