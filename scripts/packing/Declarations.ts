/** Replaces `.ts` in the import paths of declarations with `.js`. TypeScript leaves it there, but other compilers reject it. */

const relative = /((?:\bfrom|\bimport)\s*\(?\s*)"(\.{1,2}\/[^"\n]+)\.ts"/g

export const declaring = (text: string): string => text.replace(relative, '$1"$2.js"')
