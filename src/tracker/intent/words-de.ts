// German word rules of search intent.
import type { WordRules } from './word-rules.ts';

export const words: WordRules = {
  informational: {
    strong:
      'wie macht, wie kann, wie wird, wie funktioniert, wie lange, wie oft, wie alt, wie .. man, was ist, was sind, was bedeutet, was heisst, warum, weshalb, ' +
      'wieso, wann begann, wann ist, wann war, wer ist, wer war, wo liegt, bedeutung, unterschied zwischen, symptome, nebenwirkungen, rezept, rezepte, ' +
      'anleitung, geschichte der, geschichte des, beispiele, hauptstadt von, ursachen, definition, selber machen, schritt fur schritt, funktionsweise',
    clear:
      'wie, was, wann, wer, wo, tipps, ideen, wetter, muster, *muster, vorlage, ubungen, fur anfanger, erklarung, hausmittel, formel*, checkliste, lernen, ' +
      'entfernen, reinigen, bekampfen, reparieren, wieviel, wie viel, wie viele, berechnen, berechnung, einwohner, voraussetzungen, gehalt, mindestlohn, ' +
      'feiertage, schulferien, tabelle, zusammenfassung, gedichte, spruche, gluckwunsche, schmerzen, erlaubt, renteneintrittsalter, kundigungsfrist*, ' +
      'mehrwertsteuer, konjugation, schneiden, ab wann',
    weak: 'liste, statistik, arten, bilder, rechner, pflanzen',
  },
  navigational: {
    strong:
      'login, anmelden, einloggen, offizielle seite, offizielle website, kundenservice, online banking, onlinebanking, startseite, postfach, ' +
      'sendungsverfolgung, mein konto',
    clear:
      'portal, kontakt, offnungszeiten, webseite, kundendienst, hotline, telefonnummer, karriere, app, filiale, check in, retoure, rucksendung, mediathek, ' +
      'live stream, livestream, videotext, kundenportal, filialen',
    weak: 'blog, forum, status',
  },
  commercial: {
    strong:
      'beste, bester, bestes, besten, testsieger, testbericht*, vergleich, vergleiche, vs, versus, erfahrungen, bewertung, bewertungen, alternative, ' +
      'alternativen, lohnt sich, vor und nachteile, vorteile und nachteile, welcher .. beste, welche .. beste, welches .. beste, welcher .. kaufen, ' +
      'welche .. kaufen, welches .. kaufen, was kostet, was kosten, wie viel kostet, wie teuer, top 10, top 5, empfehlung*, kaufberatung, rangliste, ' +
      'bestenliste, stiftung warentest, warentest, bis .. euro, unter .. euro, gunstigster, gunstigste, gunstigstes, billigster, billigste, wo essen, ' +
      'wieviel kostet, wie viel kosten, wieviel kosten',
    clear:
      'test, tests, top, oder, empfehlenswert, fur kleine unternehmen, fur tierhaare, preisvergleich, welcher, welche, welches, serios, schonste, schonster, ' +
      'schonstes, schonsten, kinderfreundlich*, hundefreundlich*, familienfreundlich*, mit pool, im uberblick, zuverlassig*',
    weak: 'software, damen, herren, *schuhe, gunstig, gunstige, gute, guter, gutes, romantisch*, ubersicht',
  },
  transactional: {
    strong:
      'kaufen, kauf, *kaufen, bestellen, gutschein*, rabatt*, in der nahe, in meiner nahe, buchen, *tickets, *karten, termin vereinbaren, mieten, liefern, ' +
      'lieferung, download, herunterladen, zu verkaufen, kostenlos testen, abonnieren, angebot anfordern, abschliessen, reservieren, lieferservice, ' +
      'beantragen, verlangern, einschreiben',
    clear:
      'preis, preise, angebot, angebote, gunstig, gunstige, gunstiger, billig*, shop, online shop, gebraucht, gebraucht*, abo, versand, sale, leasing, ' +
      'versandkostenfrei, fluge, grosshandel, last minute, all inclusive, notdienst, 24h, 24 stunden, umwandeln, konvertieren, verschicken, verleih, termin, ' +
      'fahre',
    weak:
      'kosten, kostenlos, online, ausverkauf, klempner, elektriker, dachdecker, anwalt, rechtsanwalt, steuerberater, zahnarzt, umzugsunternehmen, kammerjager, ' +
      'friseur, reinigungsfirma, fahrschule, florist, rohrreinigung',
  },
};
