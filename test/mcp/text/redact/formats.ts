import { tokens, type Token } from '../../../../src/mcp/text/redact/tokens.ts'

/** A secret as it may stand in a text. */
export interface Format {
  name: string
  text: string
  /** A part of it that must not be shown; letters and digits that no escaping changes. */
  core: string
  /** Its first letters are enough to know it, so it is found where a text ends within it. */
  canBeCut?: true
}

const samples: Readonly<Record<Token['rest'], string>> = {
  letters: 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8',
  capitals: 'Q7B3DX5GH7JK9MN1PQ2ST4VW6YZ8',
  hex: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  words: 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8-_x',
  base64: 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8+/x',
  dotted: 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8.x-',
  uuid: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
}

/** So many characters that a provider may put behind its prefix. */
export function restOf(rest: Token['rest'], count: number): string {
  return samples[rest].repeat(Math.ceil(count / samples[rest].length)).slice(0, count)
}

/** One of each prefix. */
const providers: readonly Format[] = tokens.flatMap(({ prefixes, rest, least, atWord }) =>
  prefixes.map((prefix) => ({
    name: prefix,
    text: prefix + restOf(rest, least + 2),
    core: restOf(rest, 8),
    ...(atWord === undefined && { canBeCut: true as const }),
  })),
)

const word = 'hunter2Kanari'
const hex = '0123456789abcdef0123456789abcdef'
const base64 = Buffer.from(`bob:${word}`).toString('base64')
const random = 'k4n4r1B3dE5gH7jK9mN1pQ2sT4vW6yZ8aB3dE5gH'

/** Of each other kind of rule, and of names. */
const others: readonly Format[] = [
  ['Bearer', `Bearer ${random}`, random],
  ['authorization header', `Authorization: Bearer ${random}`, random],
  ['Basic', `Basic ${base64}`, base64.slice(0, 10)],
  ['basic header', `Authorization: Basic ${base64}`, base64.slice(0, 10)],
  ['Digest', `Authorization: Digest username="bob", response="${word}"`, word],
  ['Token', `Authorization: Token ${random}`, random],
  ['JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJrYW5hcmkifQ.c2lnbmF0dXJlMTIz', 'eyJzdWIiOiJrYW5hcmkifQ'],
  ['cookie', `Cookie: sid=${word}; theme=dark`, word],
  ['set-cookie', `Set-Cookie: sid=${word}; HttpOnly`, word],
  ['DSN', `https://${hex}@o1.ingest.example/12`, hex],
  ['URL with password', `postgres://bob:${word}@db.example/shop`, word],
  ['URL with password only', `redis://:${word}@db.example:6379`, word],
  ['Slack webhook', `https://hooks.slack.com/services/T01/B02/${random}`, random],
  ['Discord webhook', `https://discord.com/api/webhooks/123456789/${random}`, random],
  ['Teams webhook', `https://acme.webhook.office.com/webhookb2/${hex}@${hex}/IncomingWebhook/${hex}`, hex],
  ['Telegram', `123456789:AA${random}`, random.slice(0, 20)],
  ['Telegram URL', `https://api.telegram.org/bot123456789:AA${random}/getMe`, random.slice(0, 20)],
  ['Discord bot', 'MTIzNDU2Nzg5MDEyMzQ1Njc4.aBcDeF.kanari4rstuvwxyz0123456789ab', 'kanari4rstuvwxyz'],
  ['Azure application secret', `abc8Q~${random}`, random.slice(0, 30)],
  ['Azure SAS', `https://acme.blob.example/x?sv=1&sig=${random}%3D&se=2`, random],
  ['Azure account key', `AccountName=acme;AccountKey=${random}==;EndpointSuffix=x`, random],
  ['Mailchimp', `${hex}-us12`, hex],
  ['AWS pair', `AKIA${restOf('capitals', 16)}:${random}`, random.slice(0, 30)],
  ['AWS secret', `AWS_SECRET_ACCESS_KEY=${random}`, random],
  ['OAuth code', `https://shop.example/callback?code=${random}&state=1`, random],
  ['reset link', `https://shop.example/reset-password/${random}`, random],
  ['flag', `login --password ${word} --verbose`, word],
  ['mysql', `mysql -u root -p${word} shop`, word],
  ['curl', `curl -u bob:${word} https://db.example`, word],
  ['sshpass', `sshpass -p ${word} ssh db`, word],
  ['IDENTIFIED BY', `CREATE USER bob IDENTIFIED BY '${word}'`, word],
  ['INSERT', `INSERT INTO users (name, password) VALUES ('bob', '${word}')`, word],
  ['XML', `<user><password>${word}</password></user>`, word],
  ['XML attributes', `<add key="Password" value="${word}"/>`, word],
  ['pair of members', `{"name":"password","value":"${word}"}`, word],
  ['pair in a list', `[["authorization","${word}"]]`, word],
  ['flag in a list', `["login","--password","${word}"]`, word],
  ['multipart', `Content-Disposition: form-data; name="password"\r\n\r\n${word}\r\n--x--`, word],
  ['password=', `password=${word}`, word],
  ['password:', `password: ${word}`, word],
  ['pass=', `pass=${word}`, word],
  ['pw=', `pw=${word}`, word],
  ['passwd2=', `passwd2=${word}`, word],
  ['PASSWORD_1=', `PASSWORD_1=${word}`, word],
  ['Passwort:', `Passwort: ${word}`, word],
  ['mot de passe', `mot de passe : ${word}`, word],
  ['contraseña', `contraseña: ${word}`, word],
  ['api key', `api key: ${word}`, word],
  ['X-Api-Key', `X-Api-Key: ${word}`, word],
  ['JSON', `{"access_token":"${word}","n":1}`, word],
  ['Python', `{'client_secret': '${word}', 'n': 1}`, word],
  ['Ruby', `{:password=>"${word}"}`, word],
  ['code', `const apiKey = "${word}"`, word],
  ['query', `https://shop.example/x?n=1&token=${word}&m=2`, word],
  ['one-time password', 'otp: 938471', '938471'],
  ['e-mail', 'kanari77@kanari.io', 'kanari77'],
  ['card', '4111 1111 1111 1111', '4111 1111 1111 1111'],
  ['IBAN', 'DE89370400440532013000', 'DE89370400440532013000'],
  ['SSN', '523-45-6789', '45-6789'],
  ['IPv4', '81.2.69.142', '81.2.69.142'],
  ['IPv6', '2a00:1450:4001:81b::200e', '4001:81b::200e'],
  ['phone', '+49 170 1234567', '1234567'],
  ['private key', `-----BEGIN PRIVATE KEY-----\nMIIEvg${random}${random}\n-----END PRIVATE KEY-----`, random],
].map(([name = '', text = '', core = '']) => ({ name, text, core }))

/** The formats whose first letters say what they are. */
const begun: ReadonlySet<string> = new Set(['JWT', 'authorization header', 'password=', 'JSON', 'URL with password'])

export const formats: readonly Format[] = [
  ...providers,
  ...others.map((format) => (begun.has(format.name) ? { ...format, canBeCut: true as const } : format)),
]
