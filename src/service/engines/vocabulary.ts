// Words that `parse --anonymise` keeps. Generated: npx vitest run test/service/engines/vocabulary.test.ts --update

/** Words of names, addresses and texts. */
export const vocabulary: ReadonlySet<string> = new Set(
  `
  160 183 19 20 39 403 429 5e a1 abbr about abstr accordion account acli aclick aclk action ad adbottom add
  adpatitleblock ads adurl advanced aim alerts algo alink alsoask alsoaskcard alsocon alt amp and anomaly ans
  ansnewswidget answer answers app appbar apple apps area aria arwt async at attribution attrid atvcap aud
  avclub base base64 base64url bdi bdo be before bfoot bing block blocked body botstuff bottom bottomads
  boxeddcard br bres brl bsky bubble button cad captcha captchacontainer captcharedirect caption card carousel
  cdata center cf challenge chf cid cite ck class clip cnsi cnso code col collapse com comments commercial
  community complementary component consent container content contentinfo context continue controls copans
  copilotsearch cpt cred csrc ctr cut da data date dd debug deep deepdesk del description destination details
  df dfb0uf dialog did dir discussions display div dkk docid domain doubleclick dt dtls duckassist duckbar
  duckduckgo duration dvxlsc echo ecr ecrd ei em embed empty en encrypted entcard entitysubtitle entitytitle
  entitytp error eur expandable expandableitem expanded expander expansion expfact external extrares extras
  facebook fact factrow facts failed false favicon fbar fbarcnt fg filter finance first flights fll font foot
  footcnt footer foreign form forum forums fprsl fsl gb gbar gbp global google googleadservices
  googleusercontent goto graph group groups gstatic gt guser gutefrage gwt h1 h2 h3 has hdr hdtb hdtbsum head
  header heading height hero hidden hide history host hotels hr href ht html https httpservice hveid hw icl
  icon id iframe ig images img imgans imgrefurl imgres imgurl indent index inline inner input inr instagram
  interstitial ipv4 irq is item itunes iusc javascript js jsname json kc kei kgmid kno knowledge kpid kr lab
  label layout lbl lc lcl left leftnav lens level lf lfoot li link linkedin links list listitem lite lk
  lmapcontainer lmapcontainerlite lnt loading local localservices location lpage lr lt main maindata maps mark
  markup max mcpr mean medium menu menuitem message meta mf mfc microsoft microsofttranslator middot mlo mn
  mngb mobile modal module more morelink mrq msb msc msg murl name nav navd nbsp net news nfc nfkc nfkd no
  noembed noframes nok none noscript nws nwsans object off okra ol on one only opacity open option ordered
  organic other output overflow overview pa pack packageid pag page pagn pair paractl paragraph pb pcu
  perspectives ping pinterest pla place places plaintext play pln policies popup pre preferences prev product
  pst pt purl px qna qntext query question questions quora quot rank rating rcnt rdesc react rebates recaptcha
  recourse reddit reel references related requery res result results rewards rhs rhscol richrsrailsugwrapper
  right rl rllt role root row rq rrsr rs rso rw rwrl save sb scholar scopebar script scrolling sdb search
  searches searchform sec section sek select selected sep serp serpvidans setprefs sfcnt sfooter shop shopping
  shorts showtopic si sidebleed sl small sml snippet sorry source sp span spell sponsored src srsltid ss st
  stackexchange stackoverflow stale start state status stick stories strike string strong style sub subtitle
  subtree subttl sup support sv svg tab tabindex table tablist tabpanel tads tadsb tadsto tbm tbn tbs td
  template testid text textarea th than threads ti tiktok time title top topstuff tptt tr track translate
  travel tray treelimiterror true ts tscff ttl turing turnstile twcamp twitter type u200b u22c5 uddg udm ul
  unit unknown unordered unread url usd utf8 uuid uule value ved vidans vidans2 video videos viewer vimeo
  visibility vkpgbb vlist2col vqd wall watch wbr webcache webhp websearch website width with wprf1b wrapper
  wrong www xfoot xmp xpdopen you youtu youtube zci zł
`
    .trim()
    .split(/\s+/),
);

/** Sites that have a meaning for the readers. */
export const sites: ReadonlySet<string> = new Set(
  `
  answers apple apps avclub bing bsky consent doubleclick duckduckgo facebook google googleadservices
  googleusercontent gstatic gutefrage instagram itunes lens linkedin maps medium microsoft pinterest play
  policies quora reddit scholar stackexchange stackoverflow support threads tiktok translate twitter vimeo
  webcache x youtu youtube
`
    .trim()
    .split(/\s+/),
);
