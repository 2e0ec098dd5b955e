// Suggests tags for new keywords: by file, by folder of the page, and by a word that many of them share. Pure.

import { addTo, getOrInsert } from '../../tracker/maps.ts';
import { variantWords } from '../../tracker/searches.ts';
import { plainWord } from '../cells/amounts.ts';

export const tagSources = ['file', 'folder', 'cluster'] as const;
export type TagSource = (typeof tagSources)[number];

interface Untagged {
  readonly keyword: string;
  /** BCP 47. */
  readonly language: string;
  /** Names of the files that list it, without folder and ending. */
  readonly files: readonly string[];
  /** The page that should rank; null: unknown. */
  readonly url: string | null;
}

/** A word makes a cluster from this many keywords on... */
const clusterKeywordsMin = 3;
/** ... and up to this share of all keywords: a word that most of them have distinguishes none. */
const clusterShareMax = 0.5;
const wordCharsMin = 3;

/** The suggested tags of each keyword, in their order. */
export function suggestTags(keywords: readonly Untagged[], sources: ReadonlySet<TagSource>): string[][] {
  const stops = stopWords(new Set(keywords.map(({ language }) => language)));
  const clusters = sources.has('cluster') ? clusterKeywords(keywords, stops) : [];
  return keywords.map(({ files, url }, index) => {
    const folder = sources.has('folder') && url !== null ? parseFolder(url) : null;
    const cluster = clusters[index] ?? null;
    return [
      ...(sources.has('file') ? files : []),
      ...(folder === null || stops.has(plainWord(folder)) ? [] : [folder]),
      ...(cluster === null ? [] : [cluster]),
    ];
  });
}

/** The first folder of a page, without languages: `shoes` of `https://acme.com/en/shoes/red`. */
function parseFolder(url: string): string | null {
  const folders = new URL(url).pathname.split('/').slice(1, -1);
  const [first = ''] = folders.filter((name) => !/^[a-z]{2}(-[a-z]{2})?$/i.test(name));
  try {
    return decodeURIComponent(first) || null;
  } catch {
    return first;
  }
}

/** For each keyword the word that it shares with most others, as it is usually written; null: none. */
function clusterKeywords(keywords: readonly Untagged[], stops: ReadonlySet<string>): (string | null)[] {
  const spellings = new Map<string, Map<string, number>>();
  const stemsOf = keywords.map(({ keyword }) => {
    const stems = new Set<string>();
    for (const word of keyword.toLowerCase().split(/[^\p{L}\p{N}]+/u)) {
      if (word.length < wordCharsMin || stops.has(plainWord(word)) || /^\d+$/.test(word)) continue;
      const stem = variantWords(word);
      if (stems.has(stem)) continue;
      stems.add(stem);
      addTo(
        getOrInsert(spellings, stem, () => new Map<string, number>()),
        word,
      );
    }
    return stems;
  });
  const counts = new Map<string, number>();
  for (const stem of stemsOf.flatMap((stems) => [...stems])) addTo(counts, stem);
  const most = keywords.length * clusterShareMax;
  return stemsOf.map((stems) => {
    const [stem] = [...stems]
      .filter((each) => (counts.get(each) ?? 0) >= clusterKeywordsMin && (counts.get(each) ?? 0) <= most)
      .sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a.localeCompare(b, 'en'));
    return stem === undefined ? null : commonest(spellings.get(stem) ?? new Map());
  });
}

function commonest(written: ReadonlyMap<string, number>): string | null {
  const [first] = [...written].sort(([a, m], [b, n]) => n - m || a.localeCompare(b, 'en'));
  return first?.[0] ?? null;
}

/** By language. Norwegian, Serbian and the like have those of a close language, too. */
const lists: Readonly<Record<string, string>> = {
  en: `whats wheres whos hows the and for with from your you are how what why when where who whom whose which can could does did has have had was were will would should shall may might must near best
    top new all our not out into onto over under about after before between than then that this these those there here them they their his her hers its him she any some each both
    more most other such only own same too very just also but nor yet per via without within during against among through upon off down isn aren don doesn didn won`,
  de: `der die das und mit von für ein eine einer eines einem einen wie was wo wer wen wem wessen den dem des aus bei beim beste bester bestes besten warum wann weshalb wieso wozu
    womit wofür woher wohin woran worauf welche welcher welches welchen welchem wieviel oder aber auch auf als nach vor über unter zwischen durch gegen ohne bis seit zum zur ist
    sind war waren wird werden wurde kann können muss soll sollte darf hat haben hatte sein seine ihr ihre mein meine dein unser man sich nicht kein keine noch nur schon sehr mehr
    dass wenn weil denn dann damit hier dort alle alles jede jeder jedes diese dieser dieses diesen man ich sie wir uns euch`,
  fr: `les des une pour avec dans sur sous par que qui quoi dont quel quelle quels quelles comment pourquoi quand combien meilleur meilleure meilleurs meilleures est sont était être
    avoir ont sans chez entre vers depuis pendant avant après contre mais donc car cette ces cet son ses leur leurs mon mes ton tes notre nos votre vos elle elles ils nous vous lui
    plus moins très tout tous toute toutes aux lequel laquelle puis peut faut fait faire quelqu aussi comme où lorsque`,
  es: `los las una unos unas con por para como que del desde hasta entre sobre sin según durante contra hacia mediante qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos
    cuántas cómo dónde adónde mejor mejores este esta estos estas ese esa esos esas aquel ser son está están estar era fue hay tiene tener puede hacer más menos muy todo toda todos
    todas otro otra otros mis tus sus nuestro nuestra les nos porque pero sino también cada donde cuando quien cual`,
  it: `gli una uno con per che chi come del della dello dei degli delle dal dalla dai nel nella nei negli nelle sul sulla sui sulle tra fra cosa quale quali quando quanto quanta
    quanti quante dove perché migliore migliori questo questa questi queste quello quella quelli essere sono era stato avere hanno può fare più meno molto tutto tutti tutta tutte
    altro altri suo sua suoi mio mia tuo loro noi voi non anche senza sopra sotto dopo prima contro verso durante ogni allo alla agli alle`,
  pt: `uma uns umas com por para como que dos das nos nas pelo pela pelos pelas desde até entre sobre sem sob durante contra quem qual quais quando quanto quanta quantos quantas onde
    porque porquê melhor melhores este esta estes estas esse essa isso isto aquele ser são está estão era foi tem têm pode fazer mais menos muito todo toda todos todas outro outra
    seu sua seus suas meu minha nosso não também cada aos você vocês eles elas`,
  nl: `het een van met voor hoe wat wie waar waarom wanneer welke welk waarmee waarvoor hoeveel beste bij naar over onder tussen tegen zonder tot uit aan door sinds tijdens maar ook
    niet geen nog meer veel zeer zijn was waren wordt worden werd kan kunnen moet mag zal zou heeft hebben had deze dit die dat mijn jouw onze hun haar hem zij wij jullie alle
    elke ieder iedere als dan omdat want naar toe`,
  sv: `och att det den med för som inte var vad vem vilken vilket vilka hur varför när vart bäst bästa från till mot utan under över mellan efter före genom vid hos men eller också
    ett detta dessa min mitt din sin han hon dem deras vår är kan ska skall har hade blir mer mest alla varje hela mycket`,
  da: `det den der som med for til fra ved mod uden under over mellem efter før gennem hvad hvem hvor hvornår hvorfor hvordan hvilken hvilket hvilke bedst bedste men eller også ikke
    kan skal har havde bliver var mere mest alle hver hele meget min mit din sin han hun dem deres vores denne dette disse`,
  no: `det den som med for til fra ved mot uten under over mellom etter før gjennom hva hvem hvor når hvorfor hvordan hvilken hvilket hvilke best beste men eller også ikke kan skal har
    hadde blir var mer mest alle hver hele mye min mitt din sin han hun dem deres vår denne dette disse hvilken`,
  fi: `joka jotka mikä mitä mitkä missä mistä mihin miksi miten kuinka kuka kenen milloin koska mikäli että kun jos niin tai vai myös mutta vain ovat oli olla ole paras parhaat kanssa
    ilman ennen jälkeen välillä varten alla yllä tämä nämä tuo nuo hän minä sinä heidän meidän kaikki joka enemmän`,
  pl: `jak jaki jaka jakie jakich gdzie kiedy kto kogo komu czym dlaczego czego ile który która które których dla nad pod przed przez przy oraz ale lub albo nie tak jest był była było
    być mają może można ten tego tej tych ich jego jej mój swój nasz wasz bez między wśród około najlepszy najlepsza najlepsze najlepszych bardzo więcej wszystkie każdy czy się
    jako niż tylko też również skąd dokąd`,
  cs: `jak jaký jaká jaké kde kdy kdo koho komu čím proč kolik který která které kam odkud pro nad pod před přes při ale nebo ani není jsou byl byla bylo být může ten tato toto této
    jeho její jejich můj náš váš bez mezi kolem nejlepší velmi více všechny každý jako než také jen nebo když protože`,
  sk: `ako aký aká aké kde kedy kto koho komu čím prečo koľko ktorý ktorá ktoré kam odkiaľ pre nad pod pred cez pri ale alebo ani nie bol bola bolo byť môže ten táto toto jeho jej ich
    môj náš váš bez medzi okolo najlepší najlepšia najlepšie veľmi viac všetky každý než tiež len keď pretože`,
  hu: `hogyan hogy mit miért mikor hol hová honnan melyik mennyi hány kinek milyen mely legjobb egy ezek azok ezt azt vagy nem igen már még csak is és meg van volt lesz lehet kell nélkül
    között után előtt alatt felett mellett minden sok több nagyon mint mert amely aki ami`,
  ro: `cum când unde cine care cât câtă câți câte cui dece pentru din dintre prin către fără peste sub între după înainte despre sau dar nici este sunt era fost avea poate trebuie cel cea
    cei cele acest această aceste acel meu mea tău său lor mai cea mult foarte toate fiecare decât deci cum cel bun`,
  tr: `nasıl neden niçin niye nerede nereden nereye hangi hangisi kaç kim kime kimin kadar için ile gibi göre sonra önce ama veya ancak çok daha tüm her bir olan olarak değil var yok mı
    şey bana sana ona bize size onun benim senin eniyi iyi nedir kimdir ise`,
  ru: `как что кто кого кому чем где когда куда откуда почему зачем сколько какой какая какое какие который которая которые чей для или без над под при про через между после перед около
    это этот эта эти тот так также тоже только уже ещё если чтобы потому был была было были быть есть может можно нужно надо его её они она оно мой твой наш ваш свой все всё весь
    каждый очень более лучший лучшая лучшее лучшие лучше самый самые`,
  uk: `як що хто кого кому чим коли куди звідки чому навіщо скільки який яка яке які котрий чий для або без над під при про через між після перед біля цей ця ці той так також теж тільки
    вже ще якщо щоб був була було були бути може можна треба його її вони вона воно мій твій наш ваш свій всі все кожен дуже більше найкращий найкраща найкраще найкращі краще`,
  bg: `как какво какъв каква какви кой коя кое кои кого кога къде откъде защо колко чий който която което които без над под при през между след преди около или ала това този тази тези така
    също само вече още ако беше бил била било бъде може трябва има няма най най-добър най-добрите много всички всеки`,
  hr: `kako što tko koga kome čim gdje kada kamo odakle zašto koliko koji koja koje kakav kakva kakvo čiji bez nad pod pri kroz između nakon prije oko ili ali ovaj ova ovo taj tako
    također samo već još ako bio bila bilo biti može treba njegov njezin njihov moj tvoj naš vaš svi sve svaki vrlo više najbolji najbolja najbolje`,
  sr: `како што ко кога коме чим где када куда одакле зашто колико који која које какав каква какво чији без над под при кроз између после пре око или али овај ова ово тај тако такође
    само већ још ако био била било бити може треба његов њихов мој твој наш ваш сви све сваки врло више најбољи најбоља најбоље`,
  sl: `kako kaj kdo koga komu čim kje kdaj kam zakaj koliko kateri katera katero kakšen kakšna čigav brez nad pod pri skozi med pred okoli ali toda tudi samo već če bil bila bilo biti
    lahko mora njegov njen njihov moj tvoj naš vaš vsi vse vsak zelo več najboljši najboljša najboljše`,
  lt: `kaip kas kam kur kada kodėl kiek koks kokia kokie kuris kuri kurie dėl nuo iki per prie pro tarp prieš arba bet taip pat tik jau dar jei yra buvo būti gali reikia šis šie tas
    mano tavo jūsų visi labai daugiau geriausias geriausi`,
  lv: `kas kam kur kad kāpēc cik kāds kāda kādi kurš kura kuri par pie pēc pirms starp bez vai bet arī tikai jau vēl ir bija būt var vajag šis šie tas mans tavs visi ļoti vairāk labākais
    labākie kā`,
  et: `kuidas mis mida kes keda kus millal miks palju milline millised kui või aga ning ka ainult juba veel on oli olla saab peab see need minu sinu tema meie teie kõik väga rohkem parim
    parimad ilma enne pärast vahel`,
  el: `πώς πως τι ποιος ποια ποιο ποιοι ποιες πού που πότε γιατί πόσο πόσα πόσοι για από στο στη στην στον στα στις στους των τους της του την τον τις και μετά πριν χωρίς μεταξύ κατά
    είναι ήταν έχει έχουν μπορεί πρέπει αυτό αυτή αυτός όλα όλοι κάθε πολύ πιο καλύτερο καλύτερα καλύτερη αλλά δεν`,
  he: `איך מה מי איפה מתי למה מדוע כמה איזה איזו אילו לאן מאיפה את של על עם אל בין לפני אחרי בלי גם או אבל רק כבר עוד אם היה היא הוא הם זה זאת כל יותר הכי הטוב ביותר כיצד האם היכן`,
  ar: `كيف ماذا متى أين لماذا كم من ما هل في على إلى عن مع بين قبل بعد بدون أو ثم هذا هذه ذلك تلك التي الذي كل أكثر أفضل هو هي هم كان يكون عند حول خلال أي`,
  fa: `چگونه چطور چه چی کی کجا چرا چند کدام برای این آن که است بود شود باید می‌توان همه هر خیلی بیشتر بهترین بدون بین قبل بعد روی زیر تا یا اما هم چیست کیست`,
  hi: `कैसे क्या कब कहाँ कहां क्यों कौन किसे किस कितना कितने कितनी के का की को से में पर और या है हैं था थे थी यह वह इस उस लिए साथ बिना सबसे अच्छा बेस्ट बहुत सभी कौनसा`,
  id: `bagaimana apa siapa kapan mana kenapa mengapa berapa dari untuk dengan dan atau yang pada dalam oleh akan bisa harus ini itu tidak ada adalah saya anda kamu kami mereka semua
    setiap sangat lebih terbaik tanpa antara sebelum sesudah setelah cara dimana`,
  ms: `bagaimana apa siapa bila mana kenapa mengapa berapa dari untuk dengan dan atau yang pada dalam oleh akan boleh perlu ini itu tidak ada adalah saya anda kamu kami mereka semua setiap
    sangat lebih terbaik tanpa antara sebelum selepas cara`,
  vi: `như thế nào sao cái bao nhiêu nhiều khi đâu ai cho của với các những một này kia không được trong ngoài trên dưới trước sau giữa hoặc nhưng cũng chỉ rất hơn nhất tốt tất mỗi vì`,
  th: `อย่างไร อะไร ทำไม เมื่อไหร่ เมื่อไร ที่ไหน ใคร เท่าไหร่ เท่าไร ยังไง ไหน และ หรือ ของ ที่ ใน กับ จาก สำหรับ เป็น คือ มี ได้ ไม่ นี้ นั้น ทุก มาก ที่สุด ดีที่สุด`,
  ja: `どうやって どうして どこで いつから いくら なぜ とは どれ どの どんな について ための から まで より など おすすめ`,
  ko: `어떻게 무엇 언제 어디 어디서 누가 누구 얼마 왜 어떤 하는법 하는 그리고 또는 위한 에서 부터 까지 가장 좋은 추천 무슨`,
  zh: `为什么 為什麼 怎么样 怎麼樣 怎么做 怎麼做 什么是 什麼是 什么时候 什麼時候 哪里有 多少钱 多少錢 如何做 最好的`,
  ca: `els les una uns unes amb per com que del des fins entre sobre sense segons durant contra què qui quin quina quins quines quan quant quanta quants on millor millors aquest aquesta
    aquests aquestes ser són està era fou hi més menys molt tot tota tots totes altre altra meu seva perquè però també cada on`,
};

/** Languages whose words are mixed, or written in two ways. */
const relatives: Readonly<Record<string, readonly string[]>> = {
  nb: ['no'],
  nn: ['no'],
  sr: ['hr'],
  bs: ['hr', 'sr'],
  hr: ['sr'],
  fil: ['en'],
};

/** Of these languages (BCP 47), as `plainWord` writes them; English is in the queries of all. */
function stopWords(languages: Iterable<string>): ReadonlySet<string> {
  const codes = [...languages].map((language) => language.toLowerCase().split('-', 1)[0] ?? '');
  const all = new Set(['en', ...codes, ...codes.flatMap((code) => relatives[code] ?? [])]);
  return new Set([...all].flatMap((code) => (lists[code] ?? '').split(/\s+/).map(plainWord)));
}
