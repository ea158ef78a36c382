import type { Prepare } from '../../sql/database.ts'
import { testKey } from '../keys.ts'

export interface IndexedTest {
  seq: number
  number: number
  title: string
  suite_path: readonly string[]
  file_path: string
  tags: readonly string[]
}

/** Replaces the words of a test in the full-text index. */
export function indexTest(prepare: Prepare, test: IndexedTest): Promise<void> {
  return prepare.dialect.textIndex.put(prepare, 'test', test.seq, {
    key: testKey(test),
    title: test.title,
    suite: test.suite_path.join(' '),
    file: test.file_path.replace(/[/._-]+/g, ' '),
    tags: test.tags.join(' '),
  })
}
