// Country codes by English name and by the alpha-3 codes of Search Console.

/** Common names that the runtime does not know. */
const otherNames: readonly (readonly [name: string, code: string])[] = [
  ['usa', 'US'],
  ['united states of america', 'US'],
  ['great britain', 'GB'],
  ['turkey', 'TR'],
  ['czech republic', 'CZ'],
  ['ivory coast', 'CI'],
  ['swaziland', 'SZ'],
  ['east timor', 'TL'],
  ['burma', 'MM'],
  ['palestine', 'PS'],
  ['macedonia', 'MK'],
  ['viet nam', 'VN'],
  ['russian federation', 'RU'],
  ['democratic republic of the congo', 'CD'],
  ['republic of the congo', 'CG'],
];
let codesByName: ReadonlyMap<string, string> | undefined;

/** The ISO 3166-1 code of a code or an English country name; null: unknown. */
export function parseCountry(written: string): string | null {
  if (/^[a-z]{2}$/i.test(written)) return written.toUpperCase() === 'UK' ? 'GB' : written.toUpperCase();
  codesByName ??= new Map([...namedCountries(), ...otherNames]);
  return codesByName.get(plainName(written)) ?? null;
}

/** Codes by long and short name: `Hong Kong` is a short one. */
function* namedCountries(): Generator<readonly [string, string]> {
  const styles = (['long', 'short'] as const).map(
    (style) => new Intl.DisplayNames('en', { type: 'region', style, fallback: 'none' }),
  );
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    // obsolete codes have the name of their successor
    if (new Intl.Locale(`und-${code}`).region !== code) continue;
    for (const names of styles) {
      const name = names.of(code);
      if (name !== undefined) yield [plainName(name), code];
    }
  }
}

/** Normalises a country name: `Saint Kitts and Nevis`, `St. Kitts & Nevis`, `Myanmar [Burma]`, `Côte d’Ivoire`. */
function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[([].*$/s, '')
    .replaceAll('&', 'and')
    .replace(/\bst\./g, 'saint')
    .replaceAll('’', "'")
    .trim();
}

/** All assigned codes, from iso-codes 4.15: alpha-3 in lower case, then alpha-2. Kosovo has no assigned code. */
const codes =
  'abwAW afgAF agoAO aiaAI alaAX albAL andAD areAE argAR armAM asmAS ataAQ atfTF atgAG ausAU autAT azeAZ bdiBI ' +
  'belBE benBJ besBQ bfaBF bgdBD bgrBG bhrBH bhsBS bihBA blmBL blrBY blzBZ bmuBM bolBO braBR brbBB brnBN btnBT ' +
  'bvtBV bwaBW cafCF canCA cckCC cheCH chlCL chnCN civCI cmrCM codCD cogCG cokCK colCO comKM cpvCV criCR cubCU ' +
  'cuwCW cxrCX cymKY cypCY czeCZ deuDE djiDJ dmaDM dnkDK domDO dzaDZ ecuEC egyEG eriER eshEH espES estEE ethET ' +
  'finFI fjiFJ flkFK fraFR froFO fsmFM gabGA gbrGB geoGE ggyGG ghaGH gibGI ginGN glpGP gmbGM gnbGW gnqGQ grcGR ' +
  'grdGD grlGL gtmGT gufGF gumGU guyGY hkgHK hmdHM hndHN hrvHR htiHT hunHU idnID imnIM indIN iotIO irlIE irnIR ' +
  'irqIQ islIS isrIL itaIT jamJM jeyJE jorJO jpnJP kazKZ kenKE kgzKG khmKH kirKI knaKN korKR kwtKW laoLA lbnLB ' +
  'lbrLR lbyLY lcaLC lieLI lkaLK lsoLS ltuLT luxLU lvaLV macMO mafMF marMA mcoMC mdaMD mdgMG mdvMV mexMX mhlMH ' +
  'mkdMK mliML mltMT mmrMM mneME mngMN mnpMP mozMZ mrtMR msrMS mtqMQ musMU mwiMW mysMY mytYT namNA nclNC nerNE ' +
  'nfkNF ngaNG nicNI niuNU nldNL norNO nplNP nruNR nzlNZ omnOM pakPK panPA pcnPN perPE phlPH plwPW pngPG polPL ' +
  'priPR prkKP prtPT pryPY psePS pyfPF qatQA reuRE rouRO rusRU rwaRW sauSA sdnSD senSN sgpSG sgsGS shnSH sjmSJ ' +
  'slbSB sleSL slvSV smrSM somSO spmPM srbRS ssdSS stpST surSR svkSK svnSI sweSE swzSZ sxmSX sycSC syrSY tcaTC ' +
  'tcdTD tgoTG thaTH tjkTJ tklTK tkmTM tlsTL tonTO ttoTT tunTN turTR tuvTV twnTW tzaTZ ugaUG ukrUA umiUM uryUY ' +
  'usaUS uzbUZ vatVA vctVC venVE vgbVG virVI vnmVN vutVU wlfWF wsmWS yemYE zafZA zmbZM zweZW' +
  ' xkkXK';

let byAlpha3: ReadonlyMap<string, string> | undefined;

/** `usa` -> `US`; null: unknown, such as `zzz`. */
export function countryOfAlpha3(code: string): string | null {
  byAlpha3 ??= new Map(codes.split(' ').map((pair) => [pair.slice(0, 3), pair.slice(3)]));
  return byAlpha3.get(code.toLowerCase()) ?? null;
}
