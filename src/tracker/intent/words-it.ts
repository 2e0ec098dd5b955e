// Italian word rules of search intent.
import type { WordRules } from './word-rules.ts';

export const words: WordRules = {
  informational: {
    strong:
      "come comprare, come scegliere, ^come, come si, come fare, cos'e, che cos'e, cosa e, cosa significa, perche, quando e, chi e, chi era, dove si trova, " +
      'significato, differenza tra, differenze tra, sintomi, effetti collaterali, ricetta, ricette, tutorial, storia del, storia di, storia della, esempi, ' +
      'capitale di, capitale dell, capitale della, definizione, cause, a cosa serve, passo passo, traduzione, quanto dura, cosa fare, come funziona',
    clear:
      'quando, chi, dove, consigli, idee, meteo, schemi, modello, esercizi, per principianti, guida, imparare, benefici, formula*, formule, rimedi, come, ' +
      'togliere, pulire, eliminare, riparare, quanto, quanta, quanti, quante, calcolare, abitanti, popolazione, requisiti, documenti necessari, stipendio, ' +
      'salario minimo, giorni festivi, festivita, calendario scolastico, tabella, riassunto, poesie, frasi, auguri, dolore, mal di, eta pensionabile, ' +
      'preavviso, verbi, coniugazione, potatura, potare, piantare, proprieta, capoluogo',
    weak: 'lista, statistiche, tipi di, immagini, calcolo',
  },
  navigational: {
    strong:
      'accedi, accesso, login, sito ufficiale, assistenza clienti, servizio clienti, home banking, area riservata, area clienti, mio account, webmail, entra',
    clear:
      'orari, contatti, numero verde, portale, assistenza, mail, app, lavora con noi, check in, tracking, resi, diretta, televideo, area personale',
    weak: 'blog, forum, sito',
  },
  commercial: {
    strong:
      'migliore, migliori, miglior, recensione, recensioni, opinioni, confronto, confronta, vs, versus, alternativa, alternative, conviene, vale la pena, ' +
      'vantaggi e svantaggi, pro e contro, quale .. scegliere, quale .. comprare, quanto costa, quanto costano, top 10, top 5, classifica, dove comprare, ' +
      'guida all acquisto, altroconsumo, sotto i .. euro, sotto .. euro, meno di .. euro, fino a .. euro, piu economico, piu economica, piu economici, ' +
      'pregi e difetti, dove mangiare, dove cenare, piu vendut*',
    clear:
      'test, top, o, consigliato, consigliati, per piccole imprese, per animali, qualita prezzo, quale, sicuro, affidabile, affidabili, piu affidabil*, ' +
      'piu bello, piu bella, piu belli, piu belle, di charme, con piscina, per famiglie, difetti',
    weak: 'software, scarpe, donna, uomo, economic*, per bambini, romantico, romantici',
  },
  transactional: {
    strong:
      'acquistare, acquisto, acquista, comprare, compra, ordinare, codice sconto, sconto, sconti, coupon, vicino a me, nelle vicinanze, prenotare, ' +
      'prenotazione, prenota, scaricare, download, noleggio, noleggiare, biglietti, biglietto, preventivo, preventivi, consegna, a domicilio, in vendita, ' +
      'vendita, prova gratuita, abbonamento, offerte, saldi, attivare, richiedere, richiedi, iscriversi, rinnovare',
    clear:
      'prezzo, prezzi, economico, economici, economica, economiche, usato, usata, usati, usate, negozio, voli, offerta, tariffe, gratis, all ingrosso, ' +
      'ingrosso, last minute, tutto incluso, all inclusive, urgente, pronto intervento, 24 ore, h24, convertire, spedire, inviare, iscrizione, traghetti, ' +
      'affitto, affittare',
    weak:
      'costo, online, idraulico, elettricista, fabbro, avvocato, commercialista, dentista, traslochi, disinfestazione, parrucchiere, autoscuola, fioraio, ' +
      'spurgo',
  },
};
