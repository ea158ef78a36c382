import { RegExpParser, type AST } from '@eslint-community/regexpp'

/**
 * The parts of a pattern after which a match that has begun can still fail although it may have read any amount of text:
 * an unbounded repetition that something other than optional parts follows, or that is repeated itself. Only they can make
 * the time that a text takes grow faster than its length.
 */
export function openEnds(pattern: RegExp): string[] {
  const { source, unicode, unicodeSets } = pattern
  const tree = new RegExpParser().parsePattern(source, 0, source.length, { unicode, unicodeSets })
  return tree.alternatives.flatMap((alternative) => inSequence(alternative.elements, false))
}

/** `canFail`: something that can fail follows the sequence, or it is repeated without bounds. */
function inSequence(elements: readonly AST.Element[], canFail: boolean): string[] {
  return elements.flatMap((element, index) => {
    const rest = elements.slice(index + 1)
    return inElement(element, canFail || !rest.every(isOptional))
  })
}

function inElement(element: AST.Element, canFail: boolean): string[] {
  if (element.type === 'Quantifier') {
    const isOpen = element.max === Infinity
    const own = isOpen && canFail ? [element.raw] : []
    return [...own, ...inElement(element.element, canFail || isOpen)]
  }
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    return element.alternatives.flatMap((alternative) => inSequence(alternative.elements, canFail))
  }
  if (element.type === 'Assertion' && (element.kind === 'lookahead' || element.kind === 'lookbehind')) {
    return element.alternatives.flatMap((alternative) => inSequence(alternative.elements, true))
  }
  return []
}

function isOptional(element: AST.Element): boolean {
  if (element.type === 'Quantifier') return element.min === 0 || isOptional(element.element)
  if (element.type !== 'Group' && element.type !== 'CapturingGroup') return false
  return element.alternatives.some((alternative) => alternative.elements.every(isOptional))
}

/** The largest number of a bounded repetition in the pattern. */
export function largestBound(pattern: RegExp): number {
  return Math.max(0, ...Array.from(pattern.source.matchAll(/\{\d+,(\d+)\}/g), (match) => Number(match[1])))
}
