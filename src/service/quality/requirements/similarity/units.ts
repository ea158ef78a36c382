export interface Unit {
  /** Units of one dimension can be converted into each other. */
  dimension: string
  /** How many of the dimension's base unit it is. */
  factor: number
}

const table: readonly [dimension: string, factor: number, words: string][] = [
  ['time', 1, 'ms msec msecs millisecond milliseconds'],
  ['time', 0.001, 'µs us microsecond microseconds'],
  ['time', 1000, 's sec secs second seconds'],
  ['time', 60_000, 'min mins minute minutes'],
  ['time', 3_600_000, 'h hr hrs hour hours'],
  ['time', 86_400_000, 'd day days'],
  ['working days', 1, 'workday workdays weekday weekdays'],
  ['time', 604_800_000, 'wk wks week weeks'],
  ['months', 1, 'month months'],
  ['months', 3, 'quarters'],
  ['months', 12, 'yr yrs year years'],
  ['bytes', 1, 'byte bytes'],
  ['bytes', 1e3, 'kb kilobyte kilobytes'],
  ['bytes', 1e6, 'mb megabyte megabytes'],
  ['bytes', 1e9, 'gb gigabyte gigabytes'],
  ['bytes', 1e12, 'tb terabyte terabytes'],
  ['bytes', 1024, 'kib'],
  ['bytes', 1024 ** 2, 'mib'],
  ['bytes', 1024 ** 3, 'gib'],
  ['bytes', 1024 ** 4, 'tib'],
  ['bits', 1, 'bit bits'],
  ['bits', 1e3, 'kbit kbits kbps'],
  ['bits', 1e6, 'mbit mbits mbps'],
  ['bits', 1e9, 'gbit gbits gbps'],
  ['percent', 1, '% percent pct'],
  ['euro', 1, '€ eur euro euros'],
  ['dollar', 1, '$ usd dollar dollars'],
  ['pound', 1, '£ gbp'],
  ['yen', 1, '¥ jpy'],
  ['franc', 1, 'chf'],
  ['cent', 1, 'cent cents'],
  ['times', 1, 'times time'],
  ['pixels', 1, 'px pixel pixels'],
  ['metres', 0.001, 'mm millimetre millimetres millimeter millimeters'],
  ['metres', 0.01, 'cm centimetre centimetres centimeter centimeters'],
  ['metres or minutes', 1, 'm'],
  ['metres', 1, 'metre metres meter meters'],
  ['metres', 1000, 'km kilometre kilometres kilometer kilometers'],
  ['feet', 1, 'ft feet foot'],
  ['inches', 1, 'inch inches'],
  ['miles', 1, 'mile miles'],
  ['grams', 0.001, 'mg milligram milligrams'],
  ['grams', 1, 'gram grams'],
  ['grams', 1000, 'kg kilogram kilograms'],
  ['pounds', 1, 'lb lbs'],
  ['litres', 0.001, 'ml millilitre millilitres milliliter milliliters'],
  ['litres', 1, 'l litre litres liter liters'],
  ['hertz', 1, 'hz hertz'],
  ['hertz', 1e3, 'khz'],
  ['hertz', 1e6, 'mhz'],
  ['hertz', 1e9, 'ghz'],
  ['volts', 0.001, 'mv millivolt millivolts'],
  ['volts', 1, 'volt volts'],
  ['watts', 1, 'watt watts'],
  ['watts', 1000, 'kw kilowatt kilowatts'],
  ['celsius', 1, '°c celsius'],
  ['fahrenheit', 1, '°f fahrenheit'],
  ['degrees', 1, '° degree degrees'],
  ['am', 1, 'am'],
  ['pm', 1, 'pm'],
]

const units = new Map<string, Unit>(
  table.flatMap(([dimension, factor, words]) => words.split(' ').map((word) => [word, { dimension, factor }] as const)),
)
/** Units that are ordinary words or letters without a number before them. */
const needNumber = new Set(
  's h d us am pm time times second day cent foot feet degree degrees min $ % € £ ¥ °'.split(' '),
)
const adverbs = new Map([
  ['hourly', 'hour'],
  ['daily', 'day'],
  ['weekly', 'week'],
  ['monthly', 'month'],
  ['yearly', 'year'],
  ['annually', 'year'],
  ['annual', 'year'],
])

/** The unit that a lower-case word after a number names. */
export function unitAfterNumber(word: string | undefined): Unit | undefined {
  return word === undefined ? undefined : units.get(word)
}

/** The unit that a lower-case word names without a number: `in minutes`; undefined for words that mean other things too. */
export function unitAlone(word: string): Unit | undefined {
  return needNumber.has(word) ? undefined : units.get(word)
}

/** The unit of a frequency: `daily` is 1 day. */
export function unitInAdverb(word: string): string | undefined {
  return adverbs.get(word)
}
