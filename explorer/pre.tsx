/** Preformatted text that can be scrolled by keyboard. */

export function Pre({ children }: { children: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard
  return <pre tabIndex={0}>{children}</pre>
}
