// Keyword ids in a dataset: market, volume, age. Full-text search returns the highest volumes first.

/** 2^31 keywords, and as many that were replaced. */
const sequenceSpan = 2 ** 31;
const volumeClasses = 256;
const marketSpan = sequenceSpan * volumeClasses;
/** A volume that grows by about 9 % enters the next class, which gives its keyword another id. */
const classesPerDoubling = 8;
const unknownClass = volumeClasses - 1;

/** `sequence`: the keyword's number in the dataset. Higher volumes get lower ids; unknown volumes come last. */
export function datasetId(market: number, volume: number | null, sequence: number): number {
  return market * marketSpan + toVolumeClass(volume) * sequenceSpan + sequence;
}

export function toSequence(id: number): number {
  return id % sequenceSpan;
}

export function firstDatasetId(market: number): number {
  return market * marketSpan;
}

export function lastDatasetId(market: number): number {
  return (market + 1) * marketSpan - 1;
}

function toVolumeClass(volume: number | null): number {
  if (volume === null) return unknownClass;
  const fromTop = unknownClass - 1 - Math.floor(Math.log2(volume + 1) * classesPerDoubling);
  return Math.max(0, fromTop);
}
