/** Buttons with text for arrays in forms, in place of the library's icons. */

import type { IconButtonProps } from '@rjsf/utils'

function textButton(text: string) {
  return function TextButton({ id, onClick, disabled }: IconButtonProps) {
    return (
      <button type="button" id={id} onClick={onClick} disabled={disabled}>
        {text}
      </button>
    )
  }
}

export const buttons = {
  AddButton: textButton('Add'),
  CopyButton: textButton('Copy'),
  MoveDownButton: textButton('Move down'),
  MoveUpButton: textButton('Move up'),
  RemoveButton: textButton('Remove'),
  ClearButton: textButton('Clear'),
}
