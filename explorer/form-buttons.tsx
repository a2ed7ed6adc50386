/** The buttons of lists in forms, in words. */

import type { IconButtonProps } from '@rjsf/utils'

function worded(words: string) {
  return function Worded({ id, onClick, disabled }: IconButtonProps) {
    return (
      <button type="button" id={id} onClick={onClick} disabled={disabled}>
        {words}
      </button>
    )
  }
}

export const buttons = {
  AddButton: worded('Add'),
  CopyButton: worded('Copy'),
  MoveDownButton: worded('Move down'),
  MoveUpButton: worded('Move up'),
  RemoveButton: worded('Remove'),
  ClearButton: worded('Clear'),
}
