/** The last word of names of passwords, in the languages that programs are written in. */
const PASSWORDS =
  'password|passwd|passwrd|passphrase|passcode|pswd|pwd|passwort|kennwort|wachtwoord|contrasena|contraseña|senha|' +
  'motdepasse|hasło|haslo|пароль|パスワード|密码|口令'

const PASSWORD = new RegExp(`(?:${PASSWORDS}|passe)$`)

/** The last word of names whose values are secrets; longer words that end in one count too (`PGPASSWORD`). */
const SECRET = new RegExp(
  `(?:${PASSWORDS}|secret|apikey|token|jeton|geheimnis|cookies?|credentials?|authorization|secretkey|privatekey|accesskey|` +
    'csrfmiddlewaretoken|requirepass|masterauth)$|' +
    '(?<![a-z\u00c0-\u024f])(?:pass|pw|mdp|clave|secrets|auth|jwt|csrf|xsrf|session|sessionid|jsessionid|phpsessid|sess|sid|otp|totp|mfa|cvv|' +
    'cvc|pin|ssn|bearer)$',
)

/** The last two words of such names. */
const SECRET_PAIR =
  /(?:(?:api|access|secret|private|signing|encryption|master|account|auth|session|license|sentry|svc|subscription|shared|webhook) key|session id|auth code|one time|card number|(?:security|verification|recovery|backup) codes?|password (?:hash|digest)|amz (?:signature|credential)|goog signature|(?:db|user|smtp|pg) pass|de passe)$/

/** Where a name of secrets may end, for a first look; `isSecretName` decides. */
export const SECRET_ENDING = `${PASSWORDS}|secrets?|geheimnis|token|jeton|api_?key|key|cookies?|credentials?|auth|authorization|masterauth|pass|passe|pw|mdp|clave|jwt|csrf|xsrf|session|sessionid|sessid|sess|sid|id|otp|totp|mfa|cvv|cvc|pin|ssn|bearer|codes?|time|number|hash|digest|signature|credential`

/**
 * Whether a member of this name contains a secret (mcp §6.4). Decided by its last words: `access_token`, `apiKey` and
 * `PASSWORD_1` do; `token_count`, `author` and `passwordResetAt` do not.
 */
export function isSecretName(name: string): boolean {
  return lastWords(name).isSecret
}

/** Whether the value of this name is a cookie. */
export function isCookieName(name: string): boolean {
  return /^cookies?$/.test(lastWords(name).last)
}

/** Whether it is a name of passwords, which also occur in prose (`password: must have…`) and as single words. */
export function isPasswordName(name: string): boolean {
  return PASSWORD.test(lastWords(name).last)
}

/** Whether small numbers of this name count something: `pass: 3, fail: 1`, `cookies: 2`; a password or a code does not. */
export function isCountName(name: string): boolean {
  return /^(?:pass|secrets?|token|cookies?|credentials?|auth|authorization|session|sess)$/.test(lastWords(name).last)
}

interface LastWords {
  last: string
  isSecret: boolean
}

/** What was decided about names: the same ones come again and again. */
const decided = new Map<string, LastWords>()
const DECISIONS = 1000
/** Characters of a name that are looked at, its last ones. */
const LONGEST_END = 100

/** The last word, in small letters and without numbers at the end, and what it and the one before it say. */
function lastWords(name: string): LastWords {
  const end = name.slice(-LONGEST_END)
  const known = decided.get(end)
  if (known !== undefined) return known
  const words = end
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '')
  const last = words.at(-1) ?? ''
  const found = { last, isSecret: SECRET.test(last) || SECRET_PAIR.test(`${words.at(-2) ?? ''} ${last}`) }
  if (decided.size >= DECISIONS) decided.clear()
  decided.set(end, found)
  return found
}
