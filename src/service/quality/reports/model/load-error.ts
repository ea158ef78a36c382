/**
 * The name of the single case that represents a file that could not be loaded, the same in every format (contract
 * §4.2).
 */
export const LOAD_ERROR = '<load error>'
