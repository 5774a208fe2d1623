/**
 * Acts as a creator who knows only the link from a mail. The demo sends the actions of the creator page's forms as
 * JSON.
 */
/** The fields of the creator page that the demo reads. */
export interface CreatorInbox {
  readonly status: string
  readonly persona: { readonly name: string }
  readonly draft: { readonly id: string; readonly content: string } | null
}

export interface Creator {
  readonly look: () => Promise<CreatorInbox>
  readonly act: (
    action: "respond" | "decline" | "approve",
    input: Readonly<Record<string, string>>
  ) => Promise<CreatorInbox>
}

/** Finds the creator's link in a mail's text. */
export const linkIn = (text: string): string | undefined =>
  text.split(/\s/).find((word) => /^https?:/.test(word) && word.includes("/creator/"))

export const at = (link: string): Creator => {
  const ask = async (path: string, init: RequestInit): Promise<CreatorInbox> => {
    const response = await fetch(`${link}${path}`, init)
    const answer = (await response.json()) as {
      readonly data?: CreatorInbox
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
