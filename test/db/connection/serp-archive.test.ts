// An archived page is read as it was written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePage, decodeShown, encodePage } from '../../../db/connection/serp-archive.ts';

const id = fc.oneof(
  fc.nat(300),
  fc.integer({ min: 1, max: 2 ** 32 }),
  fc.constantFrom(127, 128, 16_383, 16_384, Number.MAX_SAFE_INTEGER),
);
const place = fc.option(fc.integer({ min: 1, max: 500 }), { nil: null });
const page = fc.record({
  organic: fc.array(fc.record({ urlId: id, globalRank: place }), { maxLength: 15 }),
  lastGlobalRank: place,
  features: fc.array(fc.record({ typeId: id, urlIds: fc.array(id, { maxLength: 6 }) }), { maxLength: 6 }),
  places: fc.array(
    fc.record({
      placeId: id,
      rating: fc.option(fc.nat(50), { nil: null }),
      reviews: fc.option(fc.nat(100_000), { nil: null }),
    }),
    { maxLength: 5 },
  ),
});

describe('an archived page', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(page, (written) => {
        expect(decodePage(encodePage(written))).toEqual(written);
      }),
      { numRuns: 500 },
    );
  });

  it('is equal without its element positions', () => {
    fc.assert(
      fc.property(page, (written) => {
        const urlIds = written.organic.map(({ urlId }) => urlId);
        expect(decodeShown(encodePage(written))).toEqual({ urlIds, features: written.features });
      }),
    );
  });

  it('takes about five bytes a result', () => {
    const organic = Array.from({ length: 10 }, (_, index) => ({ urlId: 1_000_000 + index, globalRank: index + 1 }));
    expect(encodePage({ organic, lastGlobalRank: 14, features: [] }).length).toBeLessThanOrEqual(50);
  });

  it('has no places if it was written before they were kept', () => {
    const bytes = encodePage({ organic: [{ urlId: 300, globalRank: 2 }], lastGlobalRank: 3, features: [] });
    expect(decodePage(bytes).places).toEqual([]);
  });

  it('that was cut short is refused at every length', () => {
    const bytes = encodePage({
      organic: [{ urlId: 300, globalRank: 2 }],
      lastGlobalRank: 3,
      features: [{ typeId: 1, urlIds: [5, 600] }],
    });
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => decodePage(bytes.subarray(0, length))).toThrow('ends too early');
      expect(() => decodeShown(bytes.subarray(0, length))).toThrow('ends too early');
    }
  });

  it('of another version is refused', () => {
    expect(() => decodePage(Buffer.from([2, 0, 0, 0]))).toThrow('version 2');
    expect(() => decodeShown(Buffer.from([2, 0, 0, 0]))).toThrow('version 2');
  });
});
