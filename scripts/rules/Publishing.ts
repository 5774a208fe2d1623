/** A workspace is published by what is laid out of it (`scripts/packing`), never as it lies here, and never without a word on what it is. */
import type { Rule } from "../Gate.ts"
import { workspaces } from "../Repository.ts"

const changed = (change: object) => (present: string) => JSON.stringify({ ...JSON.parse(present), ...change })

export const publishing: Rule = {
  name: "what is published is laid out",
  find: (files) =>
    workspaces(files).flatMap(({ folder, manifest }) => {
      const {
        dependencies = {},
        private: isPrivate,
        bin
      } = manifest as typeof manifest & { private?: boolean; bin?: object }
      const messages = [
        ...(isPrivate === true ? [] : ["must be private: its sources are not what is published"]),
        ...(files.has(`${folder}/README.md`) ? [] : ["has no README.md"]),
        ...("effect" in dependencies && bin === undefined
          ? ["must ask for effect as a peer, or an embedder may get two"]
          : [])
      ]
      return messages.map((message) => ({ path: `${folder}/package.json`, line: 1, message }))
    }),
  refuses: [
    { "packages/core/package.json": changed({ private: false }) },
    { "packages/planted/package.json": '{ "name": "@partner-commentary/planted", "private": true }' },
    { "hosts/lambda/package.json": changed({ dependencies: { effect: "4.1.0" } }) }
  ],
  accepts: [{ "hosts/node/package.json": changed({ description: "planted" }) }]
}
