// Titles, snippets, questions and labels of the invented pages, in the languages the sandbox can write. Markup is for the renderers.
import { derive, pick } from './random.ts';
import type { SiteKind } from './sites.ts';

type Choices = readonly [string, ...string[]];

/** Labels of a results page and phrases with places for the keyword `{k}`, a number `{n}` and a year `{y}`. */
export interface Phrases {
  readonly titles: Readonly<Record<SiteKind, Choices>>;
  readonly snippets: Choices;
  readonly questions: Choices;
  readonly answers: Choices;
  readonly related: Choices;
  readonly headlines: Choices;
  readonly adTitles: Choices;
  readonly adTexts: Choices;
  readonly sitelinks: Choices;
  readonly facts: Choices;
  readonly months: Choices;
  /** `{d}`, `{m}`, `{y}`. */
  readonly date: string;
  readonly ages: Choices;
  readonly labels: Readonly<Record<Label, string>>;
}

export type Label =
  | 'all'
  | 'images'
  | 'videos'
  | 'news'
  | 'shopping'
  | 'maps'
  | 'more'
  | 'ads'
  | 'sponsored'
  | 'questions'
  | 'related'
  | 'stories'
  | 'places'
  | 'posts'
  | 'overview'
  | 'snippet'
  | 'about'
  | 'next'
  | 'nothing'
  | 'advice'
  | 'rated'
  | 'readMore';

const en: Phrases = {
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
  headlines: [
    '{k}: prices rise by {n} percent',
    'New study looks at {k}',
    'Retailers see more demand for {k}',
    'Recall affects {n} models: {k}',
  ],
  adTitles: ['{k} - Up to {n}% Off', 'Official {k} Store', '{k} | Order Today'],
  adTexts: [
    'Large selection of {k}. Free shipping on your first order.',
    'Trusted by {n},000 customers. Order {k} online.',
  ],
  sitelinks: ['New Arrivals', 'Sale', 'Women', 'Men', 'Size Guide', 'Reviews', 'Contact', 'Store Finder'],
  facts: ['Origin', 'First mentioned', 'Also known as', 'Typical price'],
  months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  date: '{m} {d}, {y}',
  ages: ['{n} hours ago', '{n} days ago'],
  labels: {
    all: 'All',
    images: 'Images',
    videos: 'Videos',
    news: 'News',
    shopping: 'Shopping',
    maps: 'Maps',
    more: 'More',
    ads: 'Ads',
    sponsored: 'Sponsored',
    questions: 'People also ask',
    related: 'People also search for',
    stories: 'Top stories',
    places: 'Places',
    posts: 'What people are saying',
    overview: 'AI Overview',
    snippet: 'Featured snippet from the web',
    about: 'About this result',
    next: 'Next',
    nothing: 'did not match any documents.',
    advice: 'Make sure all words are spelled correctly.',
    rated: 'Rated {n} out of 5',
    readMore: 'Read more',
  },
};

const de: Phrases = {
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
  headlines: ['{k}: Preise steigen um {n} Prozent', 'Neue Studie zu {k}', 'Handel meldet mehr Nachfrage nach {k}'],
  adTitles: ['{k} – bis zu {n} % Rabatt', '{k} vom Hersteller', '{k} | Jetzt bestellen'],
  adTexts: [
    'Große Auswahl an {k}. Versandkostenfrei ab der ersten Bestellung.',
    'Über {n}.000 zufriedene Kunden. {k} online bestellen.',
  ],
  sitelinks: ['Neuheiten', 'Angebote', 'Damen', 'Herren', 'Größentabelle', 'Bewertungen', 'Kontakt'],
  facts: ['Herkunft', 'Erstmals erwähnt', 'Auch bekannt als', 'Üblicher Preis'],
  months: [
    'Januar',
    'Februar',
    'März',
    'April',
    'Mai',
    'Juni',
    'Juli',
    'August',
    'September',
    'Oktober',
    'November',
    'Dezember',
  ],
  date: '{d}. {m} {y}',
  ages: ['vor {n} Stunden', 'vor {n} Tagen'],
  labels: {
    all: 'Alle',
    images: 'Bilder',
    videos: 'Videos',
    news: 'News',
    shopping: 'Shopping',
    maps: 'Maps',
    more: 'Mehr',
    ads: 'Anzeigen',
    sponsored: 'Gesponsert',
    questions: 'Weitere Fragen',
    related: 'Nutzer fragen auch',
    stories: 'Schlagzeilen',
    places: 'Orte',
    posts: 'Was andere sagen',
    overview: 'Übersicht mit KI',
    snippet: 'Hervorgehobenes Snippet aus dem Web',
    about: 'Über dieses Ergebnis',
    next: 'Weiter',
    nothing: 'stimmt mit keinem Dokument überein.',
    advice: 'Achten Sie darauf, dass alle Wörter richtig geschrieben sind.',
    rated: 'Mit {n} von 5 bewertet',
    readMore: 'Weitere Informationen',
  },
};

const fr: Phrases = {
  titles: {
    shop: ['{k} - Livraison gratuite', 'Acheter {k} : {n} modèles', '{k} | Nouveautés {y}'],
    magazine: ['Les {n} meilleurs {k} de {y}', '{k} : le guide complet', 'Comment choisir {k}'],
    forum: ['{k} : que conseillez-vous ?', 'Question sur {k}'],
    video: ['{k} expliqué en {n} minutes', '{k} : {n} erreurs à éviter'],
    reference: ['{k} — Définition et histoire', '{k} : définition'],
    news: ['{k} : ce qui change en {y}', 'Pourquoi tout le monde parle de {k}'],
  },
  snippets: [
    'Nous avons comparé {n} offres de {k} pendant plusieurs mois : ce qui tient, ce qui casse et combien ça coûte.',
    "Tout sur {k} : prix, tailles, avis & conseils de ceux qui l'utilisent.",
    '{k} au meilleur prix. Expédié le jour même, retours gratuits pendant {n} jours.',
  ],
  questions: [
    'Quel est le meilleur {k} ?',
    'Combien coûte {k} ?',
    'Comment choisir {k} ?',
    'Est-ce que {k} vaut le coup ?',
  ],
  answers: [
    'Trois critères comptent pour {k} : la taille, le poids et le prix.',
    'Comptez entre {n} et {n}0 euros pour {k}.',
  ],
  related: [
    'meilleur {k}',
    '{k} pas cher',
    '{k} avis',
    '{k} promo',
    '{k} débutant',
    '{k} {y}',
    '{k} comparatif',
    '{k} occasion',
  ],
  headlines: ['{k} : les prix augmentent de {n} %', 'Une étude sur {k}', 'La demande de {k} progresse'],
  adTitles: ["{k} - Jusqu'à {n} % de remise", '{k} | Commandez maintenant'],
  adTexts: [
    'Large choix de {k}. Livraison offerte dès la première commande.',
    'Plus de {n} 000 clients. Commandez {k} en ligne.',
  ],
  sitelinks: ['Nouveautés', 'Promotions', 'Femme', 'Homme', 'Guide des tailles', 'Avis', 'Contact'],
  facts: ['Origine', 'Première mention', 'Aussi appelé', 'Prix habituel'],
  months: ['janv.', 'févr.', 'mars', 'avr.', 'mai', 'juin', 'juil.', 'août', 'sept.', 'oct.', 'nov.', 'déc.'],
  date: '{d} {m} {y}',
  ages: ['il y a {n} heures', 'il y a {n} jours'],
  labels: {
    all: 'Tous',
    images: 'Images',
    videos: 'Vidéos',
    news: 'Actualités',
    shopping: 'Shopping',
    maps: 'Maps',
    more: 'Plus',
    ads: 'Annonces',
    sponsored: 'Sponsorisé',
    questions: 'Autres questions',
    related: 'Recherches associées',
    stories: 'À la une',
    places: 'Adresses',
    posts: "Ce qu'on en dit",
    overview: 'Aperçu IA',
    snippet: 'Extrait optimisé sur le Web',
    about: 'À propos de ce résultat',
    next: 'Suivant',
    nothing: 'ne correspond à aucun document.',
    advice: 'Vérifiez l’orthographe des termes de recherche.',
    rated: 'Note : {n} sur 5',
    readMore: 'En savoir plus',
  },
};

const es: Phrases = {
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
  headlines: ['{k}: los precios suben un {n} %', 'Un estudio analiza {k}', 'Crece la demanda de {k}'],
  adTitles: ['{k} - Hasta {n} % de descuento', '{k} | Pídelo hoy'],
  adTexts: [
    'Gran selección de {k}. Envío gratis en tu primer pedido.',
    'Más de {n}.000 clientes. Compra {k} en línea.',
  ],
  sitelinks: ['Novedades', 'Ofertas', 'Mujer', 'Hombre', 'Guía de tallas', 'Opiniones', 'Contacto'],
  facts: ['Origen', 'Primera mención', 'También llamado', 'Precio habitual'],
  months: ['ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sept', 'oct', 'nov', 'dic'],
  date: '{d} {m} {y}',
  ages: ['hace {n} horas', 'hace {n} días'],
  labels: {
    all: 'Todo',
    images: 'Imágenes',
    videos: 'Vídeos',
    news: 'Noticias',
    shopping: 'Shopping',
    maps: 'Maps',
    more: 'Más',
    ads: 'Anuncios',
    sponsored: 'Patrocinado',
    questions: 'Más preguntas',
    related: 'Otras búsquedas',
    stories: 'Noticias destacadas',
    places: 'Sitios',
    posts: 'Qué dice la gente',
    overview: 'Visión general creada por IA',
    snippet: 'Fragmento destacado de la Web',
    about: 'Información sobre este resultado',
    next: 'Siguiente',
    nothing: 'no obtuvo ningún resultado.',
    advice: 'Comprueba que todas las palabras están escritas correctamente.',
    rated: 'Puntuación: {n} de 5',
    readMore: 'Leer más',
  },
};

const byLanguage = new Map<string, Phrases>([
  ['en', en],
  ['de', de],
  ['fr', fr],
  ['es', es],
]);

/** Phrases of a BCP 47 language; English for a language the sandbox does not write. */
export function phrasesOf(language: string): Phrases {
  return byLanguage.get(language.slice(0, 2).toLowerCase()) ?? en;
}

/** What a phrase's places are filled with. */
export interface Filling {
  /** As it should read, usually in title case. */
  readonly keyword: string;
  readonly key: number;
  readonly year: number;
}

/** One of `choices`, chosen by the filling's key, with its places filled. */
export function phrase(choices: Choices, filling: Filling): string {
  return fill(pick(filling.key, choices), filling);
}

/** A function as replacement, because a keyword may hold `$&`. */
export function fill(template: string, { keyword, key, year }: Filling): string {
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
export function dateText(day: number, phrases: Phrases): string {
  const date = new Date(day * 86_400_000);
  return phrases.date
    .replace('{d}', String(date.getUTCDate()))
    .replace('{m}', phrases.months[date.getUTCMonth()] ?? '')
    .replace('{y}', String(date.getUTCFullYear()));
}
