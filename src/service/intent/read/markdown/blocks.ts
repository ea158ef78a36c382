import type { Token } from 'markdown-it'
import type { Block } from '../parts/blocks.ts'
import { markdownPassage } from './inline.ts'

/** Blocks that are not prose, with the reason for which their lines are skipped. */
const SKIPPED: Readonly<Record<string, string>> = {
  code_block: 'CODE',
  fence: 'CODE',
  html_block: 'HTML',
  table_open: 'TABLE',
  blockquote_open: 'QUOTE',
  hr: 'RULE',
}
const GHERKIN_FENCE = /^(?:gherkin|feature|cucumber)\b/i

/** The blocks of parsed Markdown that starts after `before` lines of its document. */
export function* blocksBy(tokens: readonly Token[], before: number): Generator<Block> {
  let depth = 0
  let isFirst = false
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]
    if (token === undefined) return
    const reason = SKIPPED[token.type]
    if (reason !== undefined) {
      yield skippedBlock(token, reason, before)
      index = closing(tokens, index)
    } else if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') depth += 1
    else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') depth -= 1
    else if (token.type === 'list_item_open') {
      isFirst = true
      yield { kind: 'frame', ...lines(token, before) }
    } else if (token.type === 'inline') {
      const open = tokens[index - 1]
      if (open?.type === 'heading_open') yield headingBlock(open, token, before)
      else {
        yield proseBlock(token, before, isFirst && depth > 0, depth)
        isFirst = false
      }
    }
  }
}

function skippedBlock(token: Token, reason: string, before: number): Block {
  const { lineStart, lineEnd } = lines(token, before)
  if (token.type === 'fence' && GHERKIN_FENCE.test(token.info.trim())) {
    return { kind: 'gherkin', lineStart, lineEnd, content: token.content }
  }
  return { kind: 'skipped', lineStart, lineEnd, reason }
}

/** The index of the token that closes the block, which is its own for a block without others in it. */
function closing(tokens: readonly Token[], open: number): number {
  const token = tokens[open]
  if (token?.nesting !== 1) return open
  for (let index = open + 1; index < tokens.length; index += 1) {
    if (tokens[index]?.level === token.level && tokens[index]?.nesting === -1) return index
  }
  return tokens.length
}

function headingBlock(open: Token, inline: Token, before: number): Block {
  const { lineStart, lineEnd } = lines(open, before)
  return {
    kind: 'heading',
    level: Number(open.tag.slice(1)),
    passage: markdownPassage(inline.content, lineStart),
    lineEnd,
  }
}

function proseBlock(inline: Token, before: number, isItem: boolean, depth: number): Block {
  const passage = markdownPassage(inline.content, lines(inline, before).lineStart)
  const strong = /^(\*\*|__).+\1:?$/.test(inline.content) && !passage.text.includes('\n')
  return { kind: isItem ? 'item' : 'paragraph', depth, passage, strong }
}

function lines({ map }: Token, before: number): { lineStart: number; lineEnd: number } {
  const [start, end] = map ?? [0, 0]
  return { lineStart: before + start + 1, lineEnd: before + Math.max(end, start + 1) }
}
