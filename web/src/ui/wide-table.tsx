import type { ComponentChildren } from 'preact';

/** A table that may be wider than its room: it scrolls there, by keys too. */
export function WideTable({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="wide-table" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
