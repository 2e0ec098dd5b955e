// Dutch word rules of search intent.
import type { WordRules } from './word-rules.ts';

export const words: WordRules = {
  informational: {
    strong:
      'hoe kopen, ^hoe, hoe kan, hoe werkt, hoe lang, hoe oud, wat is, wat zijn, wat betekent, waarom, wanneer begon, wanneer is, wanneer was, wie is, ' +
      'wie was, waar ligt, betekenis, verschil tussen, symptomen, bijwerkingen, recept, recepten, handleiding, uitleg, geschiedenis van, voorbeelden, ' +
      'hoofdstad van, oorzaken, definitie, zelf maken, stap voor stap, vertalen',
    clear:
      'hoe, wat, wanneer, wie, waar, tips, ideeen, weer, *patronen, patroon, sjabloon, oefeningen, voor beginners, leren, voordelen van, formule*, gids, ' +
      'verwijderen, schoonmaken, bestrijden, repareren, hoeveel, berekenen, inwoners, voorwaarden, salaris, minimumloon, feestdagen, schoolvakanties, tabel, ' +
      'samenvatting, gedichten, spreuken, wensen, pijn, toegestaan, leeftijd, opzegtermijn, vervoegen, snoeien, stekken, gevolgen, eigenschappen',
    weak: 'lijst, statistieken, soorten, afbeeldingen, planten, teksten',
  },
  navigational: {
    strong:
      'inloggen, login, aanmelden, officiele website, officiele site, klantenservice, helpcentrum, internetbankieren, startpagina, mijn account, ' +
      'track and trace, webmail',
    clear:
      'openingstijden, contact, telefoonnummer, portaal, website, app, vacatures, vestigingen, mijn, inchecken, check in, retourneren, uitzending gemist, ' +
      'teletekst, klantportaal, livestream',
    weak: 'blog, forum, status',
  },
  commercial: {
    strong:
      'beste, review, reviews, vergelijken, vergelijking, vergelijk, vs, versus, ervaringen, ervaring, beoordeling*, alternatief, alternatieven, ' +
      'de moeite waard, voor en nadelen, voordelen en nadelen, welke .. kopen, welke .. beste, welk .. beste, wat kost, wat kosten, hoeveel kost, hoe duur, ' +
      'top 10, top 5, getest, koopgids, ranglijst, consumentenbond, tot .. euro, onder .. euro, minder dan .. euro, goedkoopste, waar eten, keuzehulp, ' +
      'hoeveel kosten',
    clear:
      'test, top, of, aanbevolen, voor mkb, prijs kwaliteit, welke, welk, betrouwbaar, betrouwbare, betrouwbaarste, leuke, leukste, mooie, mooiste, ' +
      'kindvriendelijk*, hondvriendelijk*, met zwembad, overzicht',
    weak: 'software, dames, heren, *schoenen, goedkope, goede, goed, romantisch*',
  },
  transactional: {
    strong:
      'kopen, bestellen, bestel, korting*, in de buurt, bij mij in de buurt, boeken, reserveren, downloaden, download, huren, verhuur, tickets, *kaarten, ' +
      'kaartjes, offerte, bezorgen, bezorging, te koop, gratis proberen, gratis proefperiode, proefperiode, abonnement, afsluiten, aanbieding*, actiecode, ' +
      'afspraak maken, aanvragen, verlengen, inschrijven',
    clear:
      'prijs, prijzen, goedkoop, goedkope, tweedehands, webshop, winkel, vluchten, sale, leasen, gratis, groothandel, last minute, all inclusive, spoed, ' +
      '24 uur, omzetten, converteren, versturen, veerboot',
    weak:
      'kosten, online, loodgieter, elektricien, slotenmaker, dakdekker, advocaat, boekhouder, accountant, tandarts, verhuisbedrijf, ongediertebestrijding, ' +
      'kapper, rijschool, bloemist, rioolservice',
  },
};
