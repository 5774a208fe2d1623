/**
 * An HTML template that escapes every inserted value except nested HTML. Attribute values must be in double quotes.
 */
import { escapeHtml } from "@partner-commentary/core/shared/Text"

export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

/**
 * A value that an HTML template inserts. Null, undefined and false render as empty text, and the elements of an array
 * are concatenated.
 */
export type HtmlContent = Html | string | number | null | undefined | false | ReadonlyArray<HtmlContent>

export const html = (strings: TemplateStringsArray, ...contents: ReadonlyArray<HtmlContent>): Html => {
  let markup = strings[0] ?? ""
  for (const [index, content] of contents.entries()) markup += render(content) + (strings[index + 1] ?? "")
  return new Html(markup)
}

const render = (content: HtmlContent): string => {
  if (content instanceof Html) return content.markup
  if (typeof content === "string" || typeof content === "number") return escapeHtml(String(content))
  return Array.isArray(content) ? content.map(render).join("") : ""
}
