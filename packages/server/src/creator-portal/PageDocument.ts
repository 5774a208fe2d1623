/** Renders the HTML document around a page, and defines the response headers of all pages below `/creator`. */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { type Html, html } from "./Html.ts"
import { pageStylesheet } from "./Style.ts"

interface PageContent {
  /** The title of the browser's tab, which starts with the status of the request. */
  readonly title: string
  /** The status that the header of the page shows. */
  readonly status?: string
  /**
   * A waiting page without text fields reloads after `after` seconds, at the address `at`. If `at` is null, the page
   * reloads its own address.
   */
  readonly refresh?: { readonly after: number; readonly at: string | null } | undefined
  readonly main: Html
  readonly footer?: Html
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' fill='%23a8321a'/%3E%3Cpath d='M4 4h8v2H4zm0 4h8v1H4zm0 3h5v1H4z' fill='%23fff'/%3E%3C/svg%3E"

export const renderPageDocument = ({ footer, main, refresh, status, title }: PageContent): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex,nofollow">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
${refresh !== undefined && html`<meta http-equiv="refresh" content="${refresh.after}${refresh.at !== null && `;url=${refresh.at}`}">\n`}<title>${title} · Partner Commentary</title>
<link rel="icon" href="${icon}">
<style>`.markup +
  pageStylesheet +
  html`</style>
</head>
<body>
<header><span class="brand">Partner Commentary</span>${status !== undefined && html`<span class="status">${status}</span>`}</header>
<main>
${main}
</main>
${footer !== undefined && html`<footer>${footer}</footer>`}
</body>
</html>
`.markup

/** The response headers forbid external resources, frames, caching and referrers for all creators' pages. */
export const pageResponseHeaders: Effect.Effect<Readonly<Record<string, string>>, never, Digest.Digest> = Effect.gen(
  function* () {
    const digest = yield* Digest.Digest
    const hash = Base64.encode(yield* digest.digest(Digest.sha256, new TextEncoder().encode(pageStylesheet)))
    return {
      "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "x-robots-tag": "noindex, nofollow",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    }
  }
)
