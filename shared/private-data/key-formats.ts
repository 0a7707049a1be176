/** A format of keys that begins with a prefix. */
type KeyFormat = {
  readonly prefixes: readonly string[];
  /** The characters behind the prefix. */
  readonly characters: RegExp;
  readonly min: number;
  /** Exactly `min` characters, and then another one or none. */
  readonly isExact?: true;
};

const UPPER = /^[A-Z\d]$/u;
const ALPHANUMERIC = /^[A-Za-z\d]$/u;
const HEXADECIMAL = /^[a-f\d]$/u;
const URL_SAFE = /^[\w-]$/u;
const WITH_DOTS = /^[\w.-]$/u;

/** Formats of keys and tokens, from the documentation of their issuers. */
export const KEY_FORMATS: readonly KeyFormat[] = [
  // AWS: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
  { prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], characters: UPPER, min: 16, isExact: true },
  // GitHub: https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/
  { prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], characters: ALPHANUMERIC, min: 30 },
  { prefixes: ['github_pat_'], characters: URL_SAFE, min: 22 },
  { prefixes: ['glpat-', 'gldt-', 'glrt-'], characters: URL_SAFE, min: 20 },
  // Slack: https://docs.slack.dev/authentication/tokens
  {
    prefixes: [
      'xoxb-',
      'xoxp-',
      'xoxa-',
      'xoxr-',
      'xoxs-',
      'xoxe-',
      'xoxe.xoxb-',
      'xoxe.xoxp-',
      'xoxc-',
      'xoxd-',
      'xapp-',
      'xwfp-',
    ],
    characters: URL_SAFE,
    min: 10,
  },
  // Stripe: https://docs.stripe.com/keys
  { prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_'], characters: ALPHANUMERIC, min: 16 },
  // Keys of model servers.
  { prefixes: ['sk-'], characters: URL_SAFE, min: 20 },
  { prefixes: ['hf_', 'gsk_', 'r8_'], characters: ALPHANUMERIC, min: 30 },
  { prefixes: ['AIza'], characters: URL_SAFE, min: 35 },
  { prefixes: ['ya29.'], characters: URL_SAFE, min: 20 },
  { prefixes: ['npm_'], characters: ALPHANUMERIC, min: 36 },
  { prefixes: ['pypi-'], characters: URL_SAFE, min: 50 },
  { prefixes: ['SG.'], characters: WITH_DOTS, min: 60 },
  { prefixes: ['shpat_', 'shpss_', 'shpca_'], characters: HEXADECIMAL, min: 32 },
  { prefixes: ['dop_v1_', 'doo_v1_'], characters: HEXADECIMAL, min: 64 },
  { prefixes: ['glsa_', 'lin_api_', 'ntn_', 'figd_', 'dckr_pat_', 'PMAK-'], characters: URL_SAFE, min: 20 },
  { prefixes: ['AGE-SECRET-KEY-1'], characters: UPPER, min: 50 },
];

/** How the first two parts of a JSON Web Token (RFC 7519) begin: `{"` in base64url. */
export const JSON_OBJECT = 'eyJ';

/** Whether the parts of a word have the lengths of the token of a Discord bot: its id in base64, a time, a signature. */
export const isDiscordToken = (id: number, time: number, signature: number): boolean =>
  id >= 23 && id <= 28 && time >= 6 && time <= 7 && signature >= 27 && signature <= 45;

/** Addresses that are keys: who knows them may post. */
export const SECRET_URLS = ['hooks.slack.com/services/', '/api/webhooks/'];

/** What people call a secret that they assign: `api_key=…`, `"password": "…"`. */
export const SECRET_NAME =
  /(?:pass(?:word|wd|phrase)?|passwort|kennwort|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|secret[_-]?key|credentials?|authorization|bearer)$/iu;
