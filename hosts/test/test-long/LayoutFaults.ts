/**
 * Finds faults in the layout and rendering of a page. The test runs each exported function inside the browser's page,
 * so the function cannot use other code of this file.
 */

/**
 * Checks headings, names of fields and buttons, colour contrast, and sizes on a page. Returns one sentence for each
 * fault.
 */
export const findLayoutFaults = (): Array<string> => {
  const found: Array<string> = []
  const all = (selector: string) => Array.from(document.querySelectorAll<HTMLElement>(selector))
  const called = (element: Element) =>
    `<${element.localName}> “${(element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40)}”`

  type Colour = readonly [number, number, number]
  const colour = (text: string): readonly [Colour, number] => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
    return [[red, green, blue], alpha]
  }
  const luminance = (of: Colour) => {
    const [red = 0, green = 0, blue = 0] = of.map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const contrast = (one: Colour, other: Colour) => {
    const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
    return (light + 0.05) / (dark + 0.05)
  }
  const behind = (element: Element | null): Colour => {
    if (element === null) return [255, 255, 255]
    const [painted, alpha] = colour(getComputedStyle(element).backgroundColor)
    if (alpha !== 0 && alpha !== 1) found.push(`half-transparent: ${called(element)}`)
    return alpha === 0 ? behind(element.parentElement) : painted
  }
  const atLeast = (least: number, what: string, one: Colour, other: Colour) => {
    const ratio = contrast(one, other)
    if (ratio < least) found.push(`contrast ${ratio.toFixed(2)} of ${what}`)
  }

  // Headings
  const levels = all("h1,h2,h3,h4,h5,h6").map((heading) => Number(heading.localName.slice(1)))
  if (levels.filter((level) => level === 1).length !== 1) found.push(`headings ${levels}: not one h1`)
  levels.forEach((level, at) => {
    if (level > (levels[at - 1] ?? (at === 0 ? 2 : 0)) + 1) found.push(`headings ${levels}: a level is left out`)
  })
  if (document.documentElement.lang === "") found.push("no language")
  if (all("main").length !== 1) found.push("not one main part")

  // Check the labels of fields, and the ids to which attributes refer.
  const ids = all("[id]").map(({ id }) => id)
  if (new Set(ids).size !== ids.length) found.push(`ids given twice: ${ids}`)
  for (const field of all("textarea, select, input:not([type=hidden])") as Array<HTMLTextAreaElement>) {
    if (![...field.labels].some((label) => (label.textContent ?? "").trim() !== "")) found.push(`no label: ${field.id}`)
  }
  for (const attribute of ["for", "aria-describedby", "aria-labelledby"]) {
    for (const element of all(`[${attribute}]`)) {
      for (const id of (element.getAttribute(attribute) ?? "").split(" ")) {
        if (!ids.includes(id)) found.push(`${attribute} points nowhere: ${id}`)
      }
    }
  }

  // Colours
  for (const element of all("body *")) {
    const hasWords = [...element.childNodes].some(
      (node) => node.nodeType === 3 && (node.textContent ?? "").trim() !== ""
    )
    const style = getComputedStyle(element)
    if (!element.checkVisibility() || (!hasWords && element.localName !== "textarea")) continue
    if (Number(style.opacity) < 1) found.push(`half-transparent: ${called(element)}`)
    atLeast(4.5, called(element), colour(style.color)[0], behind(element))
    if (Number.parseFloat(style.fontSize) < 12) found.push(`small: ${called(element)} ${style.fontSize}`)
  }
  for (const control of all("textarea, button")) {
    const edge = colour(getComputedStyle(control).borderTopColor)[0]
    atLeast(3, `the edge of ${called(control)}`, edge, behind(control.parentElement))
  }

  // Sizes
  for (const target of all("button, summary, textarea")) {
    const { height, left, right, width } = target.getBoundingClientRect()
    if (height < 44 || width < 44) found.push(`${width}×${height} is small for ${called(target)}`)
    if (left < 0 || right > innerWidth) found.push(`beyond the screen: ${called(target)}`)
    const letters = Number.parseFloat(getComputedStyle(target).fontSize)
    if (target.localName === "textarea" && letters < 16) found.push(`a phone zooms into ${target.id}: ${letters}px`)
  }
  return found
}

/**
 * Checks that the focused element has `at` as its `data-at` attribute, shows a visible focus ring, and is on the
 * screen.
 */
export const checkFocusRing = (at: string): string | null => {
  const element = document.activeElement
  if (element === null || element.getAttribute("data-at") !== at) {
    return `tab ${at} leads to ${element?.outerHTML.slice(0, 60)}`
  }
  const luminance = (text: string) => {
    const [red = 0, green = 0, blue = 0] = (text.match(/[\d.]+/g) ?? []).slice(0, 3).map((value) => {
      const part = Number(value) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const ground = getComputedStyle(document.body).backgroundColor
  const { outlineColor, outlineStyle, outlineWidth } = getComputedStyle(element)
  const [light = 0, dark = 0] = [luminance(outlineColor), luminance(ground)].sort((a, b) => b - a)
  const isSeen = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 && (light + 0.05) / (dark + 0.05) >= 3
  const { bottom, top } = element.getBoundingClientRect()
  const isOnScreen = bottom > 0 && top < innerHeight
  return isSeen && isOnScreen ? null : `the focus is not seen on ${element.outerHTML.slice(0, 60)}`
}
