// Word rules of search intent, and famous sites: their syntax, and their phrases by language.
import type { Intent } from '../../service/index.ts';

/**
 * Phrases of one language, separated by commas. `kauf*` and `*versicherung` match words that begin or end so, `..`
 * matches up to four words, `^` is the beginning of the keyword. Case and accents do not count.
 */
type WordRules = Readonly<Record<Intent, Partial<Record<Strength, string>>>>;

/** Weight of a phrase: `strong` decides, `clear` is good evidence, `weak` tips the scales. */
export type Strength = 'strong' | 'clear' | 'weak';

const de: WordRules = {
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

const en: WordRules = {
  informational: {
    strong:
      'how to buy, how to choose, how to, how do, how does, how can, how is, how are, how long, how old, how far, what is, what are, what does, what was, why, ' +
      'when did, when is, when was, who is, who was, where is, meaning of, definition, difference between, symptoms, side effects, recipe, recipes, tutorial, ' +
      'history of, examples of, capital of, facts about, guide to, step by step, learn, diy, lyrics, translate',
    clear:
      'how, what, when, who, where, guide, tips, ideas, examples, causes, benefits of, weather, patterns, template, checklist, formula, for beginners, ' +
      'can you, does, is it, remove, removing, get rid of, fix, fixing, calculate, how many, population of, requirements, salary, minimum wage, ' +
      'public holidays, bank holidays, chart, summary, poems, quotes about, wishes, pain, allowed, retirement age, notice period, vat rate, verbs, ' +
      'conjugation, pruning, time in',
    weak: 'list, statistics, types of, image, pictures, calculator',
  },
  navigational: {
    strong:
      'login, log in, sign in, signin, official site, official website, customer service, help center, online banking, homepage, web player, store locator, ' +
      'webmail, my account',
    clear:
      'website, portal, contact, opening hours, support, account, app, phone number, careers, jobs page, academy, check in, live stream, iplayer, teletext, ' +
      'customer area, order tracking, parcel tracking, package tracking',
    weak: 'docs, status, blog, online, tracking',
  },
  commercial: {
    strong:
      'best, top 10, top 5, top 20, vs, versus, review, reviews, comparison, compare, compared, alternative, alternatives, worth it, worth buying, ' +
      'pros and cons, which .. buy, which .. best, most reliable, how much does .. cost, how much is, how much do .. cost, cheapest, recommended, ranking, ' +
      'should i buy, ratings, under .. dollars, under .. pounds, under .. euros, less than .. dollars, which .. choose, where to eat, buying guide, ' +
      'what to look for',
    clear:
      'top, better, affordable, rated, for small business, for pet hair, test, tested, benchmark, features, or, legit, nicest, most beautiful, ' +
      'family friendly, pet friendly, reliable',
    weak: 'software, which, shoes, laptop, cheap, overview, romantic',
  },
  transactional: {
    strong:
      'buy, order, purchase, for sale, discount, coupon, promo code, voucher, near me, free trial, book, subscribe, download, hire, rent, tickets, quote, ' +
      'delivery, deal, deals, on sale, sign up, booking, reserve, enroll, book now',
    clear:
      'price, prices, pricing, cheap, shop, shipping, rental, clearance, second hand, used, flights, demo, apply, open now, wholesale, last minute, ' +
      'all inclusive, renew, appointment, ferry, pdf to, to pdf',
    weak:
      'cost, store, free, online, in stock, plumber, plumbers, electrician, electricians, locksmith, roofer, roofers, lawyer, lawyers, accountant, ' +
      'accountants, tax advisor, dentist, dentists, movers, moving company, pest control, hairdresser, cleaners, driving school, florist, drain cleaning, ' +
      '24 hour',
  },
};

const es: WordRules = {
  informational: {
    strong:
      'como comprar, como elegir, como limpiar, como hacer, como se, como puedo, como funciona, ^como, que es, que son, que significa, por que, cuando cayo, ' +
      'cuando es, cuando fue, quien es, quien fue, donde esta, significado, diferencia entre, diferencias entre, sintomas, efectos secundarios, receta, ' +
      'recetas, tutorial, historia de, historia del, ejemplos, capital de, definicion, causas, para que sirve, paso a paso, cuanto tiempo, que hacer, ' +
      'a cuanto esta',
    clear:
      'cuando, quien, donde, consejos, ideas, el tiempo, patrones, plantilla, ejercicios, para principiantes, guia, aprender, beneficios, formula*, remedios, ' +
      'como, quitar, limpiar, eliminar, arreglar, cuanto, cuanta, cuantos, cuantas, calcular, habitantes, poblacion, requisitos, sueldo, salario minimo, ' +
      'festivos, calendario laboral, calendario escolar, resumen, poemas, frases, felicitaciones, dolor, me duele, permitido, edad de jubilacion, preaviso, ' +
      'verbos, conjugacion, podar, propiedades, tiempo en',
    weak: 'lista, estadisticas, tipos de, imagenes, calculadora',
  },
  navigational: {
    strong:
      'iniciar sesion, acceder, entrar, pagina oficial, sitio oficial, web oficial, atencion al cliente, banca online, banca en linea, mi cuenta, login, ' +
      'correo electronico, area de clientes, seguimiento',
    clear:
      'horario, horarios, contacto, telefono, portal, ayuda, soporte, aplicacion, empleo, check in, tracking, devoluciones, rastreo, area clientes, ' +
      'area cliente, sede electronica, trabaja con nosotros, en directo, teletexto',
    weak: 'blog, foro, web',
  },
  commercial: {
    strong:
      'mejor, mejores, opiniones, opinion, comparativa, comparacion, comparar, comparador, vs, versus, alternativa, alternativas, vale la pena, ' +
      'merece la pena, ventajas y desventajas, ventajas e inconvenientes, que .. comprar, que .. elegir, cual .. mejor, cuanto cuesta, cuanto cuestan, ' +
      'cuanto vale, top 10, top 5, ranking, analisis, resena, resenas, guia de compra, ocu, por menos de .. euros, menos de .. euros, por menos de .. pesos, ' +
      'mas barato, mas barata, mas baratos, mas baratas, donde comer, donde cenar',
    clear:
      'test, top, recomendado*, para pymes, para mascotas, calidad precio, cual, o, fiable, fiables, mas fiable, mas fiables, confiable, mas bonito, ' +
      'mas bonita, mas bonitos, mas bonitas, con encanto, con piscina, para familias',
    weak: 'software, zapatillas, mujer, hombre, barato*, romantico, romanticos',
  },
  transactional: {
    strong:
      'comprar, compra, pedir, codigo descuento, cupon, cupones, descuento, descuentos, cerca de mi, cerca de aqui, reservar, reserva, descargar, alquiler, ' +
      'alquilar, entradas, presupuesto, a domicilio, envio, en venta, prueba gratis, suscripcion, contratar, suscribirse, rebajas, ofertas, renovar, ' +
      'solicitar, matricularse, inscribirse, pedir cita, cita previa',
    clear:
      'precio, precios, barato, barata, baratos, baratas, segunda mano, tienda, vuelos, oferta, tarifas, gratis, al por mayor, mayorista, ultima hora, ' +
      'todo incluido, urgente, urgencias, 24 horas, 24h, convertir, mandar, enviar, renta, rentar, inscripcion, ferry',
    weak:
      'coste, online, fontanero, plomero, electricista, cerrajero, abogado, asesor fiscal, gestoria, dentista, mudanzas, control de plagas, peluqueria, ' +
      'autoescuela, floristeria, desatascos',
  },
};

const fr: WordRules = {
  informational: {
    strong:
      "comment acheter, comment choisir, comment, pourquoi, qu'est-ce que, qu'est-ce qu, c'est quoi, que signifie, quand a, quand est, qui est, qui etait, " +
      'ou se trouve, signification, difference entre, symptomes, effets secondaires, recette, recettes, tutoriel, tuto, histoire de, histoire du, exemples, ' +
      'capitale de, definition, causes, combien de temps, etape par etape, traduction, ^est ce que, temps de cuisson',
    clear:
      'quand, qui, conseils, idees, meteo, modeles, exercices, pour debutants, guide, exemple, apprendre, bienfaits, formule*, remede*, enlever, nettoyer, ' +
      'eliminer, reparer, combien de, combien, calculer, habitants, population, salaire, smic, jours feries, vacances scolaires, resume, poemes, citations, ' +
      'voeux, douleur, douleurs, autorise, interdit, age legal, preavis, tva, conjugaison, tailler, bouturer, planter',
    weak: 'liste, statistiques, types de, images, calcul',
  },
  navigational: {
    strong:
      'connexion, se connecter, site officiel, service client, centre d aide, mon compte, page d accueil, espace client, webmail, login, connect',
    clear:
      'horaires, contact, numero, portail, support, application, en ligne, espace personnel, recrutement, enregistrement, suivi de commande, suivi colis, ' +
      'retours, replay, espace abonne, espace abonnes, en direct',
    weak: 'blog, forum, site',
  },
  commercial: {
    strong:
      'meilleur, meilleure, meilleurs, meilleures, avis, comparatif, comparaison, comparateur, vs, versus, alternative, alternatives, vaut il le coup, ' +
      'vaut elle le coup, avantages et inconvenients, quel .. choisir, quelle .. choisir, quels .. choisir, quel .. acheter, quelle .. acheter, combien coute, ' +
      'combien coutent, top 10, top 5, classement, ou acheter, guide d achat, 60 millions de consommateurs, que choisir, moins de .. euros, ' +
      'a moins de .. euros, le moins cher, la moins chere, les moins chers, ou manger',
    clear:
      'test, tests, top, ou, recommande, pour pme, quel, quelle, rapport qualite prix, fiable, fiables, fiabilite, plus beau, plus belle, plus beaux, ' +
      'plus belles, plus fiable, plus fiables, de charme, avec piscine',
    weak: 'logiciel, chaussures, femme, homme, pas cher, romantique, romantiques',
  },
  transactional: {
    strong:
      'acheter, achat, commander, code promo, promo, reduction, bon de reduction, pres de chez moi, a proximite, reserver, reservation, telecharger, location, ' +
      'louer, billets, billet, devis, livraison, a vendre, essai gratuit, abonnement, s abonner, soldes, souscrire, s inscrire, renouveler, rendez vous',
    clear:
      'prix, tarif, tarifs, pas cher, pas chere, occasion, d occasion, boutique, vol, vols, promotion, offre, vente, gratuit, grossiste, en gros, ' +
      'derniere minute, tout compris, urgence, 24h, convertir, convertisseur, envoyer, inscription, ferry',
    weak:
      'cout, en ligne, magasin, plombier, electricien, serrurier, couvreur, comptable, expert comptable, dentiste, demenageur, demenageurs, desinsectisation, ' +
      'coiffeur, auto ecole, fleuriste, debouchage',
  },
};

const it: WordRules = {
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

const nl: WordRules = {
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

const pt: WordRules = {
  informational: {
    strong:
      'como comprar, como escolher, ^como, como fazer, como limpar, o que e, o que sao, o que significa, por que, porque, quando caiu, quando e, quando foi, ' +
      'quem e, quem foi, onde fica, significado, diferenca entre, sintomas, efeitos colaterais, efeitos secundarios, receita, receitas, tutorial, historia do, ' +
      'historia da, historia de, exemplos, capital da, capital de, capital do, definicao, causas, para que serve, passo a passo, quanto tempo, o que fazer',
    clear:
      'quando, quem, onde, dicas, ideias, previsao do tempo, tempo amanha, padroes, modelo, exercicios, para iniciantes, guia, aprender, beneficios, formula*, ' +
      'remedio*, como, tirar, remover, limpar, eliminar, consertar, quanto, quanta, quantos, quantas, calcular, habitantes, populacao, requisitos, ' +
      'documentos necessarios, salario minimo, salario, feriados, calendario escolar, tabela, resumo, poemas, frases, mensagens, dor, permitido, ' +
      'idade da reforma, idade para aposentar, aviso previo, verbo, verbos, conjugacao, podar, plantar, propriedades, tempo no, tempo na, tempo em',
    weak: 'lista, estatisticas, tipos de, imagens, calculadora',
  },
  navigational: {
    strong:
      'login, entrar, iniciar sessao, site oficial, pagina oficial, atendimento ao cliente, apoio ao cliente, internet banking, minha conta, area do cliente, ' +
      'rastreamento, acessar, webmail',
    clear:
      'horario, horarios, contato, contacto, telefone, portal, ajuda, suporte, aplicativo, app, vagas, check in, rastreio, rastrear, devolucoes, ' +
      'area de cliente, area do aluno, sac, trabalhe conosco, ao vivo',
    weak: 'blog, forum, site',
  },
  commercial: {
    strong:
      'melhor, melhores, avaliacao, avaliacoes, opinioes, comparativo, comparacao, comparar, comparador, vs, versus, alternativa, alternativas, vale a pena, ' +
      'vantagens e desvantagens, qual .. comprar, qual .. escolher, qual .. melhor, e bom, e boa, quanto custa, quanto custam, top 10, top 5, ranking, ' +
      'resenha, analise, guia de compra, reclame aqui, deco proteste, ate .. reais, ate .. euros, menos de .. reais, menos de .. euros, mais barato, ' +
      'mais barata, mais baratos, pros e contras, onde comer, onde jantar, onde almocar',
    clear:
      'teste, review, top, ou, recomendado*, para pequenas empresas, custo beneficio, qual, confiavel, confiaveis, mais bonito, mais bonita, mais bonitos, ' +
      'mais bonitas, recomendad*, charmosa, charmosas, com piscina, para familias',
    weak: 'software, tenis, feminino, masculino, barat*, romantico, romanticas',
  },
  transactional: {
    strong:
      'comprar, compra, encomendar, cupom, cupons, cupao, desconto, descontos, perto de mim, reservar, reserva, baixar, descarregar, download, aluguel, ' +
      'aluguer, alugar, ingressos, bilhetes, cotacao, orcamento, entrega, a venda, teste gratis, assinatura, assinar, contratar, promocao, promocoes, ofertas, ' +
      'marcar consulta, agendar, agendamento, renovar, solicitar, segunda via, inscrever se, delivery, arrendar',
    clear:
      'preco, precos, barato, barata, baratos, baratas, usado, usada, usados, usadas, loja, voos, oferta, passagens, gratis, segunda mao, atacado, ' +
      'por atacado, ultima hora, tudo incluido, all inclusive, urgente, urgencia, 24 horas, 24h, converter, enviar, inscricao, inscricoes, marcar, ferry',
    weak:
      'custo, online, encanador, canalizador, eletricista, chaveiro, serralheiro, advogado, contador, contabilista, dentista, mudancas, dedetizacao, ' +
      'desinfestacao, cabeleireiro, autoescola, florista, desentupidora',
  },
};

/** Sites that people type by name, in any language. Other words beside them weigh more. */
export const famousSites =
  'youtube, facebook, instagram, twitter, tiktok, reddit, linkedin, pinterest, whatsapp, wikipedia, gmail, outlook, hotmail, amazon, ebay, netflix, spotify, ' +
  'paypal, dropbox, github, chatgpt, canva, zoom, twitch, discord, airbnb, booking com, ikea, zalando, temu, shein, aliexpress';

export const wordRules: Readonly<Record<string, WordRules>> = { de, en, es, fr, it, nl, pt };

/** The languages with word rules. */
export const intentLanguages: readonly string[] = Object.keys(wordRules);
