/**
 * Replaces modules of dependencies that no host calls: tables of file types and services, and unused transports for
 * mails. A name that no longer exists in the dependency fails the build.
 */
import type { Plugin } from "esbuild"

/** The service sends no attachments and no files, so it never looks up a type by a file's extension. */
const types =
  "export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin'"

const unreachable = "export default class { constructor() { throw new Error('This bundle does not contain it') } }"

/** SMTP_URL only names a host. The variable cannot select another transport, a well-known service or a DKIM key. */
const leftOut: Readonly<Record<string, string>> = {
  "nodemailer/dist/esm/mime-funcs/mime-types.js": types,
  "nodemailer/dist/esm/well-known/services.js": "export const services = {}",
  "nodemailer/dist/esm/dkim/index.js": unreachable,
  "nodemailer/dist/esm/json-transport/index.js": unreachable,
  "nodemailer/dist/esm/sendmail-transport/index.js": unreachable,
  "nodemailer/dist/esm/ses-transport/index.js": unreachable,
  "effect/dist/http/internal/mimeTypes.js": "export default {}"
}

/** Matches slashes and backslashes, because Windows separates paths with backslashes. */
const expression = new RegExp(`/(${Object.keys(leftOut).join("|").replaceAll(".", "\\.")})$`.replaceAll("/", "[\\\\/]"))

export const replaceUnusedModulesPlugin: Plugin = {
  name: "left out",
  setup: ({ onEnd, onLoad, onStart }) => {
    const found = new Set<string>()
    onStart(() => found.clear())
    onLoad({ filter: expression }, ({ path }) => {
      const name = (expression.exec(path)?.[1] ?? "").replaceAll("\\", "/")
      found.add(name)
      return { contents: leftOut[name] ?? "" }
    })
    onEnd(() => ({
      errors: Object.keys(leftOut)
        .filter((name) => !found.has(name))
        .map((name) => ({ text: `${name} is not in the bundle: remove it from LeftOut.ts` }))
    }))
  }
}
