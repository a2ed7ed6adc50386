/** How many columns of a terminal a text takes. */

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const none = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const graphemes = new Intl.Segmenter()

export function textWidth(text: string): number {
  return lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0)
}

/** With `…` where it is longer than `width`. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let kept = ''
  let left = width - 1
  for (const letter of lettersOf(text)) {
    left -= letterWidth(letter)
    if (left < 0) break
    kept += letter
  }
  return `${kept.trimEnd()}…`
}

function lettersOf(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}

function letterWidth(letter: string): number {
  if (wide.test(letter)) return 2
  return none.test(letter) ? 0 : 1
}
