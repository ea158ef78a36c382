import { passesIban, passesLuhn, personalIpv6 } from './checksums.ts'
import type { Rule } from './rule.ts'

/** Personal data with a recognizable shape, under any name. */
export const personal: readonly Rule[] = [
  {
    kind: 'email',
    hints: ['@'],
    // Addresses joined by a character that may begin an address are one match, because only the first has a start.
    pattern:
      /(?<![\w.%+-])(?!git@)(?:[A-Za-z\d._%+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){0,4}\.(?!(?:[cm]?[jt]sx?|css|html?|json|map|vue|svelte|wasm|java|rb|php|dll|exe|png|jpe?g|gif|svg|webp)\b)[A-Za-z]{2,24}\b(?!:\d)){1,20}/g,
    example: 'mail to «ann@shop.example» failed',
    counterExample: 'render@main.js:3:7, logo@2x.png and git@github.com',
  },
  {
    kind: 'email',
    hints: ['@'],
    // The end of a text that was cut within an address.
    pattern:
      /(?<![\w.%+-])(?!git@)[A-Za-z\d._%+-]{1,64}@[A-Za-z][A-Za-z\d-]{0,62}(?:\.[A-Za-z\d-]{0,63}){0,4}(?=(?:…|\.{3}))/g,
    example: 'mail to «ann@shop.exa»…',
    counterExample: 'npm i zod@4…',
  },
  {
    kind: 'card',
    // A number that is named id is an id, even if its checksum is valid.
    pattern: /(?<![A-Za-z\d.-]|id["']?\s{0,2}[:= ]\s{0,2}["']?)(?:\d[ -]?){13,15}\d(?!\w|[.-]\w)/gi,
    holds: passesLuhn,
    example: 'card «4111 1111 1111 1111»',
    counterExample: 'order id: 4111111111111111 and 4111111111111112',
  },
  {
    kind: 'iban',
    pattern: /(?<![A-Za-z\d])[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){2,7}(?: ?[\dA-Z]{1,3})?\b/g,
    holds: passesIban,
    example: 'from «DE89 3704 0044 0532 0130 00»',
    counterExample: 'from DE89 3704 0044 0532 0130 01',
  },
  {
    kind: 'ssn',
    hints: ['-'],
    pattern: /(?<![A-Za-z\d.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g,
    example: 'ssn «123-45-6789»',
    counterExample: 'part 123-45-67890 and 000-12-3456',
  },
  {
    kind: 'ip',
    hints: /\d\.\d{1,3}\.\d{1,3}\.\d/,
    // A version can have four numbers too: it follows a product (`Chrome/156.0.0.0`), `version`, `v`, `@`, `-` or `==`, or
    // ends in `.0.0`. Loopback and the unspecified address belong to no person.
    pattern:
      /(?<![A-Za-z\d.@-]|==\s{0,2}|\bver(?:sion)?["']?[\s:=]{1,3}["']?|(?:^|[\s"'(,;])[A-Za-z][\w+.-]{0,40}\/)(?!127\.|0\.)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?<!\.0\.0|255\.255)(?![A-Za-z\d-]|\.\w)/gi,
    example: 'from «203.0.113.7»:443',
    counterExample: 'Chrome/156.0.0.0 on 127.0.0.1, requests==2.31.0.1',
  },
  {
    kind: 'ip',
    hints: /:[\da-f]{0,4}:/,
    pattern: /(?<![A-Za-z\d.:])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?![\w:])/gi,
    holds: personalIpv6,
    example: 'peer «2001:db8::ff00:42:8329» left',
    counterExample: 'at 12:34:56, de::serde, ::1',
  },
  {
    kind: 'phone',
    hints: ['+'],
    // International form only: a number without `+` may be anything.
    pattern:
      /(?<![A-Za-z\d.+\-/*^)\]])\+(?=\d(?:[ ().-]{0,2}\d){9,14}(?!\d))[1-9]\d{0,2}(?:[ .-]?\(?\d{2,14}\)?){1,6}(?![\w.]\d)/g,
    holds: (number) => /[ ().-]/.test(number) || number.length > 11,
    example: 'call «+49 170 1234567»',
    counterExample: 'offset +1234567890, 2 + 34567890123, 1.5e+10 and 2026-11-22T10:00:00+00:00',
  },
  {
    kind: 'home_directory',
    hints: ['home', 'users'],
    // Recognized by its location; a route such as `GET /home/x` is not one.
    pattern:
      /(?<![\w)./\]\\-]|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )(?<keep>(?:(?:file|webpack|webpack-internal|app):\/{2,3})?)(?:[A-Za-z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/)|\/(?:home|Users)\/)[\w.@-]{1,64}/g,
    instead: '~',
    example: 'at file://«/home/ann»/app/cart.js',
    counterExample: 'GET /home/products and https://shop.example/home/ann',
  },
]

/** Names and addresses that are reserved for documentation (RFC 2606, RFC 5737, RFC 3849) and belong to no person. */
const DOCUMENTATION =
  /(?:@|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$|^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.|^2001:0?db8:/i

/** Whether an e-mail or IP address is one that documents use as an example. */
export function isDocumentation(address: string): boolean {
  return DOCUMENTATION.test(address)
}
