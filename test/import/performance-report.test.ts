// Tables of clicks are recognised by their names in every language of Search Console, else by their numbers.
import { describe, expect, it, test } from 'vitest';
import { readFilters, readPerformanceTable } from '../../src/import/history/performance-report.ts';
import { readKeywords } from '../../src/import/keywords/read-keywords.ts';
import { readKeywordList } from '../../src/import/lists/read-list.ts';
import { linesOf } from './read.ts';

/** Queries, clicks, impressions, CTR, position; then pages, countries, devices. */
const languages: Readonly<Record<string, readonly [string, string]>> = {
  ar: ['أهم طلبات البحث,النقرات,مرات الظهور,نسبة النقر إلى الظهور,الموضع', 'الصفحات الأولى,البلد,الجهاز'],
  bg: ['Най-популярни заявки,Кликвания,Импресии,CTR,Позиция', 'Най-популярни страници,Държава,Устройство'],
  ca: ['Consultes principals,Clics,Impressions,CTR,Posició', 'Pàgines principals,País,Dispositiu'],
  cs: ['Nejčastější dotazy,Prokliky,Zobrazení,CTR,Pozice', 'Nejčastější stránky,Země,Zařízení'],
  da: ['Populære forespørgsler,Klik,Visninger,CTR,Placering', 'Mest populære sider,Land,Enhed'],
  de: ['Häufigste Suchanfragen,Klicks,Impressionen,CTR,Position', 'Die häufigsten Seiten,Land,Gerät'],
  el: ['Κορυφαία ερωτήματα,Κλικ,Εμφανίσεις,CTR,Θέση', 'Κορυφαίες σελίδες,Χώρα,Συσκευή'],
  en: ['Top queries,Clicks,Impressions,CTR,Position', 'Top pages,Country,Device'],
  es: ['Consultas principales,Clics,Impresiones,CTR,Posición', 'Páginas principales,País,Dispositivo'],
  et: ['Populaarseimad päringud,Klikid,Näitamised,CTR,Positsioon', 'Populaarseimad lehed,Riik,Seade'],
  fa: ['پرسمان‌های برتر,کلیک‌ها,نمایش‌ها,نرخ کلیک,موقعیت', 'صفحه‌های برتر,کشور,دستگاه'],
  fi: ['Suosituimmat haut,Klikkaukset,Näyttökerrat,CTR,Sijainti', 'Suosituimmat sivut,Maa,Laite'],
  fil: ['Mga nangungunang query,Mga Click,Mga Impression,CTR,Posisyon', 'Mga nangungunang page,Bansa,Device'],
  fr: ['Requêtes les plus fréquentes,Clics,Impressions,CTR,Position', 'Pages les plus populaires,Pays,Appareil'],
  he: ['שאילתות מובילות,קליקים,חשיפות,שיעור קליקים,מיקום', 'דפים מובילים,מדינה,מכשיר'],
  hi: ['लोकप्रिय क्वेरी,क्लिक,इंप्रेशन,सीटीआर,पोज़ीशन', 'लोकप्रिय पेज,देश,डिवाइस'],
  hr: ['Najčešći upiti,Klikovi,Pojavljivanja,CTR,Položaj', 'Najčešće stranice,Zemlja,Uređaj'],
  hu: ['Leggyakoribb lekérdezések,Kattintások,Megjelenítések,CTR,Pozíció', 'Legnépszerűbb oldalak,Ország,Eszköz'],
  id: ['Kueri teratas,Klik,Tayangan,CTR,Posisi', 'Halaman teratas,Negara,Perangkat'],
  it: ['Query più frequenti,Clic,Impressioni,CTR,Posizione', 'Pagine principali,Paese,Dispositivo'],
  ja: ['上位のクエリ,クリック数,表示回数,CTR,掲載順位', '上位のページ,国,デバイス'],
  ko: ['인기 검색어,클릭수,노출,CTR,게재 순위', '인기 페이지,국가,기기'],
  lt: ['Dažniausios užklausos,Paspaudimai,Parodymai,CTR,Pozicija', 'Populiariausi puslapiai,Šalis,Įrenginys'],
  lv: ['Populārākie vaicājumi,Klikšķi,Seansi,VKS (CTR),Pozīcija', 'Populārākās lapas,Valsts,Ierīce'],
  ms: ['Pertanyaan teratas,Klik,Paparan,CTR,Kedudukan', 'Halaman teratas,Negara,Peranti'],
  nl: ['Populairste zoekopdrachten,Klikken,Vertoningen,CTR,Positie', "Populairste pagina's,Land,Apparaat"],
  no: ['Vanligste søk,Klikk,Visninger,CTR,Posisjon', 'Mest populære sider,Land,Enhet'],
  pl: ['Najczęstsze zapytania,Kliknięcia,Wyświetlenia,CTR,Pozycja', 'Najpopularniejsze strony,Kraj,Urządzenie'],
  'pt-BR': ['Principais consultas,Cliques,Impressões,CTR,Posição', 'Principais páginas,País,Dispositivo'],
  ro: ['Cele mai frecvente interogări,Clicuri,Afișări,CTR,Poziție', 'Cele mai populare pagini,Țară,Dispozitiv'],
  ru: ['Популярные запросы,Клики,Показы,CTR,Позиция', 'Популярные страницы,Страна,Устройство'],
  sk: ['Najčastejšie dopyty,Kliknutia,Zobrazenia,CTR,Pozícia', 'Najnavštevovanejšie stránky,Krajina,Zariadenie'],
  sl: ['Najpogostejše poizvedbe,Kliki,Prikazi,CTR,Položaj', 'Najbolj priljubljene strani,Država,Naprava'],
  sr: ['Најчешћи упити,Кликови,Прикази,CTR,Позиција', 'Најпопуларније странице,Земља,Уређај'],
  sv: ['Vanligaste sökfrågorna,Klick,Visningar,CTR,Position', 'Populäraste sidorna,Land,Enhet'],
  th: ['คำค้นหายอดนิยม,คลิก,การแสดงผล,CTR,อันดับ', 'หน้ายอดนิยม,ประเทศ,อุปกรณ์'],
  tr: ['En çok yapılan sorgular,Tıklamalar,Gösterimler,TO,Konum', 'En popüler sayfalar,Ülke,Cihaz'],
  uk: ['Популярні запити,Кліки,Покази,CTR,Позиція', 'Популярні сторінки,Країна,Пристрій'],
  vi: ['Cụm từ tìm kiếm hàng đầu,Số lượt nhấp,Số lượt hiển thị,CTR,Vị trí', 'Trang hàng đầu,Quốc gia,Thiết bị'],
  'zh-CN': ['热门查询,点击次数,展示,点击率,排名', '热门网页,国家/地区,设备'],
  'zh-TW': ['熱門查詢項目,點擊,曝光,點閱率,排名', '熱門網頁,國家/地區,裝置'],
};
const row = ['shoes', '12', '340', '3.53%', '7.41'];
/** The columns in two orders other than that of the export. */
const orders = [
  [2, 1, 0, 4, 3],
  [4, 3, 2, 0, 1],
];
const bytes = (text: string) => () => [Buffer.from(text)];
const line = { name: 'shoes', clicks: 12, impressions: 340, position: 7.41 };

describe.each(Object.entries(languages))('in %s', (_language, [header, others]) => {
  test('all imports recognise the table of queries, with its columns in any order', () => {
    const names = header.split(',');
    for (const order of [[0, 1, 2, 3, 4], ...orders]) {
      // equal numbers: nothing but the names says which is which
      const [text, equal] = [row, ['shoes', '9', '9', '100%', '1']].map((cells) =>
        [names, cells].map((each) => order.map((at) => each[at]).join(',')).join('\n'),
      );
      expect(readPerformanceTable(text!)).toMatchObject({ kind: 'queries', others: 0, lines: [line] });
      expect(readPerformanceTable(equal!)).toMatchObject({ lines: [{ clicks: 9, impressions: 9, position: 1 }] });
      expect(linesOf(text!)[0]).toContain('average');
      const keywords = readKeywords(bytes(text!), null, { map: new Map(), usdPerUnit: null });
      const list = readKeywordList(bytes(text!), new Map());
      expect([keywords.format, list.format]).toEqual(['search-console', 'search-console']);
      expect([...keywords.readings, ...list.rows]).toMatchObject([{ keyword: 'shoes' }, { keyword: 'shoes' }]);
    }
  });

  test('tables of pages, countries and devices are no queries, and two periods are a comparison', () => {
    const metrics = header.split(',').slice(1);
    for (const name of others.split(',')) {
      const found = readPerformanceTable(`${[name, ...metrics].join(',')}\nx,12,340,3.53%,7.41\n`);
      expect([name, found?.kind]).toEqual([name, expect.stringMatching(/pages|countries|devices/)]);
    }
    for (const period of ['7/1/26 - 9/30/26 NAME', 'NAME (90)']) {
      const columns = metrics.flatMap((name) => [period.replace('NAME', name), `${name} 2`]);
      const text = `${[header.split(',')[0], ...columns].join(',')}\nshoes,1,2,10,20,50%,60%,3,4\n`;
      expect(readPerformanceTable(text)).toMatchObject({ isComparison: true, kind: 'queries' });
    }
  });
});

describe('a table in an unknown language', () => {
  const rows = [row.join(','), 'boots,0,40,0%,12.5', '511,3,3,100%,1'];

  it.each([
    ['by its numbers', 'aa,bb,cc,dd,ee', rows],
    ['with a share as a fraction', 'aa,bb,cc,dd,ee', ['shoes,12,340,0.0353,7.41']],
    ['with its percent sign first', 'aa;bb;cc;dd;ee', ['shoes;12;340;%3,53;7,41']],
  ])('is recognised %s, in any order', (_how, header, body) => {
    const separator = header.includes(';') ? ';' : ',';
    for (const order of [[0, 1, 2, 3, 4], ...orders]) {
      const text = [header, ...body].map((cells) => order.map((at) => cells.split(separator)[at]).join(separator));
      expect(readPerformanceTable(text.join('\n'))?.lines[0]).toEqual(line);
    }
  });

  it('is recognised without a header, and loses no row', () => {
    const text = rows.join('\n');
    expect(readPerformanceTable(text)?.lines.map(({ name }) => name)).toEqual(['shoes', 'boots', '511']);
    expect([...readKeywordList(bytes(text), new Map()).rows]).toHaveLength(3);
    expect(linesOf(text)).toHaveLength(3);
  });

  it.each([
    ['whose numbers fit in two ways', 'aa,bb,cc,dd,ee\nshoes,0,40,0%,12\n'],
    ['whose share is of no two columns', 'aa,bb,cc,dd,ee\nshoes,12,340,9%,7.41\n'],
    ['without rows', 'aa,bb,cc,dd,ee\n'],
  ])('%s is not recognised', (_what, text) => {
    expect(readPerformanceTable(text)).toBeNull();
    expect(() => readKeywordList(bytes(text), new Map())).toThrow('no column of keywords');
  });

  it('that compares two periods is recognised by its two shares', () => {
    const text = 'aa,b,c,d,e,f,g,h,i\nshoes,14,26,382,621,3.66%,4.19%,1,1\nboots,6,4,532,639,1.13%,0.63%,1.59,1.31\n';
    expect(readPerformanceTable(text)).toMatchObject({ isComparison: true });
  });
});

it.each([
  ['Keyword,Impressions,Clicks,CTR,Avg. Position', true],
  ['Schlüsselwort,Impressionen,Klicks,CTR,Durchschn. Position', true],
  ['Mot clé,Impressions,Clics,CTR,Position moyenne', true],
  ['Palabra clave,Impresiones,Clics,CTR,Posición media', true],
  ['Query,Impressions,Clicks,CTR,Avg. Position', false],
  ['Keyword,Impressions,Clicks,CTR,Position', false],
])('%s is from Bing: %s', (header, isOtherEngine) => {
  expect(readPerformanceTable(`${header}\nshoes,340,12,3.53%,7\n`)).toMatchObject({ isOtherEngine, kind: 'queries' });
});

it('refuses a row with more clicks than impressions, and keeps the others', () => {
  const text = 'Query,Clicks,Impressions,CTR,Position\nshoes,340,12,3.53%,7\nboots,1,2,50%,3\n';
  expect(readPerformanceTable(text)).toMatchObject({ rejected: [2], lines: [{ name: 'boots' }] });
});

describe('filters', () => {
  it.each([
    ['Filter,Value\nSearch type,Web\nDate,Last 28 days', 'web period'],
    ['Filter,Wert\nSuchtyp,Web\nDatum,Letzte 3 Monate', 'web period'],
    ['Filtre,Valeur\nType de recherche,Web\nDate,3 derniers mois', 'web period'],
    ['Filtro,Valor\nTipo de búsqueda,Imagen\nFecha,Últimos 3 meses\nPaís,Francia', 'type period part'],
    ['Filtro,Valore\nTipo di ricerca,Web\nData,Ultimi 3 mesi\nPagina,Contenente /blog/', 'web period part'],
    ['Filtr,Wartość\nTyp wyszukiwania,Sieć\nData,Ostatnie 3 miesiące', 'web period'],
    ['Filtre,Değer\nArama türü,Web\nTarih,Son 3 ay\nCihaz,Mobil', 'web period part'],
    ['Фильтр,Значение\nТип поиска,Веб-поиск\nДата,Последние 3 месяца', 'web period'],
    ['Фильтр,Значение\nТип поиска,Картинки\nДата,Последние 3 месяца', 'type period'],
    ['フィルタ,値\n検索タイプ,ウェブ\n日付,過去 3 か月間\nクエリ,次を含む: 靴', 'web period part'],
    ['필터,값\n검색 유형,웹\n날짜,지난 3개월', 'web period'],
    ['过滤器,值\n搜索类型,网页\n日期,过去 3 个月', 'web period'],
    ['篩選器,值\n搜尋類型,圖片\n日期,過去 3 個月', 'type period'],
    ['Filter,Waarde\nZoektype,Nieuws\nDatum,Afgelopen 3 maanden', 'type period'],
    ['Search type,News\nDate,Last 28 days', 'type period'],
    ['xx,yy\nzz,ww', 'part'],
  ])('%j are %s', (text, kinds) => {
    expect(
      readFilters(text)
        ?.map(({ kind }) => kind)
        .join(' '),
    ).toBe(kinds);
  });
});

describe('separators between thousands', () => {
  const of = (...rows: string[]) =>
    readPerformanceTable(`Top queries;Clicks;Impressions;CTR;Position\n${rows.join('\n')}\n`);
  const read = [
    { name: 'shoes', clicks: 1234, impressions: 1_234_567, position: 7.4 },
    { name: 'boots', clicks: 12, impressions: 340, position: 1 },
  ];

  it.each([
    ['commas', '1,234', '1,234,567', '7.4'],
    ['dots', '1.234', '1.234.567', '7,4'],
    ['spaces', '1 234', '1 234 567', '7,4'],
    ['non-breaking spaces', '1\u00a0234', '1\u00a0234\u00a0567', '7,4'],
    ['narrow non-breaking spaces', '1\u202f234', '1\u202f234\u202f567', '7,4'],
    ['apostrophes', "1'234", "1'234'567", '7.4'],
    ['typographic apostrophes', '1\u2019234', '1\u2019234\u2019567', '7.4'],
    ['commas as in India', '1,234', '12,34,567', '7.4'],
  ])('%s are read where the whole column agrees', (_name, clicks, impressions, position) => {
    const rows = [`shoes;${clicks};${impressions};0.1%;${position}`, 'boots;12;340;3.53%;1'];
    expect(of(...rows)).toMatchObject({ lines: read, rejected: [] });
  });

  it.each([
    ['a single number, without another number that shows the decimal sign', ['shoes;1.234;12.345;10%;3']],
    ['three decimals in every cell', ['shoes;1.000;9.000;11%;3', 'boots;2.000;8.000;25%;4']],
    ['the sign of the decimals', ['shoes;1.234;12.345;10.0%;3.5', 'boots;2.000;8.000;25.0%;4.5']],
    ['two signs in one column', ['shoes;1,234;1,234,567;1%;3.5', 'boots;1.234;1.234.567;1%;4.5']],
    ['a fraction in the column', ['shoes;1,234;123,456;1%;3.5', 'boots;1,5;123,4;1%;4.5']],
  ])('are refused with %s', (_name, rows) => {
    expect(of(...rows)).toMatchObject({ lines: [], rejected: rows.map((_row, at) => at + 2) });
  });

  it.each([
    ['commas', 'shoes;300;30,000;1%;3', 30_000],
    ['dots', 'shoes;12;1.234;1%;3', 1234],
    ['a share without a sign', 'shoes;300;30,000;0.01;3', 30_000],
  ])('of a single line are read where only they make CTR the rate: %s', (_name, row, impressions) => {
    expect(of(row)).toMatchObject({ lines: [{ impressions }], rejected: [] });
  });

  it('of a single line without clicks are refused, because CTR is the same either way', () => {
    expect(of('shoes;0;30,000;0%;3')).toMatchObject({ lines: [], rejected: [2] });
  });

  it('in a query stay as they are', () => {
    expect(of('1,234;1,234;12,345;10%;3.5')).toMatchObject({ lines: [{ name: '1,234', clicks: 1234 }] });
  });
});
