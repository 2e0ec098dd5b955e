// Exports of Keyword Planner in the languages of its users.

export const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

/** A header in one text. */
const columns = (header: string): readonly string[] => header.split('|');

export interface Language {
  readonly name: string;
  readonly header: readonly string[];
  readonly months: readonly [string, string];
  readonly levels: readonly [low: string, medium: string, high: string];
  readonly grouped: string;
  readonly decimal: string;
}

export const english: Language = {
  name: 'English',
  header: columns(
    'Keyword|Currency|Avg. monthly searches|Three month change|YoY change|Competition|' +
      'Competition (indexed value)|Top of page bid (low range)|Top of page bid (high range)|' +
      'Ad impression share|Organic impression share|Organic average position|In account?|In plan?',
  ),
  months: ['Searches: Feb 2026', 'Searches: Mar 2026'],
  levels: ['Low', 'Medium', 'High'],
  grouped: '12,100',
  decimal: '.',
};
export const languages: readonly Language[] = [
  english,
  {
    name: 'German',
    header: columns(
      'Keyword|Währung|Durchschnittl. Suchanfragen pro Monat|Änderung über drei Monate|' +
        'Änderung gegenüber Vorjahr|Wettbewerb|Wettbewerb (indexierter Wert)|' +
        'Gebot für obere Positionen (unterer Bereich)|Gebot für obere Positionen (oberer Bereich)',
    ),
    months: ['Suchanfragen: Feb. 2026', 'Suchanfragen: März 2026'],
    levels: ['Niedrig', 'Mittel', 'Hoch'],
    grouped: '12.100',
    decimal: ',',
  },
  {
    name: 'French',
    header: columns(
      'Mot clé|Devise|Nombre moyen de recherches mensuelles|Évolution sur trois mois|' +
        "Évolution d'une année sur l'autre|Concurrence|Concurrence (valeur indexée)|" +
        'Enchère de haut de page (fourchette basse)|Enchère de haut de page (fourchette haute)',
    ),
    months: ['Recherches : févr. 2026', 'Recherches : mars 2026'],
    levels: ['Faible', 'Moyenne', 'Élevée'],
    grouped: '12\u202f100',
    decimal: ',',
  },
  {
    name: 'Spanish',
    header: columns(
      'Palabra clave|Moneda|Promedio de búsquedas mensuales|Cambio en tres meses|Cambio interanual|' +
        'Competencia|Competencia (valor indexado)|Puja por la parte superior de la página (intervalo bajo)|' +
        'Puja por la parte superior de la página (intervalo alto)',
    ),
    months: ['Búsquedas: feb 2026', 'Búsquedas: mar 2026'],
    levels: ['Bajo', 'Media', 'Alta'],
    grouped: '12.100',
    decimal: ',',
  },
  {
    name: 'Italian',
    header: columns(
      'Parola chiave|Valuta|Media ricerche mensili|Variazione su tre mesi|Variazione su base annua|' +
        'Concorrenza|Concorrenza (valore indicizzato)|' +
        'Offerta per la parte superiore della pagina (intervallo basso)|' +
        'Offerta per la parte superiore della pagina (intervallo alto)',
    ),
    months: ['Ricerche: feb 2026', 'Ricerche: mar 2026'],
    levels: ['Bassa', 'Media', 'Alta'],
    grouped: '12.100',
    decimal: ',',
  },
  {
    name: 'Portuguese',
    header: columns(
      'Palavra-chave|Moeda|Média de pesquisas mensais|Mudança em três meses|Mudança YoY|Concorrência|' +
        'Concorrência (valor indexado)|Lance na parte superior da página (menores valores)|' +
        'Lance na parte superior da página (maiores valores)',
    ),
    months: ['Pesquisas: fev. de 2026', 'Pesquisas: mar. de 2026'],
    levels: ['Baixa', 'Média', 'Alta'],
    grouped: '12.100',
    decimal: ',',
  },
  {
    name: 'Dutch',
    header: columns(
      'Zoekwoord|Valuta|Gem. maandelijkse zoekopdrachten|Wijziging in drie maanden|Wijziging op jaarbasis|' +
        'Concurrentie|Concurrentie (geïndexeerde waarde)|Bod bovenaan pagina (lage bereik)|' +
        'Bod bovenaan pagina (hoge bereik)',
    ),
    months: ['Zoekopdrachten: feb 2026', 'Zoekopdrachten: mrt 2026'],
    levels: ['Laag', 'Gemiddeld', 'Hoog'],
    grouped: '12.100',
    decimal: ',',
  },
  {
    name: 'Polish, which is not known,',
    header: columns(
      'Słowo kluczowe|Waluta|Śr. mies. liczba wyszukiwań|Zmiana trzymiesięczna|Zmiana r/r|Konkurencja|' +
        'Konkurencja (wartość)|Stawka za górę strony (dolny zakres)|Stawka za górę strony (górny zakres)',
    ),
    months: ['2026-02', '2026-03'],
    levels: ['Niska', '', ''],
    grouped: '12 100',
    decimal: ',',
  },
];

/** An export as the tool writes it: title, period, header, rows; blank if the language has more columns. */
export function plannerFile(
  { header, months, levels: [low, medium, high], grouped, decimal }: Language,
  delimiter = '\t',
  currency = 'USD',
): string {
  const extra = header.slice(9).map(() => '');
  const cell = (text: string) =>
    text.includes(delimiter) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
  const rows = [
    ['Keyword Stats 2026-04-01 at 10_20_30'],
    ['1 March 2025 - 31 March 2026'],
    [...header, ...months],
    [
      'running shoes',
      currency,
      grouped,
      '0%',
      '22%',
      high,
      '87',
      `0${decimal}45`,
      `1${decimal}90`,
      ...extra,
      '9900',
      grouped,
    ],
    ['shoes "wide", red', currency, '90', '-18%', '900%', medium, '50', '', '', ...extra, '70', ''],
    ['rare shoe', currency, '', '', '\u221e', low, '', '', '', ...extra, '', '0'],
  ];
  return rows.map((cells) => cells.map(cell).join(delimiter)).join('\r\n');
}
