import * as z from 'zod'
import * as agents from '../agents.ts'
import * as branches from '../branches.ts'
import * as common from '../base/common.ts'
import * as components from '../components.ts'
import * as distill from '../distill.ts'
import { Pagination, type Endpoint } from '../base/endpoint.ts'
import * as environments from '../environments.ts'
import { ErrorBody } from '../base/error-body.ts'
import * as events from '../events.ts'
import * as fixContext from '../fix-context.ts'
import * as gatePolicy from '../quality-gate/policy.ts'
import * as gate from '../quality-gate/gate.ts'
import * as issueEvents from '../issue-events.ts'
import * as issues from '../issues.ts'
import * as links from '../links.ts'
import * as products from '../products.ts'
import * as requirements from '../requirements.ts'
import * as retrieval from '../retrieval.ts'
import * as risks from '../quality-gate/risks.ts'
import * as sourcemaps from '../sourcemaps.ts'
import * as testContext from '../test-context.ts'
import * as testIngest from '../test-ingest.ts'
import * as tests from '../tests.ts'
import * as traceability from '../traceability.ts'
import * as verdict from '../quality-gate/verdict.ts'

/** The modules of each tag. Every object, enum and union schema that they export is a component under its name. */
const nouns: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  products: [products],
  requirements: [requirements],
  tests: [tests, links, testIngest],
  branches: [branches],
  components: [components],
  environments: [environments],
  'quality gate': [gatePolicy, gate, risks, verdict, traceability],
  agents: [agents],
  retrieval: [retrieval, testContext, distill],
  issues: [issues, issueEvents, events, fixContext],
  'source maps': [sourcemaps],
}

export type JsonSchema = z.core.JSONSchema.BaseSchema

type Registry = z.core.$ZodRegistry<{ id: string }>

/** The tag (noun) of an endpoint. Throws for an endpoint of an unlisted module. */
export function endpointTag(endpoint: Endpoint): string {
  for (const [tag, modules] of Object.entries(nouns))
    if (modules.some((module) => Object.values(module).includes(endpoint))) return tag
  throw new Error(`${endpoint.method} ${endpoint.path} is in no module that openapi/schemas.ts lists`)
}

/** Every shared schema under its export name, sorted, because the order of a module's exports depends on the loader. */
export function componentRegistry(): Registry {
  const named = new Map<string, z.ZodType>([
    ['Pagination', Pagination],
    ['Error', ErrorBody],
  ])
  for (const module of [common, ...Object.values(nouns).flat()]) {
    for (const [name, schema] of Object.entries(module)) {
      if (!(schema instanceof z.ZodObject || schema instanceof z.ZodEnum || schema instanceof z.ZodUnion)) continue
      if (named.has(name)) throw new Error(`two schemas of the contract are named ${name}`)
      named.set(name, schema)
    }
  }
  const registry: Registry = z.registry<{ id: string }>()
  for (const [id, schema] of [...named].toSorted(([a], [b]) => (a < b ? -1 : 1))) registry.add(schema, { id })
  return registry
}

/**
 * JSON Schemas of all registered schemas: `components` under plain names, `inline` under names with a dot. They describe
 * what is sent, hence zod's input side: results become `Untrusted` only when they are read.
 */
export function toJsonSchemas(registry: Registry) {
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => slim(jsonSchema),
  })
  const components: Record<string, JsonSchema> = {}
  const inline: Record<string, JsonSchema> = {}
  for (const [id, { $schema: _, $id: __, ...schema }] of Object.entries(schemas)) {
    const target = id.includes('.') ? inline : components
    target[id] = schema
  }
  return { components, inline }
}

/** Removes redundant keywords: a regex next to a format, the bounds of safe integers, the type of property names. */
function slim(schema: JsonSchema): void {
  if (schema.format !== undefined) delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  const names = schema.propertyNames
  if (typeof names === 'object' && Object.keys(names).every((key) => key === 'type')) delete schema.propertyNames
}
