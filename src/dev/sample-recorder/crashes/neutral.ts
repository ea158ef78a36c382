import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { type Envelope, formatEnvelope, mapEvents, parseEnvelope } from '../../../service/sample/envelope.ts'
import type { JsonObject } from '../../../lib/objects.ts'
import { packagesFolder } from './build.ts'
import type { Captured } from './capture.ts'

/** A text from the recording machine and its replacement. */
export type Replacement = readonly [text: string, instead: string]

/** Replacements for paths of this machine. Its name is in no event, because the shop names its server itself. */
export function machine(workspace: string): Replacement[] {
  return [
    [workspace, '/srv/shop'],
    [packagesFolder, '/srv/shop/node_modules'],
    [dirname(packagesFolder), '/srv/shop'],
    ...(homedir().length > 1 ? [[homedir(), '/home/shop'] as const] : []),
  ]
}

/** Replacements for the loopback addresses of the server and its partners. */
export function addresses({ server, partners, shop }: Record<'server' | 'partners' | 'shop', string>): Replacement[] {
  const named = ['payments', 'carrier', 'mail', 'prices', 'warehouses'].map(
    (name) => [`${partners}/${name}`, `https://${name}.example`] as const,
  )
  return [...named, [server, shop], [new URL(server).host, new URL(shop).host]]
}

/** The captured request without anything that reveals the recording machine. */
export function neutral(captured: Captured, replacements: readonly Replacement[]): Captured {
  const body = replacements.reduce((text, [own, instead]) => text.replaceAll(own, instead), captured.body)
  return { ...captured, body: formatEnvelope(neutralContexts(parseEnvelope(body))) }
}

/** Replaces the machine in the event's contexts by the one that the shop pretends to run on. */
function neutralContexts(envelope: Envelope): Envelope {
  return mapEvents(envelope, (event) => {
    const contexts = event['contexts'] as Record<string, JsonObject> | undefined
    if (event['platform'] !== 'node' || !contexts) return event
    const { app, device, os, ...others } = contexts
    return {
      ...event,
      contexts: {
        ...others,
        ...(app && { app: { app_start_time: app['app_start_time'], app_memory: 134_217_728 } }),
        ...(os && { os: { name: 'Debian', version: '12.11', kernel_version: '6.1.0-37-amd64' } }),
        ...(device && { device: { arch: 'x64', memory_size: 8_589_934_592, processor_count: 4 } }),
      },
    }
  })
}
