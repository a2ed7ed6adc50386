/** A group of toggle buttons, one of which is pressed. */

interface ChoicesProps<T extends string> {
  /** The accessible name of the group. */
  readonly label: string
  readonly names: Readonly<Partial<Record<T, string>>>
  readonly chosen: T
  readonly onChoose: (choice: T) => void
}

export function Choices<T extends string>({ label, names, chosen, onChoose }: ChoicesProps<T>) {
  return (
    <fieldset className="choices" aria-label={label}>
      {(Object.entries(names) as [T, string][]).map(([choice, name]) => (
        <button key={choice} type="button" aria-pressed={choice === chosen} onClick={() => onChoose(choice)}>
          {name}
        </button>
      ))}
    </fieldset>
  )
}
