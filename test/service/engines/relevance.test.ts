// Pages whose results are unrelated to the query, and pages that only seem to be.
import { describe, expect, it } from 'vitest';
import { isDecoy, shareOfQuery } from '../../../src/service/engines/relevance.ts';
import type { OrganicResult } from '../../../src/service/model/results/serp.ts';

type Row = readonly [title: string, description: string, link: string];

const results = (rows: readonly Row[]): OrganicResult[] =>
  rows.map(([title, description, link], index) => ({ rank: index + 1, title, description, link }));

/** Bing's answer to "dakdekker Amsterdam" for a suspected robot. */
const pizzas: readonly Row[] = [
  ['Best Frozen Pizza: 12 brands, ranked', 'We baked and tasted a dozen pies.', 'https://kitchen.example/frozen'],
  ['Ristorante Margherita 335 g', 'Thin crust with tomatoes and mozzarella.', 'https://shop.example/p/335'],
  ['Four cheese pie from the freezer', 'Ready in ten minutes at 220 degrees.', 'https://food.example/cheese'],
  ['Pepperoni family size', 'Order groceries for tomorrow morning.', 'https://market.example/pepperoni'],
];
const chinese: readonly Row[] = [
  ['红烧肉的家常做法', '五花肉切块，加入酱油和冰糖慢炖。', 'https://food.example/1'],
  ['糖醋排骨怎么做好吃', '排骨焯水，炒糖色，最后收汁。', 'https://food.example/2'],
  ['番茄炒蛋食谱', '鸡蛋打散，番茄切小块，放盐。', 'https://food.example/3'],
];
const thai: readonly Row[] = [
  ['สูตรต้มยำกุ้งน้ำข้น', 'วิธีทำต้มยำกุ้งให้อร่อย', 'https://food.example/1'],
  ['ผัดไทยโบราณ', 'เส้นจันท์ ไข่ ถั่วงอก และกุ้งสด', 'https://food.example/2'],
  ['แกงเขียวหวานไก่', 'พริกแกง กะทิ มะเขือเปราะ ใบโหระพา', 'https://food.example/3'],
];
const russian: readonly Row[] = [
  ['Рецепт пиццы дома', 'Тесто, сыр и томатный соус за полчаса.', 'https://food.example/1'],
  ['Замороженная пицца с доставкой', 'Закажите продукты сегодня вечером.', 'https://food.example/2'],
  ['Сырная пицца в духовке', 'Пошаговое приготовление с фотографиями.', 'https://food.example/3'],
];

/** Ten results about a person, as Bing answered "buy red garden hose": some inherited, some have shares. */
const person: readonly Row[] = [
  ['Ratan Tata - Wikipedia', 'The industrialist inherited a red house in a garden suburb.', 'https://a.example/wiki'],
  ['Ratan Tata age, death, girlfriend', 'The investor who led the group for 21 years.', 'https://b.example/ratan-tata'],
  ['Ratan Tata biography and facts', 'Chairman of a conglomerate that expanded globally.', 'https://c.example/money'],
  ['Ratan Tata: birth, education, family', 'Known for his significant contributions.', 'https://d.example/1640668054'],
  ['The modest tycoon who died at 86', 'One of the most recognised business leaders.', 'https://e.example/news/cd11'],
  ['10 facts about the business legend', 'He inherited one of the oldest conglomerates.', 'https://f.example/business'],
  ['The complete biography of Ratan Tata', 'A visionary leader, key acquisitions.', 'https://g.example/complete'],
  ['The man who knew how to think big', 'He put his name down before hotel staff came.', 'https://h.example/economy'],
];

const repeated = (rows: readonly Row[], row: Row): readonly Row[] => [...rows, row, row];
const other = (title: string, link = 'https://other.example/', description = ''): readonly Row[] =>
  repeated(pizzas.slice(0, 2), [title, description, link]);

describe('results that have too little of the query are a decoy', () => {
  it.each<[string, readonly Row[]]>([
    ['buy red garden hose', person],
    ['garden', person],
    ['roof repair cost 2024', repeated(person, ['Roofs of the world', 'Pictures.', 'https://x.example/'])],
    ['ремонт крыши', pizzas],
    ['pogoda moskva', russian],
    ['机票预订', pizzas],
    ['حجز فنادق', pizzas],
    ['dakdekker Amsterdam', pizzas],
    ['best plumber in Berlin', pizzas],
    ['"roof repair" -cheap OR slate', pizzas],
    ['site:nachrichten.com wetter', pizzas],
    ['ремонт крыши', russian],
    ['机票预订', chinese],
    ['โรงแรมเชียงใหม่', thai],
    ['roofing -pizza', pizzas],
  ])('%s', (query, rows) => {
    expect(isDecoy(results(rows), query)).toBe(true);
  });
});

describe('half of the results that share a stem with the query clear the page', () => {
  it.each<[string, readonly Row[], string]>([
    ['in its title', other('Dakdekkers in de buurt'), 'dakdekker Utrecht'],
    ['in its description', other('Vakmensen', undefined, 'Een dakdekker nodig?'), 'dakdekker Utrecht'],
    ['in its host', other('Home', 'https://dakdekkerutrecht.example/'), 'dakdekker Utrecht'],
    ['in its path', other('Home', 'https://x.example/a/dak-dekker'), 'dakdekker'],
    ['in an escaped path', other('Home', 'https://x.example/%D0%BA%D1%80%D1%8B%D1%88%D0%B0'), 'крыша'],
    ['in an international host', other('Home', 'https://xn--dachdecker-mnchen-e3b.example/'), 'münchen'],
    ['without the accent', other('Agence a Orleans'), 'orléans'],
    ['one letter apart', other('Amsterdan rooftops'), 'Amsterdam'],
    ['two letters exchanged', other('Recieving a parcel'), 'receiving'],
    ['a letter of four doubled', other('Food for all'), 'foood'],
    ['letters of four exchanged', other('Food for all'), 'fodo'],
    ['as a part of a longer word', other('Innenrückspiegel'), 'rückspiegel'],
    ['as the longer word', other('Spiegel kaufen'), 'rückspiegel schwarz'],
    ['in another form', other('Plomberie générale'), 'plombier'],
    ['with ss for ß', other('Strasse sperren'), 'straße'],
    ['in another width', other('ＲＯＯＦ tiles'), 'roof'],
    ['as two words', other('Air BnB homes'), 'airbnb'],
    ['as one word', other('Airbnb homes'), 'air bnb'],
    ['with the ending of an agglutinative language', other('Halısaha kiralamak'), 'halısahada'],
    ['in Latin letters', other('Pogoda na zavtra'), 'погода'],
    [
      'of Japanese',
      repeated(chinese.slice(0, 2), ['東京ホテルおすすめ一覧', '', 'https://x.example/']),
      '東京のホテル',
    ],
    ['of Korean', repeated(chinese.slice(0, 2), ['서울의 맛집을 찾다', '', 'https://x.example/']), '서울 맛집'],
    ['of Arabic', other('أفضل الفنادق في دبي'), 'فنادق دبي'],
    ['of Chinese', repeated(chinese.slice(0, 2), ['特价飞机票', '', 'https://x.example/']), '机票预订'],
    ['of Chinese in other characters', repeated(chinese.slice(0, 2), ['機票', '', 'https://x.example/']), '机票'],
    ['of Thai', repeated(thai.slice(0, 2), ['จองโรงแรม', '', 'https://x.example/']), 'โรงแรมเชียงใหม่'],
  ])('%s', (_, rows, query) => {
    expect(shareOfQuery(results(rows), query)?.share).toBeGreaterThanOrEqual(0.25);
    expect(isDecoy(results(rows), query)).toBe(false);
  });
});

describe('a page that cannot be classified is not doubted', () => {
  it.each<[string, readonly Row[], string]>([
    ['a query in another script than the results, one of which has a word of it', other('Tokyo 機票 deals'), '机票'],
    ['an abbreviation of two letters', pizzas, 'fb'],
    ['signs', pizzas, '?!'],
    ['emoji', pizzas, '🏠'],
    ['operators without words', pizzas, '-site:x.example'],
    ['two results', pizzas.slice(0, 2), 'dakdekker Amsterdam'],
    [
      'results with a name and a number each',
      Array.from({ length: 10 }, (_, at) => [`Result ${at}`, 'Words', `https://site${at}.example/`] as const),
      'dakdekker Amsterdam',
    ],
  ])('%s', (_, rows, query) => {
    expect(isDecoy(results(rows), query)).toBe(false);
  });
});

it('common words clear no page, unless the query has no others', () => {
  const rows = other('The best for you');
  expect(isDecoy(results(rows), 'the best roofer for you')).toBe(true);
  expect(isDecoy(results(rows), 'the best for you')).toBe(false);
});

it('three words of a long query are enough', () => {
  const rows = other('Garden hose repair');
  expect(isDecoy(results(rows), 'which green rubber garden hose repair kit lasts longest outdoors')).toBe(false);
});
