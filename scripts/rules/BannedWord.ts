/**
 * Words that the library below the hosts does not use, because Effect has its own. The client has no Effect and uses
 * most of them; only what a runtime other than Node lacks is refused to it. Where a foreign API forces one, the
 * line itself, or a line of its own above it, says `// foreign: reason`; one that excuses nothing is refused too.
 * What the linter knows (`any`, `console`, default exports, barrels) is the linter's.
 */
import type { Finding, Plant, Rule } from "../Gate.ts"
import { belowHosts } from "../Repository.ts"
import { sourceText } from "../SourceText.ts"

/** Not after a dot, so that `Effect.try` and `Fiber.await` pass, and not as the name of a property. */
const word = (pattern: string) => new RegExp(String.raw`(?<![\w$.#])(?:${pattern})(?!\s*\??:(?!:)|[\w$])`)

const banned: ReadonlyArray<{ readonly name: string; readonly pattern: RegExp; readonly instead: string }> = [
  { name: "Date", pattern: word("Date"), instead: "Clock and DateTime" },
  { name: "performance.now", pattern: word(String.raw`performance\s*\.\s*now`), instead: "Clock" },
  { name: "Math.random", pattern: word(String.raw`Math\s*\.\s*random`), instead: "Random or SecureRandom" },
  { name: "process.env", pattern: word(String.raw`process\s*(?:\?\.|\.|\[)\s*"?\s*env`), instead: "Config" },
  { name: "process.env", pattern: word(String.raw`process\s*\[\s*"\s*"\s*\]`), instead: "Config" },
  { name: "async", pattern: word(String.raw`async(?=\s*(?:\(|<|function\b|[\w$]+\s*(?:=>|\()))`), instead: "Effect" },
  { name: "await", pattern: word("await"), instead: "yield*" },
  { name: "throw", pattern: word("throw"), instead: "Effect.fail or Effect.die" },
  { name: "try", pattern: word(String.raw`try(?=\s*\{)`), instead: "Effect.try" }
]

/** A name of Node's own, which edge runtimes don't have. */
const edge: typeof banned = [
  { name: "process", pattern: word("process"), instead: "an option" },
  { name: "Buffer", pattern: word("Buffer"), instead: "Uint8Array" },
  { name: "require", pattern: word("require"), instead: "an option" }
]

const refusedIn = (path: string): typeof banned => (path.startsWith("packages/client/") ? edge : banned)

const escape = /\/\/ foreign: \S/

const find = (path: string, text: string): ReadonlyArray<Finding> => {
  const source = sourceText(text)
  const code = source.code.split("\n")
  const excuses = source.comments.split("\n").map((comment) => escape.test(comment))
  const used = new Set<number>()
  const findings: Array<Finding> = []
  code.forEach((line, at) => {
    const found = refusedIn(path).filter(({ pattern }) => pattern.test(line))
    if (found.length === 0) return
    if (excuses[at]) used.add(at)
    else if (excuses[at - 1] && code[at - 1]?.trim() === "") used.add(at - 1)
    else {
      for (const { name, instead } of found) {
        findings.push({ path, line: at + 1, message: `${name} below the hosts: use ${instead}` })
      }
    }
  })
  excuses.forEach((excuse, at) => {
    if (excuse && !used.has(at)) findings.push({ path, line: at + 1, message: "this escape excuses nothing" })
  })
  return findings
}

const inCore = (text: string): Plant => ({ "packages/core/src/Planted.ts": `${text}\n` })

export const bannedWord: Rule = {
  name: "words below the hosts",
  find: (files) => [...files].filter(([path]) => belowHosts(path)).flatMap(([path, text]) => find(path, text)),
  refuses: [
    inCore("const now = Date.now()"),
    inCore("const now = new Date()"),
    inCore("const at = (date: Date) => date"),
    inCore("const now = performance.now()"),
    inCore("const luck = Math.random()"),
    inCore("const port = process.env.PORT"),
    inCore('const env = process["env"]'),
    inCore("const run = async () => 1"),
    inCore("const run = async (a: number) => a"),
    inCore("const run = async a => a"),
    inCore("async function run() {}"),
    inCore("export const a = { async run() {} }"),
    inCore("const a = await b"),
    inCore('throw new Error("no")'),
    inCore("try {\n  run()\n} catch {}"),
    inCore(`const text = \`at \${Date.now()}\``),
    inCore("// foreign:\nconst now = Date.now()"),
    inCore("// foreign: the driver wants it\n\nconst now = Date.now()"),
    inCore("// foreign: nothing here\nconst now = 1"),
    { "adapters/smtp/src/Planted.ts": "const now = new Date()\n" },
    { "packages/client/src/Planted.ts": "const key = process.env.API_KEY\n" },
    { "packages/client/src/Planted.ts": 'const secret = Buffer.from("a")\n' },
    { "packages/client/src/Planted.ts": 'const crypto = require("crypto")\n' }
  ],
  accepts: [
    inCore("const now = Date.now() // foreign: the driver wants it"),
    inCore("// foreign: the driver throws\ntry {\n  run()\n} catch {}"),
    inCore('const text = "try { throw new Date } await async ()" // Date.now()'),
    inCore("const page = `<p>try { await Date }</p>`"),
    inCore("const pattern = /new Date \"|'/"),
    inCore("const a = Effect.try({ try: () => run(), catch: () => 1 })"),
    inCore("const a = Fiber.await(fiber)"),
    inCore("const a = DateTime.now\nconst b = Schema.Date\nconst head = { Date: 1, async: true, throw: 2 }"),
    { "hosts/node/src/Planted.ts": "const now = new Date()\n" },
    { "packages/client/src/Planted.ts": "const run = async () => await luck(Math.random(), Date.now())\n" },
    { "packages/core/test/Planted.test.ts": "const now = new Date()\n" }
  ]
}
