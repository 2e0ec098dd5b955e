// How the quality of a result changes over time: a pure function of key and day.
import { derive, exponential, noise, normal, unit } from './random.ts';

/**
 * Amplitudes are in units of static quality, where the gap between ranks k and k + 1 is about 1 / k; periods are days.
 * All are fitted to the measured export (six and fourteen days, mobile and desktop); the calibration test prints how
 * close.
 */
const slow = { amplitude: 0.33, period: 33 };
const medium = { amplitude: 0.26, period: 5.2 };
const jitter = 0.005;
/**
 * Spread between devices of the same result, constant and drifting; desktop pages moved a little more in the export.
 */
const device = { constant: 0.15, mobile: 0.12, desktop: 0.16, period: 9 };
/** Whether a page is in the index at all: share of the unit interval that the threshold wanders over, and how fast. */
const presence = { swing: 0.08, period: 20 };
/** Share of days on which an engine's view of one search is renewed; in between it stands still but for jitter. */
const renewalShare = 0.22;
const renewalDaysMax = 30;
/** Some searches are restless and most are calm: spread of the logarithm of a search's volatility, and its limit. */
const volatilitySpread = 1.15;
const volatilityMax = 3;
/** A result now and then leaps, stays for a while and falls back: share of its periods, and their length in days. */
const leap = { share: 0.03, period: 12, height: 0.4 };

/** Results are better near where they are at home: what a degree of distance costs, and how far homes are spread. */
const distancePenalty = 8;
const homeDegrees = 0.25;

/** The day whose view of a search is still shown on `day`. */
export function renewedOn(searchKey: number, day: number): number {
  const key = derive(searchKey, 101);
  for (let back = 0; back < renewalDaysMax; back++) {
    if (unit(derive(key, day - back)) < renewalShare) return day - back;
  }
  return day - renewalDaysMax;
}

/** How restless a search is: median 1. */
export function computeVolatility(searchKey: number): number {
  return Math.min(volatilityMax, Math.exp(volatilitySpread * normal(derive(searchKey, 102))));
}

/** Values shared by all results of a search on one day. */
export interface Moment {
  readonly day: number;
  readonly renewed: number;
  readonly volatility: number;
  readonly mobile: boolean;
  /** Where in its area a search is made; absent: in no particular place. */
  readonly spot?: Spot | undefined;
}

/** Degrees from the middle of the area. */
export interface Spot {
  readonly north: number;
  readonly east: number;
}

/** What a result's quality differs by, on this day and device, from its constant part. */
export function driftAt(resultKey: number, moment: Moment): number {
  const { renewed } = moment;
  const wander =
    slow.amplitude * noise(derive(resultKey, 1), renewed / slow.period) +
    medium.amplitude * noise(derive(resultKey, 2), renewed / medium.period);
  const deviceKey = derive(resultKey, moment.mobile ? 3 : 4);
  const ofDevice =
    device.constant * (unit(deviceKey) - 0.5) +
    (moment.mobile ? device.mobile : device.desktop) * noise(deviceKey, renewed / device.period);
  const today = jitter * (unit(derive(derive(resultKey, 5), moment.day)) - 0.5);
  const away = moment.spot === undefined ? 0 : distancePenalty * distance(resultKey, moment.spot);
  return moment.volatility * (wander + ofDevice) + today + leapAt(resultKey, renewed) - away;
}

function distance(resultKey: number, { north, east }: Spot): number {
  const home = (part: number): number => homeDegrees * (unit(derive(resultKey, part)) - 0.5);
  return Math.hypot(home(9) - north, home(10) - east);
}

function leapAt(resultKey: number, day: number): number {
  const key = derive(resultKey, 6);
  const shifted = day / leap.period + unit(key);
  const cell = Math.floor(shifted);
  const cellKey = derive(key, cell);
  if (unit(cellKey) >= leap.share) return 0;
  const at = shifted - cell;
  return leap.height * exponential(derive(cellKey, 1)) * 4 * at * (1 - at);
}

/** Whether a result is in the index on this day, where it is for `share` of its time. */
export function isPresent(resultKey: number, share: number, day: number): boolean {
  const level = unit(derive(resultKey, 7)) * (1 - 2 * presence.swing) + presence.swing;
  return level + presence.swing * noise(derive(resultKey, 8), day / presence.period) < share;
}
