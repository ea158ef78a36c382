/** The extension of the protocol that a server with skills declares; also the name of the template of their files. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'
