import type { Token } from '../../../../src/mcp/text/redact/tokens.ts'

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
