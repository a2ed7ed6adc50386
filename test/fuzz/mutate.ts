/** New texts of known ones. */

const odd = [
  '',
  '\0',
  '%',
  '%2f',
  '{',
  '}',
  '"',
  '\\',
  '[',
  ']',
  '-1',
  '1e999',
  '9007199254740993',
  'null',
  '__proto__',
  '\ud800',
  '😀',
  '=?base64?',
  '?=',
  '/../',
  '\r\n',
  '":{"',
  '2026-07-28',
]
const longest = 4_000

const below = (most: number): number => Math.floor(Math.random() * most)
const pick = <T>(of: readonly T[]): T => of[below(of.length)] as T

type Change = (text: string, at: number, corpus: readonly string[]) => string

const changes: readonly Change[] = [
  (text, at) => text.slice(0, at) + pick(odd) + text.slice(at),
  (text, at) => text.slice(0, at) + text.slice(at + 1 + below(8)),
  (text, at) =>
    text.slice(0, at) + String.fromCharCode(below(Math.random() < 0.9 ? 128 : 65_536)) + text.slice(at + 1),
  (text, at) => text.slice(0, at) + text.slice(at, at + below(30)).repeat(1 + below(20)) + text.slice(at),
  (text, at, corpus) => text.slice(0, at) + pick(corpus).slice(below(200)),
  (text) => text.replace(/\d+/, () => String(below(2) === 0 ? below(100) : -below(2 ** 31))),
  (text, _, corpus) =>
    text.replace(/"[^"]*"/g, (string) =>
      below(6) === 0 ? (pick(corpus).match(/"[^"]*"/)?.[0] ?? string) : string,
    ),
]

/** One of the corpus with one to four changes. */
export function mutate(corpus: readonly string[]): string {
  let text = pick(corpus)
  for (let times = 1 + below(4); times > 0; times--)
    text = pick(changes)(text, below(text.length + 1), corpus)
  return text.slice(0, longest)
}
