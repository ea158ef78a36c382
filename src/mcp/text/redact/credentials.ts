import type { Rule } from './rule.ts'
import { isSecretName } from './secret-names.ts'

/** Words in place of a credential: `Authorization: Bearer <token>`. */
const WORD =
  /^(?:\W|(?:token|required|missing|invalid|undefined|null|none|scheme|auth\w*|realm\b.*|error\b.*|scope\b.*)$)/i

/** Whether it looks random: a digit, capitals within, or longer than words are. */
function looksRandom(text: string): boolean {
  return !WORD.test(text) && (/\d|[a-z][A-Z]|[A-Z]{2}[a-z]/.test(text) || text.length > 30)
}

/** Whether it is `user:password` in base64, or the first part of it. */
function isUserAndPassword(base64: string): boolean {
  return /^[ -~]{3,}$/.test(Buffer.from(base64, 'base64').toString('latin1'))
}

const named = (_: string, { name = '' }: Readonly<Record<string, string | undefined>>) => isSecretName(name)

/** Credentials in headers, cookies and URLs. */
export const credentials: readonly Rule[] = [
  {
    kind: 'cookie',
    hints: ['cookie'],
    // A list, or the rest of the line; inside JSON text that ends with its string.
    pattern:
      /(?<keep>(?:set-)?cookie\\{0,7}["'`]?\s{0,4}[:=]\s{0,4})(?:\[[^\]\n]+\]?|(?=[\w!#$%&*+.^`|~-]{1,100}=)[^\n"]+(?:"(?![,\]}])[^\n"]*)*)/gi,
    example: 'Set-Cookie: «sid=a"b; HttpOnly»',
    counterExample: 'cookie: none',
  },
  {
    kind: 'cookie',
    hints: ['cookie'],
    pattern: /(?<keep>(?:set-)?cookie\\{0,7}["'`]?\s{0,4}[:=]\s{0,4}\\{0,7}["'`])[^"'`\n\\]+/gi,
    example: '{"cookie":"«sid=1; theme=dark»"}',
    counterExample: '{"cookie":""}',
  },
  {
    kind: 'bearer',
    hints: ['bearer'],
    pattern:
      /(?<keep>(?:proxy-)?authorization\\{0,7}["'`]?\s{0,4}[:=,]\s{0,4}\\{0,7}["'`]?bearer[\s+]{1,4})[^\s"'`,;\\<>{}[\]$][^\s"'`,;\\<>]*/gi,
    holds: (token) => !WORD.test(token),
    example: 'Authorization: Bearer «abcdef»',
    counterExample: 'Authorization: Bearer token',
  },
  {
    kind: 'bearer',
    hints: ['bearer'],
    pattern: /(?<keep>bearer[\s+:]{1,4})[\w.~+/=-]{8,}/gi,
    holds: looksRandom,
    example: 'used Bearer «abcdef1234567890»',
    counterExample: 'bearer authentication is required',
  },
  {
    kind: 'bearer',
    hints: ['bearer'],
    pattern: /(?<keep>bearer[\s+:]{1,4})[\w.~+/=-]{2,30}(?=(?:…|\.{3})["'\s]{0,4}$)/gi,
    example: 'used Bearer «abc»…',
    counterExample: 'used Bearer …',
  },
  {
    kind: 'basic',
    hints: ['basic'],
    pattern:
      /(?<keep>(?:proxy-)?authorization\\{0,7}["'`]?\s{0,4}[:=,]\s{0,4}\\{0,7}["'`]?basic[\s+]{1,4})[^\s"'`,;\\<>{}[\]$][^\s"'`,;\\<>]*/gi,
    holds: (token) => !WORD.test(token),
    example: 'authorization: Basic «dXNl»',
    counterExample: 'authorization: Basic <credentials>',
  },
  {
    kind: 'basic',
    hints: ['basic'],
    pattern: /(?<keep>basic[\s+]{1,4})[A-Za-z\d+/_-]{6,}={0,2}/gi,
    holds: isUserAndPassword,
    example: 'Basic «dXNlcjpwYXNzd29yZA==»',
    counterExample: 'Basic Authentication failed, basic setup missing',
  },
  {
    kind: 'authorization',
    hints: ['authorization'],
    pattern:
      /(?<keep>authorization\\{0,7}["'`]?\s{0,4}[:=]\s{0,4}\\{0,7}["'`]?(?:token|digest|negotiate|ntlm|api-?key|hawk|oauth|dpop|key|signature|aws4-hmac-sha256)\s{1,4})(?!\[)[^\n"]+(?:"(?!\]|\}|,")[^\n"]*)*/gi,
    example: 'authorization: Digest «username="ann", response="abc"»',
    counterExample: 'authorization: Digest',
  },
  {
    kind: 'jwt',
    hints: ['eyj'],
    // One attempt for each word: its first `eyJ`.
    pattern: /(?<keep>(?<![\w-])(?:(?!eyJ)[\w-])*)eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3}/g,
    example: '«eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.»',
    counterExample: 'eyJnot.a',
  },
  {
    kind: 'jwt',
    hints: ['eyj'],
    pattern: /(?<keep>(?<![\w-])(?:(?!eyJ)[\w-])*)eyJ[\w-]{4,}(?=(?:…|\.{3})?["'`)\]}>\s]{0,4}$)/g,
    example: 'token «eyJhbGciOiJub25l»…',
    counterExample: 'eyJ',
  },
  {
    kind: 'dsn_key',
    hints: ['://'],
    pattern: /(?<keep>:\/\/)[\da-f]{32}(?::[\da-f]{32})?(?=@[^\s/@]{1,255}\/)/gi,
    example: 'https://«0123456789abcdef0123456789abcdef»@o1.ingest.example/2',
    counterExample: 'https://o1.ingest.example/0123456789abcdef0123456789abcdef',
  },
  {
    kind: 'url_credentials',
    hints: ['://'],
    pattern: /(?<keep>:\/\/)(?!git@)[^\s"'/:<>@[]{1,200}(?::[^\s"'<>@]{0,200})?(?=@(?:\w|\[(?!redacted:)))/g,
    example: 'postgres://«bob:pw»@db.example/x',
    counterExample: 'ssh://git@github.com/acme/shop.git',
  },
  {
    kind: 'url_credentials',
    hints: ['://'],
    pattern: /(?<keep>:\/\/):[^\s"'<>@]{1,200}(?=@(?:\w|\[(?!redacted:)))/g,
    example: 'redis://«:p/w»@db.example:6379',
    counterExample: 'redis://db.example:6379',
  },
  {
    kind: 'url_credentials',
    hints: ['://'],
    // A text that was cut before the host: what follows the colon is no port.
    pattern:
      /(?<keep>:\/\/)[^\s"'/:<>@[]{1,200}:(?!\d{0,5}(?:…|\.{3})?["'\s]{0,4}$)[^\s"'/<>@[\]…]{1,200}(?=(?:…|\.{3})?["'\s]{0,4}$)/g,
    example: 'connect postgres://«bob:hunter»…',
    counterExample: 'connect http://localhost:30',
  },
  {
    kind: 'slack_token',
    hints: ['hooks.slack'],
    pattern: /(?<keep>hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{4,}/g,
    example: 'https://hooks.slack.com/services/«T0/B0/x1y2»',
    counterExample: 'https://hooks.slack.com/services',
  },
  {
    kind: 'provider_token',
    hints: ['webhooks/'],
    pattern: /(?<keep>discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{1,24}\/)[\w-]{2,}/g,
    example: 'https://discord.com/api/webhooks/123/«aB-3»',
    counterExample: 'https://discord.com/api/webhooks/123',
  },
  {
    kind: 'provider_token',
    hints: ['webhook.office'],
    pattern: /(?<keep>webhook\.office\.com\/webhookb2\/)[\w@/-]{8,}/g,
    example: 'https://acme.webhook.office.com/webhookb2/«0a1b@2c3d/IncomingWebhook/4e5f/6a»',
    counterExample: 'https://acme.webhook.office.com/webhookb2/',
  },
  {
    kind: 'provider_token',
    hints: [':a'],
    // Telegram; its own URL has the token behind `bot`.
    pattern: /\d{6,12}:AA[\w-]{30,}|(?<=bot)\d{6,12}:A[\w-]{2,}/g,
    example: 'https://api.telegram.org/bot«123456789:AAbcdefghijklmnopqrstuvwxyz0123456»/getMe',
    counterExample: '12:34:56 and 123456:AAB',
  },
  {
    kind: 'provider_token',
    hints: ['.'],
    // A bot of Discord.
    pattern: /(?<![A-Za-z\d-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,}/g,
    example: '«MTIzNDU2Nzg5MDEyMzQ1Njc4.aBcDeF.abcdefghijklmnopqrstuvwxyz0»',
    counterExample: 'MyApplication.Module.Something',
  },
  {
    kind: 'provider_token',
    hints: ['q~'],
    // An application secret of Azure.
    pattern: /[\w~.-]{3}\dQ~[\w~.-]{31,}|(?<=\s)[\w~.-]{3}\dQ~[\w~.-]{2,30}(?=…|\.{3})/g,
    example: 'secret «abc8Q~abcdefghijklmnopqrstuvwxyz0123456»',
    counterExample: '8Q~short',
  },
  {
    kind: 'provider_token',
    hints: ['-us', 'v1.0-', '_mmk'],
    // Mailchimp; an origin certificate key of Cloudflare; a licence key of MaxMind.
    pattern:
      /(?<![\da-f])[\da-f]{32}-us\d{1,2}(?!\w)|v1\.0-[\da-f]{24}-[\da-f]{20,}|(?<![A-Za-z\d])[A-Za-z\d]{6}_[A-Za-z\d]{29}_mmk/g,
    example: '«0123456789abcdef0123456789abcdef-us12»',
    counterExample: '0123456789abcdef0123456789abcdef',
  },
  {
    kind: 'aws_key',
    hints: ['akia', 'asia'],
    // The secret behind its id.
    pattern: /(?<keep>A(?:KIA|SIA)[A-Z\d]{16}["']?[:,|/\s;]{1,3}["']?)[A-Za-z\d/+]{30,}/g,
    example: 'AKIA' + 'ABCDEFGHIJKLMNOP:«abcdefghijklmnopqrstuvwxyz/+123456789abcd»',
    counterExample: 'AKIA is a prefix',
  },
  {
    kind: 'secret',
    hints: ['sig='],
    // A signature that grants access: Azure, and others that call it so.
    pattern: /(?<keep>[?&;]sig=)[^\s"'&<>]{8,}/gi,
    example: 'https://acme.blob.example/x?sv=1&sig=«a1B2c3D4e5%2B»&se=2',
    counterExample: '?sig=TERM',
  },
  {
    kind: 'secret',
    hints: ['code='],
    // An OAuth code, which is long and random; other codes are words or numbers (decision 021).
    pattern: /(?<keep>[?&]code=)(?=[\w./%~-]{0,60}\d)(?=[\w./%~-]{0,60}[A-Za-z])[\w./%~-]{16,}/gi,
    example: '/callback?code=«4/0AbCdEfGhIjKlMnOp»&state=1',
    counterExample: '/errors?code=ERR_BAD_REQUEST_OF_USER&code=404',
  },
  {
    kind: 'secret',
    hints: ['/'],
    // The last part of a link that resets a password or proves an address (decision 021).
    pattern:
      /(?<keep>\/(?:password|reset|passwords?[-_/]?reset|reset[-_]?passwords?|set[-_]?password|magic(?:[-_]?link)?|verify[-_]?e?mail|confirm(?:[-_]?e?mail|ation)?|activate|invit(?:e|ation)s?|unlock)\/)(?=[\w.~-]{0,80}\d)[\w.~-]{16,}/gi,
    example: 'https://shop.example/reset-password/«a1b2c3d4e5f6a7b8»?n=1',
    counterExample: 'https://shop.example/reset-password/how-it-works',
  },
  {
    kind: 'secret',
    hints: ['--'],
    pattern: /(?<keep>(?<![A-Za-z\d-])--(?<name>[a-z][\w-]{1,40})\s{1,3}["']?)(?!-|--)[^\s"'[]+/gi,
    holds: named,
    example: 'login --password «hunter2» --verbose',
    counterExample: 'run --token-count 3 --verbose',
  },
]
