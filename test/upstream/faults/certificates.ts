import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

/** A certificate with its private key, as PEM. */
export interface Certificate {
  cert: string
  key: string
}

interface Subject {
  /** The common name and, of a server, its only host name. */
  name: string
  /** Validity in days from now; both negative for one that has expired. */
  from: number
  until: number
}

export interface Authority extends Certificate {
  /** A server certificate of this authority. */
  issue(subject: Subject): Certificate
}

/** A certificate authority of its own, for servers of the tests. */
export function createAuthority(): Authority {
  const pair = newPair()
  const root: Issuer = { name: 'Tests of Tracegate', key: pair.privateKey }
  return {
    ...pem(certificate({ name: root.name, from: -1, until: 1 }, pair.publicKey, root, true), pair.privateKey),
    issue(subject) {
      const { publicKey, privateKey } = newPair()
      return pem(certificate(subject, publicKey, root, false), privateKey)
    },
  }
}

/** A server certificate that only itself vouches for. */
export function selfSigned(name: string): Certificate {
  const { publicKey, privateKey } = newPair()
  return pem(certificate({ name, from: -1, until: 1 }, publicKey, { name, key: privateKey }, false), privateKey)
}

interface Issuer {
  name: string
  key: KeyObject
}

function newPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pem(der: Buffer, key: KeyObject): Certificate {
  const lines = der.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** X.509 version 3 in DER (RFC 5280 §4.1). */
function certificate(
  { name, from, until }: Subject,
  publicKey: KeyObject,
  issuer: Issuer,
  isAuthority: boolean,
): Buffer {
  const ecdsaWithSha256 = der(0x30, oid('2a8648ce3d040302'))
  const toBeSigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    der(0x30, time(from), time(until)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, ...extensions(name, isAuthority))),
  )
  const signature = sign('sha256', toBeSigned, issuer.key)
  return der(0x30, toBeSigned, ecdsaWithSha256, der(0x03, Buffer.of(0), signature))
}

function extensions(name: string, isAuthority: boolean): Buffer[] {
  const basicConstraints = der(0x30, ...(isAuthority ? [der(0x01, Buffer.of(0xff))] : []))
  const subjectAltName = der(0x30, der(0x82, Buffer.from(name)))
  return [
    der(0x30, oid('551d13'), der(0x01, Buffer.of(0xff)), der(0x04, basicConstraints)),
    ...(isAuthority ? [] : [der(0x30, oid('551d11'), der(0x04, subjectAltName))]),
  ]
}

function distinguishedName(commonName: string): Buffer {
  return der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(commonName)))))
}

/** GeneralizedTime, so many days from now. */
function time(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString()
  return der(0x18, Buffer.from(`${text.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`))
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

/** One value: tag, length, content. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
