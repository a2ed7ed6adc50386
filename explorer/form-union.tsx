/** A union in a form, with a labelled select for its member. */

import type { MultiSchemaFieldTemplateProps } from '@rjsf/utils'

export function UnionTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="union">
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the select is in the selector */}
      <label>
        <span className="hidden">Which kind</span>
        {selector}
      </label>
      {optionSchemaField}
    </div>
  )
}
