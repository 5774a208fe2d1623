/**
 * Replaces modules of the dependencies that no host calls: tables of file types and mail services, and unused mail
 * transports. If a replaced module no longer exists in its dependency, the build fails.
 */
import type { Plugin } from "esbuild"

/** The service sends no attachments and no files, so it never looks up a type by a file's extension. */
const types =
  "export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin'"

const unreachable = "export default class { constructor() { throw new Error('This bundle does not contain it') } }"

const unusedMailFolders = ["dkim", "fetch", "json-transport", "sendmail-transport", "ses-transport", "xoauth2"]

/**
 * The variable `SMTP_URL` selects only an SMTP host with a password, never another transport, a well-known service, an
 * OAuth token or a DKIM key. The mails contain no files and no URLs to load. The service accepts no multipart forms.
 */
const replacements: Readonly<Record<string, string>> = {
  "nodemailer/dist/esm/mime-funcs/mime-types.js": types,
  "nodemailer/dist/esm/well-known/services.js": "export const services = {}",
  ...Object.fromEntries(unusedMailFolders.map((folder) => [`nodemailer/dist/esm/${folder}/index.js`, unreachable])),
  "effect/dist/http/MultipartParser.js":
    "const absent = () => { throw new Error('This bundle does not contain it') }; export { absent as make, absent as defaultIsFile, absent as decodeField }",
  "effect/dist/http/internal/mimeTypes.js": "export default {}"
}

/** Matches slashes and backslashes, because Windows separates paths with backslashes. */
const expression = new RegExp(
  `/(${Object.keys(replacements).join("|").replaceAll(".", "\\.")})$`.replaceAll("/", "[\\\\/]")
)

export const replaceUnusedModulesPlugin: Plugin = {
  name: "replace unused modules",
  setup: ({ onEnd, onLoad, onStart }) => {
    const found = new Set<string>()
    onStart(() => found.clear())
    onLoad({ filter: expression }, ({ path }) => {
      const name = (expression.exec(path)?.[1] ?? "").replaceAll("\\", "/")
      found.add(name)
      return { contents: replacements[name] ?? "" }
    })
    onEnd(() => ({
      errors: Object.keys(replacements)
        .filter((name) => !found.has(name))
        .map((name) => ({ text: `${name} is not in the bundle: remove it from UnusedModules.ts` }))
    }))
  }
}
