/** The token of an `Authorization: Bearer …` header (RFC 6750 §2.1); undefined when the header does not have that form. */
export function parseBearer(header: string | undefined): string | undefined {
  return /^bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1]
}
