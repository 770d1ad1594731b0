import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isExporting } from './opened.ts';
import { shownQueries } from './shown-query.ts';

const hasRows = computed(() => shownQueries.value.length > 0);

/** A menu with what the rows that are seen can be taken away as; until there are any, its button has the place. */
export function Export({ children }: { children: ComponentChildren }) {
  if (!hasRows.value) {
    return (
      <button type="button" disabled>
        Export
      </button>
    );
  }
  return (
    <details
      class="export"
      name="top-menu"
      onToggle={(event) => {
        isExporting.value = event.currentTarget.open;
      }}
    >
      <summary>Export</summary>
      {children}
    </details>
  );
}
