import type { Rule } from './rule.ts'
import { isSecretName } from './secret-names.ts'

const named = (_: string, { name = '' }: Readonly<Record<string, string | undefined>>) => isSecretName(name)

/** A quote in any depth of escaping. */
const Q = String.raw`\\{0,7}["'\x60]`
const pattern = (...parts: string[]) => new RegExp(parts.join(''), 'gi')

/** Secrets in command lines, SQL, XML, forms, and in pairs of a name and a value. */
export const commands: readonly Rule[] = [
  {
    kind: 'secret',
    hints: [' -p'],
    pattern:
      /(?<keep>(?<![A-Za-z\d])(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)\b[^\n|;&]{0,200}?\s-p["']?)[^\s"'-][^\s"']*/g,
    example: 'mysql -u root -p«hunter2» shop',
    counterExample: 'mysql -u root -p shop',
  },
  {
    kind: 'secret',
    hints: ['sshpass', 'docker', 'redis-cli'],
    pattern:
      /(?<keep>(?<![A-Za-z\d])(?:sshpass\s{1,3}-p|docker\s{1,3}login\b[^\n|;&]{0,200}?\s-p|redis-cli\b[^\n|;&]{0,200}?\s-a)\s{0,3}["']?)[^\s"'-][^\s"']*/g,
    example: 'sshpass -p «hunter2» ssh db',
    counterExample: 'redis-cli -h db ping',
  },
  {
    kind: 'secret',
    hints: ['curl', 'http', 'wget'],
    pattern:
      /(?<keep>(?<![A-Za-z\d])(?:curl|https?|wget)\b[^\n|;]{0,200}?\s(?:-u|-U|-a|--user|--proxy-user|--auth)[\s=]{0,3}["']?)[^\s"':/]{0,100}:(?!\/\/)[^\s"']+/g,
    example: 'curl -s -u «bob:hunter2» https://db.example',
    counterExample: 'curl -u bob https://db.example',
  },
  {
    kind: 'secret',
    hints: ['identified'],
    pattern:
      /(?<keep>(?<![A-Za-z\d])identified\b[^\n;']{0,60}?\b(?:by|as)\s{1,4}(?:password\s{1,3})?["']{1,2})[^"'\n]+/gi,
    example: "CREATE USER bob IDENTIFIED BY '«hunter2»'",
    counterExample: 'the user was identified by name',
  },
  {
    kind: 'secret',
    hints: ['password'],
    pattern: /(?<keep>(?<![A-Za-z\d])password\s{1,3}\\{0,7}'{1,2})[^'\n\\]+/gi,
    holds: (value) => /\d|[^A-Za-z]/.test(value),
    example: "ALTER ROLE bob PASSWORD '«hunter2»'",
    counterExample: "field password 'required'",
  },
  {
    kind: 'secret',
    hints: ['insert'],
    // The order of the columns may differ from that of the values shown: all of them.
    pattern:
      /(?<keep>(?<![A-Za-z\d])insert\s{1,4}(?:ignore\s{1,4})?into\s[^()\n]{1,200}\((?<columns>[^()]{1,1000})\)\s{0,4}values\s{0,4}\()(?:'[^'\n]*'?|"[^"\n]*"?|[^'"()\n]+|\)\s{0,3},\s{0,3}\()+/gi,
    holds: (values, { columns = '' }) => /["']/.test(values) && columns.split(',').some((name) => isSecretName(name)),
    example: "INSERT INTO users (email, password) VALUES («'bob', 'hunter2'»)",
    counterExample: "INSERT INTO users (email, age) VALUES ('bob', 3)",
  },
  {
    kind: 'secret',
    hints: ['>'],
    pattern: /(?<keep><(?<name>[A-Za-z][\w.:-]{0,60})(?:\s[^<>\n]{0,200})?>(?:<!\[CDATA\[)?\s{0,4})[^\s<>][^<>\]]*/g,
    holds: (value, { name = '' }) =>
      // A label is a value up to its bracket, which ends CDATA.
      isSecretName(name) && !/^(?:required|missing|invalid|none|true|false|\[redacted:\w{1,40})$/i.test(value),
    example: '<user><password>«hunter 2»</password></user>',
    counterExample: '<user><passwordRules>long</passwordRules></user>',
  },
  {
    kind: 'secret',
    hints: ['val', 'content', 'default', 'text'],
    // {"name":"password","value":"x"}, <add key="Password" value="x"/>, name=token; value=x
    pattern: pattern(
      String.raw`(?<keep>(?:name|key|header|field|param|id|label)(?:${Q})?\s{0,3}[:=]\s{0,3}(?:${Q})?(?<name>[\w.-]{2,60})(?:${Q})?[\s,;]{1,12}`,
      String.raw`(?:${Q})?(?:value|val|content|default|text)(?:${Q})?\s{0,3}[:=]\s{0,3}(?:${Q})?)[^"'\x60\n<>\\]+`,
    ),
    holds: named,
    example: '[{"name":"password","value":"«hunter2»"}]',
    counterExample: '[{"name":"passwordRules","value":"long"}]',
  },
  {
    kind: 'secret',
    hints: ['val', 'content', 'default', 'text'],
    // The same with the value first.
    pattern: pattern(
      String.raw`(?<keep>(?:value|val|content|default|text)(?:${Q})?\s{0,3}[:=]\s{0,3}${Q})[^"'\x60\n<>\\]{1,400}`,
      String.raw`(?=${Q}[\s,;]{1,12}(?:${Q})?(?:name|key|header|field|param|id|label)(?:${Q})?\s{0,3}[:=]\s{0,3}${Q}(?<name>[\w.-]{2,60})${Q})`,
    ),
    holds: named,
    example: '[{"value":"«hunter2»","name":"password"}]',
    counterExample: '[{"value":"long","name":"passwordRules"}]',
  },
  {
    kind: 'secret',
    hints: [','],
    // ["authorization", "x"], ("password", "x")
    pattern: pattern(
      String.raw`(?<keep>[[(]\s{0,3}${Q}(?<name>[\w.-]{2,60})${Q}\s{0,3},\s{0,3}${Q})[^"'\x60\n\\]{1,2000}(?=${Q}\s{0,3}[\])])`,
    ),
    holds: (value, { name = '' }) =>
      isSecretName(name) && (/\d|[^A-Za-z_]|[a-z][A-Z]/.test(value) || value.length > 12),
    example: '[["authorization","«hunter2»"]]',
    counterExample: '["password","email"]',
  },
  {
    kind: 'secret',
    hints: [','],
    // ["--password", "x"]
    pattern: pattern(String.raw`(?<keep>${Q}--?(?<name>[\w.-]{2,60})${Q}\s{0,3},\s{0,3}${Q})[^"'\x60\n\\]+`),
    holds: named,
    example: '["login","--password","«hunter2»"]',
    counterExample: '["--reporter","json"]',
  },
  {
    kind: 'secret',
    hints: ['form-data'],
    // A part of multipart/form-data, with its lines or on one line.
    pattern: pattern(
      String.raw`(?<keep>form-data;\s{0,3}name=(?:${Q})?(?<name>[\w.[\]-]{2,60})(?:${Q})?(?:;[^\n]{0,100})?`,
      String.raw`(?:\s{1,4}content-(?!disposition)[\w-]{1,40}:[^\n]{0,100})?\s{1,6})(?!content-disposition)[^\s-][^\r\n]*?(?=\s{0,3}(?:[\r\n]|--|$))`,
    ),
    holds: named,
    example: 'Content-Disposition: form-data; name="password"\r\n\r\n«hunter2»\r\n--x--',
    counterExample: 'Content-Disposition: form-data; name="file"\r\n\r\nhello\r\n--x--',
  },
]
