/** The icons, drawn for Berth. Each is 16 px wide and takes the colour of its text. */
import type { ComponentChildren } from 'preact'

export const Icon = ({ children, class: name = '' }: { children: ComponentChildren; class?: string }) => (
  <svg
    class={name}
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
)

/** A bollard with a rope: the mark of Berth. */
export const BerthMark = () => (
  <svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
    <path d="M6 3.5h10M8 3.5V17M14 3.5V17M4 18.5h14" stroke-linecap="round" />
    <path d="M6.5 9.5c3 2 6 2 9 0M6.5 12.5c3 2 6 2 9 0" stroke-linecap="round" />
  </svg>
)

export const CheckIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6.25" />
    <path d="m5.25 8.25 2 2 3.5-4" />
  </Icon>
)
export const CrossIcon = () => (
  <Icon>
    <path d="M5.5 1.75h5l3.75 3.75v5l-3.75 3.75h-5L1.75 10.5v-5z" />
    <path d="m6 6 4 4m0-4-4 4" />
  </Icon>
)
export const WarningIcon = () => (
  <Icon>
    <path d="M8 2 14.5 13.5h-13z" />
    <path d="M8 6.5v3.25M8 11.6v.1" />
  </Icon>
)
export const WorkingIcon = () => (
  <Icon class="spins">
    <path d="M8 1.75A6.25 6.25 0 1 1 1.75 8" />
  </Icon>
)
export const StoppedIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M5.5 8h5" />
  </Icon>
)
export const InfoIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M8 7.5v3.5M8 4.9V5" />
  </Icon>
)
export const SearchIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.75" />
    <path d="m10.75 10.75 3.5 3.5" />
  </Icon>
)
export const MenuIcon = () => (
  <Icon>
    <path d="M2 4h12M2 8h12M2 12h12" />
  </Icon>
)
export const CloseIcon = () => (
  <Icon>
    <path d="m3.5 3.5 9 9m0-9-9 9" />
  </Icon>
)
