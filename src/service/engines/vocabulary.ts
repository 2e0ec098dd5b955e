// Words that `parse --anonymise` keeps. Generated: npx vitest run test/service/engines/vocabulary.test.ts --update

/** Words of names, addresses and texts. */
export const vocabulary: ReadonlySet<string> = new Set(
  `
  14 160 183 19 20 39 403 429 5e a1 ab abbr about abstr accordion account acli aclick aclk action ad adapter
  adbottom add address adpatitleblock ads adurl advanced ai aim alerts algo alink all alsoask alsoaskcard
  alsocon alt amp ampproject an and annotation anomaly ans ansnewswidget answer answers any app appbar apple
  applet apps are area aria article arwt as aside async at attributes attribution attrid atvcap aud audio
  avclub base base64 base64url basefont bdi bdo be before bfoot bgsound big bing block blocked blockquote body
  botstuff bottom bottomads boxeddcard br bres brl browser bsky bubble button cad cai canvas captcha
  captchacontainer captcharedirect caption card carousel cdn center cf challenge challenges characters chat chf
  childnodes cid cite ck class clippath cloudflare cnsi cnso code col colgroup collapse com comments commercial
  community complementary component consent container content contentinfo context continue controls copans
  copilotsearch cpt cred csrc css ctr cut da data datalist date dd debug deep deepdesk defs del desc
  description desktop destination details device df dfb0uf dialog did dir discussions display div dkk dl docid
  document domain doubleclick dt dtls duckassist duckbar duckduckgo duration dvxlsc ecr ecrd ei element
  elements em embed empty enc encrypted end entcard entitysubtitle entitytitle entitytp error eur ex1
  expandable expandableitem expanded expander expansion expfact external extrares extras facebook fact factrow
  facts failed false favicon fbar fbarcnt feedback fg fieldset figcaption figure filter finance first flights
  fll font foot footcnt footer for foreign foreignobject form forum forums found fprsl frame frameset from fsl
  gb gbar gbp gl global goog google googleadservices googleusercontent goto graph group groups gstatic gt guser
  gutefrage gwt h1 h2 h3 h4 h5 h6 has hdr hdtb hdtbsum head header heading hero hgroup hidden hide history hl
  host hotels hp hr href ht html http https httpservice hw icl icon id iframe ig image images img imgans imghp
  imgrefurl imgres imgurl important index inherit inline inner input inr instagram interstitial ipv4 irq is it
  item its itunes iusc javascript js jsname json kc kei keygen kgmid kl kno knowledge kpid kr lab label lang
  layer layout lbl lc lcl leftnav lens level lf lfoot li lineargradient link linkedin links list listing
  listitem lists lite lk lmapcontainer lmapcontainerlite lnt loading local localservices lpage lr lt main
  maindata malignmark maps mark marker markup marquee mask match math mcpr mean media medium menu menuitem
  message meta metadata meter mf mfc mglyph mi microsoft microsofttranslator middot mkt mlo mn mngb mo mobile
  modal module more morelink mphantom mrq ms msb msc msg mtext murl name nav navd nbsp net news nfc nfkc nfkd
  no nobr noembed noframes nok none noscript not nws nwsans object of off official okra ol one only open
  optgroup option ordered org organic other output overview own pa pack packageid pag page pagn pair paractl
  paragraph param parentnode pattern pb pcu perspectives pinterest pla places plaintext play pln policies
  popover popup pre preferences prev product products progress pst pt purl px q8lrlc qna qntext query question
  questions quirks quora quot radialgradient rank rating rb rcnt rdesc react rebates recaptcha recourse reddit
  reel references referrer region related requery res respl response result results rewards rhs rhscol
  richrsrailsugwrapper rl rllt role root row rp rq rrsr rs rso rt rtc ruby running rw rwrl save saved sb sch
  scholar scopebar script scrolling sdb search searched searches searchform sec section sek select selected sep
  serp serpvidans setprefs sfcnt sfooter shadowrootmode sheets shop shopping shorts showtopic si sidebleed site
  sl small sml snippet sorry source sp span spell sponsored src srsltid ss st stackexchange stackoverflow stale
  start state status steps stick stories strike string strong style sub subtitle subtree subttl summary sup
  support sv svg symbol tab table tablist tabpanel tads tadsb tadsto tagname tbm tbn tbody tbs td template
  testid text textarea tfoot th than thead threads ti tiktok time title to top topstuff tptt tr track translate
  travel tray treelimiterror true ts tscff tt ttl turing turnstile twcamp twice twitter type u200b u22c5 uddg
  udm ul unit unknown unordered unparseable unread unset until url usd usqp utf8 uu7djb uuid value var ved
  vidans vidans2 video videos viewer viewport vimeo visibility visit visualdigestdescription vkpgbb vlist2col
  vqd wall was watch wbr webcache webhp websearch website widget width with wprf1b wrapper wrong www xfoot xml
  xmp xn xpdopen yes you youtu youtube zci zł
`
    .trim()
    .split(/\s+/),
);

/** Sites that have a meaning for the readers. */
export const sites: ReadonlySet<string> = new Set(
  `
  answers apple apps avclub bing bsky challenges cloudflare consent doubleclick duckduckgo facebook google
  googleadservices googleusercontent gstatic gutefrage instagram itunes lens linkedin maps medium microsoft
  pinterest play policies quora reddit scholar stackexchange stackoverflow support threads tiktok translate
  twitter vimeo webcache x youtu youtube
`
    .trim()
    .split(/\s+/),
);
