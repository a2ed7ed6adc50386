/** How long clients have, by their own clock, however fast that of the server is. */

/** To answer what they are asked, and handlers to answer them. Milliseconds. */
export const answerMs = 10_000
