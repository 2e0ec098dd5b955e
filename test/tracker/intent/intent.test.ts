// The intent classifier against hand-labelled sets, scored by language and class, and its rules one by one.
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { classifyIntent, type IntentQuestion } from '../../../src/tracker/intent/intent.ts';
import { intentLanguages } from '../../../src/tracker/intent/words.ts';
import { deriveBrandTerms } from '../../../src/tracker/targets/brand.ts';

interface Labelled {
  readonly language: string;
  readonly keyword: string;
  readonly intent: string;
}

const rowsOf = (name: string): Labelled[] => {
  const text = readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
  return Papa.parse<Labelled>(text, { header: true, skipEmptyLines: true }).data;
};

const labelled = rowsOf('labelled.csv');

/** Labelled by another person, without knowledge of the word lists or the first set. Rows in both sets are left out. */
const second = rowsOf('second.csv');
const known = new Set(labelled.map(({ language, keyword }) => `${language} ${keyword}`));
const isNew = ({ language, keyword }: Labelled): boolean => !known.has(`${language} ${keyword}`);

/** Every third row of a language was not used for tuning. One person wrote the first set and the word lists. */
const isHeldOut = (index: number): boolean => index % 3 === 2;

const classes = ['informational', 'navigational', 'commercial', 'transactional'] as const;

interface Score {
  readonly rows: number;
  readonly given: number;
  readonly right: number;
  readonly wrong: readonly string[];
}

/** From the words alone: no results page, no brands. */
function scoreOf(rows: readonly Labelled[]): Score {
  const verdicts = rows.map((row) => ({ ...row, verdict: classifyIntent(row)?.intent ?? null }));
  const given = verdicts.filter(({ verdict }) => verdict !== null);
  const wrong = given.filter(({ intent, verdict }) => verdict !== intent);
  return {
    rows: rows.length,
    given: given.length,
    right: given.length - wrong.length,
    wrong: wrong.map(({ language, keyword, intent, verdict }) => `${language} "${keyword}": ${intent}, not ${verdict}`),
  };
}

const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(0)} %`;
const line = (name: string, { rows, given, right }: Score): string =>
  `${name.padEnd(24)} ${String(rows).padStart(4)} keywords, ${percent(given, rows)} classified, ${percent(right, given)} of these right`;

describe('the intent classifier against the labelled set', () => {
  const ofLanguage = (language: string): Labelled[] => labelled.filter((row) => row.language === language);
  const heldOut = intentLanguages.flatMap((language) => ofLanguage(language).filter((_, index) => isHeldOut(index)));
  const tuned = labelled.filter((row) => !heldOut.includes(row));

  it('is as accurate as documented', () => {
    const all = scoreOf(labelled);
    const lines = [
      line('all', all),
      line('used for tuning', scoreOf(tuned)),
      line('held out', scoreOf(heldOut)),
      ...intentLanguages.map((language) => line(language, scoreOf(ofLanguage(language)))),
      ...classes.map((intent) => line(intent, scoreOf(labelled.filter((row) => row.intent === intent)))),
      ...all.wrong,
    ];
    console.log(lines.join('\n'));
    const held = scoreOf(heldOut);
    expect(held.right / held.given).toBeGreaterThan(0.9);
    expect(held.given / held.rows).toBeGreaterThan(0.85);
    for (const language of intentLanguages) {
      const { right, given } = scoreOf(ofLanguage(language));
      expect(right / given, language).toBeGreaterThan(0.88);
    }
  });

  it('has at least sixty keywords of each language, and every class in each', () => {
    for (const language of intentLanguages) {
      const rows = ofLanguage(language);
      expect(rows.length, language).toBeGreaterThanOrEqual(60);
      for (const intent of classes) expect(rows.filter((row) => row.intent === intent).length).toBeGreaterThan(10);
    }
  });
});

/** One line per class: how its keywords were classified. */
function confusionOf(rows: readonly Labelled[]): string[] {
  const verdicts = rows.map((row) => ({ intent: row.intent, verdict: classifyIntent(row)?.intent ?? 'none' }));
  const columns = [...classes, 'none'];
  const head = ['is \\ taken for', ...columns];
  const counts = classes.map((intent) => [
    intent,
    ...columns.map((column) => verdicts.filter((row) => row.intent === intent && row.verdict === column).length),
  ]);
  return [head, ...counts].map((cells) => cells.map((cell) => String(cell).padStart(14)).join(' '));
}

describe('the intent classifier against an independent set', () => {
  const written = (language: string): Labelled[] => second.filter((row) => row.language === language);
  const heldOut = intentLanguages.flatMap((language) =>
    written(language).filter((row, index) => isHeldOut(index) && isNew(row)),
  );
  const fresh = second.filter(isNew);
  const ofLanguage = (language: string): Labelled[] => fresh.filter((row) => row.language === language);
  const tuned = fresh.filter((row) => !heldOut.includes(row));

  it('is rarely wrong if it gives a class, and gives fewer classes than on its own set', () => {
    const lines = [
      line('all', scoreOf(fresh)),
      line('used for tuning', scoreOf(tuned)),
      line('held out of both', scoreOf(heldOut)),
      ...intentLanguages.map((language) => line(language, scoreOf(ofLanguage(language)))),
      ...classes.map((intent) => line(intent, scoreOf(fresh.filter((row) => row.intent === intent)))),
      'held out of both:',
      ...intentLanguages.map((language) => line(language, scoreOf(heldOut.filter((row) => row.language === language)))),
      ...classes.map((intent) => line(intent, scoreOf(heldOut.filter((row) => row.intent === intent)))),
      ...confusionOf(heldOut),
    ];
    console.log(lines.join('\n'));
    const held = scoreOf(heldOut);
    expect(held.right / held.given).toBeGreaterThan(0.88);
    expect(held.given / held.rows).toBeGreaterThan(0.66);
    for (const language of intentLanguages) {
      const { right, given, rows } = scoreOf(ofLanguage(language));
      expect(right / given, language).toBeGreaterThan(0.92);
      expect(given / rows, language).toBeGreaterThan(0.7);
    }
    for (const intent of classes) {
      const { right, given } = scoreOf(fresh.filter((row) => row.intent === intent));
      expect(right / given, intent).toBeGreaterThan(0.9);
    }
  });

  it('has a hundred keywords of each language, a quarter of each class, and few of the first set', () => {
    expect(second.length - fresh.length).toBeLessThan(30);
    for (const language of intentLanguages) {
      const counts = classes.map((intent) => written(language).filter((row) => row.intent === intent).length);
      expect(counts, language).toEqual([25, 25, 25, 25]);
    }
  });
});

describe('the rules of intent', () => {
  const of = (keyword: string, language = 'en', more: Partial<IntentQuestion> = {}) =>
    classifyIntent({ keyword, language, ...more });

  it.each([
    ['how much does a new roof cost', 'en', 'commercial'],
    ['how to buy a house', 'en', 'informational'],
    ['Qué portátil comprar', 'es', 'commercial'],
    ['que portatil comprar', 'es', 'commercial'],
    ['blumen kaufen', 'de', 'transactional'],
    ['gartenmöbelkaufen', 'de', 'transactional'],
    ['COMMENT CHOISIR UN VÉLO', 'fr', 'informational'],
    ['melhor celular', 'pt-BR', 'commercial'],
    ['notebook bis 700 euro', 'de', 'commercial'],
    ['electricista málaga', 'es', 'transactional'],
    ['sueldo electricista', 'es', 'informational'],
    ['wieviel kostet ein umzug', 'de', 'commercial'],
    ['wieviel zucker am tag', 'de', 'informational'],
  ])('%s (%s) is %s', (keyword, language, intent) => {
    expect(of(keyword, language)?.intent).toBe(intent);
  });

  it('match each word once, the longest phrase first', () => {
    const signals = of('how much does a new roof cost')?.signals ?? [];
    expect(signals.map(({ evidence }) => evidence)).toEqual(['how much does .. cost']);
  });

  it('give no class without evidence, or if two classes have equal evidence', () => {
    expect(of('xyzzy')).toBeNull();
    expect(of('')).toBeNull();
    expect(of('!!!')).toBeNull();
    expect(of('xyzzy', 'xx')).toBeNull();
    expect(of('buy review')).toBeNull();
  });

  it('match the words of a brand together and separately, and no word that only contains it', () => {
    const brandTerms = ['Globex Shoes'];
    expect(of('globex shoes', 'en', { brandTerms })).toMatchObject({ intent: 'navigational' });
    expect(of('globexshoes', 'en', { brandTerms })?.intent).toBe('navigational');
    expect(of('globex shoestring', 'en', { brandTerms })).toBeNull();
    expect(of('globex shoes discount', 'en', { brandTerms })).toMatchObject({
      intent: 'transactional',
      secondary: 'navigational',
    });
  });

  it('match an address by its ending, and no version number or file name', () => {
    expect(of('spiegel.de', 'de')).toMatchObject({ intent: 'navigational', signals: [{ rule: 'address' }] });
    expect(of('gov.br', 'pt')?.intent).toBe('navigational');
    expect(of('node 2.0')).toBeNull();
    expect(of('index.php')).toBeNull();
  });

  it('use the results page if there is one', () => {
    expect(of('xyzzy', 'en', { features: ['people_also_ask'] })).toBeNull();
    expect(of('xyzzy', 'en', { features: ['shopping', 'paid'] })).toMatchObject({ intent: 'transactional' });
    expect(of('xyzzy', 'xx', { features: ['featured_snippet'] })?.intent).toBe('informational');
    const [alone, backed] = [of('zebra definition'), of('zebra definition', 'en', { features: ['ai_overview'] })];
    expect(backed?.confidence).toBeGreaterThan(alone?.confidence ?? 1);
  });

  it('give a confidence by their weights: one strong phrase gives 0.75', () => {
    expect(of('buy xyzzy')?.confidence).toBe(0.75);
  });
});

describe('the brands of a project', () => {
  it('are the names of its targets unless the config sets others', () => {
    const targets = [
      { match: 'domain', value: 'www.acme-shoes.co.uk' },
      { match: 'prefix', value: 'https://shop.globex.com/de/' },
      { match: 'host', value: '192.0.2.1' },
    ] as const;
    expect(deriveBrandTerms({ targets })).toEqual(['acme-shoes', 'globex']);
    expect(deriveBrandTerms({ targets, brandTerms: ['Acme'] })).toEqual(['Acme']);
  });
});
