// Recognises tables of clicks by the names of their columns in many languages, else by their numbers; never by order.
import { parseCountry } from '../../tracker/countries.ts';
import { plainWord } from '../cells/amounts.ts';
import { parseDate } from '../cells/dates.ts';
import { cellAt, decimalSign, type GroupingSign, groupingSign, withoutGroups } from '../cells/values.ts';
import { firstText, parseRows, type Row, recognise, rowsBelow } from '../text/table.ts';

/** What each row is of. */
type PerformanceKind = 'queries' | 'pages' | 'dates' | 'countries' | 'devices' | 'appearances';

const metrics = ['ctr', 'position', 'impressions', 'clicks'] as const;
type Metric = (typeof metrics)[number];

interface PerformanceLayout {
  readonly width: number;
  readonly kind: PerformanceKind;
  /** The column of queries, pages or the like; -1: none is certain. */
  readonly name: number;
  readonly columns: ReadonlyMap<Metric, number>;
  /** Number of further columns, such as a second dimension. */
  readonly others: number;
  /** Two periods, each with its own columns. */
  readonly isComparison: boolean;
  /** Of a comparison, the periods that its header names; empty: it does not say which column is of which. */
  readonly periods: readonly PeriodColumns[];
  /** It calls queries keywords, and positions averages, as Bing Webmaster Tools does. */
  readonly isOtherEngine: boolean;
  readonly hasHeader: boolean;
}

interface PeriodColumns {
  /** `2026-07-01`, inclusive; `last`: the header calls it the last one, without its dates. */
  readonly dates: { readonly from: string; readonly to: string } | 'last';
  readonly columns: ReadonlyMap<Metric, number>;
}

/** One period of a comparison. */
export interface ComparedPeriod extends Pick<PeriodColumns, 'dates'> {
  readonly lines: readonly PerformanceLine[];
  readonly rejected: readonly number[];
}

export interface PerformanceTable
  extends Pick<PerformanceLayout, 'kind' | 'others' | 'isComparison' | 'isOtherEngine'> {
  /** Of a comparison, the later one first; its `lines` are empty. */
  readonly compared: readonly ComparedPeriod[];
  /** Name of the column of queries, pages or the like; empty without a header. */
  readonly column: string;
  readonly lines: readonly PerformanceLine[];
  /** Numbers of lines that cannot be read, or have more clicks than impressions. */
  readonly rejected: readonly number[];
}

interface PerformanceLine {
  /** A query, the URL of a page, or a date. */
  readonly name: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

export interface ReportFilter {
  readonly name: string;
  readonly value: string;
  /** `web`: the search type of results pages; `type`: another one; `period`: the dates. */
  readonly kind: 'web' | 'type' | 'period' | 'part';
}

/** Parts of words in many languages, as `plainWord` writes them. `_` is a space. */
function words(...lists: readonly string[]): RegExp {
  const parts = lists.flatMap((list) => list.trim().split(/\s+/));
  return new RegExp(parts.map((part) => plainWord(part).replaceAll('_', ' ')).join('|'), 'u');
}

// in the order of `metrics`: "click-through rate" also has the word for clicks, "average click position" too
const metricWords: Readonly<Record<Metric, RegExp>> = {
  ctr: words(
    '(^|[^a-z])ctr([^a-z]|$) (^|_)to($|_\\() click.?through klickrat taux_de_cl tasa_de_cl porcentaje_de_cl taxa_de_cl percentuale_di_cl',
    'doorklik klikfrekv klickfrekv klikkpros klikkausprosent współczynnik_klik míra_prokl rata_de_cl átkattint kattintási_ar tiklama_or tıklama_or',
    '点击率 點擊率 點閱率 点阅率 클릭률 クリック率 שיעור نسبة معدل نرخ सीटीआर tỷ_lệ_nhấp tỉ_lệ_nhấp อัตรา кликабельн процент_на_клик rasio_klik',
  ),
  position: words(
    'posi pozi pozy konum sira sıra plassering placering sijai sijoit položaj položaj положај позици helyez vieta koht θέση מיקום דירוג',
    'موضع ترتيب موقعیت رتبه جایگاه स्थिति स्थान पोज़ीशन रैंक อันดับ ตำแหน่ง vị_trí thứ_hạng kedudukan 順位 순위 排名 名次 位置',
  ),
  impressions: words(
    'impres impr\\. vertoning wyświetl visning exponering eksponering показ gösterim 表示 インプレッション 展示 曝光 展现 노출 zobraz näyt',
    'megjelen afişăr prikaz pojavlj приказ импрес parādī seans rodym näitam εμφαν חשיפ הופע ظهور نمایش ایمپرشن इंप्रेशन इम्प्रेशन แสดงผล การแสดง',
    'hiển_thị tayang tampil paparan',
  ),
  clicks: words(
    'click klick klik clic cliqu kattint tiklama tıklama napsaut klõps paspaud κλικ клик клік קליק לחיצ הקלק نقر كليك کلیک क्लिक คลิก nhấp',
    'クリック 클릭 点击 點擊 點閱',
  ),
};

/** Names for queries that Search Console does not use, and other tools do. */
const keywordWords = words(
  'keyword suchbegriff schlüsselw schlagw mot-cl mot_cl palabra_cl parola_ch palavra zoekwoord trefwoord słowo_kl słowa_kl ключ',
  'キーワード 关键 關鍵 키워드 anahtar_kel sökord nyckelord søgeord nøgleord nøkkelord søkeord avainsan klíčov kľúčov kulcssz cuvânt cuvinte',
  'ključn λέξη λέξεις מילת מילות كلمة الكلمات کلمه कीवर्ड คีย์เวิร์ด từ_khóa từ_khoá kata_kunci raktažod märksõn',
);
const averageWords = words(
  'avg average durchschn mittl moyen medi gemidd gem\\. śred 平均 평균 ortalama gjennomsn genomsn gennemsn keskim průměr átlag priem',
  'prosj povpr сред μέσ ממוצע متوسط औसत เฉลี่ย trung_bình rata-rata vidēj vidutin keskmi',
);

// in an order in which no word of a later kind begins one of an earlier kind: Russian pages and countries
const kindWords: readonly (readonly [PerformanceKind, RegExp])[] = [
  [
    'queries',
    words(
      'quer suchanfrag requêt consult zoekopdr zoekterm forespørg forespørs søgn sökfråg sökning søk spørring haut kysely zapyta dotaz dopyt',
      'poizvedb upit упит заявк запрос запит lekérdez keresés sorgu vaicāj uzklaus päring ερωτημ ερωτήμ αναζητ אילתות שאילת استعلام استفسار طلبات_البحث',
      'پرسمان عبارت क्वेरी คำค้น ข้อความค้น truy_vấn cụm_từ kueri pertanyaan クエリ 검색어 쿼리 查询 查詢 interog search_term',
    ),
  ],
  [
    'pages',
    words(
      '(^|[^a-z])url page seite pagin sider sidor sivu strony strane strán stran страниц сторінк oldal sayfa lapas puslap leht lehed lehe σελιδ σελίδ דפים',
      'صفح पेज पृष्ठ หน้า trang halaman ページ 페이지 网页 網頁 页面 頁面 pahina',
    ),
  ],
  [
    'devices',
    words(
      'devic gerät appareil apparat apparaa dispo enhed enhet urządz zaříz zariaden naprav uređaj уређај устройств пристр eszköz cihaz ierīc įrengin seade seadm',
      'συσκευ מכשיר جهاز اجهزة دستگاه डिवाइस อุปกรณ์ thiết_bị perangkat peranti デバイス 기기 设备 裝置 laite laitteet',
    ),
  ],
  [
    'appearances',
    words(
      'appear appar darst aspe apar wygl udse utse вид вигляд vzhl ulko zoekopmaak weergave megjelenés görünüm arama_g изглед izgled pojav izskat',
      'išvaizd εμφάνιση תצוגה ظهور रूप การปรากฏ giao_diện tampilan 検索での 검색_노출 外观 外觀 呈现 呈現',
    ),
  ],
  [
    'dates',
    words(
      '^dat fecha дата tarih 日付 日期 날짜 päiv ημερομ תאריך تاريخ تاریخ तारीख วันที่ ^ngày tanggal tarikh petsa kuup',
    ),
  ],
  [
    'countries',
    words(
      'countr ^land ^länd ^pays ^paí ^paes kraj ^zemlj ^zem земљ drža стран краін држав държав ország ülke valst šalis riik riig χώρ מדינ ארצ بلد بلدان دول کشور देश',
      'ประเทศ quốc_gia negara bansa ^国 ^國 국가 ^maa ^maat ^țări ^țara',
    ),
  ],
];
const deviceWords = words(
  'desktop mobil tablet computer ordinateur ordenador smartphone telefon téléphone móvil celular komput мобил моб_ комп планш パソコン',
  'モバイル タブレット デスクトップ 桌面 移动 平板 行動 電腦 手机 데스크톱 모바일 태블릿 puhelin masaüst tietokone',
);
const searchTypeWords = words(
  'search_type suchtyp suchart type_de_rech tipo_de_b tipo_de_p tipo_di_r tipus_de_c zoektype typ_wysz söktyp søgetype søketype hakutyyp',
  'typ_vyhľ typ_vyhl vrsta_pretr vrsta_iskan tip_de_căut keresési_típ keresés_típ arama_tür тип_поиск тип_пошук тип_на_търс тип_претр врста_претр',
  '検索タイプ 検索の種類 검색_유형 搜索类型 搜尋類型 τύπος_αναζ סוג_ה?חיפוש نوع_البحث نوع_جستجو खोज_का खोज_प्र ประเภทการค้น loại_tìm jenis_penel jenis_car',
  'meklēšanas_v paieškos_t otsingu uri_ng_pag',
);
const webWords = words(
  '(^|[^a-z])webb?($|[^a-z]) ^www$ ^internet verkko ^nett(et)?$ ^webes ウェブ 웹 网页 網頁 אינטרנט ויב الويب ^ويب$ ^وب$ वेब เว็บ ^ιστ веб интернет',
  'інтернет ^sieć ^mreža ^žiniat ^tīmek ^veeb',
);

const reportWidth = 5;
const comparisonWidth = 9;

/** Null: the row is no header of such a table, and no row of one. `below`: the first rows under it. */
export function performanceLayout(
  header: readonly string[],
  below: readonly (readonly string[])[],
): PerformanceLayout | null {
  const all = [...header.keys()];
  const sameWidth = below.filter((cells) => cells.length === header.length);
  const rows = withoutGroupsIn(sameWidth, all, all);
  const roles = header.map((cell) => metrics.find((metric) => metricWords[metric].test(plainWord(cell))) ?? null);
  const columnsOf = (metric: Metric): number[] => roles.flatMap((role, at) => (role === metric ? [at] : []));
  const hasTwo = columnsOf('clicks').length > 1 && columnsOf('impressions').length > 1;
  if (hasTwo || isComparison(rows, header.length)) {
    const numbers = roles.flatMap((role, at) => (role === null ? [] : [at]));
    return {
      ...layoutOf(header, rows, new Map(), numbers),
      isComparison: true,
      periods: hasTwo ? periodsIn(header, columnsOf) : [],
    };
  }
  // "search appearance" has the word for impressions in some languages: its cells are no numbers
  const named = new Map(
    metrics.flatMap((metric) => {
      const found = columnsOf(metric);
      const at = found.find((column) => rows.some((cells) => /^\d/.test(cellAt(cells, column)))) ?? found.at(-1);
      return at === undefined ? [] : [[metric, at] as const];
    }),
  );
  const isNamed = named.has('impressions') && (named.has('ctr') || (named.has('clicks') && named.has('position')));
  if (isNamed && named.has('clicks') && named.has('position')) return layoutOf(header, rows, named);
  if (header.length === reportWidth) {
    const data = columnsByNumbers([header, ...rows], new Map());
    if (data !== null)
      return {
        ...layoutOf(
          header.map(() => ''),
          [header, ...rows],
          data,
        ),
        hasHeader: false,
      };
    const found = columnsByNumbers(rows, named);
    if (found !== null) return layoutOf(header, rows, found);
  }
  return isNamed ? layoutOf(header, rows, named) : null;
}

/**
 * Rows whose whole numbers have no separators between thousands: each column is read as a whole. `decimals`: columns
 * that show the decimal sign. `proves`: whether other numbers prove that a sign is between thousands.
 */
function withoutGroupsIn(
  rows: readonly (readonly string[])[],
  wholes: readonly number[],
  decimals: readonly number[],
  proves: (sign: GroupingSign) => boolean = () => false,
): readonly (readonly string[])[] {
  const cellsOf = (column: number): string[] => rows.map((cells) => cellAt(cells, column));
  const decimal = decimalSign(decimals.flatMap(cellsOf));
  const signs = new Map(
    wholes.flatMap((column) => {
      const sign = groupingSign(cellsOf(column), decimal, proves);
      return sign == null ? [] : [[column, sign] as const];
    }),
  );
  if (signs.size === 0) return rows;
  return rows.map((cells) =>
    cells.map((cell, at) => {
      const sign = signs.get(at);
      return sign === undefined ? cell : withoutGroups(cell, sign);
    }),
  );
}

function layoutOf(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns: ReadonlyMap<Metric, number>,
  numbers: readonly number[] = [...columns.values()],
): PerformanceLayout {
  const names = header.map((cell) => plainWord(cell));
  const free = names.flatMap((name, at) => (numbers.includes(at) ? [] : [{ name, at, kind: kindNamed(name) }]));
  const found =
    free.find(({ kind }) => kind === 'queries') ??
    free.find(({ kind }) => kind !== null) ??
    (free.length === 1 ? free[0] : undefined);
  const name = found?.at ?? -1;
  return {
    width: header.length,
    kind: found?.kind ?? kindOf(rows.map((cells) => cellAt(cells, name))),
    name,
    columns,
    others: free.length - 1,
    isComparison: false,
    periods: [],
    isOtherEngine: keywordWords.test(found?.name ?? '') && averageWords.test(cellAt(names, columns.get('position'))),
    hasHeader: true,
  };
}

/**
 * The periods of a comparison, by what the header says of each column: its dates, or that it is of the last period. The
 * later one first.
 */
function periodsIn(header: readonly string[], columnsOf: (metric: Metric) => readonly number[]): PeriodColumns[] {
  const named = metrics.filter((metric) => columnsOf(metric).length > 0);
  const found = new Map<string, Map<Metric, number>>();
  const datesOf = headerDates(named.flatMap((metric) => columnsOf(metric).map((at) => cellAt(header, at))));
  for (const metric of named)
    for (const at of columnsOf(metric)) {
      const cell = cellAt(header, at);
      const [only] = datesOf === null ? (/^(last|previous)\b/i.exec(cell) ?? []) : [datesOf(cell)];
      const columns = found.get(only?.toLowerCase() ?? '') ?? new Map<Metric, number>();
      if (only === undefined || columns.has(metric)) return [];
      found.set(only.toLowerCase(), columns.set(metric, at));
    }
  const isWhole = found.size === 2 && [...found.values()].every((columns) => columns.size === named.length);
  if (!isWhole || !named.includes('position')) return [];
  const latestFirst = [...found].filter(([key]) => key !== 'previous').sort(([a], [b]) => (a < b ? 1 : -1));
  return latestFirst.map(([key, columns]) => {
    const [from = '', to = ''] = key.split(' ');
    return { dates: key === 'last' ? 'last' : { from, to }, columns };
  });
}

/**
 * Reads the two dates of each header, as `from to`. Null: a header has none, or their order of day and month is not
 * certain from all of them.
 */
function headerDates(cells: readonly string[]): ((cell: string) => string) | null {
  const written = cells.map((cell) => cell.match(/\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}/g) ?? []);
  if (written.some(({ length }) => length !== 2)) return null;
  const readings = (['mdy', 'dmy'] as const).flatMap((format) => {
    const read = new Map<string, string>();
    for (const [index, dates] of written.entries()) {
      const [from = null, to = null] = dates.map((date) => {
        const parsed = parseDate(
          date.replace(/^(\d{1,2}[-/.]\d{1,2}[-/.])(\d{2})$/, '$120$2'),
          'UTC',
          date.includes('.') ? 'dmy' : format,
        );
        return 'date' in parsed ? parsed.date : null;
      });
      if (from === null || to === null || from > to) return [];
      read.set(cellAt(cells, index), `${from} ${to}`);
    }
    return [read];
  });
  const [first, ...others] = readings;
  const isCertain =
    first !== undefined && others.every((other) => [...other].every(([cell, is]) => first.get(cell) === is));
  return isCertain ? (cell) => first.get(cell) ?? '' : null;
}

function kindNamed(name: string): PerformanceKind | null {
  if (keywordWords.test(name)) return 'queries';
  return kindWords.find(([, known]) => known.test(name))?.[0] ?? null;
}

function kindOf(cells: readonly string[]): PerformanceKind {
  const all = (test: (cell: string) => boolean): boolean => cells.length > 0 && cells.every(test);
  if (all((cell) => /^\d{4}-\d\d-\d\d$/.test(cell))) return 'dates';
  if (all((cell) => /^https?:\/\//.test(cell))) return 'pages';
  if (cells.length <= 4 && all((cell) => deviceWords.test(plainWord(cell)))) return 'devices';
  return all((cell) => parseCountry(cell) !== null) ? 'countries' : 'queries';
}

/** In a language whose words are unknown: two columns are the rates of two others each. */
function isComparison(rows: readonly (readonly string[])[], width: number): boolean {
  if (width !== comparisonWidth || rows.length === 0) return false;
  const columns = [...Array(width).keys()];
  const rates = columns.filter((rate) =>
    permutations(columns, 2).some(([clicks = -1, impressions = -1]) =>
      rows.every((cells) => {
        const line = readNumbers(cells[clicks], cells[impressions], '1');
        const cell = cellAt(cells, rate);
        return line !== null && /[%٪]/.test(cell) && isRate(cell, line);
      }),
    ),
  );
  return rates.length === 2;
}

/** The only assignment of columns that every row fits; null: none, or several. `named` are certain. */
function columnsByNumbers(
  rows: readonly (readonly string[])[],
  named: ReadonlyMap<Metric, number>,
): ReadonlyMap<Metric, number> | null {
  const all = [...Array(reportWidth).keys()];
  const fits = (columns: readonly number[]): boolean => {
    const [clicks = -1, impressions = -1, ctr = -1, position = -1] = columns;
    return rows.every((cells) => {
      const line = readNumbers(cells[clicks], cells[impressions], cells[position]);
      return line !== null && (line.position >= 1 || line.impressions === 0) && isRate(cellAt(cells, ctr), line);
    });
  };
  const found = permutations(all, 4).filter(
    (columns) =>
      (['clicks', 'impressions', 'ctr', 'position'] as const).every(
        (metric, at) => (named.get(metric) ?? columns[at]) === columns[at],
      ) && fits(columns),
  );
  const [only, ...others] = found;
  if (only === undefined || others.length > 0 || rows.length === 0) return null;
  const [clicks = -1, impressions = -1, ctr = -1, position = -1] = only;
  return new Map([
    ['clicks', clicks],
    ['impressions', impressions],
    ['ctr', ctr],
    ['position', position],
  ]);
}

function permutations(items: readonly number[], length: number): number[][] {
  if (length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(
      items.filter((other) => other !== item),
      length - 1,
    ).map((rest) => [item, ...rest]),
  );
}

/** Whether the cell is clicks / impressions, to the last digit that it has: `3.53%`, `3,53 %`, `%3,53`, `0.0353`. */
function isRate(cell: string, { clicks, impressions }: Pick<PerformanceLine, 'clicks' | 'impressions'>): boolean {
  const [, digits = '', decimals = ''] = /^[%٪]?\s*(\d+(?:[.,](\d+))?)\s*[%٪]?$/.exec(cell) ?? [];
  if (digits === '') return impressions === 0 && cell === '';
  const rate = impressions === 0 ? 0 : clicks / impressions;
  const written = Number(digits.replace(',', '.'));
  const near = (value: number): boolean => Math.abs(value - written) <= 10 ** -decimals.length * 1.001;
  return /[%٪]/.test(cell) ? near(rate * 100) : written <= 1 && (decimals.length > 1 || written === rate) && near(rate);
}

/** Null: not the numbers of a row, or more clicks than impressions. */
function readNumbers(clicks = '', impressions = '', position = ''): Omit<PerformanceLine, 'name'> | null {
  const whole = /^\d+$/;
  if (!whole.test(clicks) || !whole.test(impressions) || !/^\d+([.,]\d+)?$/.test(position)) return null;
  const line = {
    clicks: Number(clicks),
    impressions: Number(impressions),
    position: Number(position.replace(',', '.')),
  };
  return line.clicks <= line.impressions ? line : null;
}

/** Null: another table. */
export function readPerformanceTable(text: string): PerformanceTable | null {
  const found = recognise(firstText([text]), [null], (_, header, { below }) => performanceLayout(header, below));
  if (found === null) return null;
  const { layout: of, delimiter, line: headerLine } = found;
  const rows = [...parseRows([text], delimiter)];
  const below = [...rowsBelow(rows, headerLine)];
  const linesOf = (columns: ReadonlyMap<Metric, number>) => readLines(below, of.name, columns);
  const column = cellAt(rows.find(({ line }) => line === headerLine)?.cells ?? [], of.name);
  const { kind, others, isComparison: isOfTwo, isOtherEngine } = of;
  const compared = of.periods.map(({ dates, columns }) => ({ dates, ...linesOf(columns) }));
  const read = isOfTwo ? { lines: [], rejected: [] } : linesOf(of.columns);
  return { kind, others, isComparison: isOfTwo, isOtherEngine, column, compared, ...read };
}

function readLines(
  rows: readonly Row[],
  nameColumn: number,
  columns: ReadonlyMap<Metric, number>,
): { readonly lines: PerformanceLine[]; readonly rejected: number[] } {
  const columnsOf = (...named: readonly Metric[]): number[] => named.flatMap((metric) => columns.get(metric) ?? []);
  const cellsOf = rows.map(({ cells }) => cells);
  const plain = withoutGroupsIn(
    cellsOf,
    columnsOf('clicks', 'impressions'),
    columnsOf('ctr', 'position'),
    (sign) =>
      areRates(cellsOf, columns, (cell) => Number(withoutGroups(cell, sign))) &&
      !areRates(cellsOf, columns, (cell) => Number(cell.replace(sign, '.'))),
  );
  const lines: PerformanceLine[] = [];
  const rejected: number[] = [];
  for (const [index, { line, isBroken }] of rows.entries()) {
    const cells = plain[index] ?? [];
    const cell = (metric: Metric): string | undefined => cells[columns.get(metric) ?? -1];
    const name = cellAt(cells, nameColumn);
    const read = isBroken ? null : readNumbers(cell('clicks'), cell('impressions'), cell('position'));
    if (read === null || name === '') rejected.push(line);
    else lines.push({ name, ...read });
  }
  return { lines, rejected };
}

/** Whether CTR is clicks / impressions in every row, with the numbers of these two as `parse` reads them. */
function areRates(
  rows: readonly (readonly string[])[],
  columns: ReadonlyMap<Metric, number>,
  parse: (cell: string) => number,
): boolean {
  return rows.every((cells) => {
    const cell = (metric: Metric): string => cellAt(cells, columns.get(metric));
    const line = { clicks: parse(cell('clicks')), impressions: parse(cell('impressions')) };
    return line.clicks <= line.impressions && isRate(cell('ctr'), line);
  });
}

/** The table of filters in an export: two columns, in any language. Null: another table. */
export function readFilters(text: string): ReportFilter[] | null {
  const found = recognise(firstText([text]), [null], (_, header, { below }) =>
    header.length === 2 && below.every(({ length }) => length === 2) ? { width: 2 } : null,
  );
  if (found === null) return null;
  const rows = [...parseRows([text], found.delimiter)].map(({ cells: [name = '', value = ''] }) => ({ name, value }));
  const filters = rows.map(({ name, value }): ReportFilter => {
    const word = plainWord(name);
    const isWeb = webWords.test(plainWord(value));
    if (searchTypeWords.test(word)) return { name, value, kind: isWeb ? 'web' : 'type' };
    return { name, value, kind: kindNamed(word) === 'dates' ? 'period' : 'part' };
  });
  const [first, ...others] = filters;
  // the header, unless it is a filter
  return first !== undefined && (first.kind !== 'part' || kindNamed(plainWord(first.name)) !== null) ? filters : others;
}
