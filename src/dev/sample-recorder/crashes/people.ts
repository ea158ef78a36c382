import type { Customer } from '../shop/session/session.ts'

const names = ['Ada', 'Bruno', 'Chiara', 'David', 'Elif', 'Finn', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Katya', 'Luca']
const families = [
  'Adler',
  'Berger',
  'Costa',
  'Dubois',
  'Ekman',
  'Ferrari',
  'Gruber',
  'Hansen',
  'Iversen',
  'Jansen',
  'Keller',
  'Lang',
]

const people = names.length * families.length

/** The shop's customers by number; numbers wrap around. */
export function person(number: number): Customer {
  const name = names[number % names.length] ?? ''
  const family = families[Math.floor(number / names.length) % families.length] ?? ''
  return {
    id: `cus_${1001 + (number % people)}`,
    name: `${name} ${family}`,
    email: `${name}.${family}@example.com`.toLowerCase(),
  }
}

/** A visitor's address, from a range reserved for documentation. */
export function visitorAddress(number: number): string {
  return `203.0.113.${1 + (number % people)}`
}

const systems = [
  'Windows NT 10.0; Win64; x64',
  'Macintosh; Intel Mac OS X 10_15_7',
  'X11; Linux x86_64',
  'Linux; Android 10; K',
]

/** The user agent of a visitor's browser. */
export function visitorUserAgent(number: number, chrome = '140'): string {
  const system = systems[number % systems.length] ?? ''
  const mobile = system.includes('Android') ? ' Mobile' : ''
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chrome}.0.0.0${mobile} Safari/537.36`
}
