import type * as z from 'zod'
import type { FixContext } from '../../../contract/fix-context.ts'

export type FixContextBody = z.input<typeof FixContext>
export type FrameBody = FixContextBody['frames'][number]
export type FileBody = FixContextBody['files'][number]
export type EnvironmentBody = FixContextBody['environments'][number]
export type ReleasesBody = FixContextBody['releases']
export type RequirementBody = FixContextBody['requirements'][number]
export type RelatedBody = FixContextBody['related_issues'][number]
