import * as z from 'zod'

/** The cause: `reason` is upper case, `metadata` contains ids and allowed values. Present in every error. */
const ErrorInfo = z.object({
  '@type': z.literal('type.googleapis.com/google.rpc.ErrorInfo'),
  reason: z.string(),
  domain: z.string(),
  metadata: z.record(z.string(), z.string()),
})

/** Which members of the request are wrong. */
const BadRequest = z.object({
  '@type': z.literal('type.googleapis.com/google.rpc.BadRequest'),
  field_violations: z.array(z.object({ field: z.string(), description: z.string() })),
})

/** Body of every REST error (contract §0.4); `code` is the gRPC code, `message` says what to do next. */
export const ErrorBody = z.object({
  code: z.int(),
  message: z.string(),
  details: z.array(z.union([ErrorInfo, BadRequest, z.looseObject({ '@type': z.string() })])),
})
