/** A part of the tab Danger: what a button does, and the button. */
import type { ComponentChildren } from 'preact'

interface Props {
  title: string
  button: ComponentChildren
  children: ComponentChildren
}

export const Part = ({ title, button, children }: Props) => (
  <section class="card">
    <div class="card-head">
      <h2>{title}</h2>
      <div class="buttons">{button}</div>
    </div>
    <p>{children}</p>
  </section>
)
