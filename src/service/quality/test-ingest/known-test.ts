import type { StoredTest } from '../cases/access.ts'

/** What an ingest reads of a stored test. */
export type KnownTest = Pick<
  StoredTest,
  | 'id'
  | 'seq'
  | 'number'
  | 'identity'
  | 'parent_id'
  | 'title'
  | 'names_known'
  | 'status'
  | 'framework'
  | 'level'
  | 'file_path'
  | 'suite_path'
  | 'name'
  | 'project'
  | 'line'
  | 'tags'
  | 'labels'
  | 'issue_id'
  | 'issue_reported'
  | 'last_result_id'
>

/** The columns of `KnownTest`. */
export const KNOWN_COLUMNS = `id, seq, number, identity, parent_id, title, names_known, status, framework, level, file_path, suite_path, name, project,
  line, tags, labels, issue_id, issue_reported, last_result_id`
