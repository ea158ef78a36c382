/** The last word of names whose values are secrets; longer words that end in one count too (`PGPASSWORD`). */
const SECRET =
  /(?:password|passwd|passphrase|passcode|secret|apikey|token|cookies?|credentials?)$|^(?:pwd|secrets|auth|authorization|jwt|csrf|xsrf|session|sessionid|jsessionid|phpsessid|sess|sid|otp|totp|mfa|cvv|cvc|pin|ssn|bearer|privatekey|secretkey|accesskey|csrfmiddlewaretoken)$/

/** The last two words of such names. */
const SECRET_PAIRS = new Set(
  (
    'api key|access key|secret key|private key|signing key|encryption key|master key|account key|auth key|session key|' +
    'license key|sentry key|svc key|session id|auth code|one time|card number|security code|verification code|' +
    'password hash|password digest|amz signature|amz credential|goog signature|db pass|user pass|smtp pass|pg pass'
  ).split('|'),
)

/**
 * Whether a member of this name contains a secret (mcp §6.4). Decided by its last words: `access_token` and `apiKey` do;
 * `token_count`, `author` and `passwordResetAt` do not.
 */
export function isSecretName(name: string): boolean {
  const words = splitName(name)
  const last = words.at(-1) ?? ''
  return SECRET.test(last) || SECRET_PAIRS.has(`${words.at(-2) ?? ''} ${last}`)
}

/** Whether the value of this name is a cookie. */
export function isCookieName(name: string): boolean {
  return /^cookies?$/.test(splitName(name).at(-1) ?? '')
}

/** Whether it is a name of passwords, which also occur in prose (`password: must have…`) and as single words. */
export function isPasswordName(name: string): boolean {
  return /(?:password|passwd|pwd|passphrase|passcode)$/.test(splitName(name).at(-1) ?? '')
}

function splitName(name: string): string[] {
  return name
    .slice(-200)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}
