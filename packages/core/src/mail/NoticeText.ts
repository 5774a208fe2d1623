/**
 * Lays out every mail as plain text and HTML. CreatorNotices and WebhookNotices compose the contents. This file escapes
 * external text and makes links in external text unclickable.
 */
import { escapeHtml } from "../shared/Text.ts"

export interface RenderedNotice {
  /** The subject is one line of at most 120 characters. */
  readonly subject: string
  readonly text: string
  /** The mail as a complete HTML document without external resources. */
  readonly html: string
}

/** The content of a mail. The caller must sanitize external text with `neutralizeText`. */
export interface NoticeContent {
  readonly subject: string
  readonly title: string
  readonly paragraphs: ReadonlyArray<string>
  readonly quote: { readonly source: string; readonly text: string } | null
  readonly facts: ReadonlyArray<readonly [label: string, value: string]>
  readonly action: { readonly label: string; readonly link: string } | null
  readonly after: ReadonlyArray<string>
}

export const renderNotice = (parts: NoticeContent): RenderedNotice => ({
  subject: clipText(parts.subject, 120),
  text: asText(parts),
  html: asHtml(parts)
})

const asText = ({ action, after, facts, paragraphs, quote, title }: NoticeContent): string =>
  [
    title,
    ...paragraphs,
    ...(quote === null ? [] : [`${quote.source} writes:\n\n${quote.text.replace(/^/gm, "> ")}`]),
    ...(facts.length === 0 ? [] : [facts.map(([label, value]) => `${label}: ${value}`).join("\n")]),
    ...(action === null ? [] : [`${action.label}:\n${action.link}`]),
    "--------",
    ...after
  ]
    .join("\n\n")
    .concat("\n")

const serif = "font-family:Georgia,'Times New Roman',serif"
const accent = "#b4381f"

const asHtml = ({ action, after, facts, paragraphs, quote, subject, title }: NoticeContent): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${escapeHtml(clipText(subject, 120))}</title>
</head>
<body style="margin:0;padding:32px 20px;font:16px/1.55 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div style="max-width:560px;margin:0 auto">
<p style="margin:0 0 28px;padding:0 0 12px;border-bottom:3px solid ${accent};font-size:13px;font-weight:bold;letter-spacing:.04em">Partner Commentary</p>
<h1 style="margin:0 0 20px;font-size:28px;line-height:1.2;font-weight:normal;${serif}">${escapeHtml(title)}</h1>
${paragraphs.map((text) => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`).join("\n")}
${
  quote === null
    ? ""
    : `<p style="margin:28px 0 8px;font-size:14px">${escapeHtml(quote.source)} writes:</p>
<blockquote dir="auto" style="margin:0 0 28px;padding:4px 0 4px 18px;border-left:3px solid ${accent};font-size:20px;line-height:1.45;overflow-wrap:anywhere;${serif}">${escapeHtml(quote.text).replaceAll("\n", "<br>")}</blockquote>`
}
${facts.map(([label, value]) => `<p style="margin:0 0 4px"><span style="opacity:.75">${escapeHtml(label)}:</span> <strong>${escapeHtml(value)}</strong></p>`).join("\n")}
${
  action === null
    ? ""
    : `<p style="margin:28px 0 16px"><a href="${escapeHtml(action.link)}" style="display:inline-block;padding:14px 26px;background:${accent};color:#ffffff;font-weight:bold;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="margin:0 0 14px;font-size:13px;opacity:.85;overflow-wrap:anywhere;word-break:break-all">Or open this address: <a href="${escapeHtml(action.link)}" style="color:inherit">${escapeHtml(action.link)}</a></p>`
}
<p style="margin:0;height:14px"></p>
${after.map((text) => `<p style="margin:0 0 10px;font-size:14px;opacity:.85">${escapeHtml(text)}</p>`).join("\n")}
</div>
</body>
</html>
`

/**
 * Removes control characters, direction overrides and invisible tags. Also inserts zero-width spaces into text that
 * mail clients would turn into links.
 */
export const neutralizeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n")
    .replace(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, "")
    .replace(linkable, (mark) => `\u200b${mark}\u200b`)
    .trim()

/**
 * Matches dots, colons, slashes and at signs inside a word, including the variants that other scripts use in addresses.
 */
const linkable = /(?<=\S)[.:@/\\\u3002\uff0e\uff61\uff1a\uff0f\uff20](?=\S)/gu

/** Replaces each run of white space with one space, so that the text has one line. */
export const toOneLine = (text: string): string => neutralizeText(text.replace(/\s+/g, " ")).replace(/\s+/g, " ")

/** Cuts a text to at most `limit` characters, including the ellipsis. */
export const clipText = (text: string, limit: number): string => {
  const characters = Array.from(text)
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, limit - 1)
        .join("")
        .trimEnd()}…`
}
