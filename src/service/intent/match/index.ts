export { compareStatements, type Statement } from '../../quality/requirements/similarity/index.ts'
