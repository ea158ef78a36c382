import * as z from 'zod'

/** The rules of server.json, as the registry documents them for its schema of 2025-12-11; no other members are known. */
const Input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
}
/** One version, not a range and not a tag that moves. */
const Version = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/)
const Argument = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('named'), name: z.string(), isRepeated: z.boolean().optional(), ...Input }),
  z.strictObject({
    type: z.literal('positional'),
    valueHint: z.string().optional(),
    isRepeated: z.boolean().optional(),
    ...Input,
  }),
])
const Package = z
  .strictObject({
    registryType: z.enum(['npm', 'pypi', 'oci', 'nuget', 'mcpb']),
    registryBaseUrl: z.url().optional(),
    identifier: z.string().min(1),
    version: Version.optional(),
    fileSha256: z
      .string()
      .regex(/^[a-f0-9]{64}$/)
      .optional(),
    runtimeHint: z.string().optional(),
    transport: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('stdio') }),
      z.strictObject({ type: z.literal('streamable-http'), url: z.string() }),
    ]),
    runtimeArguments: z.array(Argument).optional(),
    packageArguments: z.array(Argument).optional(),
    environmentVariables: z.array(z.strictObject({ name: z.string(), ...Input })).optional(),
  })
  .refine(
    ({ registryType, version }) => registryType === 'oci' || registryType === 'mcpb' || version !== undefined,
    'a version',
  )
  .refine(({ registryType, identifier }) => registryType !== 'oci' || /^[\w.-]+\/.+:[\w.-]+$/.test(identifier), 'a tag')
  .refine(({ registryType, fileSha256 }) => registryType !== 'mcpb' || fileSha256 !== undefined, 'fileSha256')

export const ServerJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().max(100).optional(),
  description: z.string().min(1).max(100),
  version: Version,
  websiteUrl: z.url().optional(),
  repository: z.strictObject({ url: z.url(), source: z.string() }).optional(),
  packages: z.array(Package).min(1),
})

/** The rules of an MCPB manifest of version 0.3, as its document states them; applications refuse any other member. */
const Config = { command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }
export const McpbManifest = z.strictObject({
  manifest_version: z.literal('0.3'),
  name: z.string().min(1),
  display_name: z.string(),
  version: Version,
  description: z.string(),
  author: z.strictObject({ name: z.string().min(1), email: z.email().optional(), url: z.url().optional() }),
  license: z.string(),
  keywords: z.array(z.string()),
  server: z.strictObject({
    type: z.enum(['node', 'python', 'binary']),
    entry_point: z.string(),
    mcp_config: z.strictObject(Config),
  }),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  tools_generated: z.boolean(),
  prompts_generated: z.boolean(),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(['darwin', 'win32', 'linux'])),
    runtimes: z.strictObject({ node: z.string() }),
  }),
  user_config: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
      title: z.string(),
      description: z.string(),
      required: z.boolean(),
      default: z.union([z.string(), z.number(), z.boolean()]).optional(),
      sensitive: z.boolean().optional(),
    }),
  ),
})
