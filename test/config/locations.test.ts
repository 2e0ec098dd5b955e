import { describe, expect, it } from 'vitest';
import { GeoTargets, readGeoTargets } from '../../config/rules/geo-targets.ts';
import { failure, folderOf, load } from './folder.ts';

const packaged = new GeoTargets('/nowhere/locations.csv');

describe('a written place is resolved offline', () => {
  it.each([
    ['Austin, Texas', 'US', 'Austin,Texas,United States'],
    ['austin, tx', 'US', 'Austin,Texas,United States'],
    ['Austin', 'US', 'Austin,Texas,United States'],
    ['Texas', 'US', 'Texas,United States'],
    ['London,England,United Kingdom', 'GB', 'London,England,United Kingdom'],
    ['New York', 'US', undefined],
    ['@30.27,-97.74', 'US', '@30.27,-97.74,14z'],
  ])('%s in %s', (written, country, location) => {
    const resolved = packaged.resolve(written, country);
    if (location === undefined) expect(resolved).toHaveProperty('complaint', `"${written}" is 2 places in ${country}`);
    else expect(resolved).toEqual({ location });
  });

  it.each([
    ['Austn', 'US', 'did you mean Austin,Texas,United States?'],
    ['London', 'US', 'it is in GB: London,England,United Kingdom'],
    ['Portland', 'US', 'write one of Portland,Maine,United States; Portland,Oregon,United States'],
    ['Nowhere at all', 'US', /locations import/],
  ])('%s in %s is refused with a hint', (written, country, hint) => {
    expect(packaged.resolve(written, country)).toMatchObject({ hint: expect.stringMatching(hint) });
  });
});

it("Google's own table is read by its columns, without what Google has withdrawn", () => {
  const csv = [
    'Criteria ID,Name,Canonical Name,Parent ID,Country Code,Target Type,Status',
    '"1026201","Austin","Austin,Texas,United States","21176","US","City",Active',
    '9031936,"78701","78701,Texas,United States",21176,US,Postal Code,Active',
    '1,"Gone","Gone,Texas,United States",21176,US,City,Removal Planned',
    '',
  ].join('\r\n');
  expect([...readGeoTargets(csv)]).toEqual([
    { id: 1026201, canonicalName: 'Austin,Texas,United States', country: 'US', type: 'City' },
    { id: 9031936, canonicalName: '78701,Texas,United States', country: 'US', type: 'Postal Code' },
  ]);
  const folder = folderOf({ 'locations.csv': csv });
  const imported = new GeoTargets(`${folder}/locations.csv`);
  expect(imported.resolve('78701', 'US')).toEqual({ location: '78701,Texas,United States' });
  expect(imported.resolve('1026201', 'US')).toEqual({ location: 'Austin,Texas,United States' });
});

const sandbox = 'services: { s: { mode: embedded, source: sandbox } }\nbudget: { serpCredits: { perDay: 9 } }\n';
const project = (rest: string, service = sandbox) =>
  `${service}projects:\n  - { id: acme, service: s, targets: [acme.com], ${rest} }\n`;
const inAustin = 'market: { country: US, location: "Austin, Texas" }';

describe('the location of a market', () => {
  it('is that of its keywords, unless they have another one, none, or another country', async () => {
    const keywords =
      'keywords: [a, { keyword: b, location: none }, { keyword: c, location: Dallas }, { keyword: d, country: GB }]';
    const config = await load({ 'rankledger.yaml': project(`${inAustin}, ${keywords}`) });
    expect(config.projects[0]?.keywords.map(({ keyword, location }) => [keyword, location])).toEqual([
      ['a', 'Austin,Texas,United States'],
      ['b', undefined],
      ['c', 'Dallas,Texas,United States'],
      ['d', undefined],
    ]);
  });

  it('distinguishes keywords of the same text, and comes from keyword files too', async () => {
    const config = await load({
      'rankledger.yaml': project('keywordsFile: k.csv'),
      'k.csv': 'keyword,location\na,"Austin, TX"\na,Dallas\na,\n',
    });
    expect(config.projects[0]?.keywords.map(({ location }) => location)).toEqual([
      'Austin,Texas,United States',
      'Dallas,Texas,United States',
      undefined,
    ]);
  });

  it('is refused at its line where no such place is known', async () => {
    const files = { 'rankledger.yaml': project('keywordsFile: k.csv'), 'k.csv': 'keyword,location\na,Austn\n' };
    expect((await failure(files)).message).toMatch(/k\.csv:2.*no place "Austn" is known in US; did you mean Austin/);
  });

  it('is refused where the source cannot request pages for it', async () => {
    const services = {
      bing: 'services: { s: { mode: embedded, source: bing } }\n',
      remote: `services: { s: { mode: remote, baseUrl: "https://api.example.com", user: u, password: "\${P}" } }\n`,
    };
    const budget = 'budget: { serpCredits: { perDay: 9 } }\n';
    for (const [name, service] of Object.entries(services)) {
      const files = { 'rankledger.yaml': project(`${inAustin}, keywords: [a]`, service + budget) };
      const words = `cannot request pages for places inside a country`;
      expect((await failure(files, { P: 'secret-123' })).message, name).toContain(words);
    }
    const ours = services.remote.replace('user: u', 'user: u, takesLocations: true');
    const files = { 'rankledger.yaml': project(`${inAustin}, keywords: [a]`, ours + budget) };
    expect((await load(files, { P: 'secret-123' })).projects).toHaveLength(1);
  });
});

describe('a target that is a place', () => {
  const files = (source: string, target: string) => ({
    'rankledger.yaml': `services: { default: { mode: embedded, source: ${source} } }
budget: { serpCredits: { perDay: 9 } }
projects:
  - id: acme
    targets: [{ match: place, value: "${target}" }]
    market: { country: US, language: en }
    keywords: [pizza]
`,
  });

  it('is taken by a source whose pages have their local results', async () => {
    const { projects } = await load(files('sandbox', 'cid:174459995934739710'));
    expect(projects[0]?.targets).toEqual([{ match: 'place', value: 'cid:174459995934739710' }]);
  });

  it('is the only target on a map, where a website cannot rank', async () => {
    const { projects } = await load(files('sandbox-maps', 'cid:174459995934739710'));
    expect(projects[0]?.targets).toHaveLength(1);
    const map = files('sandbox-maps', 'cid:174459995934739710');
    const beside = { 'rankledger.yaml': map['rankledger.yaml'].replace('targets: [', 'targets: [acme.com, ') };
    expect((await failure(beside)).message).toContain(
      'pages of the service "default" (sandbox-maps) have local results only, in which no website ranks',
    );
  });

  it('is refused in a chain of results pages and maps', async () => {
    const chain = (second: string) =>
      files(
        `chain, sources: [{ source: serper-maps, apiKey: "\${A}" }, { source: ${second}, apiKey: "\${A}" }]`,
        'cid:174459995934739710',
      );
    expect((await load(chain('serpapi-maps'), { A: 'key-12345' })).projects).toHaveLength(1);
    const words = 'a chain takes sources of results pages or of maps, not both';
    expect((await failure(chain('serper'), { A: 'key-12345' })).message).toContain(words);
  });

  it('is refused where pages have none, and where it does not name a place', async () => {
    const bing = await failure(files('bing', 'cid:174459995934739710'));
    expect(bing.message).toContain('pages of the service "default" (bing) have no local results, in which places rank');
    expect((await failure(files('sandbox', 'Pizza'))).message).toContain('"Pizza" is not a place');
  });
});

it('two unknown places of a keyword are two problems, and not the same market', async () => {
  const keywords = 'keywords: [{ keyword: a, location: Nowhere }, { keyword: a, location: Elsewhere }]';
  const { message } = await failure({ 'rankledger.yaml': project(keywords) });
  expect(message).toContain('no place "Nowhere"');
  expect(message).toContain('no place "Elsewhere"');
  expect(message).not.toContain('tracked twice');
});
