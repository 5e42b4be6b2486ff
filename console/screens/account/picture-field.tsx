/** Chooses the picture of a person. A file becomes a small picture that is stored in the account itself. */
import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Avatar, isShowable } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/forms/fields.tsx'
import { smallPicture } from './picture.ts'

export function PictureField({
  field,
  email,
  issue,
}: {
  field: Signal<string>
  email: string
  issue: string | undefined
}) {
  const id = useId()
  const fault = useSignal<string | undefined>(undefined)
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      field.value = await smallPicture(file)
      fault.value = undefined
    } catch {
      fault.value = 'This file is no picture that the browser can read. Choose a PNG, JPEG or WebP file.'
    }
  }
  return (
    <div class="field">
      <label for={id}>
        Picture <span class="hint">(optional)</span>
      </label>
      <div class="picture">
        <Avatar image={field.value} email={email} />
        <input
          id={id}
          type="file"
          accept="image/*"
          class="file"
          aria-describedby={`${id}-hint`}
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        {field.value !== '' && (
          <Button small onClick={() => (field.value = '')}>
            Remove the picture
          </Button>
        )}
      </div>
      <div id={`${id}-hint`} class="hint">
        The page makes it small and stores it in your account. Administrators see it, too.
      </div>
      <details>
        <summary>Use the URL of a picture</summary>
        <TextField
          field={field}
          label="URL of the picture"
          required={false}
          isCode
          hint={
            field.value === '' || isShowable(field.value)
              ? 'For other programs. This page shows only pictures that are in the URL itself (data:image/…).'
              : 'Stored for other programs. This page does not show it, because it loads nothing from elsewhere.'
          }
          issue={fault.value ?? issue}
        />
      </details>
      {fault.value !== undefined && (
        <div class="wrong" role="alert">
          {fault.value}
        </div>
      )}
    </div>
  )
}
