// What pages of the sandbox say, in its three languages.
import { derive, pick } from './random.ts';
import type { SiteKind } from './sites.ts';

export type Choices = readonly [string, ...string[]];
type Label =
  | 'images'
  | 'videos'
  | 'news'
  | 'shopping'
  | 'maps'
  | 'sponsored'
  | 'questions'
  | 'related'
  | 'stories'
  | 'places'
  | 'posts'
  | 'overview'
  | 'snippet'
  | 'next'
  | 'nothing'
  | 'advice'
  | 'rated'
  | 'reviews';

/** Labels of a results page and phrases with placeholders for the keyword `{k}`, a number `{n}` and a year `{y}`. */
export interface Phrases {
  readonly titles: Readonly<Record<SiteKind, Choices>>;
  readonly snippets: Choices;
  readonly questions: Choices;
  readonly answers: Choices;
  readonly related: Choices;
  readonly adTitles: Choices;
  readonly sitelinks: Choices;
  readonly facts: Choices;
  readonly months: readonly string[];
  /** `{d}`, `{m}`, `{y}`. */
  readonly date: string;
  readonly labels: Readonly<Record<Label, string>>;
}

const english: Phrases = {
  titles: {
    shop: ['{k} - Free Delivery & Returns', 'Shop {k}: {n} Styles in Stock', 'Buy {k} Online', '{k} | New Season {y}'],
    magazine: [
      'The {n} Best {k} of {y}, Tested',
      '{k}: A Complete Guide',
      'How to Choose {k}',
      'What We Learned About {k}',
    ],
    forum: ['{k}: what do you recommend?', 'Question about {k}', '{k} - is it worth it?'],
    video: ['{k} explained in {n} minutes', '{k}: {n} mistakes to avoid', 'I tried {k} for {n} days'],
    reference: ['{k} - Overview and History', '{k}: Definition'],
    news: ['{k}: what changes in {y}', 'Why everyone talks about {k}'],
  },
  snippets: [
    'We compared {n} options for {k} over several months and list what held up, what did not and what it costs.',
    'Everything about {k}: prices, sizes, reviews and advice from people who use it every day.',
    'Find {k} at fair prices. Order before noon and it ships today; returns are free for {n} days.',
    'A short introduction to {k} with examples, pictures and answers to the most common questions.',
    'Our readers asked about {k}. Here is what {n} experts say, and where they disagree.',
    'Last year we wrote about {k} & its history; this page keeps the numbers up to date.',
  ],
  questions: [
    'What is the best {k}?',
    'How much does {k} cost?',
    'Is {k} worth it?',
    'How do you choose {k}?',
    'How long does {k} last?',
    'Which {k} is good for beginners?',
  ],
  answers: [
    'Most experts name three things to look for in {k}: fit, weight and price.',
    'Expect to pay between {n} and {n}0 for {k}, depending on quality.',
    'For most people {k} pays off within {n} months.',
  ],
  related: [
    'best {k}',
    'cheap {k}',
    '{k} near me',
    '{k} reviews',
    '{k} sale',
    '{k} for beginners',
    '{k} {y}',
    '{k} comparison',
    'used {k}',
    '{k} guide',
  ],
  adTitles: ['{k} - Up to {n}% Off', 'Official {k} Store', '{k} | Order Today'],
  sitelinks: ['New Arrivals', 'Sale', 'Women', 'Men', 'Size Guide', 'Reviews', 'Contact', 'Store Finder'],
  facts: ['Origin', 'First mentioned', 'Also known as', 'Typical price'],
  months: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
  date: '{m} {d}, {y}',
  labels: {
    images: 'Images',
    videos: 'Videos',
    news: 'News',
    shopping: 'Shopping',
    maps: 'Maps',
    sponsored: 'Sponsored',
    questions: 'People also ask',
    related: 'People also search for',
    stories: 'Top stories',
    places: 'Places',
    posts: 'What people are saying',
    overview: 'AI Overview',
    snippet: 'Featured snippet from the web',
    next: 'Next',
    nothing: 'did not match any documents.',
    advice: 'Make sure all words are spelled correctly.',
    rated: 'Rating',
    reviews: 'reviews',
  },
};

const german: Phrases = {
  titles: {
    shop: ['{k} – versandkostenfrei bestellen', '{k} online kaufen: {n} Modelle', '{k} | Neu {y}'],
    magazine: ['{k} im Test {y}: die {n} besten', '{k}: der große Ratgeber', 'Worauf es bei {k} ankommt'],
    forum: ['{k}: was empfehlt ihr?', 'Frage zu {k}', 'Erfahrungen mit {k}'],
    video: ['{k} in {n} Minuten erklärt', '{k}: {n} Fehler, die du vermeiden solltest'],
    reference: ['{k} – Überblick und Geschichte', '{k}: Definition'],
    news: ['{k}: was sich {y} ändert', 'Warum alle über {k} reden'],
  },
  snippets: [
    'Wir haben {n} Angebote für {k} über Monate verglichen: was gut ist, was nicht und was es kostet.',
    'Alles über {k}: Preise, Größen, Bewertungen und Tipps aus der Praxis.',
    '{k} zu fairen Preisen. Heute bestellt, morgen da; {n} Tage Rückgaberecht.',
    'Kurze Einführung in {k} mit Beispielen, Bildern & Antworten auf häufige Fragen.',
  ],
  questions: [
    'Was ist das beste {k}?',
    'Was kostet {k}?',
    'Lohnt sich {k}?',
    'Worauf achten bei {k}?',
    'Wie lange hält {k}?',
  ],
  answers: [
    'Fachleute nennen drei Dinge bei {k}: Passform, Gewicht und Preis.',
    'Rechnen Sie für {k} mit {n} bis {n}0 Euro.',
  ],
  related: [
    '{k} test',
    '{k} günstig',
    '{k} in der nähe',
    '{k} erfahrungen',
    '{k} angebot',
    '{k} für anfänger',
    '{k} {y}',
    '{k} vergleich',
    '{k} gebraucht',
  ],
  adTitles: ['{k} – bis zu {n} % Rabatt', '{k} vom Hersteller', '{k} | Jetzt bestellen'],
  sitelinks: ['Neuheiten', 'Angebote', 'Damen', 'Herren', 'Größentabelle', 'Bewertungen', 'Kontakt'],
  facts: ['Herkunft', 'Erstmals erwähnt', 'Auch bekannt als', 'Üblicher Preis'],
  months: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
  date: '{d}. {m} {y}',
  labels: {
    images: 'Bilder',
    videos: 'Videos',
    news: 'News',
    shopping: 'Shopping',
    maps: 'Maps',
    sponsored: 'Gesponsert',
    questions: 'Weitere Fragen',
    related: 'Nutzer fragen auch',
    stories: 'Schlagzeilen',
    places: 'Orte',
    posts: 'Was andere sagen',
    overview: 'Übersicht mit KI',
    snippet: 'Hervorgehobenes Snippet aus dem Web',
    next: 'Weiter',
    nothing: 'stimmt mit keinem Dokument überein.',
    advice: 'Achten Sie darauf, dass alle Wörter richtig geschrieben sind.',
    rated: 'Bewertung',
    reviews: 'Rezensionen',
  },
};

const spanish: Phrases = {
  titles: {
    shop: ['{k} - Envío gratis', 'Comprar {k}: {n} modelos', '{k} | Novedades {y}'],
    magazine: ['Los {n} mejores {k} de {y}', '{k}: guía completa', 'Cómo elegir {k}'],
    forum: ['{k}: ¿qué recomendáis?', 'Duda sobre {k}'],
    video: ['{k} en {n} minutos', '{k}: {n} errores que debes evitar'],
    reference: ['{k} - Definición e historia', '{k}: definición'],
    news: ['{k}: qué cambia en {y}', 'Por qué todos hablan de {k}'],
  },
  snippets: [
    'Comparamos {n} opciones de {k} durante meses: qué aguanta, qué no y cuánto cuesta.',
    'Todo sobre {k}: precios, tallas, opiniones & consejos de quienes lo usan.',
    '{k} al mejor precio. Sale hoy mismo y tienes {n} días para devolverlo.',
  ],
  questions: ['¿Cuál es el mejor {k}?', '¿Cuánto cuesta {k}?', '¿Cómo elegir {k}?', '¿Merece la pena {k}?'],
  answers: [
    'Tres cosas importan en {k}: la talla, el peso y el precio.',
    'Cuenta con pagar entre {n} y {n}0 euros por {k}.',
  ],
  related: [
    'mejor {k}',
    '{k} barato',
    '{k} opiniones',
    '{k} oferta',
    '{k} para principiantes',
    '{k} {y}',
    '{k} comparativa',
    '{k} segunda mano',
  ],
  adTitles: ['{k} - Hasta {n} % de descuento', '{k} | Pídelo hoy'],
  sitelinks: ['Novedades', 'Ofertas', 'Mujer', 'Hombre', 'Guía de tallas', 'Opiniones', 'Contacto'],
  facts: ['Origen', 'Primera mención', 'También llamado', 'Precio habitual'],
  months: 'ene feb mar abr may jun jul ago sept oct nov dic'.split(' '),
  date: '{d} {m} {y}',
  labels: {
    images: 'Imágenes',
    videos: 'Vídeos',
    news: 'Noticias',
    shopping: 'Shopping',
    maps: 'Maps',
    sponsored: 'Patrocinado',
    questions: 'Más preguntas',
    related: 'Otras búsquedas',
    stories: 'Noticias destacadas',
    places: 'Sitios',
    posts: 'Qué dice la gente',
    overview: 'Visión general creada por IA',
    snippet: 'Fragmento destacado de la Web',
    next: 'Siguiente',
    nothing: 'no obtuvo ningún resultado.',
    advice: 'Comprueba que todas las palabras están escritas correctamente.',
    rated: 'Valoración',
    reviews: 'opiniones',
  },
};

/** Phrases of a BCP 47 language; English for a language the sandbox does not write. */
export function findPhrases(language: string): Phrases {
  const code = language.slice(0, 2).toLowerCase();
  return code === 'de' ? german : code === 'es' ? spanish : english;
}

/** The values of a phrase's placeholders. */
export interface PhraseValues {
  /** As it should read, usually in title case. */
  readonly keyword: string;
  readonly key: number;
  readonly year: number;
}

/** One of `choices`, chosen by the key, with its placeholders filled. */
export function phrase(choices: Choices, values: PhraseValues): string {
  return fill(pick(values.key, choices), values);
}

/** A function as replacement, because a keyword may hold `$&`. */
export function fill(template: string, { keyword, key, year }: PhraseValues): string {
  return template.replace(/\{([kny])\}/gu, (_, name: string) => {
    if (name === 'k') return keyword;
    return String(name === 'y' ? year : 3 + ((derive(key, 90) >>> 0) % 27));
  });
}

/** `running shoes` as `Running Shoes`. */
export function titleCase(keyword: string): string {
  return keyword.replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** A day since 1970-01-01 as the language writes it. */
export function dateText(day: number, { date, months }: Phrases): string {
  const at = new Date(day * 86_400_000);
  return date
    .replace('{d}', String(at.getUTCDate()))
    .replace('{m}', months[at.getUTCMonth()] ?? '')
    .replace('{y}', String(at.getUTCFullYear()));
}
