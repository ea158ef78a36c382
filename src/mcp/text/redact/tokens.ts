/**
 * Keys and tokens that begin with letters of their provider. The formats are facts that the providers publish; most were
 * compared with the list of gitleaks (decision 021).
 */
export interface Token {
  kind: string
  /** No prefix begins with another one. */
  prefixes: readonly string[]
  /** The characters that follow, and how many at least. */
  rest: keyof typeof RESTS
  least: number
  /** The prefix is short: it counts only where a word begins, or where what follows is long and random. */
  atWord?: 'always' | 'or random'
  /** A text that stays, where another than the bare prefix is worth a test. */
  counterExample?: string
}

/** What the second part of a token consists of. */
export const RESTS = {
  letters: String.raw`[A-Za-z\d]`,
  capitals: String.raw`[A-Z\d]`,
  hex: String.raw`[A-Fa-f\d]`,
  words: String.raw`[\w-]`,
  base64: String.raw`[\w+\/=-]`,
  dotted: String.raw`[\w.+=-]`,
  uuid: String.raw`[A-Fa-f\d-]`,
} as const

export const tokens: readonly Token[] = [
  { kind: 'tracegate_token', prefixes: ['tg_'], rest: 'letters', least: 20, counterExample: 'tg_is_short' },
  { kind: 'aws_key', prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], rest: 'capitals', least: 16 },
  { kind: 'aws_key', prefixes: ['ABSK'], rest: 'base64', least: 60 },
  { kind: 'aws_key', prefixes: ['amzn.mws.', 'bedrock-api-key-'], rest: 'words', least: 20 },
  { kind: 'aws_key', prefixes: ['amzn1.oa2-cs.v1.'], rest: 'hex', least: 32 },
  {
    kind: 'github_token',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    rest: 'letters',
    least: 20,
    counterExample: 'ghp_ is the prefix',
  },
  { kind: 'github_token', prefixes: ['github_pat_'], rest: 'words', least: 20 },
  {
    kind: 'gitlab_token',
    prefixes: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glrtr-',
      'glptt-',
      'gloas-',
      'glcbt-',
      'glft-',
      'glffct-',
      'glsoat-',
      'glagent-',
      'glimt-',
      'GR1348941',
    ],
    rest: 'dotted',
    least: 20,
  },
  {
    kind: 'slack_token',
    prefixes: ['xoxa-', 'xoxb-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-', 'xoxe.xox'],
    rest: 'words',
    least: 10,
  },
  {
    kind: 'stripe_key',
    prefixes: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_', 'pk_live_', 'pk_test_'],
    rest: 'letters',
    least: 10,
  },
  { kind: 'stripe_key', prefixes: ['whsec_'], rest: 'base64', least: 10 },
  {
    kind: 'openai_key',
    prefixes: ['sk-'],
    rest: 'words',
    least: 16,
    atWord: 'or random',
    counterExample: 'sk-circle-fade-dot',
  },
  { kind: 'google_key', prefixes: ['AIza', 'ya29.', 'GOCSPX-'], rest: 'words', least: 20 },
  { kind: 'npm_token', prefixes: ['npm_'], rest: 'letters', least: 30, counterExample: 'npm_config_registry' },
  ...others(
    'letters',
    20,
    'LTAI glsa_ nfp_ figd_ pul- pnu_ gsk_ xai- pplx- sgp_ EZAK EZTK ntn_ FLWSECK_TEST- FLWSECK- NRAK- ' +
      'rzp_live_ rzp_test_ ATBB shippo_live_ shippo_test_ sntryu_ ico- sbp_ sm_pat_ sm_aat_ sm_sat_',
  ),
  ...others('letters', 30, 'hf_ api_org_ r8_ phx_ rdme_ rubygems_ CLOJARS_ p8e-'),
  ...others(
    'words',
    20,
    'hvs. hvb. hvr. dckr_pat_ dckr_oat_ sb_secret_ tskey- pcsk_ nvapi- sha256~ lin_api_ lin_oauth_ CFPAT- ' +
      'HRKU- duffel_live_ duffel_test_ sq0atp- sq0csp- PMAK- xkeysib- xsmtpsib- NRII- lsv2_pt_ lsv2_sk_ ' +
      'tk-us- fio-u- dnkey- s-s4t2ud- s-s4t2af-',
  ),
  ...others('words', 35, 'pypi- AQVN'),
  ...others(
    'dotted',
    20,
    'ATATT3 ATCTT3 pscale_tkn_ pscale_oauth_ pscale_pw_ dp.pt. dp.st. dt0c01. dt0s01. fm1_ fm2_ fo1_',
  ),
  ...others('dotted', 40, 'SG. tfp_'),
  ...others('base64', 20, 'sntrys_ glc_ ops_eyJ AKCp cmVmd'),
  ...others('hex', 32, 'dop_v1_ doo_v1_ dor_v1_ shpat_ shpss_ shpca_ shppa_'),
  ...others('capitals', 40, 'AGE-SECRET-KEY-1'),
  ...others('uuid', 30, 'access-sandbox- access-development- access-production-'),
  { kind: 'provider_token', prefixes: ['key-', 'pubkey-'], rest: 'hex', least: 32, atWord: 'always' },
  { kind: 'provider_token', prefixes: ['dapi'], rest: 'hex', least: 32, atWord: 'or random' },
  {
    kind: 'provider_token',
    prefixes: ['SK'],
    rest: 'hex',
    least: 32,
    atWord: 'or random',
    counterExample: 'SKU-1234 SKIPPED',
  },
  { kind: 'provider_token', prefixes: ['API-'], rest: 'capitals', least: 26, atWord: 'or random' },
  { kind: 'provider_token', prefixes: ['A3-'], rest: 'words', least: 30, atWord: 'or random' },
  { kind: 'provider_token', prefixes: ['oy2'], rest: 'letters', least: 43, atWord: 'always' },
  {
    kind: 'provider_token',
    prefixes: ['re_'],
    rest: 'words',
    least: 24,
    atWord: 'or random',
    counterExample: 're_export_all',
  },
  {
    kind: 'provider_token',
    prefixes: ['pat'],
    rest: 'dotted',
    least: 60,
    atWord: 'or random',
    counterExample: 'pattern',
  },
  { kind: 'provider_token', prefixes: ['EAAA', 'EAAC', 'EAAM', 'sl.'], rest: 'words', least: 40, atWord: 'always' },
  { kind: 'provider_token', prefixes: ['cio', '4b1d'], rest: 'letters', least: 32, atWord: 'always' },
]

/** Formats of providers that need no kind of their own. */
function others(rest: Token['rest'], least: number, prefixes: string): Token[] {
  return prefixes.split(' ').map((prefix) => ({ kind: 'provider_token', prefixes: [prefix], rest, least }))
}
