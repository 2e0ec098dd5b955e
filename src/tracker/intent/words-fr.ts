// French word rules of search intent.
import type { WordRules } from './word-rules.ts';

export const words: WordRules = {
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
