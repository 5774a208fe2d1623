/**
 * Contains the HTML page and the start script of the API explorer. The explorer page loads and calls only URLs below
 * its own URL.
 */
import { apiTitle } from "@partner-commentary/api/description/Title"

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' fill='%23a8321a'/%3E%3Cpath d='M4 4h8v2H4zm0 4h8v1H4zm0 3h5v1H4z' fill='%23fff'/%3E%3C/svg%3E"

export const explorerPageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${apiTitle}</title>
<meta name="description" content="Every operation of the Partner Commentary API, with examples to try.">
<link rel="icon" href="${icon}">
<style>
html,body{overflow-x:clip}
body{margin:0;background:#f7f5f0;color:#1b1a17;font:1rem/1.6 ui-sans-serif,system-ui,sans-serif}
@media (prefers-color-scheme:dark){body{background:#161513;color:#eeebe3}}
.wait{padding:2rem}
a{color:inherit}
</style>
</head>
<body>
<div id="explorer"><p class="wait">Loading the explorer. The description itself is <a href="openapi.json">openapi.json</a>.</p></div>
<script src="docs/scalar.js" defer></script>
<script src="docs/explorer.js" defer></script>
</body>
</html>
`

/** The styles of the API explorer, with the colours of the creators' pages. */
const customCss = `
.markdown-summary.truncate{line-height:1.6}
.ascii-art{display:none!important}
.scalar-toaster{max-width:calc(100vw - 32px)}
:root{--scalar-font:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",sans-serif;--scalar-font-code:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace;--scalar-radius:3px;--scalar-radius-lg:4px;--scalar-radius-xl:6px}
.light-mode{--scalar-background-1:#fffefb;--scalar-background-2:#f7f5f0;--scalar-background-3:#ece8dd;--scalar-background-accent:#f6e9e3;--scalar-color-1:#1b1a17;--scalar-color-2:#4d4941;--scalar-color-3:#6b665b;--scalar-color-accent:#a8321a;--scalar-border-color:#dad5c8;--scalar-button-1:#a8321a;--scalar-button-1-color:#fff;--scalar-button-1-hover:#8c2814}
.dark-mode{--scalar-background-1:#161513;--scalar-background-2:#1f1e1b;--scalar-background-3:#2b2925;--scalar-background-accent:#33231d;--scalar-color-1:#eeebe3;--scalar-color-2:#c4beb2;--scalar-color-3:#a19b8f;--scalar-color-accent:#ff9a7c;--scalar-border-color:#38352f;--scalar-button-1:#ff9a7c;--scalar-button-1-color:#1b1a17;--scalar-button-1-hover:#ffb39c}
.light-mode .t-doc__sidebar,.dark-mode .t-doc__sidebar{--scalar-sidebar-background-1:var(--scalar-background-2);--scalar-sidebar-border-color:var(--scalar-border-color)}
`

const configuration = {
  theme: "none",
  layout: "modern",
  customCss,
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  hideModels: false,
  defaultOpenAllTags: true,
  documentDownloadType: "json",
  operationTitleSource: "summary",
  persistAuth: false,
  metaData: { title: apiTitle }
}

/**
 * The script that adapts the API description and starts the explorer. The explorer is built with the library Scalar.
 * The explorer sends calls to the page's origin, and disables optional parameters by default. Each operation uses its
 * own security scheme. Snippets omit the idempotency key and the cursor, because a fixed example would be wrong. The
 * start script adds a curl snippet with `-N` to each event stream, because curl would otherwise buffer the events.
 * Scalar's generated snippet lacks `-N`. Scalar shows the added snippet first. Operations without an event stream have
 * only Scalar's curl snippet.
 */
export const explorerStartScript = `"use strict"
const root = (location.origin + location.pathname).replace(/\\/[^/]*$/, "")
const offered = ({ components, paths }) =>
  [...Object.values(components.parameters), ...Object.values(paths).flatMap(Object.values).flatMap((one) => one.parameters)]
    .filter((parameter) => parameter.required === false)
fetch(root + "/openapi.json").then((response) => response.json()).then((description) => {
  description.servers = [{ url: root, description: "This service" }]
  for (const [path, methods] of Object.entries(description.paths)) {
    if (methods.get?.responses["200"].content?.["text/event-stream"] === undefined) continue
    const source = "curl -N '" + root + path + "' --header 'X-Api-Key: YOUR_SECRET_TOKEN'"
    methods.get["x-codeSamples"] = [{ lang: "shell", label: "Shell Curl", source }]
  }
  for (const one of Object.values(description.paths).flatMap(Object.values)) {
    one.parameters = one.parameters.filter(({ $ref }) => $ref !== "#/components/parameters/RequestId")
  }
  for (const parameter of offered(description)) {
    const { examples: [value] = [], ...schema } = parameter.schema
    parameter.schema = schema
    parameter.examples = { default: { value, "x-disabled": true } }
    if (["Idempotency-Key", "cursor"].includes(parameter.name)) {
      delete parameter.schema
      delete parameter.examples.default.value
    }
  }
  description["x-scalar-set-operation-security"] = true
  description["x-scalar-selected-security"] = {
    selectedIndex: 0,
    selectedSchemes: Object.keys(description.components.securitySchemes).map((name) => ({ [name]: [] }))
  }
  document.querySelector("#explorer").textContent = ""
  Scalar.createApiReference("#explorer", { ...${JSON.stringify(configuration)}, content: description })
})
`
