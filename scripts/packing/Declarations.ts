/** Declarations as every compiler takes them: TypeScript leaves `.ts` in the paths of their imports, which others refuse. */

const relative = /((?:\bfrom|\bimport)\s*\(?\s*)"(\.{1,2}\/[^"\n]+)\.ts"/g

export const declaring = (text: string): string => text.replace(relative, '$1"$2.js"')
