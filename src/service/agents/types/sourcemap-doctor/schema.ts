import * as z from 'zod'

export const causes = [
  'NO_UPLOAD',
  'FILE_NOT_UPLOADED',
  'NO_RELEASE',
  'DEBUG_ID_MISMATCH',
  'PATH_MISMATCH',
  'DIST_MISMATCH',
  'OTHER_BUILD',
  'MAP_INVALID',
  'COLUMN_MISSING',
  'GENERATED_CODE',
  'UPLOADED_AFTER_EVENT',
] as const
export type Cause = (typeof causes)[number]

export const input = z.strictObject({
  window: z
    .enum(['1d', '7d', '30d'])
    .default('7d')
    .describe('Events of this time before the run, by when they happened, as in the lists of issues.'),
  release: z.string().trim().min(1).max(250).optional().describe('Only events of this version, such as shop@1.4.0.'),
})
export type Window = z.output<typeof input>['window']

const Release = z.object({
  version: z.string().describe('Empty when the events name none.'),
  known: z.boolean().describe('False: only events name it.'),
})

const Group = z.object({
  cause: z
    .enum(causes)
    .describe(
      'NO_UPLOAD: the release has no maps of the files in this folder. FILE_NOT_UPLOADED: the release has maps of this folder, but none of this file. NO_RELEASE: the events name neither a release nor a known debug id. DEBUG_ID_MISMATCH: the map of another build of this file was uploaded. PATH_MISMATCH: maps of similar files were uploaded under other paths. DIST_MISMATCH: the map belongs to another dist. OTHER_BUILD: the map is of another build: its file has another hash in its name, or it has nothing at this position. MAP_INVALID: the uploaded map cannot be read. COLUMN_MISSING: the frames have no column. GENERATED_CODE: code of the bundler, which has no source. UPLOADED_AFTER_EVENT: the map arrived after the events; the frames are readable now.',
    ),
  release: Release,
  dist: z.string(),
  file: z.string().describe('Path as the events name it, without its host.'),
  debug_id: z.string().describe('Debug id of the file as the events name it; empty without one.'),
  frames: z.int().describe('Different positions of this file in the events that were looked at.'),
  events: z
    .int()
    .describe('Events in the window without all of their sources, whose issue and release have such a frame.'),
  issues: z.object({
    count: z.int(),
    first: z.array(z.object({ id: z.string(), key: z.string() })).describe('At most 5.'),
  }),
  fix: z.int().describe('Number of its fix in `fixes`.'),
  nearest: z
    .object({
      upload_id: z.string(),
      release: z.string(),
      dist: z.string(),
      path: z
        .string()
        .describe('Path of the uploaded file that is most like this one; empty when nothing was indexed.'),
      debug_id: z.string(),
      state: z.string().describe('State of the upload, such as READY or FAILED.'),
      error_code: z.string(),
    })
    .nullable()
    .describe('The upload that comes nearest, as evidence.'),
})
export type GroupBody = z.input<typeof Group>

const Fix = z.object({
  number: z.int().describe('What `fix` of a group names.'),
  release: Release,
  text: z.string().describe('What to do, and what DIR is in the command.'),
  command: z.string().describe('Command of the tracegate CLI; empty when no command repairs it.'),
  files: z.int().describe('Different files of the release that it repairs.'),
  issues: z.int(),
})
export type FixBody = z.input<typeof Fix>

export const output = z.object({
  window: z.object({ from: z.string(), to: z.string() }).describe('When the events happened.'),
  counts: z.object({
    events: z.int().describe('Events in the window, of the newest 100,000.'),
    unmapped_events: z.int().describe('Those with minified frames that had no source when they arrived.'),
    sampled_events: z
      .int()
      .describe(
        'Of unmapped_events, those whose frames were read again with the maps of today: the newest 2 of each issue and release, at most 400. `groups` shows only their files.',
      ),
    groups: z.int(),
    frames: z.int(),
    issues: z.int(),
    causes: z.partialRecord(z.enum(causes), z.int()).describe('Groups by cause.'),
  }),
  fixes: z
    .array(Fix)
    .describe('At most 50, each once: those for frames that are still minified first, then by number of issues.'),
  groups: z.array(Group).describe('At most 100: those that are still minified first, then by events.'),
})
