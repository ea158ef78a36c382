/**
 * Whether a frame's file is code that was made while the program ran, so that its line is in no file: `<string>`,
 * `<stdin>` and `<frozen importlib._bootstrap>` of Python, `evalmachine.<anonymous>` of Node.js, `(eval)` of Ruby and
 * Perl, `a.php(3) : eval()'d code`, `eval at run (a.js:1:1)`. SDKs add a folder: `/srv/app/<string>`.
 */
export function isGeneratedCode(path: string): boolean {
  return GENERATED.test(path)
}

const GENERATED =
  /(?:^|\/)(?:<[^<>/]*>|evalmachine\.<anonymous>|\(eval[^/]*\))$|^\(?eval at |\(\d+\) ?: eval\(\)'d code/
