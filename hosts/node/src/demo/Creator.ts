/**
 * Acts as a creator who has only the link from a mail. The simulated creator sends the actions of the page's forms as
 * JSON.
 */
/** The fields of the creator's page that the demo reads. */
export interface CreatorPageFields {
  readonly status: string
  readonly persona: { readonly name: string }
  readonly draft: { readonly id: string; readonly content: string } | null
}

export interface SimulatedCreator {
  readonly look: () => Promise<CreatorPageFields>
  readonly act: (
    action: "respond" | "decline" | "approve",
    input: Readonly<Record<string, string>>
  ) => Promise<CreatorPageFields>
}

/** Finds the creator's link in a mail's text. */
export const findCreatorLink = (text: string): string | undefined =>
  text.split(/\s/).find((word) => /^https?:/.test(word) && word.includes("/creator/"))

export const makeSimulatedCreator = (link: string): SimulatedCreator => {
  const ask = async (path: string, init: RequestInit): Promise<CreatorPageFields> => {
    const response = await fetch(`${link}${path}`, init)
    const answer = (await response.json()) as {
      readonly data?: CreatorPageFields
      readonly error?: { readonly message: string }
    }
    if (answer.data === undefined) throw new Error(`A creator was refused: ${answer.error?.message}`)
    return answer.data
  }
  const accept = "application/json"
  return {
    look: () => ask("", { headers: { accept } }),
    act: (action, input) =>
      ask(`/${action}`, {
        method: "POST",
        headers: { accept, "content-type": "application/json" },
        body: JSON.stringify(input)
      })
  }
}
