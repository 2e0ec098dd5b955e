// English word rules of search intent.
import type { WordRules } from './word-rules.ts';

export const words: WordRules = {
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
