import type { Tone } from './issue-types.ts'

/** What lacks a working test, in words. What is undefined was not stated. */
export interface GapPicture {
  /** REQ-12; undefined for a file that no requirement claims. */
  key: string | undefined
  /** The requirement's title, or the path of the file. */
  title: string | undefined
  /** Paths are outsiders' words. */
  isOutside: boolean
  kind: { word: string; tone: Tone }
  component: string | undefined
  priority: string | undefined
  /** 0 to 100. */
  score: number | undefined
  tests: number | undefined
  /** Why it is a gap, in the service's own sentences. */
  reasons: readonly string[]
  /** What closes it. */
  action: string | undefined
  /** Issues to look at: those that its red tests reproduce, then the loudest. */
  issues: readonly { key: string; isOpen: boolean }[]
  /** Whether the code has to be fixed, and not a test. */
  isCode: boolean
}

/** How much of a product is covered. What is undefined was not stated. */
export interface CoveragePicture {
  requirements: number | undefined
  verified: number | undefined
  notRun: number | undefined
  noTest: number | undefined
  facts: readonly { label: string; value: number | undefined; tone: Tone }[]
  components: readonly ComponentCoverage[]
}

export interface ComponentCoverage {
  id: string
  name: string
  requirements: number | undefined
  /** From 0 to 1. */
  ratio: number | undefined
  gaps: number | undefined
}
