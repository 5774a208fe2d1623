/** Prints random sentences and exported names, for a judge of their clarity who did not write them. */
import { createHash } from "node:crypto"
import { basename } from "node:path"
import { parseArgs } from "node:util"
import { readRepositoryFiles } from "./Repository.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    sentences: { type: "string", default: "100" },
    names: { type: "string", default: "60" },
    paths: { type: "boolean", default: false }
  }
})

const comment = /^[ \t]*(?:\/\*\*?([\s\S]*?)\*\/|((?:\/\/.*\n[ \t]*)+))/gm
const testName = /(?<![.\w])(?:describe|it|test)(?:\.\w+)*\(\s*(["'`])(.*?)\1/g
const exported = /^export (?:abstract )?(const|class|interface|type|function) (\w+)/gm
const notProse = /^---\n[\s\S]*?\n---\n|^[ \t]*```[\s\S]*?^[ \t]*```|<[^>]+>|^#.*$|^\|.*$/gm

const paragraphs = (path: string, text: string): ReadonlyArray<string> =>
  path.endsWith(".md")
    ? text.replace(notProse, "\n").split(/\n\s*\n|\n\s*(?:[-*]|\d+\.)\s/)
    : [...text.matchAll(comment)].map((found) => (found[1] ?? found[2] ?? "").replace(/^\s*(?:\*|\/\/)/gm, ""))

const sentences = (path: string, text: string): ReadonlyArray<string> => {
  const prose = paragraphs(path, text)
    .flatMap((paragraph) => paragraph.replace(/\s+/g, " ").split(/(?<=[.!?:]) (?=[A-Z`])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(" ").length > 2)
  const tests = path.endsWith(".test.ts") ? [...text.matchAll(testName)].map((found) => found[2] ?? "") : []
  return [...prose, ...tests]
}

const repository = [...readRepositoryFiles()]

/**
 * Matches namespace imports, because names of an imported namespace are printed with the module's name, as in
 * `MailStore.layer`.
 */
const namespaceImport = /^import (?:type )?\* as \w+ from "[^"]*?(\w+)(?:\.ts)?"$/gm
const namespaces = new Set(
  repository.flatMap(([, text]) => [...text.matchAll(namespaceImport)].map(([, file]) => file))
)

const names = (path: string, text: string) => {
  if (path.endsWith(".md")) return []
  const file = basename(path, ".ts")
  const qualifier = namespaces.has(file) ? `${file}.` : ""
  return [...text.matchAll(exported)].map(
    ([, kind, name = ""]) => `${/^[a-z]/.test(name) ? qualifier : ""}${name} (${kind})`
  )
}

const isChosen = (path: string) =>
  /\.(ts|md)$/.test(path) && (positionals.length === 0 || positionals.some((start) => path.startsWith(start)))
const files = repository.filter(([path]) => isChosen(path))

const draw = (title: string, read: (path: string, text: string) => ReadonlyArray<string>, count: number) => {
  const pool = files.flatMap(([path, text]) =>
    read(path, text).map((found, index) => ({
      line: values.paths ? `${found} (${path})` : found,
      // Each list has its own title in the hash, so that a file's names and sentences are sampled independently.
      order: createHash("sha256").update(`${title} ${values.seed} ${path} ${index}`).digest("hex")
    }))
  )
  const drawn = pool.sort((one, other) => one.order.localeCompare(other.order)).slice(0, count)
  const list = drawn.map(({ line }, index) => `${index + 1}. ${line}\n`)
  process.stdout.write(`${title}: ${list.length} of ${pool.length}, seed ${values.seed}\n${list.join("")}`)
}

draw("Sentences", sentences, Number(values.sentences))
draw("Names", names, Number(values.names))
