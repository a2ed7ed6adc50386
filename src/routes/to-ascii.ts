/** Spells words of other scripts in ASCII, for names that protocols and hosts restrict to it. */

/**
 * Drops accents, transliterates Cyrillic, Greek and the letters of Latin that have no plain form, and writes every other
 * letter or digit as its code point: `café` → `cafe`, `смета` → `smeta`, `用户` → `_u7528_u6237`. Different words stay different.
 */
export function toAscii(text: string): string {
  if (/^[ -~]*$/.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^ -~]/gu, (letter) => letters[letter.toLowerCase()] ?? codePoint(letter))
}

function codePoint(character: string): string {
  if (!/[\p{L}\p{N}]/u.test(character)) return '_'
  return `_u${(character.codePointAt(0) as number).toString(16)}`
}

/** A letter and its spelling, pair by pair. */
const spellings = [
  'ß ss æ ae œ oe ø o ð d þ th đ d ħ h ı i ł l ŋ ng ŧ t а a б b в v г g д d е e ж zh з z и i к k л l м m н n',
  'о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ _ ы y ь _ э e ю yu я ya і i є ye ґ g ј j љ lj њ nj ћ c',
  'ђ dj џ dz α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch',
  'ψ ps ω o',
].flatMap((line) => line.split(/ (?=[^ -~])/))

const letters: Readonly<Record<string, string>> = Object.fromEntries(spellings.map((pair) => pair.split(' ')))
